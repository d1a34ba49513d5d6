//! A file in the editor: saved by the reader's word, never over a change that they have not seen.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::node::Event;
use vitrine_protocol::command::Command;
use vitrine_protocol::editing::{Arrived, Editing, Theirs};
use vitrine_protocol::notification::Problem;

use crate::files::pane::note;
use crate::files::{Files, Mode, viewer};
use crate::glyphs::{Glyph, glyph};
use crate::part_link::{Opening, Part};
use crate::store::Store;
use crate::text;
use crate::view::{Element, ElementRef, View, choose, classed, effect, element, nothing, view, when};

/// A longer text is not edited here, in bytes.
const LONGEST: usize = 8 << 20;

/// Where the editor stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Loading,
    /// The editor's own module is there.
    Whole,
    /// It is not: a plain field takes its place.
    Plain,
    /// The file is no text, or is too long.
    Unfit,
}

/// What this editor is made of; a handle, as the panel's.
#[derive(Clone, Copy)]
struct Editor {
    files: Files,
    path: StoredValue<String>,
    editing: StoredValue<Editing>,
    part: StoredValue<Option<Part>, LocalStorage>,
    field: ElementRef,
    /// What the plain field begins with.
    first: StoredValue<String>,
    stage: RwSignal<Stage>,
    changed: RwSignal<bool>,
    /// What the file became underneath, while the reader has not chosen.
    theirs: RwSignal<Option<Theirs>>,
    comparing: RwSignal<bool>,
}

/// Draws the editor of a file.
pub fn editor(files: Files, path: &str) -> View {
    let editor = Editor {
        files,
        path: StoredValue::new(path.to_owned()),
        editing: StoredValue::new(Editing::new(String::new())),
        part: StoredValue::new_local(None),
        field: ElementRef::new(),
        first: StoredValue::new(String::new()),
        stage: RwSignal::new(Stage::Loading),
        changed: RwSignal::new(false),
        theirs: RwSignal::new(None),
        comparing: RwSignal::new(false),
    };
    let place = ElementRef::new();
    // Once it is on screen: an editor measures where it is.
    let begun = StoredValue::new(false);
    effect(move || {
        files.looked.track();
        if begun.get_value() {
            editor.look();
        } else if place.get().is_some() {
            begun.set_value(true);
            editor.begin(place);
        }
    });
    on_cleanup(move || editor.leave());
    let store = files.store;
    let save = files
        .word_button("btn primary small", "save", store.text(|t| t.save), move || editor.save())
        .live_flag("disabled", move || !editor.changed.get());
    let state = when(
        move || editor.changed.get(),
        move || classed("span", "q2").test_id("unsaved").child(store.text(|t| t.unsaved)),
    );
    let foot = classed("div", "filefoot").child(save).child(state);
    let body = classed("div", "editbox").test_id("editor-place").reached_by(place);
    let instead = choose(
        move || editor.stage.get(),
        move |stage| match stage {
            Stage::Loading | Stage::Whole => nothing(),
            Stage::Plain => view(editor.plain()),
            Stage::Unfit => note(store.text(|t| t.file_unfit)),
        },
    );
    let conflict =
        choose(move || editor.theirs.get(), move |theirs| theirs.as_ref().map(|theirs| editor.conflict(theirs)));
    let compare =
        when(move || editor.comparing.get() && editor.theirs.with(Option::is_some), move || editor.comparison());
    view((view((conflict, compare)), view((body.child(instead), foot))))
}

impl Editor {
    fn store(self) -> Store {
        self.files.store
    }

    fn path(self) -> String {
        self.path.try_get_value().unwrap_or_default()
    }

    /// The text as the reader has it. `None` before there is one.
    fn mine(self) -> Option<String> {
        if self.stage.try_get_untracked()? == Stage::Plain {
            return self.field.get().map(|field| field.value());
        }
        self.part.try_with_value(|part| part.as_ref().and_then(Part::text)).flatten()
    }

    fn focus(self) {
        match self.field.get() {
            Some(field) => dom::focus(&field),
            None => drop(self.part.try_with_value(|part| part.as_ref().map(Part::focus))),
        }
    }

    fn put(self, text: &str) {
        match self.field.get() {
            Some(field) => field.set_value(text),
            None => drop(self.part.try_with_value(|part| part.as_ref().map(|part| part.put(text)))),
        }
        self.mark(false);
    }

    fn mark(self, changed: bool) {
        self.changed.set(changed);
        let path = self.path();
        self.files.unsaved.update(|unsaved| {
            if changed {
                unsaved.insert(&path);
            } else {
                unsaved.remove(&path);
            }
        });
    }

    /// Reads the file, or takes up the draft that was left, and opens the editor on it.
    fn begin(self, place: ElementRef) {
        let path = self.path();
        self.store().ask_all(Command::ReadFile { path: path.clone() }, None, move |answer| {
            let Ok(bytes) = answer.map(|value| value.bytes.unwrap_or_default()) else {
                return self.files.shown.set(None);
            };
            let draft = self.files.drafts.try_update_value(|drafts| {
                let at = drafts.iter().position(|(drafted, ..)| *drafted == path)?;
                let (_, editing, mine) = drafts.swap_remove(at);
                Some((editing, mine))
            });
            let draft = draft.flatten();
            let now = Theirs::of(Some(bytes));
            let (editing, mine) = match (draft, &now) {
                (Some(draft), _) => draft,
                (None, Theirs::Text(text)) if text.len() <= LONGEST => (Editing::new(text.clone()), text.clone()),
                (None, _) => {
                    self.stage.try_set(Stage::Unfit);
                    return;
                }
            };
            self.editing.set_value(editing);
            let Some(place) = place.get() else { return };
            let opening = Opening {
                file: "editor.js",
                kind: "edit",
                place,
                name: path,
                before: String::new(),
                text: mine.clone(),
                lang: text::tag(self.store().language.get_untracked()),
            };
            Part::open(opening, move |word| self.hear(&word), move |part| self.arrive(part, &mine, now));
        });
    }

    fn arrive(self, part: Option<Part>, mine: &str, now: Theirs) {
        self.first.try_set_value(mine.to_owned());
        let stage = if part.is_some() { Stage::Whole } else { Stage::Plain };
        // Nobody may be here any more.
        if self.stage.try_set(stage).is_some() {
            return;
        }
        if let Some(part) = part {
            part.focus();
            self.part.set_value(Some(part));
        }
        self.mark(self.editing.with_value(|editing| editing.is_changed(mine)));
        self.settle(now, mine);
    }

    fn hear(self, word: &str) {
        if self.stage.try_get_untracked().is_none() {
            return;
        }
        match word {
            "save" => self.save(),
            // One by one they are not compared: of a long text that would be felt.
            _ if !self.changed.get_untracked() => self.mark(true),
            _ => {}
        }
    }

    /// Looks at the file again.
    fn look(self) {
        self.ask_now(move |now| {
            if let Some(mine) = self.mine() {
                self.settle(now, &mine);
            }
        });
    }

    fn ask_now(self, then: impl FnOnce(Theirs) + 'static) {
        self.store().ask_all(Command::ReadFile { path: self.path() }, None, move |answer| {
            let now = match answer {
                Ok(value) => Theirs::of(Some(value.bytes.unwrap_or_default())),
                Err(Problem { code, .. }) if code == "file-not-found" => Theirs::Gone,
                Err(problem) => return self.store().tell(problem),
            };
            if self.stage.try_get_untracked().is_some() {
                then(now);
            }
        });
    }

    /// What is to be done about what the file holds now. Says whether the reader's text may go over it.
    fn settle(self, now: Theirs, mine: &str) -> bool {
        let arrived = self.editing.try_update_value(|editing| editing.arrived(now, mine));
        let theirs = self.editing.with_value(|editing| editing.theirs().cloned());
        if self.theirs.with_untracked(|old| *old != theirs) {
            self.theirs.set(theirs);
        }
        match arrived {
            Some(Arrived::Show(text)) => {
                self.put(&text);
                true
            }
            Some(Arrived::Same) => {
                self.mark(self.editing.with_value(|editing| editing.is_changed(mine)));
                true
            }
            Some(Arrived::Conflict) | None => false,
        }
    }

    fn save(self) {
        self.ask_now(move |now| {
            let Some(mine) = self.mine() else { return };
            if self.settle(now, &mine) {
                self.write(mine);
            }
        });
    }

    /// Writes the reader's text. What was there is a change away: the list of changes has it.
    fn write(self, mine: String) {
        let bytes = mine.clone().into_bytes();
        self.store().ask(Command::WriteFile { path: self.path() }, Some(bytes), move |_| {
            self.editing.update_value(|editing| editing.saved(&mine));
            self.theirs.try_set(None);
            self.store().say_now(self.store().t().saved);
            if let Some(now) = self.mine() {
                self.mark(now != mine);
            }
        });
    }

    /// The reader goes somewhere else: what is not saved waits for them.
    fn leave(self) {
        let Some(mine) = self.mine() else { return };
        let path = self.path();
        let editing = self.editing.with_value(Clone::clone);
        if editing.is_changed(&mine) {
            self.files.drafts.try_update_value(|drafts| drafts.push((path, editing, mine)));
        }
    }

    fn plain(self) -> Element {
        let on_key = move |event: &Event| {
            let saves = (event.control() || event.meta()) && event.key() == "s";
            if saves {
                event.prevent_default();
                self.save();
            }
            // Escape ends a run; not from here.
            if saves || event.key() == "Escape" {
                event.stop_propagation();
            }
        };
        effect(move || {
            if let Some(field) = self.field.get() {
                field.set_value(&self.first.get_value());
                dom::focus(&field);
            }
        });
        classed("textarea", "field plain")
            .attr("spellcheck", "false")
            .attr("aria-label", &self.path())
            .test_id("plain-editor")
            .reached_by(self.field)
            .on("input", move |_| self.hear("changed"))
            .on("keydown", on_key)
    }

    /// Both have changed the file: the reader chooses.
    fn conflict(self, theirs: &Theirs) -> Element {
        let store = self.store();
        let words = match theirs {
            Theirs::Text(_) => store.text(|t| t.conflict_changed),
            Theirs::Bytes => store.text(|t| t.conflict_bytes),
            Theirs::Gone => store.text(|t| t.conflict_gone),
        };
        let act = |class, id, words, act: fn(Self)| {
            self.files.word_button(class, id, words, move || {
                act(self);
                // The button is gone with the question.
                self.focus();
            })
        };
        let comparable = matches!(theirs, Theirs::Text(_));
        let acts = classed("div", "acts")
            .child(act("btn", "keep-mine", store.text(|t| t.keep_mine), |editor| {
                if let Some(mine) = editor.mine() {
                    editor.write(mine);
                }
            }))
            .child(act("btn", "take-theirs", store.text(|t| t.take_theirs), Self::take_theirs))
            .child(comparable.then(|| {
                act("btn quiet", "compare", store.text(|t| t.compare), |editor| {
                    editor.comparing.update(|on| *on = !*on);
                })
            }));
        classed("section", "notice warn conflict")
            .attr("role", "alert")
            .test_id("conflict")
            .child(glyph(Glyph::Split))
            .child(element("h3").child(words))
            .child(acts)
    }

    fn take_theirs(self) {
        match self.editing.try_update_value(Editing::take_theirs).flatten() {
            Some(text) => {
                self.theirs.set(None);
                self.put(&text);
            }
            None => {
                // There is no text to show: the file is gone, or is none.
                self.mark(false);
                self.editing.set_value(Editing::new(self.mine().unwrap_or_default()));
                let shown = matches!(self.theirs.get_untracked(), Some(Theirs::Bytes));
                let path = self.path();
                self.files.shown.set(shown.then_some(crate::files::Shown::File(path, Mode::Read)));
            }
        }
    }

    /// What is in the file against the reader's text.
    fn comparison(self) -> Element {
        let place = ElementRef::new();
        let part = StoredValue::new_local(None);
        let failed = RwSignal::new(false);
        let theirs = self.theirs.with_untracked(|theirs| match theirs {
            Some(Theirs::Text(text)) => text.clone(),
            Some(Theirs::Bytes | Theirs::Gone) | None => String::new(),
        });
        let plain = theirs.clone();
        effect(move || {
            let Some(place) = place.get() else { return };
            let opening = Opening {
                file: "editor.js",
                kind: "diff",
                place,
                name: self.path(),
                before: theirs.clone(),
                text: self.mine().unwrap_or_default(),
                lang: text::tag(self.store().language.get_untracked()),
            };
            Part::open(
                opening,
                |_| {},
                move |arrived| {
                    failed.try_set(arrived.is_none());
                    part.try_set_value(arrived);
                },
            );
        });
        let name = self.path();
        let plain = when(move || failed.get(), move || viewer::lines(self.store(), &plain, &name));
        classed("div", "editbox compared").test_id("comparison").reached_by(place).child(plain)
    }
}

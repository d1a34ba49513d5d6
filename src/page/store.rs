//! What the page knows: the transcript fold, a signal for each thing on screen, and the line to the worker.
//!
//! Notifications are folded in as they come; drawing waits for the next frame. A row redraws only when its own trigger
//! fires, so the cost of a frame is that of the rows that changed, not of the transcript.

mod intake;

use std::collections::BTreeMap;
use std::ops::Deref;

use leptos::prelude::*;
use vitrine::platform::dom::PickedFile;
use vitrine::platform::picker::PickedFolder;
use vitrine::platform::{dom, page_life};
use vitrine_agent::json::{self, Json};
use vitrine_protocol::announce::{Announcement, Announcer, Language};
use vitrine_protocol::command::{Breakpoint, Command};
use vitrine_protocol::edit::Edited;
use vitrine_protocol::folder::FolderPlan;
use vitrine_protocol::log::Log;
use vitrine_protocol::marks::Marks;
use vitrine_protocol::notification::{AgentState, Problem, SessionInfo, Status, Storage, StorageKind, StorageRole};
use vitrine_protocol::part::PartRequest;
use vitrine_protocol::policy::Approval;
use vitrine_protocol::transcript::{Changes, Row, RowId, Transcript};

use crate::late::Arrival;
use crate::page_port::{Answering, Link, ReplyValue, Settings};
use crate::place::{Mode, Panel, Sheet, Width, theme_of};
use crate::text::{Texts, Words, texts};

/// Rows that are mounted at first and whenever the end is followed; earlier ones are added as the reader scrolls up.
pub const WINDOW: usize = 80;

/// Everything the page knows. A handle of one pointer, because nearly every closure of the view holds one: as a struct
/// of its signals it would be copied, field by field, into each of them.
#[derive(Clone, Copy)]
pub struct Store(&'static Signals);

impl Deref for Store {
    type Target = Signals;

    fn deref(&self) -> &Signals {
        self.0
    }
}

/// The signals by name. They belong to the owner they are made under; what stays when it is gone are their ids, some
/// hundred bytes for each element that was ever mounted.
pub struct Signals {
    /// Language of the texts.
    pub language: RwSignal<Language>,
    /// `auto`, `light` or `dark`.
    pub theme: RwSignal<&'static str>,
    /// How the page is shown.
    pub mode: Mode,
    /// Whether keys may be typed here.
    pub allow_keys: bool,
    /// How wide the element is.
    pub width: RwSignal<Width>,
    /// The panel in front on a phone; beside the chat in the middle.
    pub panel: RwSignal<Panel>,
    /// The panel beside the chat in the middle; it stays while the chat is in front.
    pub beside: RwSignal<Panel>,
    /// The sheet that is open.
    pub sheet: RwSignal<Option<Sheet>>,
    /// The loop's state, as last told.
    pub state: RwSignal<AgentState>,
    /// Where files are kept; `None` until the worker has said.
    pub storage: RwSignal<Option<Storage>>,
    /// What the browser said when it was asked to keep them; `None` until then.
    pub kept_for_good: RwSignal<Option<bool>>,
    /// The open session.
    pub session: RwSignal<SessionInfo>,
    /// Saved sessions, newest first.
    pub sessions: RwSignal<Vec<SessionInfo>>,
    /// What the reader should know, newest last; each stays until dismissed.
    pub problems: RwSignal<Vec<Problem>>,
    /// Ids of the rows that are mounted, in order.
    pub rows: RwSignal<Vec<RowId>>,
    /// How many rows lie before the mounted ones.
    pub earlier: RwSignal<usize>,
    /// Whether the end of the transcript is kept in view.
    pub following: RwSignal<bool>,
    /// Counts frames that drew something, for views of the whole (scroll position, rail).
    pub drawn: RwSignal<u64>,
    /// The number of the event that the reader looks at, on all surfaces; none: what is newest.
    pub cursor: RwSignal<Option<usize>>,
    /// Where runs are held, as the reader has set it here.
    pub breakpoints: RwSignal<Vec<Breakpoint>>,
    /// The calls that the reader is asked about.
    pub approval: RwSignal<Option<Approval>>,
    /// What a person has put in place of what was, in this session.
    pub edited: RwSignal<Vec<Edited>>,
    /// What the reader who plays a part is to answer.
    pub part: RwSignal<Option<PartRequest>>,
    /// The open lesson, unread: what reads it is late.
    pub lesson: RwSignal<Option<Json>>,
    /// The lessons have a place on a wide page.
    pub lesson_wanted: RwSignal<bool>,
    /// Text to put into the composer, once.
    pub draft: RwSignal<Option<String>>,
    /// The folder of the reader's own that is open, as it was last compared.
    pub folder: RwSignal<Option<FolderPlan>>,
    /// Counts changes of files.
    pub files_changed: RwSignal<u64>,
    /// What the agent did to which file, in this session.
    pub marks: RwSignal<Marks>,
    /// The number of the last change of files.
    pub last_change: RwSignal<u64>,
    /// Files that were dropped on the column and are not added yet; there may be nothing to add them.
    pub dropped: RwSignal<Vec<PickedFile>>,
    /// Where the late part of the page is.
    pub late: RwSignal<Arrival>,
    /// The files have the room of the loop, too.
    pub wide_files: RwSignal<bool>,
    /// The polite and the assertive live region.
    pub polite: RwSignal<String>,
    /// See `polite`.
    pub assertive: RwSignal<String>,
    inner: StoredValue<Inner, LocalStorage>,
}

struct Inner {
    link: Link,
    transcript: Transcript,
    log: Log,
    triggers: BTreeMap<RowId, ArcTrigger>,
    pending: Changes,
    frame_asked: bool,
    announcer: Announcer,
    waiting_words: Vec<Announcement>,
    words_asked: bool,
    /// Whether the browser was asked to keep what is stored.
    keep_asked: bool,
}

impl Store {
    /// The store of one mounted element. Asks the worker for nothing yet.
    pub fn new(settings: &Settings, link: &Link) -> Self {
        let language = Language::from_tag(&settings.lang);
        let signals = Signals {
            language: RwSignal::new(language),
            theme: RwSignal::new(theme_of(&settings.theme)),
            mode: match settings.mode.as_str() {
                "app" => Mode::App,
                "chat" => Mode::Chat,
                _ => Mode::Embed,
            },
            allow_keys: settings.allow_keys || settings.mode == "app",
            width: RwSignal::new(Width::Wide),
            panel: RwSignal::new(Panel::Chat),
            beside: RwSignal::new(Panel::Loop),
            sheet: RwSignal::new(None),
            state: RwSignal::new(AgentState::default()),
            storage: RwSignal::new(None),
            kept_for_good: RwSignal::new(None),
            session: RwSignal::new(SessionInfo::default()),
            sessions: RwSignal::new(Vec::new()),
            problems: RwSignal::new(Vec::new()),
            rows: RwSignal::new(Vec::new()),
            earlier: RwSignal::new(0),
            following: RwSignal::new(true),
            drawn: RwSignal::new(0),
            cursor: RwSignal::new(None),
            breakpoints: RwSignal::new(Vec::new()),
            approval: RwSignal::new(None),
            edited: RwSignal::new(Vec::new()),
            part: RwSignal::new(None),
            lesson: RwSignal::new(None),
            lesson_wanted: RwSignal::new(false),
            draft: RwSignal::new((!settings.prompt.is_empty()).then(|| settings.prompt.clone())),
            folder: RwSignal::new(None),
            files_changed: RwSignal::new(0),
            marks: RwSignal::new(Marks::default()),
            last_change: RwSignal::new(0),
            dropped: RwSignal::new(Vec::new()),
            late: RwSignal::new(Arrival::AT_FIRST),
            wide_files: RwSignal::new(false),
            polite: RwSignal::new(String::new()),
            assertive: RwSignal::new(String::new()),
            inner: StoredValue::new_local(Inner {
                link: link.clone(),
                transcript: Transcript::new(),
                log: Log::default(),
                triggers: BTreeMap::new(),
                pending: Changes::default(),
                frame_asked: false,
                announcer: Announcer::new(language),
                waiting_words: Vec::new(),
                words_asked: false,
                keep_asked: false,
            }),
        };
        let store = Self(Box::leak(Box::new(signals)));
        link.on_notifications(move |batch| store.take(batch));
        store
    }

    /// The texts in the language on screen; tracked.
    pub fn t(self) -> &'static Texts {
        texts(self.language.get())
    }

    /// One text, in the language on screen.
    pub fn text(self, pick: fn(&'static Texts) -> &'static str) -> Words {
        Words { language: self.language, pick }
    }

    /// Switches the language of the texts and of what is announced.
    pub fn speak(self, language: Language) {
        self.inner.try_update_value(|inner| inner.announcer = Announcer::new(language));
        self.language.set(language);
        let lang = match language {
            Language::English => "en",
            Language::Chinese => "zh",
        };
        self.send(Command::SetLanguage { lang: lang.to_owned() });
    }

    /// Brings a panel to the front.
    pub fn show(self, panel: Panel) {
        self.panel.set(panel);
        if panel != Panel::Chat {
            self.beside.set(panel);
        }
        if panel == Panel::Lesson {
            self.lesson_wanted.set(true);
        }
    }

    /// Whether a run goes on, held or not; tracked.
    pub fn busy(self) -> bool {
        self.state.with(|state| state.status != Status::Idle)
    }

    /// The status; tracked.
    pub fn status(self) -> Status {
        self.state.with(|state| state.status)
    }

    /// Reads a row now; untracked. `None` once another session has replaced it.
    pub fn with_row<T>(self, id: RowId, read: impl FnOnce(&Row) -> T) -> Option<T> {
        self.inner.try_with_value(|inner| inner.transcript.row(id).map(read)).flatten()
    }

    /// Reads the whole transcript now; untracked.
    pub fn with_transcript<T>(self, read: impl FnOnce(&Transcript) -> T) -> Option<T> {
        self.inner.try_with_value(|inner| read(&inner.transcript))
    }

    /// Reads the log of events now, with the transcript; untracked.
    pub fn with_log<T>(self, read: impl FnOnce(&Log, &Transcript) -> T) -> Option<T> {
        self.inner.try_with_value(|inner| read(&inner.log, &inner.transcript))
    }

    /// Moves the cursor by so many events; at the newest it follows again what comes.
    pub fn move_cursor(self, by: isize) {
        let newest = self.with_log(|log, _| log.len()).unwrap_or_default().saturating_sub(1);
        let at = self.cursor.get_untracked().unwrap_or(newest);
        let to = at.saturating_add_signed(by);
        self.cursor.set((to < newest).then_some(to));
    }

    /// The row of the transcript that the cursor is in; tracked.
    pub fn row_at_cursor(self) -> Option<RowId> {
        let cursor = self.cursor.get()?;
        self.with_log(|log, _| log.row_at(cursor)).flatten()
    }

    /// What fires when a row is to be drawn again.
    pub fn trigger(self, id: RowId) -> ArcTrigger {
        self.inner.try_update_value(|inner| inner.triggers.entry(id).or_default().clone()).unwrap_or_default()
    }

    /// Draws a row again in the next frame, without a change in the fold: for views that draw a large text in slices.
    pub fn draw_again(self, id: RowId) {
        self.inner.try_update_value(|inner| inner.pending.merge(Changes { changed: vec![id], ..Changes::default() }));
        self.ask_frame();
    }

    /// Sends a command; a failure becomes a problem on screen.
    pub fn send(self, command: Command) {
        self.ask(command, None, |_| {});
    }

    /// Sends a command with bytes beside it; a failure becomes a problem on screen, a success goes to `done`.
    pub fn ask(self, command: Command, bytes: Option<Vec<u8>>, done: impl FnOnce(ReplyValue) + 'static) {
        self.ask_all(command, bytes, move |answer| match answer {
            Ok(value) => done(value),
            Err(problem) => self.tell(problem),
        });
    }

    /// Sends a command and gives the answer, whatever it is. Nothing is called once the element is gone.
    pub fn ask_all(
        self,
        command: Command,
        bytes: Option<Vec<u8>>,
        done: impl FnOnce(Result<ReplyValue, Problem>) + 'static,
    ) {
        self.ask_boxed(command, bytes, Box::new(done));
    }

    #[allow(clippy::needless_pass_by_value, reason = "a command that is sent is given away")]
    fn ask_boxed(self, command: Command, bytes: Option<Vec<u8>>, done: Box<dyn FnOnce(Result<ReplyValue, Problem>)>) {
        let Some(answer) = self.inner.try_with_value(|inner| inner.link.send(&command, bytes)) else { return };
        self.hear(answer, done);
    }

    /// Opens a folder that was picked, and gives the answer, whatever it is.
    pub fn open_folder(self, folder: PickedFolder, done: impl FnOnce(Result<ReplyValue, Problem>) + 'static) {
        let Some(answer) = self.inner.try_with_value(|inner| inner.link.open_folder(folder)) else { return };
        self.hear(answer, Box::new(done));
    }

    fn hear(self, answer: Answering, done: Box<dyn FnOnce(Result<ReplyValue, Problem>)>) {
        dom::spawn(async move {
            let answer = answer.await;
            if !self.inner.is_disposed() {
                done(answer);
            }
        });
    }

    /// Says something to who listens, now.
    pub fn say_now(self, words: &str) {
        self.polite.set(words.to_owned());
    }

    /// Puts a problem on screen, once for each distinct one.
    pub fn tell(self, problem: Problem) {
        if problem.code == "closed" || self.problems.with_untracked(|problems| problems.contains(&problem)) {
            return;
        }
        self.problems.update(|problems| problems.push(problem));
    }

    /// Whether files outlive a reload; `None` until known. Tracked.
    pub fn kept(self) -> Option<bool> {
        self.storage.with(|storage| storage.as_ref().map(|storage| storage.kind == StorageKind::Browser))
    }

    /// Whether another tab writes the workspace, and here it can only be read; tracked.
    pub fn reads(self) -> bool {
        self.storage.with(|storage| storage.as_ref().is_some_and(|storage| storage.role == StorageRole::Reader))
    }

    /// A person has done something worth keeping: asks the browser, once, not to clear it when room gets short.
    pub fn ask_to_keep(self) {
        let is_kept = self
            .storage
            .with_untracked(|storage| storage.as_ref().is_some_and(|storage| storage.kind == StorageKind::Browser));
        let is_asked = self.inner.try_update_value(|inner| std::mem::replace(&mut inner.keep_asked, is_kept));
        if !is_kept || is_asked != Some(false) {
            return;
        }
        dom::spawn(async move {
            let answer = page_life::ask_to_keep().await;
            if !self.inner.is_disposed() {
                self.kept_for_good.set(answer);
            }
        });
    }

    /// Mounts more of the rows before the mounted ones; says whether there were any.
    pub fn mount_earlier(self) -> bool {
        let earlier = self.earlier.get_untracked();
        if earlier == 0 {
            return false;
        }
        self.window(earlier.saturating_sub(WINDOW / 2));
        true
    }

    /// Mounts rows from `first` to the end.
    fn window(self, first: usize) {
        let ids = self
            .with_transcript(|transcript| transcript.rows.iter().skip(first).map(|row| row.id).collect::<Vec<_>>())
            .unwrap_or_default();
        self.earlier.set(first);
        self.rows.set(ids);
    }
}

/// Reads a reply's value; an answer that does not fit is a problem of versions.
pub fn read<T: serde::de::DeserializeOwned>(json: Option<&Json>) -> Result<T, Problem> {
    let text = json.map_or("null", Json::as_str);
    json::read(text).map_err(|error| {
        Problem::new(
            "version-mismatch",
            format!("page and worker do not understand each other: {error}"),
            "reload the page without its cache",
        )
    })
}

//! The lower half of the column: a file, read, edited or previewed, or a difference.

use vitrine_preview as preview_of;
use vitrine_protocol::visible::visible;

use leptos::prelude::*;

use crate::bars::yes_or_no;
use crate::files::acts::Act;
use crate::files::{Files, Mode, Shown, diff, edit, preview, viewer};
use crate::glyphs::{Glyph, glyph};
use crate::text::Words;
use crate::view::{Element, View, button, choose, classed, element, nothing, view};

/// Draws it.
pub fn pane(files: Files) -> Element {
    classed("div", "pane").live_class("full", move || files.shown.with(Option::is_some)).child(choose(
        move || files.shown.get(),
        move |shown| match shown {
            None => hint(files),
            Some(Shown::File(path, mode)) => {
                let body = match mode {
                    Mode::Read => viewer::viewer(files, path),
                    Mode::Edit => edit::editor(files, path),
                    Mode::Preview => preview::preview(files, path),
                };
                view((head(files, path, *mode), body))
            }
            Some(Shown::Difference(difference)) => diff::difference(files, difference),
        },
    ))
}

fn hint(files: Files) -> View {
    choose(
        move || files.entries.with(Vec::is_empty),
        move |&is_empty| if is_empty { nothing() } else { note(files.store.text(|t| t.file_pick)) },
    )
}

/// Words where a file would be.
pub fn note(words: Words) -> View {
    view(classed("p", "q note").child(words))
}

/// The name of what is shown, and what can be done to all of it.
pub fn title(files: Files, name: &str) -> Element {
    let close = button("btn quiet square small")
        .test_id("close-file")
        .words("aria-label", files.store.text(|t| t.close))
        .words("title", files.store.text(|t| t.close))
        .on_click(move || {
            files.shown.set(None);
            files.focus_tree();
        })
        .child(glyph(Glyph::Cross));
    classed("div", "subhead")
        .child(classed("h3", "clip").attr("title", name).child(visible(name).as_ref()))
        .child(classed("span", "sp"))
        .child(files.wider())
        .child(close)
}

fn head(files: Files, path: &str, mode: Mode) -> Element {
    let store = files.store;
    let one = |to: Mode, act: Act, id: &str, words: Words| {
        let path = path.to_owned();
        element("button")
            .attr("type", "button")
            .test_id(id)
            .attr("aria-pressed", yes_or_no(to == mode))
            .on_click(move || files.act(act, &path))
            .child(words)
    };
    let has_preview = preview_of::Shown::of(path).is_some();
    let modes = classed("span", "seg small")
        .attr("role", "group")
        .words("aria-label", store.text(|t| t.shown_as))
        .child(one(Mode::Read, Act::Read, "mode-read", store.text(|t| t.read)))
        .child(one(Mode::Edit, Act::Edit, "mode-edit", store.text(|t| t.edit)))
        .child(has_preview.then(|| one(Mode::Preview, Act::Preview, "mode-preview", store.text(|t| t.preview))));
    element("div").child(title(files, path)).child(classed("div", "filetools").test_id("file-tools").child(modes))
}

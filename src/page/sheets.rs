//! Sheets over the page: one at a time, focus kept inside, Escape closes, the focus goes back where it was.

mod keys;
mod model;
mod sessions;

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::node::Event;

use crate::glyphs::{Glyph, glyph};
use crate::late::{Late, late};
use crate::place::Sheet;
use crate::store::Store;
use crate::view::{Element, ElementRef, View, button, choose, classed, effect, element, view};

/// Draws the open sheet, if there is one.
pub fn sheets(store: Store) -> View {
    choose(move || store.sheet.get(), move |sheet| sheet.map(|sheet| dialog(store, sheet)))
}

fn dialog(store: Store, sheet: Sheet) -> Element {
    let (scrim, section) = (ElementRef::new(), ElementRef::new());
    effect(move || {
        let Some(section) = section.get() else { return };
        let opener = StoredValue::new_local(dom::focused_beside(&section));
        dom::focus(&section);
        on_cleanup(move || {
            opener.try_with_value(|opener| {
                if let Some(opener) = opener {
                    dom::focus(opener);
                }
            });
        });
    });
    let close = move || store.sheet.set(None);
    let on_key = move |event: &Event| {
        if event.composes() {
            return;
        }
        match event.key().as_str() {
            "Escape" => {
                event.prevent_default();
                event.stop_propagation();
                close();
            }
            "Tab" => {
                if let Some(section) = section.get() {
                    dom::trap_tab(&section, event);
                }
            }
            _ => {}
        }
    };
    let on_scrim = move |event: &Event| {
        if scrim.get().is_some_and(|scrim| dom::is_target(event, &scrim)) {
            close();
        }
    };
    let title = match sheet {
        Sheet::Model => store.text(|t| t.model),
        Sheet::Sessions => store.text(|t| t.sessions),
        Sheet::Keys => store.text(|t| t.keys_title),
        Sheet::Folder => store.text(|t| t.folder_title),
    };
    let head = classed("div", "head").child(element("h2").child(title)).child(classed("span", "sp")).child(
        button("btn quiet square")
            .test_id("close")
            .words("aria-label", store.text(|t| t.close))
            .on_click(close)
            .child(glyph(Glyph::Cross)),
    );
    let dialog = classed("section", "dialog")
        .attr("role", "dialog")
        .attr("aria-modal", "true")
        .words("aria-label", title)
        .test_id("sheet")
        .attr("tabindex", "-1")
        .reached_by(section)
        .on("keydown", on_key);
    let dialog = dialog.child(head).child(late(store, Late::Sheet(sheet), section));
    classed("div", "scrim").reached_by(scrim).on("click", on_scrim).child(dialog)
}

/// What is in a sheet.
pub fn content(store: Store, sheet: Sheet) -> View {
    match sheet {
        Sheet::Model => view(model::model_sheet(store)),
        Sheet::Sessions => view(sessions::sessions_sheet(store)),
        Sheet::Keys => view(keys::keys_sheet(store)),
        Sheet::Folder => view(crate::files::folder_sheet(store)),
    }
}

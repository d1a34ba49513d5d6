//! Sheets over the page: one at a time, focus kept inside, Escape closes, the focus goes back where it was.

mod keys;
mod model;
mod sessions;

use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html;
use leptos::prelude::*;
use vitrine::platform::dom;

use crate::glyphs::{Glyph, glyph};
use crate::place::Sheet;
use crate::store::Store;
use crate::text::Texts;

/// Draws the open sheet, if there is one.
pub fn sheets(store: Store) -> impl IntoView {
    move || store.sheet.get().map(|sheet| dialog(store, sheet))
}

fn dialog(store: Store, sheet: Sheet) -> impl IntoView {
    let scrim = NodeRef::<html::Div>::new();
    let section = NodeRef::<html::Section>::new();
    Effect::new(move || {
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
    let on_key = move |event: KeyboardEvent| {
        if event.is_composing() || event.key_code() == 229 {
            return;
        }
        match event.key().as_str() {
            "Escape" => {
                event.prevent_default();
                event.stop_propagation();
                close();
            }
            "Tab" => {
                if let Some(section) = section.get_untracked() {
                    dom::trap_tab(&section, &event);
                }
            }
            _ => {}
        }
    };
    let on_scrim = move |event: MouseEvent| {
        if scrim.get_untracked().is_some_and(|scrim| dom::is_target(&event, &scrim)) {
            close();
        }
    };
    let title: fn(&Texts) -> &'static str = match sheet {
        Sheet::Model => |t| t.model,
        Sheet::Sessions => |t| t.sessions,
        Sheet::Keys => |t| t.keys_title,
    };
    let content = match sheet {
        Sheet::Model => model::model_sheet(store).into_any(),
        Sheet::Sessions => sessions::sessions_sheet(store).into_any(),
        Sheet::Keys => keys::keys_sheet(store).into_any(),
    };
    view! {
        <div class="scrim" node_ref=scrim on:click=on_scrim>
            <section
                class="dialog"
                role="dialog"
                aria-modal="true"
                aria-label=move || title(store.t())
                data-testid="sheet"
                tabindex="-1"
                node_ref=section
                on:keydown=on_key
            >
                <header>
                    <h2>{move || title(store.t())}</h2>
                    <span class="sp"></span>
                    <button
                        class="btn quiet square"
                        type="button"
                        data-testid="close"
                        aria-label=store.text(|t| t.close)
                        on:click=move |_| close()
                    >
                        {glyph(Glyph::Cross)}
                    </button>
                </header>
                {content}
            </section>
        </div>
    }
}

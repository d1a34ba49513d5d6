//! The page: draws what the worker tells and sends what the reader asks. It knows the protocol and nothing of the loop.

#[cfg(target_family = "wasm")]
mod app;
#[cfg(target_family = "wasm")]
mod bars;
#[cfg(target_family = "wasm")]
mod chat;
#[cfg(target_family = "wasm")]
mod files;
#[cfg(target_family = "wasm")]
mod glyphs;
#[cfg(target_family = "wasm")]
mod late;
#[cfg(target_family = "wasm")]
mod lesson;
#[cfg(target_family = "wasm")]
mod loop_panel;
#[cfg(target_family = "wasm")]
#[path = "../platform/markdown_link.rs"]
mod markdown_link;
#[cfg(target_family = "wasm")]
#[path = "../platform/page_port.rs"]
mod page_port;
#[cfg(target_family = "wasm")]
#[path = "../platform/part_link.rs"]
mod part_link;
#[cfg(target_family = "wasm")]
mod place;
#[cfg(target_family = "wasm")]
mod sandbox;
#[cfg(target_family = "wasm")]
mod sheets;
#[cfg(target_family = "wasm")]
mod store;
#[cfg(target_family = "wasm")]
mod text;
#[cfg(target_family = "wasm")]
mod view;

#[cfg(target_family = "wasm")]
use vitrine::platform::node::Node;

/// Runs when the module is loaded; drawing waits for the loader's `mount`.
#[cfg(target_family = "wasm")]
fn main() {
    markdown_link::on_arrival(chat::markdown::parser_arrived);
    page_port::serve(|page_port::Mount { parent, settings, link }| {
        let place = Node::from(parent.clone());
        // Leptos starts its effects and owns what is made here; nothing is left for it to draw itself.
        Box::new(leptos::mount::mount_to(parent, move || view::put_into(&place, app::app(&settings, &link))))
    });
}

/// There is no page without a browser; this lets the workspace build natively.
#[cfg(not(target_family = "wasm"))]
fn main() {}

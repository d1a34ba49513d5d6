//! Markdown, as the page renders it.

use wasm_bindgen::prelude::wasm_bindgen;

/// Markdown as safe HTML.
#[wasm_bindgen(js_name = renderMarkdown)]
pub fn render_markdown(text: &str) -> String {
    vitrine_markdown::render_html(text)
}

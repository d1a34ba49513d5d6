//! The page's side of the line to the parser, a module that arrives after the page has started, or never.

use std::cell::{Cell, OnceCell};

use vitrine_markdown::Delta;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// What `import("markdown.js")` gives.
    pub type Module;

    #[wasm_bindgen(method, catch)]
    fn open(this: &Module) -> Result<JsStream, JsValue>;

    type JsStream;

    #[wasm_bindgen(method, catch)]
    fn push(this: &JsStream, text: &str) -> Result<Vec<u8>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn finish(this: &JsStream) -> Result<Vec<u8>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn free(this: &JsStream) -> Result<(), JsValue>;
}

thread_local! {
    static MODULE: OnceCell<Module> = const { OnceCell::new() };
    static ON_ARRIVAL: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// Calls `arrived` once, when [`Parser::open`] begins to work.
pub fn on_arrival(arrived: fn()) {
    ON_ARRIVAL.set(Some(arrived));
}

/// The loader has the parser's module, and has started it.
#[wasm_bindgen]
pub fn take_markdown(module: Module) {
    // A second one would be the same.
    if MODULE.with(|known| known.set(module)).is_ok()
        && let Some(arrived) = ON_ARRIVAL.get()
    {
        arrived();
    }
}

/// A message in the parser's memory, until it is dropped. The parser may stop (a trap there is an exception here) or say
/// what cannot be read: then this message is given up, and nothing else.
pub struct Parser(JsStream);

impl Parser {
    /// An empty message; `None` where there is no parser.
    pub fn open() -> Option<Self> {
        MODULE.with(|module| module.get()?.open().ok()).map(Self)
    }

    /// More text, and what it changed. `None` when the parser has failed.
    pub fn push(&self, text: &str) -> Option<Delta> {
        Delta::decode(&self.0.push(text).ok()?)
    }

    /// The message is whole; what that changed. `None` when the parser has failed.
    pub fn finish(&self) -> Option<Delta> {
        Delta::decode(&self.0.finish().ok()?)
    }
}

impl Drop for Parser {
    fn drop(&mut self) {
        // A stream that stopped half-way cannot be freed; its memory is lost with it.
        let _ = self.0.free();
    }
}

impl std::fmt::Debug for Parser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Parser")
    }
}

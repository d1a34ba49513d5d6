//! A panic ends the instance with a trap that says nothing. Its text goes to JavaScript before that.

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(raw_module = "./panic.js")]
extern "C" {
    /// Keeps the text for whoever catches the trap.
    #[wasm_bindgen(js_name = notePanic)]
    fn note_panic(text: &str);
}

/// From here on the text of every panic is noted.
pub fn report() {
    std::panic::set_hook(Box::new(|panic| note_panic(&panic.to_string())));
}

/// Panics, for tests of what the driver does then.
#[allow(clippy::panic, reason = "to panic is what it is for")]
#[wasm_bindgen(js_name = provokePanic)]
pub fn provoke_panic(text: &str) {
    panic!("{text}");
}

//! The page's side of the line to parts that are JavaScript and loaded when they are needed: the editor, the preview. A part
//! may be missing, or come after who asked for it is gone.

use std::cell::OnceCell;

use js_sys::{Function, Promise};
use vitrine::platform::node::Node;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

#[wasm_bindgen]
extern "C" {
    /// What `import("editor.js")` gives.
    type Module;

    #[wasm_bindgen(method, catch)]
    #[allow(clippy::too_many_arguments, reason = "an object would cost more to make than they do")]
    fn open(
        this: &Module,
        kind: &str,
        place: &JsValue,
        name: &str,
        before: &str,
        text: &str,
        lang: &str,
        tell: &JsValue,
    ) -> Result<JsPart, JsValue>;

    type JsPart;

    #[wasm_bindgen(method, catch)]
    fn text(this: &JsPart) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn put(this: &JsPart, text: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn focus(this: &JsPart) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn stop(this: &JsPart) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn close(this: &JsPart) -> Result<(), JsValue>;
}

thread_local! {
    static IMPORT: OnceCell<Function> = const { OnceCell::new() };
}

/// The loader hands over how it imports a file beside it.
#[wasm_bindgen]
pub fn take_import(import: Function) {
    // A second one would be the same.
    let _ = IMPORT.with(|known| known.set(import));
}

/// What a part is opened with.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The file it is in.
    pub file: &'static str,
    /// Which of its kinds.
    pub kind: &'static str,
    /// Where it is put.
    pub place: Node,
    /// The name of what it shows.
    pub name: String,
    /// The text before, for what compares two.
    pub before: String,
    /// The text.
    pub text: String,
    /// The language of its own words.
    pub lang: &'static str,
}

/// A part on screen, until it is dropped.
pub struct Part(JsPart);

impl Part {
    /// Loads a part and opens it. `arrived` gets it; `None` where it could not be loaded, or failed. `tell` hears its words,
    /// while it is there.
    pub fn open(opening: Opening, tell: impl Fn(String) + 'static, arrived: impl FnOnce(Option<Self>) + 'static) {
        Self::open_boxed(opening, Box::new(tell), Box::new(arrived));
    }

    fn open_boxed(opening: Opening, tell: Box<dyn Fn(String)>, arrived: Box<dyn FnOnce(Option<Self>)>) {
        spawn_local(async move { arrived(Self::load(opening, tell).await.ok()) });
    }

    async fn load(opening: Opening, tell: Box<dyn Fn(String)>) -> Result<Self, JsValue> {
        let Opening { file, kind, place, name, before, text, lang } = opening;
        let import = IMPORT.with(|import| import.get().cloned()).ok_or(JsValue::UNDEFINED)?;
        let module: Promise = import.call1(&JsValue::UNDEFINED, &JsValue::from_str(file))?.unchecked_into();
        let module: Module = JsFuture::from(module).await?.unchecked_into();
        let tell = Closure::<dyn Fn(String)>::new(tell).into_js_value();
        module.open(kind, place.as_js(), &name, &before, &text, lang, &tell).map(Self)
    }

    /// The text as it stands. `None` when the part has failed.
    pub fn text(&self) -> Option<String> {
        self.0.text().ok()
    }

    /// Shows another text.
    pub fn put(&self, text: &str) {
        // A part that failed shows what it showed; what is saved is asked of it.
        let _ = self.0.put(text);
    }

    /// Puts the focus there.
    pub fn focus(&self) {
        let _ = self.0.focus();
    }

    /// Ends what runs in it.
    pub fn stop(&self) {
        let _ = self.0.stop();
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.0.close();
    }
}

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Part")
    }
}

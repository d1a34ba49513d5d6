//! A folder that the reader picks, where the browser lets them.

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

const PICKER: &str = "showDirectoryPicker";

/// A folder on its way to the worker.
#[derive(Debug)]
pub struct PickedFolder(JsValue);

impl PickedFolder {
    /// For the line to the worker.
    pub fn into_handle(self) -> JsValue {
        self.0
    }
}

/// Whether folders can be picked here.
pub fn can_pick() -> bool {
    picker().is_some()
}

/// Asks the reader for a folder that may be changed. Only while a click is fresh; nothing is called when none was picked.
pub fn pick(picked: impl FnOnce(PickedFolder) + 'static) {
    let Some(picker) = picker() else { return };
    let options = Object::new();
    let _ = Reflect::set(&options, &"mode".into(), &"readwrite".into());
    if let Ok(asked) = picker.call1(&js_sys::global(), &options) {
        spawn_local(async move {
            // A reader who changes their mind is no failure.
            if let Ok(handle) = JsFuture::from(asked.unchecked_into::<Promise>()).await {
                picked(PickedFolder(handle));
            }
        });
    }
}

fn picker() -> Option<Function> {
    Reflect::get(&js_sys::global(), &PICKER.into()).ok()?.dyn_into().ok()
}

/// Hears when the reader comes back to the page, until it is dropped.
pub struct OnReturn(Closure<dyn FnMut()>);

impl OnReturn {
    /// Calls `hear` each time.
    pub fn new(hear: impl FnMut() + 'static) -> Self {
        let closure = Closure::new(hear);
        if let Some(window) = web_sys::window() {
            // Adding a listener to a window does not fail.
            let _ = window.add_event_listener_with_callback("focus", closure.as_ref().unchecked_ref());
        }
        Self(closure)
    }
}

impl Drop for OnReturn {
    fn drop(&mut self) {
        if let Some(window) = web_sys::window() {
            let _ = window.remove_event_listener_with_callback("focus", self.0.as_ref().unchecked_ref());
        }
    }
}

impl std::fmt::Debug for OnReturn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnReturn")
    }
}

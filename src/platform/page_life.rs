//! Whether a person sees the page, and whether the browser promises to keep what it stores.

use std::rc::Rc;

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Document;

const CHANGE: &str = "visibilitychange";

/// Listens until it is dropped.
pub struct SightObserver {
    document: Document,
    listener: Closure<dyn FnMut()>,
}

impl std::fmt::Debug for SightObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SightObserver").finish_non_exhaustive()
    }
}

impl Drop for SightObserver {
    fn drop(&mut self) {
        // Fails only for what is no listener.
        let _ = self.document.remove_event_listener_with_callback(CHANGE, self.listener.as_ref().unchecked_ref());
    }
}

/// Calls `changed` with whether a person sees the page: now, and whenever that changes.
pub fn observe_sight(changed: impl Fn(bool) + 'static) -> Option<SightObserver> {
    let document = web_sys::window()?.document()?;
    let changed = Rc::new(changed);
    let tell = {
        let document = document.clone();
        // An engine that does not say shows the page.
        move || changed(!Reflect::get(&document, &"hidden".into()).is_ok_and(|hidden| hidden.is_truthy()))
    };
    tell();
    let listener = Closure::<dyn FnMut()>::new(tell);
    document.add_event_listener_with_callback(CHANGE, listener.as_ref().unchecked_ref()).ok()?;
    Some(SightObserver { document, listener })
}

/// Asks the browser to keep what the page stores even when room gets short. It may ask the person, or decide by itself; to be
/// called when a person has just done something worth keeping. `None` where it cannot be asked.
pub async fn ask_to_keep() -> Option<bool> {
    let get = |object: &JsValue, key: &str| Reflect::get(object, &key.into()).ok();
    let storage = get(&get(&js_sys::global(), "navigator")?, "storage")?;
    let persist: Function = get(&storage, "persist")?.dyn_into().ok()?;
    let answer: Promise = persist.call0(&storage).ok()?.dyn_into().ok()?;
    JsFuture::from(answer).await.ok()?.as_bool()
}

/// Runs `work` once, when the page has nothing to do; where a browser cannot say so, a little later.
pub fn when_idle(work: impl FnOnce() + 'static) {
    let Some(window) = web_sys::window() else { return };
    let work = Closure::once_into_js(work);
    if window.request_idle_callback(work.unchecked_ref()).is_err() {
        // Fails only in a document that is going away.
        let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(work.unchecked_ref(), 300);
    }
}

//! Permissions: what the browser would let this page do.

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

/// `granted`, `prompt` or `denied`; `None` where the browser does not know the permission. Asks the reader nothing.
pub async fn query(name: &str) -> Option<String> {
    let get = |object: &JsValue, key: &str| Reflect::get(object, &JsValue::from_str(key)).ok();
    let permissions = get(&get(&js_sys::global(), "navigator")?, "permissions")?;
    let ask: Function = get(&permissions, "query")?.dyn_into().ok()?;
    let descriptor = Object::new();
    Reflect::set(&descriptor, &JsValue::from_str("name"), &JsValue::from_str(name)).ok()?;
    let answer: Promise = ask.call1(&permissions, &descriptor).ok()?.dyn_into().ok()?;
    get(&JsFuture::from(answer).await.ok()?, "state")?.as_string()
}

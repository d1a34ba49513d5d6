//! URLs, as the browser itself will read them: a key's origin must never be parsed by other rules than the request's.

use wasm_bindgen::JsCast as _;
use web_sys::DedicatedWorkerGlobalScope;

/// The address of a file of this build: beside the worker's own loader. In a worker only.
pub fn beside(name: &str) -> Result<String, super::js_error::JsError> {
    let location = js_sys::global().unchecked_into::<DedicatedWorkerGlobalScope>().location();
    let url = web_sys::Url::new_with_base(name, &location.href())?;
    url.set_search(&location.search());
    Ok(url.href())
}

/// `scheme://host[:port]` of an absolute http(s) URL; `None` for anything else.
pub fn http_origin(url: &str) -> Option<String> {
    let url = web_sys::Url::new(url.trim()).ok()?;
    matches!(url.protocol().as_str(), "http:" | "https:").then(|| url.origin())
}

/// Whether an address has nothing but scheme, host, port and path: what a path can be added to.
pub fn is_plain(url: &str) -> bool {
    web_sys::Url::new(url.trim())
        .is_ok_and(|url| [url.username(), url.password(), url.search(), url.hash()].iter().all(String::is_empty))
}

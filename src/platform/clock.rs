//! Time: the wall clock for what is recorded, the monotonic one for durations, and sleeping.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Performance;

/// Milliseconds since 1970.
pub fn wall_ms() -> u64 {
    js_sys::Date::now() as u64
}

thread_local! {
    /// Looked up once: a loop reads the clock some times a turn.
    static PERFORMANCE: Option<Performance> = Reflect::get(&js_sys::global(), &JsValue::from_str("performance"))
        .ok()
        .filter(|performance| !performance.is_undefined())
        .map(JsCast::unchecked_into);
}

/// Monotonic milliseconds since the page or worker began.
pub fn monotonic_ms() -> f64 {
    PERFORMANCE.with(|performance| performance.as_ref().map_or_else(js_sys::Date::now, Performance::now))
}

/// Ready after `ms` milliseconds. Dropping it leaves a timer that wakes nobody.
pub async fn sleep(ms: u32) {
    let promise = Promise::new(&mut |resolve, _| {
        let set_timeout = Reflect::get(&js_sys::global(), &JsValue::from_str("setTimeout"));
        if let Ok(set_timeout) = set_timeout.map(JsCast::unchecked_into::<Function>) {
            // It cannot throw with these arguments; were it to, the sleep would not end, which `Promise` reports.
            let _ = set_timeout.call2(&JsValue::UNDEFINED, &resolve, &JsValue::from(ms));
        }
    });
    // A timer's promise is never rejected.
    let _ = JsFuture::from(promise).await;
}

//! Web Locks: which of several tabs may write.

use futures_channel::oneshot;
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::js_error::JsError;

#[wasm_bindgen]
extern "C" {
    type LockManager;

    #[wasm_bindgen(method, catch)]
    fn request(this: &LockManager, name: &str, options: &Object, on_answer: &JsValue) -> Result<Promise, JsValue>;
}

/// Holds a lock until it is dropped. The browser frees it too when the worker or its tab ends, however that happens.
#[derive(Debug)]
pub struct Guard {
    /// `None` where there are no locks.
    release: Option<Function>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(release) = &self.release {
            // The function that resolves a promise does not throw.
            let _ = release.call0(&JsValue::UNDEFINED);
        }
    }
}

/// Takes the lock of that name in this origin, or gives `None` at once when another tab or worker has it.
///
/// Where the browser has no locks, or refuses them to this page, everybody gets a guard: files of OPFS can be opened
/// only once by themselves, so the lock decides who is told early, not who is safe. May be dropped before it is ready;
/// the lock is not held then.
pub async fn try_lock(name: &str) -> Option<Guard> {
    let (sender, answer) = oneshot::channel();
    let on_answer = Closure::once_into_js(move |lock: JsValue| -> JsValue {
        if lock.is_null() {
            let _ = sender.send(None);
            return JsValue::UNDEFINED;
        }
        let mut release = None;
        let held = Promise::new(&mut |resolve, _| release = Some(resolve));
        // Nobody waits for the answer any more: the lock ends with this call.
        if sender.send(Some(Guard { release })).is_err() {
            return JsValue::UNDEFINED;
        }
        held.into()
    });
    let Ok(request) = request(name, &on_answer) else {
        return Some(Guard { release: None });
    };
    // The request itself ends when the lock is released, or early when it is refused; then nothing answers.
    wasm_bindgen_futures::spawn_local(async move {
        let _ = JsFuture::from(request).await;
    });
    answer.await.unwrap_or(Some(Guard { release: None }))
}

fn request(name: &str, on_answer: &JsValue) -> Result<Promise, JsError> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into())?;
    let locks: LockManager = Reflect::get(&navigator, &"locks".into())?.unchecked_into();
    let options = Object::new();
    Reflect::set(&options, &"ifAvailable".into(), &JsValue::TRUE)?;
    Ok(locks.request(name, &options, on_answer)?)
}

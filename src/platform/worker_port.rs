//! The worker's side of the line to the page: text in, one text a frame out; bytes ride beside.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Blob, DedicatedWorkerGlobalScope, MessageEvent};

/// How long events may wait to share a message with others: about one frame.
const BATCH_MS: i32 = 16;

/// How long a message may get. The page reads a message in one task, and a task must stay short.
const BATCH_BYTES: usize = 96 << 10;

/// The line to the page. Clones share it.
#[derive(Clone)]
pub struct WorkerPort(Rc<Inner>);

struct Inner {
    scope: DedicatedWorkerGlobalScope,
    /// The array's items so far, joined by commas.
    batch: RefCell<String>,
    flush_is_due: Cell<bool>,
    last_flush_ms: Cell<f64>,
    flush: RefCell<Option<Closure<dyn FnMut()>>>,
}

impl std::fmt::Debug for WorkerPort {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorkerPort").field("batch_bytes", &self.0.batch.borrow().len()).finish()
    }
}

/// What is beside a command: bytes, a blob, a folder's handle, or nothing. It is not looked at before somebody asks.
#[derive(Debug)]
pub struct Attached(pub(super) JsValue);

impl Attached {
    /// Nothing.
    pub fn nothing() -> Self {
        Self(JsValue::UNDEFINED)
    }

    /// The bytes, if that is what it is.
    pub fn bytes(self) -> Option<Vec<u8>> {
        self.0.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec)
    }
}

/// A blob on its way to the page.
#[derive(Debug)]
pub struct OutgoingBlob(pub(super) Blob);

impl WorkerPort {
    /// Listens to the page. `on_message` gets a command's id, its text and what is beside it.
    pub fn listen(on_message: impl Fn(u64, String, Attached) + 'static) -> Self {
        let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
        let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let data: Array = event.data().unchecked_into();
            let (Some(id), Some(text)) = (data.get(0).as_f64(), data.get(1).as_string()) else { return };
            on_message(id as u64, text, Attached(data.get(2)));
        });
        scope.set_onmessage(Some(listener.as_ref().unchecked_ref()));
        // The worker listens as long as it lives.
        listener.forget();
        let port = Self(Rc::new(Inner {
            scope,
            batch: RefCell::default(),
            flush_is_due: Cell::new(false),
            last_flush_ms: Cell::new(0.0),
            flush: RefCell::default(),
        }));
        let weak = Rc::downgrade(&port.0);
        *port.0.flush.borrow_mut() = Some(Closure::new(move || {
            if let Some(inner) = weak.upgrade() {
                inner.flush_is_due.set(false);
                Self(inner).flush();
            }
        }));
        port
    }

    /// Puts one notification (a JSON object's text) into the batch. It leaves within a frame, in order.
    ///
    /// The first after a pause leaves in the next task, so that a lone event does not wait for company.
    pub fn post(&self, notification: &str) {
        {
            let mut batch = self.0.batch.borrow_mut();
            let separator = if batch.is_empty() { '[' } else { ',' };
            batch.push(separator);
            batch.push_str(notification);
        }
        if self.0.batch.borrow().len() > BATCH_BYTES {
            return self.flush();
        }
        if self.0.flush_is_due.replace(true) {
            return;
        }
        let since = super::clock::monotonic_ms() - self.0.last_flush_ms.get();
        let delay = (f64::from(BATCH_MS) - since).clamp(0.0, f64::from(BATCH_MS)) as i32;
        let scheduled = self.0.flush.borrow().as_ref().is_some_and(|flush| {
            let flush = flush.as_ref().unchecked_ref();
            self.0.scope.set_timeout_with_callback_and_timeout_and_arguments_0(flush, delay).is_ok()
        });
        if !scheduled {
            self.flush();
        }
    }

    /// Posts one notification with bytes beside it, now, after all that waits.
    pub fn post_with_bytes(&self, notification: &str, bytes: &[u8]) {
        self.flush();
        let bytes = Uint8Array::from(bytes);
        let message = Array::of2(&JsValue::from_str(&format!("[{notification}]")), &bytes);
        let transfer = Array::of1(&bytes.buffer());
        // Fails only for what cannot be cloned; text and a buffer can.
        let _ = self.0.scope.post_message_with_transfer(&message, &transfer);
    }

    /// Posts one notification with a blob beside it, now, after all that waits.
    pub fn post_with_blob(&self, notification: &str, OutgoingBlob(blob): &OutgoingBlob) {
        self.flush();
        // Fails only for what cannot be cloned; text and a blob can.
        let _ = self.0.scope.post_message(&Array::of2(&JsValue::from_str(&format!("[{notification}]")), blob));
    }

    /// Sends what waits.
    pub fn flush(&self) {
        self.0.last_flush_ms.set(super::clock::monotonic_ms());
        let mut batch = self.0.batch.take();
        if batch.is_empty() {
            return;
        }
        batch.push(']');
        let _ = self.0.scope.post_message(&Array::of1(&JsValue::from_str(&batch)));
    }
}

/// Tells the page one last thing (a JSON object's text) and ends the worker.
pub fn give_up(notification: &str) {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let _ = scope.post_message(&Array::of1(&JsValue::from_str(&format!("[{notification}]"))));
    scope.close();
}

/// The origin of the page that started this worker, e.g. `https://app.example`.
pub fn page_origin() -> String {
    js_sys::global().unchecked_into::<DedicatedWorkerGlobalScope>().location().origin()
}

/// Whether the browser believes it is online. `true` says little; `false` is certain.
pub fn is_online() -> bool {
    js_sys::global().unchecked_into::<DedicatedWorkerGlobalScope>().navigator().on_line()
}

//! Web Locks: which of several tabs may write. One [`Lock`] is one name, asked for again and again.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::AbortController;

use super::js_error::JsError;

#[wasm_bindgen]
extern "C" {
    type LockManager;

    #[wasm_bindgen(method, catch)]
    fn request(this: &LockManager, name: &str, options: &Object, on_answer: &JsValue) -> Result<Promise, JsValue>;
}

/// What happened to a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockEvent {
    /// It is held, until it is released or lost.
    Granted,
    /// It was held, and somebody took it.
    Lost,
}

/// The lock of one name in this origin. Dropping it gives everything back; the browser frees it too when the worker or its
/// tab ends, however that happens.
pub struct Lock(Rc<Inner>);

struct Inner {
    name: String,
    on_event: Box<dyn Fn(LockEvent)>,
    /// The number of the request that counts; older ones are given up.
    request: Cell<u64>,
    /// Takes the request out of the queue.
    leave: RefCell<Option<AbortController>>,
    /// Resolves what the browser waits for while the lock is held.
    release: RefCell<Option<Function>>,
}

impl std::fmt::Debug for Lock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lock").field("name", &self.0.name).finish_non_exhaustive()
    }
}

/// How a lock is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asking {
    /// After those who asked before.
    InTurn,
    /// From whoever has it: that one is told that it is lost.
    ByForce,
}

impl Lock {
    /// A lock that is not asked for yet. `on_event` is called in a task of its own, never from within a call of this.
    pub fn new(name: &str, on_event: impl Fn(LockEvent) + 'static) -> Self {
        Self(Rc::new(Inner {
            name: name.to_owned(),
            on_event: Box::new(on_event),
            request: Cell::new(0),
            leave: RefCell::default(),
            release: RefCell::default(),
        }))
    }

    /// Asks for the lock; an earlier request that was not granted yet is given up. Where the browser has no locks, or refuses
    /// them to this page, everybody is granted it: files of OPFS can be opened only once by themselves, so the lock decides who
    /// is told early, not who is safe.
    pub fn ask(&self, asking: Asking) {
        self.let_go();
        let number = self.0.request.get();
        let inner = self.0.clone();
        spawn_local(async move {
            if inner.request.get() != number {
                return;
            }
            match request(&inner, number, asking) {
                Ok(promise) => match JsFuture::from(promise).await.map_err(JsError::from) {
                    // It was held and released, or given up.
                    Ok(_) => {}
                    Err(_) if inner.request.get() != number => {}
                    Err(error) if error.name == "AbortError" && inner.release.take().is_some() => {
                        (inner.on_event)(LockEvent::Lost);
                    }
                    Err(_) => (inner.on_event)(LockEvent::Granted),
                },
                Err(_) => (inner.on_event)(LockEvent::Granted),
            }
        });
    }

    /// Gives the lock back, or the request for it up. Nothing is told of either any more.
    pub fn let_go(&self) {
        self.0.request.set(self.0.request.get() + 1);
        if let Some(controller) = self.0.leave.take() {
            controller.abort();
        }
        if let Some(release) = self.0.release.take() {
            // The function that resolves a promise does not throw.
            let _ = release.call0(&JsValue::UNDEFINED);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.let_go();
    }
}

fn request(inner: &Rc<Inner>, number: u64, asking: Asking) -> Result<Promise, JsError> {
    let weak = Rc::downgrade(inner);
    let on_answer = Closure::once_into_js(move |_: JsValue| -> JsValue {
        // Given up on the way: the lock ends with this call.
        let Some(inner) = weak.upgrade().filter(|inner| inner.request.get() == number) else {
            return JsValue::UNDEFINED;
        };
        inner.leave.take();
        let held = Promise::new(&mut |resolve, _| {
            inner.release.replace(Some(resolve));
        });
        spawn_local(async move {
            if inner.request.get() == number {
                (inner.on_event)(LockEvent::Granted);
            }
        });
        held.into()
    });
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into())?;
    let locks: LockManager = Reflect::get(&navigator, &"locks".into())?.unchecked_into();
    let options = Object::new();
    match asking {
        Asking::InTurn => {
            let controller = AbortController::new()?;
            Reflect::set(&options, &"signal".into(), &controller.signal())?;
            inner.leave.replace(Some(controller));
        }
        Asking::ByForce => {
            Reflect::set(&options, &"steal".into(), &JsValue::TRUE)?;
        }
    }
    Ok(locks.request(&inner.name, &options, &on_answer)?)
}

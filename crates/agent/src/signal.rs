//! [`AbortSignal`]: one flag a run, given to the model, the tools and the hooks.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Whether the run was aborted, and a way to wait for it. Clones share the flag.
#[derive(Clone, Debug, Default)]
pub struct AbortSignal(Rc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    aborted: Cell<bool>,
    wakers: RefCell<Vec<Waker>>,
}

impl AbortSignal {
    /// A signal that has not fired.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fires, once; later calls do nothing.
    pub fn abort(&self) {
        self.0.aborted.set(true);
        for waker in self.0.wakers.take() {
            waker.wake();
        }
    }

    /// Whether it has fired.
    pub fn is_aborted(&self) -> bool {
        self.0.aborted.get()
    }

    /// Ready once it has fired.
    pub async fn aborted(&self) {
        poll_fn(|context| {
            if self.is_aborted() {
                return Poll::Ready(());
            }
            let mut wakers = self.0.wakers.borrow_mut();
            if !wakers.iter().any(|waker| waker.will_wake(context.waker())) {
                wakers.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

//! [`Order`]: calls that run together settle in the reverse of their order.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use futures_channel::oneshot;

/// Which calls of a batch run, and which are ready and wait for those after them.
#[derive(Debug, Default)]
pub struct Order {
    running: BTreeSet<usize>,
    waiting: BTreeMap<usize, oneshot::Sender<()>>,
}

impl Order {
    /// A call begins.
    pub fn begin(&mut self, call: usize) {
        self.running.insert(call);
    }

    /// Ready when every call after this one that has begun has settled. To be awaited once the call is ready to settle.
    ///
    /// A batch that runs one call after the other has begun none of the later ones: its order stays.
    pub async fn turn(order: Rc<RefCell<Self>>, call: usize) {
        let turn = {
            let mut order = order.borrow_mut();
            order.running.remove(&call);
            let has_later =
                order.running.range(call..).next().is_some() || order.waiting.range(call..).next().is_some();
            has_later.then(|| {
                let (sender, receiver) = oneshot::channel();
                order.waiting.insert(call, sender);
                receiver
            })
        };
        if let Some(turn) = turn {
            // Whoever would say so may be gone with an aborted run.
            let _ = turn.await;
        }
        let mut order = order.borrow_mut();
        let order = &mut *order;
        // The last that waits is next, unless one after it still runs.
        if let Some(last) = order.waiting.last_entry()
            && order.running.range(*last.key()..).next().is_none()
        {
            let _ = last.remove().send(());
        }
    }
}

//! [`MutationQueue`]: changes to one file happen one at a time, in the order in which they were asked for.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use vitrine_vfs::WorkspacePath;

/// The order of changes, shared by all tools that change files. A clone is the same queue.
#[derive(Clone, Debug, Default)]
pub struct MutationQueue {
    waiting: Rc<RefCell<Waiting>>,
}

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    by_path: HashMap<WorkspacePath, VecDeque<(u64, Option<Waker>)>>,
}

impl MutationQueue {
    /// Takes a place in the line for a path. Call it when the change is asked for, not when it is first polled: that is
    /// what keeps the order.
    pub fn ticket(&self, path: &WorkspacePath) -> Ticket {
        let mut waiting = self.waiting.borrow_mut();
        let number = waiting.next;
        waiting.next += 1;
        waiting.by_path.entry(path.clone()).or_default().push_back((number, None));
        Ticket { queue: self.clone(), path: path.clone(), number }
    }
}

/// A place in the line. Dropping it gives the turn to the next, whether or not it ever came.
#[derive(Debug)]
pub struct Ticket {
    queue: MutationQueue,
    path: WorkspacePath,
    number: u64,
}

impl Ticket {
    /// Ready when everyone before is done.
    pub async fn turn(&self) {
        poll_fn(|context| {
            let mut waiting = self.queue.waiting.borrow_mut();
            let Some(line) = waiting.by_path.get_mut(&self.path) else { return Poll::Ready(()) };
            match line.iter_mut().position(|(number, _)| *number == self.number) {
                None | Some(0) => Poll::Ready(()),
                Some(position) => {
                    if let Some((_, waker)) = line.get_mut(position) {
                        *waker = Some(context.waker().clone());
                    }
                    Poll::Pending
                }
            }
        })
        .await;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut waiting = self.queue.waiting.borrow_mut();
        let Some(line) = waiting.by_path.get_mut(&self.path) else { return };
        line.retain(|(number, _)| *number != self.number);
        let next = line.front_mut().and_then(|(_, waker)| waker.take());
        if line.is_empty() {
            waiting.by_path.remove(&self.path);
        }
        drop(waiting);
        if let Some(next) = next {
            next.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    #[test]
    fn turns_come_in_order_and_only_for_one_path() {
        let queue = MutationQueue::default();
        let (a, b) = (WorkspacePath::parse("a").unwrap(), WorkspacePath::parse("b").unwrap());
        let (first, second, third, other) = (queue.ticket(&a), queue.ticket(&a), queue.ticket(&a), queue.ticket(&b));
        assert_eq!(third.turn().now_or_never(), None);
        assert_eq!(second.turn().now_or_never(), None);
        assert_eq!(first.turn().now_or_never(), Some(()));
        assert_eq!(other.turn().now_or_never(), Some(()));
        drop(second);
        assert_eq!(third.turn().now_or_never(), None, "the first is not done yet");
        drop(first);
        assert_eq!(third.turn().now_or_never(), Some(()));
        drop((third, other));
        assert!(queue.waiting.borrow().by_path.is_empty());
    }
}

//! [`MutationQueue`]: changes to one file happen one at a time, in the order in which they were asked for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use vitrine_vfs::WorkspacePath;

/// The order of changes, shared by all tools that change files. A clone is the same queue.
#[derive(Clone, Debug, Default)]
pub struct MutationQueue {
    line: Rc<RefCell<Line>>,
}

/// Everybody who waits or has the turn, by number.
#[derive(Debug, Default)]
struct Line {
    next: u64,
    places: BTreeMap<u64, Place>,
    /// Those for a path.
    by_path: HashMap<WorkspacePath, BTreeSet<u64>>,
    /// Those for everything.
    of_all: BTreeSet<u64>,
}

#[derive(Debug)]
struct Place {
    /// What is to be changed; `None` is everything.
    path: Option<WorkspacePath>,
    waker: Option<Waker>,
}

impl Line {
    fn has_turn(&self, number: u64) -> bool {
        match self.places.get(&number) {
            None => true,
            Some(Place { path: None, .. }) => self.places.first_key_value().is_some_and(|(first, _)| *first == number),
            Some(Place { path: Some(path), .. }) => {
                let is_first = self.by_path.get(path).and_then(BTreeSet::first) == Some(&number);
                is_first && self.of_all.first().is_none_or(|of_all| *of_all > number)
            }
        }
    }

    /// Takes a place out. Gives those whose turn may have come by it.
    fn leave(&mut self, number: u64) -> Vec<Waker> {
        let Some(place) = self.places.remove(&number) else { return Vec::new() };
        let mut next: Vec<u64> = self.of_all.first().copied().into_iter().collect();
        match place.path {
            Some(path) => {
                let line = self.by_path.entry(path.clone()).or_default();
                line.remove(&number);
                next.extend(line.first());
                if line.is_empty() {
                    self.by_path.remove(&path);
                }
            }
            None => {
                self.of_all.remove(&number);
                // Everybody up to the next one that is for everything.
                let end = self.of_all.first().copied().unwrap_or(u64::MAX);
                next.extend(self.places.range(..=end).map(|(number, _)| *number));
            }
        }
        next.retain(|number| self.has_turn(*number));
        next.iter().filter_map(|number| self.places.get_mut(number)?.waker.take()).collect()
    }
}

impl MutationQueue {
    /// Takes a place in the line for a path. Call it when the change is asked for, not when it is first polled: that is
    /// what keeps the order.
    pub fn ticket(&self, path: &WorkspacePath) -> Ticket {
        self.take(Some(path.clone()))
    }

    /// Likewise for whoever may change any file: after all before, and before all after.
    pub fn ticket_of_all(&self) -> Ticket {
        self.take(None)
    }

    fn take(&self, path: Option<WorkspacePath>) -> Ticket {
        let mut line = self.line.borrow_mut();
        let number = line.next;
        line.next += 1;
        match &path {
            Some(path) => line.by_path.entry(path.clone()).or_default().insert(number),
            None => line.of_all.insert(number),
        };
        line.places.insert(number, Place { path, waker: None });
        Ticket { queue: self.clone(), number }
    }
}

/// A place in the line. Dropping it gives the turn to the next, whether or not it ever came.
#[derive(Debug)]
pub struct Ticket {
    queue: MutationQueue,
    number: u64,
}

impl Ticket {
    /// Ready when everyone before is done.
    pub async fn turn(&self) {
        poll_fn(|context| {
            let mut line = self.queue.line.borrow_mut();
            if line.has_turn(self.number) {
                return Poll::Ready(());
            }
            if let Some(place) = line.places.get_mut(&self.number) {
                place.waker = Some(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let woken = self.queue.line.borrow_mut().leave(self.number);
        woken.into_iter().for_each(Waker::wake);
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
        let line = queue.line.borrow();
        assert!(line.places.is_empty() && line.by_path.is_empty() && line.of_all.is_empty());
    }

    #[test]
    fn who_may_change_any_file_waits_for_all_before_and_holds_up_all_after() {
        let queue = MutationQueue::default();
        let (a, b) = (WorkspacePath::parse("a").unwrap(), WorkspacePath::parse("b").unwrap());
        let (first, second) = (queue.ticket(&a), queue.ticket(&b));
        let all = queue.ticket_of_all();
        let (after, last) = (queue.ticket(&a), queue.ticket_of_all());
        let turns = |tickets: &[&Ticket]| {
            tickets.iter().map(|ticket| ticket.turn().now_or_never().is_some()).collect::<Vec<_>>()
        };
        assert_eq!(turns(&[&first, &second, &all, &after, &last]), [true, true, false, false, false]);
        drop(first);
        assert_eq!(turns(&[&all, &after]), [false, false], "one of those before is not done");
        drop(second);
        assert_eq!(turns(&[&all, &after]), [true, false]);
        drop(all);
        assert_eq!(turns(&[&after, &last]), [true, false]);
        drop(after);
        assert_eq!(turns(&[&last]), [true]);
    }

    #[test]
    fn who_waits_is_woken_when_the_turn_comes() {
        use std::sync::Arc;
        use std::sync::atomic::{AtomicUsize, Ordering};
        struct Count(AtomicUsize);
        impl std::task::Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let queue = MutationQueue::default();
        let a = WorkspacePath::parse("a").unwrap();
        let (first, all, after) = (queue.ticket(&a), queue.ticket_of_all(), queue.ticket(&a));
        let wakes = Arc::new(Count(AtomicUsize::new(0)));
        let waker = Waker::from(wakes.clone());
        let mut context = std::task::Context::from_waker(&waker);
        let (mut one, mut other) = (Box::pin(all.turn()), Box::pin(after.turn()));
        assert!(one.as_mut().poll(&mut context).is_pending() && other.as_mut().poll(&mut context).is_pending());
        drop(first);
        assert_eq!(wakes.0.load(Ordering::Relaxed), 1);
        assert!(one.as_mut().poll(&mut context).is_ready() && other.as_mut().poll(&mut context).is_pending());
        drop(one);
        drop(all);
        assert_eq!(wakes.0.load(Ordering::Relaxed), 2);
        assert!(other.as_mut().poll(&mut context).is_ready());
    }
}

//! A failure at every single call into the storage: once, and from then on.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_core::future::LocalBoxFuture;
use futures_util::FutureExt;

use super::{compact, open, run, tree};
use crate::{Backend, BackendError, Log, MemoryBackend, Options, Snapshot, Workspace};

/// What a call that fails does first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Nothing.
    Throws,
    /// An append adds a part of its bytes, anything else is done, and then it says that it failed.
    Halfway,
    /// Likewise, and there is no room.
    Full,
}

/// Counts calls and fails some of them.
#[derive(Clone)]
struct Faulty {
    memory: MemoryBackend,
    plan: Rc<Plan>,
}

struct Plan {
    fault: Fault,
    /// The call that fails first.
    first: u32,
    /// How many fail.
    n_failing: u32,
    n_calls: Cell<u32>,
    failed: RefCell<Vec<&'static str>>,
}

impl Plan {
    fn fails(&self, call: &'static str) -> Result<(), BackendError> {
        let number = self.n_calls.get();
        self.n_calls.set(number + 1);
        if number < self.first || number - self.first >= self.n_failing {
            return Ok(());
        }
        self.failed.borrow_mut().push(call);
        Err(match self.fault {
            Fault::Throws | Fault::Halfway => BackendError::Io("not now".into()),
            Fault::Full => BackendError::QuotaExceeded { needed: 1 },
        })
    }

    /// The failure of a call that is all done or not at all.
    fn around<T>(&self, call: &'static str, done: impl FnOnce() -> Result<T, BackendError>) -> Result<T, BackendError> {
        match self.fails(call) {
            Ok(()) => done(),
            Err(error) if self.fault == Fault::Throws => Err(error),
            Err(error) => done().and(Err(error)),
        }
    }
}

impl Backend for Faulty {
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>, BackendError>> {
        Box::pin(async { self.plan.around("list", || self.memory.list().now_or_never().unwrap()) })
    }

    fn open<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Box<dyn Log>, BackendError>> {
        Box::pin(async move {
            let log = self.plan.around("open", || self.memory.open(name).now_or_never().unwrap())?;
            Ok(Box::new(FaultyLog { log, plan: Rc::clone(&self.plan) }) as Box<dyn Log>)
        })
    }

    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        Box::pin(async move { self.plan.around("remove", || self.memory.remove(name).now_or_never().unwrap()) })
    }

    fn replace<'a>(&'a self, from: &'a str, to: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        Box::pin(async move { self.plan.around("replace", || self.memory.replace(from, to).now_or_never().unwrap()) })
    }
}

struct FaultyLog {
    log: Box<dyn Log>,
    plan: Rc<Plan>,
}

impl Log for FaultyLog {
    fn len(&self) -> Result<u64, BackendError> {
        self.plan.around("len", || self.log.len())
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, BackendError> {
        self.plan.around("read", || self.log.read(at, buffer))
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), BackendError> {
        let Err(error) = self.plan.fails("append") else { return self.log.append(bytes) };
        if self.plan.fault != Fault::Throws {
            self.log.append(&bytes[..bytes.len() / 2])?;
        }
        Err(error)
    }

    fn truncate(&mut self, length: u64) -> Result<(), BackendError> {
        let Self { log, plan } = self;
        plan.around("truncate", || log.truncate(length))
    }

    fn flush(&mut self) -> Result<(), BackendError> {
        let Self { log, plan } = self;
        plan.around("flush", || log.flush())
    }
}

/// Changes, an import, a compaction, a kept snapshot, and closing in between.
const STORY: &[&str] = &[
    "write a 1",
    "fill big 3000",
    "edit big 100 !",
    "import b/c=2 d=3 a=4",
    "keep 3",
    "compact",
    "rename b e",
    "close",
    "remove d",
    "restore 2",
    "compact",
    "write f 5",
    "close",
    "write g 6",
];

/// Plays the story over a storage with faults. What is acknowledged is there, what is refused is not, and what is kept
/// stays, as the one without faults says. Gives which calls failed, and how many there were.
fn play(fault: Fault, first: u32, n_failing: u32) -> (Vec<&'static str>, u32) {
    let rule = format!("{fault:?} at call {first}, {n_failing} times");
    let plan = Rc::new(Plan { fault, first, n_failing, n_calls: Cell::new(0), failed: RefCell::default() });
    let memory = MemoryBackend::new();
    let backend = Faulty { memory: memory.clone(), plan: Rc::clone(&plan) };
    let start = || Workspace::open(Rc::new(backend.clone()), Options::default()).now_or_never().unwrap();
    let mut workspace = start().ok().map(|(workspace, _)| workspace);
    let mut expected = Vec::new();
    // A change that failed and could not be cut off again either is as one that a crash came upon: there or not.
    let mut in_flight = None;
    let mut kept = None;
    for line in STORY {
        if workspace.is_none() || *line == "close" {
            drop(workspace.take());
            workspace = start().ok().map(|(workspace, recovery)| {
                assert_eq!(recovery.n_damages, 0, "{rule}: {line}");
                workspace
            });
            if let Some(workspace) = &workspace {
                expected = in_flight.take().filter(|state| *state == tree(workspace)).unwrap_or(expected);
            }
        }
        let Some(workspace) = &workspace else { continue };
        assert_eq!(tree(workspace), expected, "{rule}: before {line}");
        match *line {
            "close" => {}
            "compact" => drop(compact(workspace)),
            "keep 3" => {
                if workspace.keep(workspace.snapshot(), "kept").is_ok() {
                    kept = Some((workspace.snapshot(), expected.clone()));
                }
            }
            line => {
                let reference = Workspace::in_memory();
                reference.replace_tree(workspace.state.borrow().tree.clone());
                match (run(workspace, line), line.starts_with("restore")) {
                    (Ok(_), false) => {
                        // A step before it may have failed, and then so does this one.
                        run(&reference, line).unwrap();
                        (expected, in_flight) = (tree(&reference), None);
                    }
                    (Ok(_), true) => (expected, in_flight) = (tree(workspace), None),
                    (Err(_), true) => {}
                    (Err(_), false) => {
                        let _ = run(&reference, line);
                        in_flight = in_flight.or_else(|| Some(tree(&reference)));
                    }
                }
            }
        }
        assert_eq!(tree(workspace), expected, "{rule}: after {line}");
    }
    drop(workspace);
    // The faults are over.
    let workspace = open(&memory);
    expected = in_flight.filter(|state| *state == tree(&workspace)).unwrap_or(expected);
    assert_eq!(tree(&workspace), expected, "{rule}: at the end");
    if let Some((snapshot, state)) = kept {
        assert_eq!(workspace.kept(), [("kept".to_owned(), snapshot)], "{rule}");
        workspace.restore(snapshot).unwrap();
        assert_eq!(tree(&workspace), state, "{rule}: what was kept");
    }
    assert!(workspace.restore(Snapshot(u64::MAX)).is_err());
    (plan.failed.take(), plan.n_calls.get())
}

#[test]
fn a_failure_at_any_call_loses_nothing_acknowledged_and_invents_nothing() {
    let (_, n_calls) = play(Fault::Throws, u32::MAX, 0);
    assert!(n_calls > 50, "{n_calls}");
    let mut seen = std::collections::BTreeSet::new();
    for fault in [Fault::Throws, Fault::Halfway, Fault::Full] {
        for first in 0..n_calls {
            for n_failing in [1, 2, 3, 7, u32::MAX] {
                seen.extend(play(fault, first, n_failing).0);
            }
        }
    }
    let seen: Vec<_> = seen.into_iter().collect();
    assert_eq!(seen, ["append", "flush", "len", "list", "open", "read", "remove", "truncate"]);
}

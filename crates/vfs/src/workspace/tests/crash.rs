//! A crash at every byte and at every step, seen by the next start.

use std::cell::Cell;
use std::rc::Rc;

use futures_core::future::LocalBoxFuture;
use futures_util::FutureExt;

use super::{compact, logs, open, run, tree, try_open};
use crate::{Backend, BackendError, Log, MemoryBackend, Options, Unflushed, Workspace, WorkspaceError};

/// Every kind of change, and two compactions (`compact`).
const STORY: &[&str] = &[
    "write a 1",
    "write d/e/f some longer text",
    "mkdir empty",
    "import a=2 b/c=3 d/e/f=4",
    "rename d g/h",
    "compact",
    "write a 5",
    "remove b",
    "restore 1",
    "compact",
    "write last 6",
];

fn step(workspace: &Workspace, line: &str) -> bool {
    match line {
        "compact" => compact(workspace).is_ok(),
        line => run(workspace, line).is_ok(),
    }
}

/// Plays the story until a step fails. Checks that what the next start finds is what was acknowledged, or that and the
/// step that failed, whole; and that it can go on.
fn check_crash(rule: &str, crash: impl Fn(&MemoryBackend)) -> bool {
    let reference = Workspace::in_memory();
    let mut states = vec![tree(&reference)];
    for line in STORY {
        if *line != "compact" {
            run(&reference, line).unwrap();
        }
        states.push(tree(&reference));
    }

    let backend = MemoryBackend::new();
    crash(&backend);
    let mut n_done = 0;
    // The crash may come while the storage is opened.
    if let Ok((workspace, _)) = try_open(&backend) {
        n_done = STORY.iter().take_while(|line| step(&workspace, line)).count();
        assert_eq!(tree(&workspace), states[n_done], "{rule}: memory has what was acknowledged");
    }
    for unflushed in [Unflushed::Kept, Unflushed::Lost] {
        let after = backend.reboot(unflushed);
        let (workspace, recovery) = try_open(&after).unwrap();
        let found = tree(&workspace);
        let in_flight = states.get(n_done + 1);
        assert!(
            found == states[n_done] || Some(&found) == in_flight,
            "{rule}, {unflushed:?}: after {n_done} steps found {found:?}, expected {:?} or {in_flight:?}",
            states[n_done]
        );
        assert_eq!(recovery.set_aside, None, "{rule}: a crash is no damage");
        assert_eq!(logs(&after).len(), 1, "{rule}: nothing is left over");
        run(&workspace, "write goes/on 1").unwrap();
        let found = tree(&workspace);
        drop(workspace);
        assert_eq!(tree(&open(&after)), found, "{rule}: it goes on from there");
    }
    n_done == STORY.len()
}

#[test]
fn a_crash_at_any_step_loses_nothing_acknowledged() {
    let mut n_changes = 0;
    while !check_crash(&format!("change {n_changes}"), |backend| backend.crash_after_changes(n_changes)) {
        n_changes += 1;
    }
    assert!(n_changes > 30, "{n_changes}");
}

#[test]
fn a_crash_at_any_byte_loses_nothing_acknowledged() {
    let mut n_bytes = 0;
    while !check_crash(&format!("byte {n_bytes}"), |backend| backend.crash_after_bytes(n_bytes)) {
        n_bytes += 1;
    }
    assert!(n_bytes > 500, "{n_bytes}");
}

/// No crash, but no room: at every byte that may be missing, each step is done or not done.
#[test]
fn a_full_storage_at_any_byte_refuses_and_goes_on() {
    for n_bytes in 44..900 {
        let backend = MemoryBackend::new();
        let workspace = open(&backend);
        backend.set_capacity(Some(n_bytes));
        for line in STORY {
            let before = tree(&workspace);
            if !step(&workspace, line) {
                assert_eq!(tree(&workspace), before, "{n_bytes}: {line}");
            }
        }
        let before = tree(&workspace);
        drop(workspace);
        assert_eq!(tree(&open(&backend)), before, "{n_bytes}");
    }
}

/// Passes everything on, except what is told to fail.
#[derive(Clone, Default)]
struct Failing {
    memory: MemoryBackend,
    faults: Rc<Faults>,
}

#[derive(Default)]
struct Faults {
    truncating: Cell<bool>,
    removing: Cell<bool>,
    /// Flushes until one fails, and all after it.
    n_flushes_left: Cell<Option<u32>>,
}

struct FailingLog {
    log: Box<dyn Log>,
    faults: Rc<Faults>,
}

fn fail_if(is_failing: bool) -> Result<(), BackendError> {
    if is_failing { Err(BackendError::Io("not now".into())) } else { Ok(()) }
}

impl Failing {
    fn open_workspace(&self) -> Workspace {
        Workspace::open(Rc::new(self.clone()), Options::default()).now_or_never().unwrap().unwrap().0
    }
}

impl Backend for Failing {
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>, BackendError>> {
        self.memory.list()
    }

    fn open<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Box<dyn Log>, BackendError>> {
        Box::pin(async move {
            let log = self.memory.open(name).await?;
            Ok(Box::new(FailingLog { log, faults: Rc::clone(&self.faults) }) as Box<dyn Log>)
        })
    }

    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        Box::pin(async move {
            fail_if(self.faults.removing.get())?;
            self.memory.remove(name).await
        })
    }

    fn replace<'a>(&'a self, from: &'a str, to: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        self.memory.replace(from, to)
    }
}

impl Log for FailingLog {
    fn len(&self) -> Result<u64, BackendError> {
        self.log.len()
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, BackendError> {
        self.log.read(at, buffer)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), BackendError> {
        self.log.append(bytes)
    }

    fn truncate(&mut self, length: u64) -> Result<(), BackendError> {
        fail_if(self.faults.truncating.get())?;
        self.log.truncate(length)
    }

    fn flush(&mut self) -> Result<(), BackendError> {
        if let Some(n_left) = self.faults.n_flushes_left.get() {
            fail_if(n_left == 0)?;
            self.faults.n_flushes_left.set(Some(n_left - 1));
        }
        self.log.flush()
    }
}

/// A change whose failure could not be undone in storage either must not come back later.
#[test]
fn a_tail_that_could_not_be_cut_is_cut_before_the_next_change() {
    let failing = Failing::default();
    let workspace = failing.open_workspace();
    run(&workspace, "write a 1").unwrap();
    failing.faults.truncating.set(true);
    failing.faults.n_flushes_left.set(Some(0));
    for line in ["write a 2", "write b 3"] {
        let failed = BackendError::Io("not now".into());
        assert_eq!(run(&workspace, line), Err(WorkspaceError::Storage(failed)), "{line}");
    }
    failing.faults.truncating.set(false);
    failing.faults.n_flushes_left.set(None);
    run(&workspace, "write c 4").unwrap();
    let before = tree(&workspace);
    assert_eq!(before.len(), 2);
    drop(workspace);
    assert_eq!(tree(&open(&failing.memory)), before);
}

/// A new journal that was refused must not be taken for the workspace at the next start, even if it could not be removed.
#[test]
fn a_failed_compaction_is_not_found_later() {
    for n_flushes_left in 0..2 {
        let failing = Failing::default();
        let workspace = failing.open_workspace();
        run(&workspace, "write a 1").unwrap();
        failing.faults.n_flushes_left.set(Some(n_flushes_left));
        failing.faults.removing.set(true);
        let failed = BackendError::Io("not now".into());
        assert_eq!(compact(&workspace), Err(WorkspaceError::Storage(failed)));
        failing.faults.n_flushes_left.set(None);
        run(&workspace, "write a 2").unwrap();
        let before = tree(&workspace);
        let snapshot = workspace.snapshot();
        drop(workspace);
        let workspace = open(&failing.memory);
        assert_eq!((tree(&workspace), workspace.snapshot()), (before, snapshot), "{n_flushes_left}");
    }
}

#[test]
fn what_an_earlier_compaction_left_behind_does_not_mix_with_the_next() {
    let failing = Failing::default();
    let workspace = failing.open_workspace();
    run(&workspace, "write a 1").unwrap();
    failing.memory.set_bytes("journal-2", vec![b'x'; 10_000]);
    assert_eq!(compact(&workspace), Ok(true));
    run(&workspace, "write b 2").unwrap();
    let before = tree(&workspace);
    drop(workspace);
    assert_eq!(tree(&open(&failing.memory)), before);
}

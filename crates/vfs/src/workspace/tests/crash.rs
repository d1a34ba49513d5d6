//! A crash at every byte and at every step, seen by the next start.

use super::{compact, logs, open, run, tree, try_open};
use crate::{MemoryBackend, Unflushed};

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

fn step(workspace: &crate::Workspace, line: &str) -> bool {
    match line {
        "compact" => compact(workspace).is_ok(),
        line => run(workspace, line).is_ok(),
    }
}

/// Plays the story until a step fails. Checks that what the next start finds is what was acknowledged, or that and the
/// step that failed, whole; and that it can go on.
fn check_crash(rule: &str, crash: impl Fn(&MemoryBackend)) -> bool {
    let reference = crate::Workspace::in_memory();
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

/// A change whose failure could not be undone in storage either must not come back later.
#[test]
fn a_tail_that_could_not_be_cut_is_cut_before_the_next_change() {
    use crate::backend::{Backend, BackendError, Log};
    use futures_core::future::LocalBoxFuture;
    use std::cell::Cell;
    use std::rc::Rc;

    /// Passes everything on, but fails flushes and truncations while `is_failing`.
    #[derive(Clone)]
    struct Failing(MemoryBackend, Rc<Cell<bool>>);
    struct FailingLog(Box<dyn Log>, Rc<Cell<bool>>);

    impl Backend for Failing {
        fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>, BackendError>> {
            self.0.list()
        }
        fn open<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Box<dyn Log>, BackendError>> {
            Box::pin(async move {
                let log = self.0.open(name).await?;
                Ok(Box::new(FailingLog(log, Rc::clone(&self.1))) as Box<dyn Log>)
            })
        }
        fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
            self.0.remove(name)
        }
        fn replace<'a>(&'a self, from: &'a str, to: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
            self.0.replace(from, to)
        }
    }
    impl FailingLog {
        fn check(&self) -> Result<(), BackendError> {
            if self.1.get() { Err(BackendError::Io("not now".into())) } else { Ok(()) }
        }
    }
    impl Log for FailingLog {
        fn len(&self) -> Result<u64, BackendError> {
            self.0.len()
        }
        fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, BackendError> {
            self.0.read(at, buffer)
        }
        fn append(&mut self, bytes: &[u8]) -> Result<(), BackendError> {
            self.0.append(bytes)
        }
        fn truncate(&mut self, length: u64) -> Result<(), BackendError> {
            self.check().and_then(|()| self.0.truncate(length))
        }
        fn flush(&mut self) -> Result<(), BackendError> {
            self.check().and_then(|()| self.0.flush())
        }
    }

    let is_failing = Rc::new(Cell::new(false));
    let backend = MemoryBackend::new();
    let failing = Failing(backend.clone(), Rc::clone(&is_failing));
    let opened =
        futures_util::FutureExt::now_or_never(crate::Workspace::open(Rc::new(failing), crate::Options::default()));
    let workspace = opened.unwrap().unwrap().0;
    run(&workspace, "write a 1").unwrap();
    is_failing.set(true);
    for line in ["write a 2", "write b 3"] {
        let failed = BackendError::Io("not now".into());
        assert_eq!(run(&workspace, line), Err(crate::WorkspaceError::Storage(failed)), "{line}");
    }
    is_failing.set(false);
    run(&workspace, "write c 4").unwrap();
    let before = tree(&workspace);
    assert_eq!(before.len(), 2);
    drop(workspace);
    assert_eq!(tree(&open(&backend)), before);
}

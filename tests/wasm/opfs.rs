//! The workspace over OPFS, in a dedicated worker of a real browser.

#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

use std::cell::RefCell;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use vitrine::platform::clock::sleep;
use vitrine::platform::lock::{Asking, Lock, LockEvent};
use vitrine::platform::opfs::{Moving, OpfsBackend, OpfsLog};
use vitrine_vfs::conformance::{conformance, contents};
use vitrine_vfs::{
    Backend, BackendError, Log as _, MemoryBackend, Options, Recovery, Snapshot, Workspace, WorkspaceError,
    WorkspacePath,
};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

async fn open(folder: &str) -> Result<(Workspace, Recovery), WorkspaceError> {
    let backend = OpfsBackend::open(&format!("tests/{folder}")).await?;
    Workspace::open(Rc::new(backend), Options::default()).await
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

fn files(workspace: &Workspace) -> Vec<(String, Vec<u8>)> {
    let files = workspace.files(&WorkspacePath::root()).unwrap();
    files.into_iter().map(|(path, contents)| (path.to_string(), contents.to_vec())).collect()
}

#[wasm_bindgen_test]
async fn both_ways_of_moving_and_memory_obey_the_port() {
    let native = OpfsBackend::open("tests/conformance/native").await.unwrap();
    assert_eq!(conformance(&native).await, Ok(()));
    let copy = OpfsBackend::open_with("tests/conformance/copy", Moving::Copy).await.unwrap();
    assert_eq!(conformance(&copy).await, Ok(()));
    assert_eq!(conformance(&MemoryBackend::new()).await, Ok(()));
}

#[wasm_bindgen_test]
async fn files_and_snapshots_survive_closing() {
    let (workspace, recovery) = open("closing").await.unwrap();
    assert_eq!(recovery, Recovery::default());
    workspace.write(&path("a/b.txt"), *b"one").unwrap();
    workspace.write(&path("a/b.txt"), *b"two").unwrap();
    workspace.mkdir(&path("empty")).unwrap();
    workspace.rename(&path("a"), &path("c/d")).unwrap();
    let before = files(&workspace);
    assert_eq!(before, [("c/d/b.txt".to_owned(), b"two".to_vec())]);
    drop(workspace);

    let (workspace, recovery) = open("closing").await.unwrap();
    assert_eq!(recovery, Recovery { changes: 4, ..Recovery::default() });
    assert_eq!(files(&workspace), before);
    assert!(workspace.exists(&path("empty")));
    workspace.restore(Snapshot(1)).unwrap();
    assert_eq!(files(&workspace), [("a/b.txt".to_owned(), b"one".to_vec())]);
}

#[wasm_bindgen_test]
async fn a_torn_tail_is_cut_and_the_rest_is_there() {
    let (workspace, _) = open("torn").await.unwrap();
    workspace.write(&path("kept"), *b"1").unwrap();
    let before = files(&workspace);
    let length = workspace.usage().journal_bytes;
    workspace.write(&path("torn"), vec![7; 100_000]).unwrap();
    drop(workspace);

    let backend = OpfsBackend::open("tests/torn").await.unwrap();
    backend.open("journal-1").await.unwrap().truncate(length + 50_000).unwrap();
    let (workspace, recovery) = open("torn").await.unwrap();
    assert_eq!(recovery, Recovery { changes: 1, dropped_bytes: 50_000, ..Recovery::default() });
    assert_eq!(files(&workspace), before);
    workspace.write(&path("after"), *b"2").unwrap();
    let before = files(&workspace);
    drop(workspace);
    assert_eq!(files(&open("torn").await.unwrap().0), before);
}

#[wasm_bindgen_test]
async fn two_thousand_files_and_a_large_one() {
    let (workspace, _) = open("many").await.unwrap();
    for number in 0..2000 {
        workspace.write(&path(&format!("folder/{number}.txt")), vec![b'x'; 4096]).unwrap();
    }
    let large: Vec<u8> = (0..50_u32 << 20).map(|at| (at >> 12) as u8).collect();
    workspace.write(&path("large"), large.as_slice()).unwrap();
    workspace.rename(&path("folder"), &path("moved")).unwrap();
    drop(workspace);

    let (workspace, recovery) = open("many").await.unwrap();
    assert_eq!(recovery, Recovery { changes: 2002, ..Recovery::default() });
    assert_eq!(workspace.list(&path("moved")).unwrap().len(), 2000);
    assert!(*workspace.read(&path("large")).unwrap() == *large);

    workspace.remove(&path("large")).unwrap();
    assert!(workspace.wants_compaction());
    assert_eq!(workspace.compact().await, Ok(true));
    let before = files(&workspace);
    workspace.write(&path("moved/0.txt"), *b"after").unwrap();
    drop(workspace);
    let (workspace, recovery) = open("many").await.unwrap();
    assert_eq!(recovery, Recovery { changes: 1, ..Recovery::default() });
    assert_eq!(files(&workspace).len(), before.len());
    assert_eq!(&*workspace.read(&path("moved/0.txt")).unwrap(), b"after");
    drop(workspace);
    let backend = OpfsBackend::open("tests/many").await.unwrap();
    assert_eq!(backend.list().await, Ok(vec!["journal-2".to_owned()]));
}

#[wasm_bindgen_test]
async fn a_second_opener_is_told_and_does_no_harm() {
    let (first, _) = open("twice").await.unwrap();
    first.write(&path("a"), *b"1").unwrap();
    let locked = BackendError::LockedElsewhere { name: "journal-1".into() };
    assert_eq!(open("twice").await.map(|_| ()), Err(WorkspaceError::Storage(locked)));
    first.write(&path("b"), *b"2").unwrap();
    let before = files(&first);
    drop(first);
    assert_eq!(files(&open("twice").await.unwrap().0), before);
}

/// Case e03: a handle takes a part of the bytes, and then some more, or none, or has no room after a part.
#[wasm_bindgen_test]
fn bytes_that_were_not_taken_are_offered_again() {
    let handle = |takes: &str| {
        let body = format!(
            "const takes = {takes}, stored = [];
             return {{
               getSize: () => stored.length,
               write(bytes, {{ at }}) {{
                 const n = takes.shift() ?? bytes.length;
                 bytes.subarray(0, Math.abs(n)).forEach((byte, i) => stored[at + i] = byte);
                 if (n < 0) throw new DOMException('full', 'QuotaExceededError');
                 return n;
               }},
               read(bytes, {{ at }}) {{
                 const found = stored.slice(at, at + Math.min(bytes.length, 3));
                 bytes.set(found);
                 return found.length;
               }},
               truncate: (length) => stored.length = length,
               flush() {{}},
               close() {{}},
             }};"
        );
        let made = js_sys::Function::new_no_args(&body).call0(&JsValue::NULL).unwrap();
        OpfsLog::new(made.unchecked_into()).unwrap()
    };
    let mut log = handle("[4, 4, 2]");
    assert_eq!(log.append(b"0123456789"), Ok(()));
    assert_eq!(log.append(b"ab"), Ok(()));
    assert_eq!(contents(&log), Ok(b"0123456789ab".to_vec()));

    let mut log = handle("[6, 4, 0]");
    assert_eq!(log.append(b"before"), Ok(()));
    assert_eq!(log.append(b"0123456789"), Err(BackendError::Io("the browser took none of the bytes".into())));
    assert_eq!(log.len(), Ok(10), "a part was added");
    assert_eq!(log.truncate(6), Ok(()));
    assert_eq!(contents(&log), Ok(b"before".to_vec()));

    // Case e18.
    let mut log = handle("[6, 1, -2]");
    assert_eq!(log.append(b"before"), Ok(()));
    assert_eq!(log.append(b"0123456789"), Err(BackendError::QuotaExceeded { needed: 9 }));
    assert_eq!(log.len(), Ok(9), "what was added before the error counts too");
    assert_eq!(log.truncate(6), Ok(()));
    assert_eq!(log.append(b"!"), Ok(()));
    assert_eq!(contents(&log), Ok(b"before!".to_vec()));
}

/// A killed worker may leave half a copy. Dropping a future cannot stop between two synchronous calls, so the half is
/// made by hand, at each moment; where the copy was announced, the next start finishes it.
#[wasm_bindgen_test]
async fn a_copy_cut_in_the_middle_is_finished_at_the_next_start() {
    const FOLDER: &str = "tests/half";
    let mut n_finished = 0;
    for n_waits in 0.. {
        let backend = OpfsBackend::open_with(FOLDER, Moving::Copy).await.unwrap();
        for (name, bytes) in [("to", b"old"), ("from", b"new")] {
            let mut log = backend.open(name).await.unwrap();
            log.truncate(0).unwrap();
            log.append(bytes).unwrap();
        }
        let is_done = given_up_after(n_waits, backend.replace("from", "to")).await;
        sleep(20).await;
        if !backend.list().await.unwrap().contains(&"from".to_owned()) {
            if is_done {
                break;
            }
            continue;
        }
        let mut half = backend.open("to").await.unwrap();
        half.truncate(0).unwrap();
        half.append(b"ne").unwrap();
        drop(half);

        let backend = OpfsBackend::open_with(FOLDER, Moving::Copy).await.unwrap();
        let to = contents(&*backend.open("to").await.unwrap()).unwrap();
        match backend.list().await.unwrap().len() {
            1 => {
                assert_eq!(to, b"new", "after {n_waits}");
                n_finished += 1;
            }
            // Not announced yet, so that nothing would have been copied.
            _ => assert_eq!(to, b"ne", "after {n_waits}"),
        }
    }
    assert!(n_finished >= 2, "{n_finished}");
}

/// Case e15: given up, as a killed worker would, at each moment in which it waits.
#[wasm_bindgen_test]
async fn replacing_cut_short_anywhere_leaves_the_old_or_the_new() {
    for moving in [Moving::Native, Moving::Copy] {
        let folder = format!("tests/replace/{moving:?}");
        let mut n_waits = 0;
        let mut is_done = false;
        while !is_done {
            let backend = OpfsBackend::open_with(&folder, moving).await.unwrap();
            for (name, bytes) in [("to", b"old, and longer".as_slice()), ("from", b"new")] {
                let mut log = backend.open(name).await.unwrap();
                log.truncate(0).unwrap();
                log.append(bytes).unwrap();
            }
            is_done = given_up_after(n_waits, backend.replace("from", "to")).await;
            // What was asked of the browser already happens all the same.
            sleep(20).await;
            drop(backend);

            let backend = OpfsBackend::open_with(&folder, moving).await.unwrap();
            let names = backend.list().await.unwrap();
            let to = contents(&*backend.open("to").await.unwrap()).unwrap();
            match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                ["from", "to"] => {
                    assert!(!is_done);
                    let is_whole = to == b"old, and longer" || to == b"new";
                    assert!(is_whole, "{moving:?} after {n_waits}: {to:?}");
                    let from = contents(&*backend.open("from").await.unwrap()).unwrap();
                    assert_eq!(from, b"new", "{moving:?} after {n_waits}");
                }
                ["to"] => assert_eq!(to, b"new", "{moving:?} after {n_waits}"),
                names => panic!("{moving:?} after {n_waits}: {names:?}"),
            }
            n_waits += 1;
        }
        assert!(n_waits >= 3, "{moving:?}: {n_waits}");
    }
}

/// Polls a future until it has waited so many times, then drops it. Says whether it was ready before that.
async fn given_up_after(n_waits: u32, future: impl Future<Output = Result<(), BackendError>>) -> bool {
    let mut future = pin!(future);
    let mut n_left = n_waits;
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(result) => Poll::Ready(result.map(|()| true)),
        Poll::Pending if n_left == 0 => Poll::Ready(Ok(false)),
        Poll::Pending => {
            n_left -= 1;
            Poll::Pending
        }
    })
    .await
    .unwrap()
}

#[wasm_bindgen_test]
async fn opening_given_up_leaves_nothing_open() {
    let backend = OpfsBackend::open("tests/given-up").await.unwrap();
    for n_waits in 0..3 {
        given_up_after(n_waits, async { backend.open("log").await.map(drop) }).await;
        sleep(20).await;
        assert_eq!(backend.open("log").await.map(drop), Ok(()), "after {n_waits}");
    }
}

/// A lock, and what happened to it.
fn lock(name: &str) -> (Lock, Rc<RefCell<Vec<LockEvent>>>) {
    let happened = Rc::new(RefCell::new(Vec::new()));
    let heard = happened.clone();
    (Lock::new(name, move |event| heard.borrow_mut().push(event)), happened)
}

async fn happens(happened: &Rc<RefCell<Vec<LockEvent>>>, wanted: &[LockEvent]) {
    for _ in 0..200 {
        if *happened.borrow() == wanted {
            return;
        }
        sleep(10).await;
    }
    assert_eq!(*happened.borrow(), wanted);
}

#[wasm_bindgen_test]
async fn a_lock_is_held_by_one_waited_for_in_turn_and_taken_by_force() {
    use LockEvent::{Granted, Lost};
    let (first, of_first) = lock("tests/lock");
    let (second, of_second) = lock("tests/lock");
    let (third, of_third) = lock("tests/lock");
    let (other, of_other) = lock("tests/other");
    first.ask(Asking::InTurn);
    happens(&of_first, &[Granted]).await;
    second.ask(Asking::InTurn);
    sleep(20).await;
    third.ask(Asking::InTurn);
    other.ask(Asking::InTurn);
    happens(&of_other, &[Granted]).await;
    // Whoever gives up waiting is passed over.
    second.let_go();
    drop(first);
    happens(&of_third, &[Granted]).await;
    assert_eq!((&*of_first.borrow(), &*of_second.borrow()), (&vec![Granted], &vec![]));
    second.ask(Asking::ByForce);
    happens(&of_third, &[Granted, Lost]).await;
    happens(&of_second, &[Granted]).await;
    // What is given back is not lost, and can be asked for again.
    second.let_go();
    third.ask(Asking::InTurn);
    happens(&of_third, &[Granted, Lost, Granted]).await;
    assert_eq!(*of_second.borrow(), [Granted]);
}

//! A backend in memory that can be told to fail, and what else the tests share.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};
use vitrine_session::store::SessionStore;
use vitrine_vfs::{Backend, BackendError, Log};

/// Logs in memory. A failing append leaves half of its bytes behind, as a full disk may.
#[derive(Clone, Default)]
pub struct FakeBackend(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    logs: BTreeMap<String, Vec<u8>>,
    open: BTreeSet<String>,
    appends_fail: bool,
    truncates_fail: bool,
    flushes: usize,
}

impl FakeBackend {
    pub fn fail_appends(&self, fail: bool) {
        self.0.borrow_mut().appends_fail = fail;
    }

    pub fn fail_truncates(&self, fail: bool) {
        self.0.borrow_mut().truncates_fail = fail;
    }

    pub fn flushes(&self) -> usize {
        self.0.borrow().flushes
    }

    pub fn put(&self, name: &str, bytes: &[u8]) {
        self.0.borrow_mut().logs.insert(name.to_owned(), bytes.to_vec());
    }

    /// All files, as text.
    pub fn files(&self) -> BTreeMap<String, String> {
        let state = self.0.borrow();
        state.logs.iter().map(|(name, bytes)| (name.clone(), String::from_utf8_lossy(bytes).into_owned())).collect()
    }

    /// The only file, as text.
    pub fn only_file(&self) -> String {
        let files = self.files();
        assert_eq!(files.len(), 1, "{:?}", files.keys());
        files.into_values().next().unwrap()
    }

    /// A store over it whose ids count from 1.
    pub fn store(&self) -> SessionStore {
        let mut n = 0;
        let count = move || {
            n += 1;
            n
        };
        SessionStore::new(Rc::new(self.clone()), Rc::new(RefCell::new(count)))
    }
}

/// The outcome of a future that never waits.
pub fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("the fake backend never waits")
}

impl Backend for FakeBackend {
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>, BackendError>> {
        ready(Ok(self.0.borrow().logs.keys().cloned().collect())).boxed_local()
    }

    fn open<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Box<dyn Log>, BackendError>> {
        let mut state = self.0.borrow_mut();
        let opened: Result<Box<dyn Log>, BackendError> = if state.open.insert(name.to_owned()) {
            state.logs.entry(name.to_owned()).or_default();
            Ok(Box::new(FakeLog { name: name.to_owned(), backend: self.clone() }))
        } else {
            Err(BackendError::LockedElsewhere { name: name.to_owned() })
        };
        ready(opened).boxed_local()
    }

    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        let mut state = self.0.borrow_mut();
        let removed = if state.open.contains(name) {
            Err(BackendError::LockedElsewhere { name: name.to_owned() })
        } else {
            state.logs.remove(name);
            Ok(())
        };
        ready(removed).boxed_local()
    }

    fn replace<'a>(&'a self, from: &'a str, to: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        let mut state = self.0.borrow_mut();
        assert!(!state.open.contains(from) && !state.open.contains(to), "both have to be closed");
        let replaced = match state.logs.remove(from) {
            Some(bytes) => {
                state.logs.insert(to.to_owned(), bytes);
                Ok(())
            }
            None => Err(BackendError::NotFound { name: from.to_owned() }),
        };
        ready(replaced).boxed_local()
    }
}

struct FakeLog {
    name: String,
    backend: FakeBackend,
}

impl FakeLog {
    fn bytes<T>(&self, change: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        change(self.backend.0.borrow_mut().logs.get_mut(&self.name).expect("an open log exists"))
    }
}

impl Drop for FakeLog {
    fn drop(&mut self) {
        self.backend.0.borrow_mut().open.remove(&self.name);
    }
}

impl Log for FakeLog {
    fn len(&self) -> Result<u64, BackendError> {
        Ok(self.bytes(|bytes| bytes.len() as u64))
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, BackendError> {
        Ok(self.bytes(|bytes| {
            let rest = &bytes[(at as usize).min(bytes.len())..];
            // Short reads are allowed at any length by the storage below.
            let n = rest.len().min(buffer.len());
            buffer[..n].copy_from_slice(&rest[..n]);
            n
        }))
    }

    fn append(&mut self, new: &[u8]) -> Result<(), BackendError> {
        let fails = self.backend.0.borrow().appends_fail;
        let written = if fails { &new[..new.len() / 2] } else { new };
        self.bytes(|bytes| bytes.extend_from_slice(written));
        if fails { Err(BackendError::QuotaExceeded { needed: new.len() as u64 }) } else { Ok(()) }
    }

    fn truncate(&mut self, length: u64) -> Result<(), BackendError> {
        if self.backend.0.borrow().truncates_fail {
            return Err(BackendError::Io("no".to_owned()));
        }
        self.bytes(|bytes| bytes.truncate(length as usize));
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BackendError> {
        self.backend.0.borrow_mut().flushes += 1;
        Ok(())
    }
}

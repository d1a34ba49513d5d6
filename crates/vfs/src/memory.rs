//! A backend in memory.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_core::future::LocalBoxFuture;

use crate::backend::{Backend, BackendError, Log};

/// Logs in memory, for tests and where the browser has no storage; clones share the logs. It obeys the port to the
/// letter, exclusive opening included, and can be told to fail: to be full, or to crash after so many changes or bytes.
#[derive(Clone, Debug, Default)]
pub struct MemoryBackend {
    store: Rc<RefCell<Store>>,
}

/// What a crash does to bytes that were appended and not flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unflushed {
    /// A killed tab: the system has the bytes already.
    Kept,
    /// Power lost.
    Lost,
}

#[derive(Debug, Default)]
struct Store {
    logs: BTreeMap<String, Stored>,
    faults: Faults,
    /// Changes so far: openings that create, appends, truncations, flushes, removals, replacements.
    n_changes: u64,
}

#[derive(Clone, Debug, Default)]
struct Stored {
    bytes: Vec<u8>,
    n_flushed: usize,
    is_open: bool,
}

#[derive(Debug, Default)]
struct Faults {
    capacity: Option<u64>,
    changes_left: Option<u64>,
    bytes_left: Option<u64>,
    has_crashed: bool,
}

impl MemoryBackend {
    /// An empty backend that does not fail.
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on the logs together hold at most so many bytes. An append over it adds what fits and fails with
    /// `QuotaExceeded`, as a real storage does. `None` lifts the limit.
    pub fn set_capacity(&self, n_bytes: Option<u64>) {
        self.store.borrow_mut().faults.capacity = n_bytes;
    }

    /// Crashes at the change after `n_changes` more of them: an append adds half of its bytes, any other change is not
    /// made, and everything after it fails.
    pub fn crash_after_changes(&self, n_changes: u64) {
        self.store.borrow_mut().faults.changes_left = Some(n_changes);
    }

    /// Crashes within the append that goes beyond `n_bytes` more bytes, exactly there.
    pub fn crash_after_bytes(&self, n_bytes: u64) {
        self.store.borrow_mut().faults.bytes_left = Some(n_bytes);
    }

    /// How many changes were made or tried so far, to know where a crash is possible.
    pub fn n_changes(&self) -> u64 {
        self.store.borrow().n_changes
    }

    /// What the next start of the machine finds: the same logs, closed, without faults. The old backend and its logs go
    /// on apart from it.
    pub fn reboot(&self, unflushed: Unflushed) -> Self {
        let mut logs = self.store.borrow().logs.clone();
        for stored in logs.values_mut() {
            stored.is_open = false;
            if unflushed == Unflushed::Lost {
                stored.bytes.truncate(stored.n_flushed);
            }
            stored.n_flushed = stored.bytes.len();
        }
        Self { store: Rc::new(RefCell::new(Store { logs, ..Store::default() })) }
    }

    /// The bytes of a log, open or not; `None` if there is none.
    pub fn bytes(&self, name: &str) -> Option<Vec<u8>> {
        self.store.borrow().logs.get(name).map(|stored| stored.bytes.clone())
    }

    /// Puts a log there as it is, as if it had been found in storage.
    pub fn set_bytes(&self, name: &str, bytes: Vec<u8>) {
        let stored = Stored { n_flushed: bytes.len(), bytes, is_open: false };
        self.store.borrow_mut().logs.insert(name.to_owned(), stored);
    }

    fn open_now(&self, name: &str) -> Result<Box<dyn Log>, BackendError> {
        check_name(name)?;
        let mut store = self.store.borrow_mut();
        store.check_alive()?;
        if !store.logs.contains_key(name) {
            store.change()?;
        }
        let stored = store.logs.entry(name.to_owned()).or_default();
        if stored.is_open {
            return Err(BackendError::LockedElsewhere { name: name.to_owned() });
        }
        stored.is_open = true;
        Ok(Box::new(MemoryLog { store: Rc::clone(&self.store), name: name.to_owned() }))
    }

    fn remove_now(&self, name: &str) -> Result<(), BackendError> {
        check_name(name)?;
        let mut store = self.store.borrow_mut();
        store.check_closed(name)?;
        store.change()?;
        store.logs.remove(name);
        Ok(())
    }

    fn replace_now(&self, from: &str, to: &str) -> Result<(), BackendError> {
        check_name(from)?;
        check_name(to)?;
        let mut store = self.store.borrow_mut();
        store.check_closed(from)?;
        store.check_closed(to)?;
        if !store.logs.contains_key(from) {
            return Err(BackendError::NotFound { name: from.to_owned() });
        }
        store.change()?;
        if let Some(stored) = store.logs.remove(from) {
            store.logs.insert(to.to_owned(), stored);
        }
        Ok(())
    }
}

impl Backend for MemoryBackend {
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>, BackendError>> {
        Box::pin(async {
            let store = self.store.borrow();
            store.check_alive().map(|()| store.logs.keys().cloned().collect())
        })
    }

    fn open<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Box<dyn Log>, BackendError>> {
        Box::pin(async move { self.open_now(name) })
    }

    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        Box::pin(async move { self.remove_now(name) })
    }

    fn replace<'a>(&'a self, from: &'a str, to: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        Box::pin(async move { self.replace_now(from, to) })
    }

    fn room(&self) -> LocalBoxFuture<'_, Option<u64>> {
        Box::pin(async {
            let store = self.store.borrow();
            let used: usize = store.logs.values().map(|stored| stored.bytes.len()).sum();
            store.faults.capacity.map(|capacity| capacity.saturating_sub(used as u64))
        })
    }
}

impl Store {
    fn check_alive(&self) -> Result<(), BackendError> {
        if self.faults.has_crashed { Err(crashed()) } else { Ok(()) }
    }

    fn check_closed(&self, name: &str) -> Result<(), BackendError> {
        self.check_alive()?;
        match self.logs.get(name) {
            Some(stored) if stored.is_open => Err(BackendError::LockedElsewhere { name: name.to_owned() }),
            Some(_) | None => Ok(()),
        }
    }

    /// Counts a change, and is where a crash after so many of them happens.
    fn change(&mut self) -> Result<(), BackendError> {
        self.check_alive()?;
        self.n_changes += 1;
        match &mut self.faults.changes_left {
            Some(0) => {
                self.faults.has_crashed = true;
                Err(crashed())
            }
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn append(&mut self, name: &str, bytes: &[u8]) -> Result<(), BackendError> {
        self.check_alive()?;
        let mut result = self.change();
        let mut n_added = if result.is_ok() { bytes.len() } else { bytes.len() / 2 };
        if let Some(left) = &mut self.faults.bytes_left {
            let fitting = usize::try_from(*left).unwrap_or(usize::MAX);
            if fitting < n_added {
                n_added = fitting;
                self.faults.has_crashed = true;
                result = Err(crashed());
            }
            *left -= n_added as u64;
        }
        if let Some(capacity) = self.faults.capacity {
            let used: usize = self.logs.values().map(|stored| stored.bytes.len()).sum();
            let room = usize::try_from(capacity.saturating_sub(used as u64)).unwrap_or(usize::MAX);
            if room < n_added {
                n_added = room;
                result = Err(BackendError::QuotaExceeded { needed: bytes.len() as u64 });
            }
        }
        let stored = self.stored(name)?;
        stored.bytes.extend(bytes.iter().take(n_added));
        result
    }

    fn stored(&mut self, name: &str) -> Result<&mut Stored, BackendError> {
        self.logs.get_mut(name).ok_or_else(|| BackendError::NotFound { name: name.to_owned() })
    }
}

struct MemoryLog {
    store: Rc<RefCell<Store>>,
    name: String,
}

impl Log for MemoryLog {
    fn len(&self) -> Result<u64, BackendError> {
        let mut store = self.store.borrow_mut();
        store.check_alive()?;
        Ok(store.stored(&self.name)?.bytes.len() as u64)
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, BackendError> {
        let mut store = self.store.borrow_mut();
        store.check_alive()?;
        let bytes = &store.stored(&self.name)?.bytes;
        let rest = usize::try_from(at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
        let n_read = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..n_read), rest.get(..n_read)) {
            to.copy_from_slice(from);
        }
        Ok(n_read)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), BackendError> {
        self.store.borrow_mut().append(&self.name, bytes)
    }

    fn truncate(&mut self, length: u64) -> Result<(), BackendError> {
        let mut store = self.store.borrow_mut();
        store.change()?;
        let stored = store.stored(&self.name)?;
        stored.bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        stored.n_flushed = stored.n_flushed.min(stored.bytes.len());
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BackendError> {
        let mut store = self.store.borrow_mut();
        store.change()?;
        let stored = store.stored(&self.name)?;
        stored.n_flushed = stored.bytes.len();
        Ok(())
    }
}

impl Drop for MemoryLog {
    fn drop(&mut self) {
        if let Ok(stored) = self.store.borrow_mut().stored(&self.name) {
            stored.is_open = false;
        }
    }
}

fn crashed() -> BackendError {
    BackendError::Io("the machine is off".into())
}

/// The names that the port promises, and no others, so that a test fails here where OPFS would.
fn check_name(name: &str) -> Result<(), BackendError> {
    if name.is_empty() || name.contains('/') || name.len() > 80 {
        return Err(BackendError::NameRefused { name: name.to_owned() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::conformance::{conformance, contents};

    #[test]
    fn it_obeys_the_port() {
        assert_eq!(conformance(&MemoryBackend::new()).now_or_never().unwrap(), Ok(()));
    }

    /// Case e18: the write is believed, not an estimate; what was there stays.
    #[test]
    fn a_full_backend_adds_what_fits_and_says_so() {
        let backend = MemoryBackend::new();
        let mut log = backend.open_now("log").unwrap();
        log.append(b"12345").unwrap();
        backend.set_capacity(Some(8));
        assert_eq!(log.append(b"abcdef"), Err(BackendError::QuotaExceeded { needed: 6 }));
        assert_eq!(contents(&*log).unwrap(), b"12345abc");
        log.truncate(5).unwrap();
        assert_eq!(log.append(b"xyz"), Ok(()));
    }

    #[test]
    fn a_crash_tears_the_append_and_ends_everything() {
        for name in ["changes", "bytes"] {
            let backend = MemoryBackend::new();
            let mut log = backend.open_now("log").unwrap();
            log.append(b"safe").unwrap();
            log.flush().unwrap();
            match name {
                "changes" => backend.crash_after_changes(1),
                _ => backend.crash_after_bytes(3),
            }
            assert_eq!(log.append(b"1"), Ok(()), "{name}");
            assert_eq!(log.append(b"2345"), Err(crashed()), "{name}");
            assert_eq!(log.append(b"6"), Err(crashed()), "{name}");
            assert_eq!(log.len(), Err(crashed()), "{name}");
            let after = |unflushed| contents(&*backend.reboot(unflushed).open_now("log").unwrap()).unwrap();
            assert_eq!(after(Unflushed::Kept), b"safe123", "{name}");
            assert_eq!(after(Unflushed::Lost), b"safe", "{name}");
        }
    }
}

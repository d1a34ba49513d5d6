//! [`Fence`]: between a workspace and its storage, so that a tab that may write no longer does not, from one moment to the next.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use futures_util::future::LocalBoxFuture;
use vitrine_vfs::{Backend, BackendError, Log};

/// Stands before the logs of one opening of the storage. Clones are the same fence.
#[derive(Clone, Default)]
pub struct Fence(Rc<State>);

#[derive(Default)]
struct State {
    is_cut: Cell<bool>,
    has_failed: Cell<bool>,
    /// The logs that are open.
    logs: RefCell<Vec<Weak<Held>>>,
    /// What is behind it.
    backends: RefCell<Vec<Rc<dyn Backend>>>,
    /// Called at the first failure of the storage itself.
    on_failure: RefCell<Option<Box<dyn FnOnce()>>>,
}

/// An open log, until the fence is cut.
type Held = RefCell<Option<Box<dyn Log>>>;

impl Fence {
    /// Puts it before a backend.
    pub fn before(&self, backend: impl Backend + 'static) -> Rc<dyn Backend> {
        let backend: Rc<dyn Backend> = Rc::new(backend);
        self.0.backends.borrow_mut().push(backend.clone());
        Rc::new(FencedBackend { fence: self.clone(), backend })
    }

    /// Looks whether the files are still there: some browsers write to a file that is gone, and say that all is well. A missing
    /// one is a failure. The first backend is never without one.
    pub async fn look(&self) {
        let first = self.0.backends.borrow().first().cloned();
        let Some(first) = first.filter(|_| !self.0.is_cut.get()) else { return };
        if !first.list().await.is_ok_and(|names| !names.is_empty()) && !self.0.is_cut.get() {
            self.fail();
        }
    }

    /// Closes every log at once. Whoever has one is refused from now on, and nothing can be opened any more.
    pub fn cut(&self) {
        self.0.is_cut.set(true);
        self.0.on_failure.take();
        self.0.backends.take();
        for log in self.0.logs.take() {
            if let Some(log) = log.upgrade() {
                log.take();
            }
        }
    }

    /// Says whom to tell, once, when the storage fails in a way that does not pass: a handle that was closed, a file that is
    /// gone. It may have failed already.
    pub fn on_failure(&self, tell: impl FnOnce() + 'static) {
        if self.0.has_failed.get() {
            return tell();
        }
        self.0.on_failure.replace(Some(Box::new(tell)));
    }

    fn check(&self) -> Result<(), BackendError> {
        if self.0.is_cut.get() { Err(cut()) } else { Ok(()) }
    }

    fn watched<T>(&self, result: Result<T, BackendError>) -> Result<T, BackendError> {
        // A full storage has room again one day, and whoever is locked out may come back.
        if let Err(BackendError::Io(_) | BackendError::NotFound { .. } | BackendError::NotSupported) = &result
            && !self.0.is_cut.get()
        {
            self.fail();
        }
        result
    }

    fn fail(&self) {
        self.0.has_failed.set(true);
        if let Some(tell) = self.0.on_failure.take() {
            tell();
        }
    }
}

fn cut() -> BackendError {
    BackendError::Io("this tab has closed the workspace's storage".to_owned())
}

struct FencedBackend {
    fence: Fence,
    backend: Rc<dyn Backend>,
}

impl Backend for FencedBackend {
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>, BackendError>> {
        self.backend.list()
    }

    fn open<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Box<dyn Log>, BackendError>> {
        Box::pin(async move {
            self.fence.check()?;
            let log = self.backend.open(name).await?;
            // It may have been cut while the browser opened the file.
            self.fence.check()?;
            let held = Rc::new(RefCell::new(Some(log)));
            let mut logs = self.fence.0.logs.borrow_mut();
            logs.retain(|log| log.strong_count() > 0);
            logs.push(Rc::downgrade(&held));
            drop(logs);
            Ok(Box::new(FencedLog { fence: self.fence.clone(), held }) as Box<dyn Log>)
        })
    }

    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        Box::pin(async move {
            self.fence.check()?;
            self.backend.remove(name).await
        })
    }

    fn replace<'a>(&'a self, from: &'a str, to: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        Box::pin(async move {
            self.fence.check()?;
            self.backend.replace(from, to).await
        })
    }

    fn room(&self) -> LocalBoxFuture<'_, Option<u64>> {
        self.backend.room()
    }
}

struct FencedLog {
    fence: Fence,
    held: Rc<Held>,
}

impl FencedLog {
    fn with<T>(&self, act: impl FnOnce(&mut dyn Log) -> Result<T, BackendError>) -> Result<T, BackendError> {
        let mut held = self.held.borrow_mut();
        let log = held.as_mut().ok_or_else(cut)?;
        let result = act(&mut **log);
        drop(held);
        self.fence.watched(result)
    }
}

impl Log for FencedLog {
    fn len(&self) -> Result<u64, BackendError> {
        self.with(|log| log.len())
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, BackendError> {
        self.with(|log| log.read(at, buffer))
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), BackendError> {
        self.with(|log| log.append(bytes))
    }

    fn truncate(&mut self, length: u64) -> Result<(), BackendError> {
        self.with(|log| log.truncate(length))
    }

    fn flush(&mut self) -> Result<(), BackendError> {
        self.with(|log| log.flush())
    }
}

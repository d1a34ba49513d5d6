//! The port to durable storage: named logs of bytes that only grow at the end.

use futures_core::future::LocalBoxFuture;

/// Why the storage did not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// There is no such storage here (a private window, an engine without OPFS). Asking again will not help: keep the
    /// data in memory and say so.
    #[error("this browser gives the page no storage for files")]
    NotSupported,
    /// Somebody else has the log open: another tab, or this program a second time.
    #[error("{name} is open elsewhere, probably in another tab")]
    LockedElsewhere {
        /// The log.
        name: String,
    },
    /// The storage is full, whatever an estimate said. What was there before is still there.
    #[error("the browser's storage is full ({needed} more bytes were needed): remove files or export the workspace")]
    QuotaExceeded {
        /// The bytes that were to be added.
        needed: u64,
    },
    /// The storage cannot have a log of that name, even escaped.
    #[error("the storage refuses the name {name:?}")]
    NameRefused {
        /// The name as it was given.
        name: String,
    },
    /// No log of that name, where one has to be there.
    #[error("no log is named {name:?}")]
    NotFound {
        /// The name as it was given.
        name: String,
    },
    /// Anything else, in the storage's own words.
    #[error("storage failed: {0}")]
    Io(String),
}

/// A set of named logs, one writer each. A real one is a folder of OPFS; the second one is [`crate::MemoryBackend`].
///
/// A future that is dropped before it is ready may have taken effect or not. Names are any non-empty text without `/`
/// of up to 80 bytes; the backend escapes what its store cannot spell, and case is kept and distinct.
pub trait Backend {
    /// The names of all logs, sorted. A backend hides what it keeps for itself.
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>, BackendError>>;

    /// Opens a log for this caller alone and creates it, empty, when it is missing. Fails with `LockedElsewhere` while
    /// it is open, here or anywhere. The log is closed when the box is dropped.
    fn open<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Box<dyn Log>, BackendError>>;

    /// Removes a log. A missing one is no error, so it may be called twice. An open one fails with `LockedElsewhere`
    /// and stays.
    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>>;

    /// Makes `from` the log named `to`, in place of any log of that name, and leaves none named `from`. After a crash
    /// `to` has its old bytes or all the new ones. Both have to be closed; a missing `from` fails with `NotFound`.
    fn replace<'a>(&'a self, from: &'a str, to: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>>;

    /// How many more bytes there is room for, where that can be known. It is an estimate: what does not fit is refused
    /// because of it, but what fits may be refused all the same.
    fn room(&self) -> LocalBoxFuture<'_, Option<u64>> {
        Box::pin(std::future::ready(None))
    }
}

/// One open log. All calls are synchronous: the storage was waited for when the log was opened.
///
/// Buffers belong to the caller and are free again when a call returns. Dropping the log closes it and never fails; what
/// was appended but not flushed may be lost with the machine's power, though not with the page.
#[expect(clippy::len_without_is_empty, reason = "the length can fail, and an empty log is no special case")]
pub trait Log {
    /// The length in bytes.
    fn len(&self) -> Result<u64, BackendError>;

    /// Fills the buffer from byte `at` on and says how many bytes there were: fewer than asked only at the end of the
    /// log, 0 at or past it.
    fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, BackendError>;

    /// Adds all the bytes at the end. On an error any part of them may have been added: the caller, who knows the
    /// length it had, truncates to it before it goes on.
    fn append(&mut self, bytes: &[u8]) -> Result<(), BackendError>;

    /// Cuts the log to `length` bytes. A log that is shorter already stays as it is.
    fn truncate(&mut self, length: u64) -> Result<(), BackendError>;

    /// Returns once everything appended is as safe as the storage can make it. May be called with nothing to flush.
    fn flush(&mut self) -> Result<(), BackendError>;
}

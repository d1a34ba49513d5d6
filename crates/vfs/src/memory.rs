//! A backend in memory.

use futures_core::future::LocalBoxFuture;

use crate::backend::{Backend, BackendError, Log};

/// Logs in memory, for tests and where the browser has no storage; clones share the logs. It obeys the port to the
/// letter, exclusive opening included, and can be told to fail.
#[derive(Clone, Debug, Default)]
pub struct MemoryBackend {}

/// What a crash does to bytes that were appended and not flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unflushed {
    /// A killed tab: the bytes are with the system already.
    Kept,
    /// Power lost.
    Lost,
}

impl Backend for MemoryBackend {
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>, BackendError>> {
        todo!()
    }
    fn open<'a>(&'a self, _: &'a str) -> LocalBoxFuture<'a, Result<Box<dyn Log>, BackendError>> {
        todo!()
    }
    fn remove<'a>(&'a self, _: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        todo!()
    }
    fn replace<'a>(&'a self, _: &'a str, _: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        todo!()
    }
}

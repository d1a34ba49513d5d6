//! Reading a log from front to back with few calls: each is a call into the browser.

use std::sync::Arc;

use crate::backend::{BackendError, Log};

/// What is asked for at once.
const N_WINDOW: usize = 256 << 10;
/// What is longer goes where it stays, without a copy.
const N_DIRECT: usize = N_WINDOW / 2;

/// A part of a log in memory.
pub(super) struct Window<'a> {
    log: &'a dyn Log,
    at: u64,
    bytes: Vec<u8>,
    n_held: usize,
}

impl<'a> Window<'a> {
    /// `length` is the log's.
    pub(super) fn new(log: &'a dyn Log, length: u64) -> Self {
        let n_window = usize::try_from(length).map_or(N_WINDOW, |length| length.min(N_WINDOW));
        Self { log, at: 0, bytes: vec![0; n_window], n_held: 0 }
    }

    /// Up to `n_bytes` bytes from `at` on: fewer only at the end of the log. No more than a window may be asked for.
    pub(super) fn slice(&mut self, at: u64, n_bytes: usize) -> Result<&[u8], BackendError> {
        let start = at.checked_sub(self.at).and_then(|start| usize::try_from(start).ok());
        let n_rest = start.map_or(0, |start| self.n_held.saturating_sub(start));
        if n_rest < n_bytes {
            self.n_held = self.log.read(at, &mut self.bytes)?;
            self.at = at;
        }
        let held = self.bytes.get(..self.n_held).unwrap_or_default();
        let start = usize::try_from(at.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let rest = held.get(start..).unwrap_or_default();
        Ok(rest.get(..n_bytes).unwrap_or(rest))
    }

    /// As much as a window holds from `at` on.
    pub(super) fn refill(&mut self, at: u64) -> Result<&[u8], BackendError> {
        self.slice(at, N_WINDOW)
    }

    /// Bytes that are within the log, in memory once.
    pub(super) fn shared(&mut self, at: u64, n_bytes: u64) -> Result<Arc<[u8]>, BackendError> {
        let n_bytes = usize::try_from(n_bytes).map_err(|_| BackendError::Io("a record is too large".into()))?;
        if n_bytes <= N_DIRECT {
            return Ok(self.slice(at, n_bytes)?.into());
        }
        let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, n_bytes).collect();
        if let Some(buffer) = Arc::get_mut(&mut bytes) {
            self.log.read(at, buffer)?;
        }
        Ok(bytes)
    }
}

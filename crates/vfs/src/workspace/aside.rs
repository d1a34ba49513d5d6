//! Keeping bytes that could not be read.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::backend::{Backend, BackendError, Log};

const SET_ASIDE: &str = "damaged-";

/// Keeps damaged bytes under names that are free.
pub(crate) struct Aside {
    backend: Rc<dyn Backend>,
    names: BTreeSet<String>,
}

impl Aside {
    /// `names` are those of all logs.
    pub(crate) fn new(backend: Rc<dyn Backend>, names: Vec<String>) -> Self {
        Self { backend, names: names.into_iter().collect() }
    }

    /// Copies what is behind the good part of a journal. Opening must not fail because there is no room for damaged
    /// bytes, so `None` says that they could not be kept.
    pub(crate) async fn keep_tail(&mut self, log: &dyn Log, from: u64) -> Option<String> {
        let name = self.free_name();
        let mut copy = self.backend.open(&name).await.ok()?;
        match copy_from(log, from, &mut *copy) {
            Ok(()) => Some(name),
            Err(_) => {
                drop(copy);
                let _ = self.backend.remove(&name).await;
                None
            }
        }
    }

    /// Gives a whole log another name.
    pub(crate) async fn keep_log(&mut self, log: &str) -> Result<String, BackendError> {
        let name = self.free_name();
        self.backend.replace(log, &name).await?;
        Ok(name)
    }

    fn free_name(&mut self) -> String {
        let mut number = 1_u64;
        let mut name = format!("{SET_ASIDE}{number}");
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{SET_ASIDE}{number}");
        }
        name
    }
}

fn copy_from(log: &dyn Log, from: u64, copy: &mut dyn Log) -> Result<(), BackendError> {
    let mut buffer = vec![0; 256 << 10];
    let mut at = from;
    loop {
        let n_read = log.read(at, &mut buffer)?;
        if n_read == 0 {
            return copy.flush();
        }
        copy.append(buffer.get(..n_read).unwrap_or_default())?;
        at += n_read as u64;
    }
}

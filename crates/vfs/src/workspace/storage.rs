//! Where a workspace is kept: journals numbered by generation, of which the highest with a complete base counts.
//!
//! Compaction writes the next generation beside the present one and closes its base last, so at every moment exactly
//! one journal is the workspace, without renaming anything.

use std::rc::Rc;

use crate::backend::{Backend, BackendError, Log};
use crate::journal::{Journal, ReadError, Scan, Tail, scan};
use crate::operation::Operation;
use crate::workspace::history::History;
use crate::workspace::tree::Tree;
use crate::workspace::{Access, Limits, Options, Recovery, WorkspaceError};

const JOURNAL: &str = "journal-";
const SET_ASIDE: &str = "damaged-";
/// A header and a checkpoint: what a torn first start leaves at most.
const N_EMPTY_JOURNAL: u64 = 44;

/// The storage of a workspace that may be changed.
pub(crate) struct Storage {
    pub(crate) backend: Rc<dyn Backend>,
    pub(crate) journal: Journal,
    pub(crate) generation: u64,
}

/// What was in storage.
pub(crate) struct Opened {
    pub(crate) tree: Tree,
    pub(crate) history: History,
    /// `None` when opened for reading only.
    pub(crate) storage: Option<Storage>,
    pub(crate) recovery: Recovery,
}

/// Reads what is there and makes it ready for changes.
pub(crate) async fn open(backend: Rc<dyn Backend>, options: &Options) -> Result<Opened, WorkspaceError> {
    let names = backend.list().await?;
    let mut generations: Vec<u64> = names.iter().filter_map(|name| generation_of(name)).collect();
    generations.sort_unstable();
    let highest = generations.last().copied().unwrap_or(0);
    let mut aside = Aside { backend: Rc::clone(&backend), names };

    let mut unfounded = Vec::new();
    while let Some(generation) = generations.pop() {
        let log = backend.open(&journal_name(generation)).await?;
        let mut read = Read::default();
        let found = scan(&*log, |batch| read.apply(&batch, &options.limits)).map_err(|error| match error {
            ReadError::NewerFormat(version) => WorkspaceError::NewerFormat(version),
            ReadError::Backend(error) => WorkspaceError::Storage(error),
        })?;
        let Some(base) = found.base else {
            unfounded.push((generation, found));
            continue;
        };
        let mut recovery =
            Recovery { changes: read.history.newest().0, dropped_bytes: found.dropped_bytes, set_aside: None };
        let storage = match options.access {
            Access::ReadOnly => None,
            Access::ReadWrite => {
                if found.tail == Tail::Damaged {
                    recovery.set_aside = aside.keep_tail(&*log, &found).await;
                }
                let journal = Journal::resume(log, found.good_length)?;
                for (above, found) in unfounded {
                    let name = journal_name(above);
                    if found.tail == Tail::Damaged {
                        // It may have been whole once, with changes that the present one does not have.
                        recovery.dropped_bytes += found.dropped_bytes;
                        recovery.set_aside = aside.keep_log(&name).await.ok().or(recovery.set_aside);
                    } else {
                        // A compaction that was not finished.
                        let _ = backend.remove(&name).await;
                    }
                }
                // What a finished compaction did not get to remove.
                for below in generations {
                    let _ = backend.remove(&journal_name(below)).await;
                }
                Some(Storage { backend, journal, generation })
            }
        };
        return Ok(Opened { tree: read.tree, history: read.history.shifted_by(base), storage, recovery });
    }

    // No journal at all, or none with a base.
    let mut recovery = Recovery::default();
    for (generation, found) in unfounded {
        recovery.dropped_bytes += found.dropped_bytes;
        if options.access == Access::ReadWrite {
            let name = journal_name(generation);
            if found.tail == Tail::Damaged || found.dropped_bytes > N_EMPTY_JOURNAL {
                recovery.set_aside = Some(aside.keep_log(&name).await?);
            } else {
                backend.remove(&name).await?;
            }
        }
    }
    let storage = match options.access {
        Access::ReadOnly => None,
        Access::ReadWrite => {
            let generation = highest + 1;
            let log = backend.open(&journal_name(generation)).await?;
            let journal = Journal::begin(log, &[], 0)?;
            Some(Storage { backend, journal, generation })
        }
    };
    Ok(Opened { tree: Tree::default(), history: History::default(), storage, recovery })
}

/// The name of a generation's journal.
pub(crate) fn journal_name(generation: u64) -> String {
    format!("{JOURNAL}{generation}")
}

fn generation_of(name: &str) -> Option<u64> {
    let generation = name.strip_prefix(JOURNAL)?.parse::<u32>().ok()?.into();
    // Other spellings of a number, such as `+1`, are not ours.
    (journal_name(generation) == name).then_some(generation)
}

/// A tree as it is read.
#[derive(Default)]
struct Read {
    tree: Tree,
    history: History,
    has_base: bool,
}

impl Read {
    /// Whether the batch makes sense; the tree is unchanged if not. What is in storage was within the limits when it was
    /// written, so only the limit of the history holds.
    fn apply(&mut self, batch: &[Operation], limits: &Limits) -> bool {
        let mut undos = Vec::new();
        for operation in batch {
            if self.tree.apply(operation, &Limits::NONE, &mut undos).is_err() {
                self.tree.roll_back(undos);
                return false;
            }
        }
        if self.has_base {
            self.history.push(undos, limits.history_bytes);
        }
        self.has_base = true;
        true
    }
}

/// Keeps bytes that could not be read, under names that are free.
struct Aside {
    backend: Rc<dyn Backend>,
    names: Vec<String>,
}

impl Aside {
    /// Copies what is behind the good part of a journal. Opening must not fail because there is no room for damaged
    /// bytes, so `None` says that they could not be kept.
    async fn keep_tail(&mut self, log: &dyn Log, found: &Scan) -> Option<String> {
        let name = self.free_name();
        let mut copy = self.backend.open(&name).await.ok()?;
        match copy_from(log, found.good_length, &mut *copy) {
            Ok(()) => Some(name),
            Err(_) => {
                drop(copy);
                let _ = self.backend.remove(&name).await;
                None
            }
        }
    }

    /// Gives a whole log another name.
    async fn keep_log(&mut self, log: &str) -> Result<String, BackendError> {
        let name = self.free_name();
        self.backend.replace(log, &name).await?;
        Ok(name)
    }

    fn free_name(&mut self) -> String {
        let mut number = 1_u64;
        let mut name = format!("{SET_ASIDE}{number}");
        while self.names.contains(&name) {
            number += 1;
            name = format!("{SET_ASIDE}{number}");
        }
        self.names.push(name.clone());
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

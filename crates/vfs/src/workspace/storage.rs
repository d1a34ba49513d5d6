//! Where a workspace is kept: journals numbered by generation, of which the highest with a whole base counts.
//!
//! Compaction writes the next generation beside the present one and closes its base last, so at every moment exactly
//! one journal is the workspace, without renaming anything. A journal of the first version, and one with damage in its
//! middle, are written anew in the same way.

use std::rc::Rc;

use crate::backend::{Backend, BackendError, Log};
use crate::journal::{BaseState, BeginError, Format, Journal, ReadError, Scan, Tail, scan};
use crate::workspace::aside::Aside;
use crate::workspace::compare;
use crate::workspace::history::History;
use crate::workspace::kept::{self, Kept};
use crate::workspace::replay::Replay;
use crate::workspace::tree::Tree;
use crate::workspace::{Access, Options, Recovery, WorkspaceError};

const JOURNAL: &str = "journal-";
/// Two headers and two records: what a torn first start leaves at most.
const N_EMPTY_JOURNAL: u64 = 144;

/// The storage of a workspace that may be changed.
pub(crate) struct Storage {
    pub(crate) backend: Rc<dyn Backend>,
    pub(crate) journal: Journal,
    pub(crate) generation: u64,
    /// What is believed to be left of it, where that can be known.
    pub(crate) room: Option<u64>,
    /// A later generation that could be neither finished nor taken back: it would be taken for the workspace.
    pub(crate) stale: Option<Box<dyn Log>>,
}

impl Storage {
    /// Before anything is added to this journal, no later one may be in its way.
    pub(crate) fn clear_stale(&mut self) -> Result<(), BackendError> {
        if let Some(log) = &mut self.stale {
            log.truncate(0)?;
            self.stale = None;
        }
        Ok(())
    }
}

/// What was in storage.
pub(crate) struct Opened {
    pub(crate) replay: Replay,
    /// `None` when opened for reading only.
    pub(crate) storage: Option<Storage>,
    pub(crate) recovery: Recovery,
}

/// A journal that was read.
struct Found {
    generation: u64,
    log: Box<dyn Log>,
    scan: Scan,
    replay: Replay,
}

/// Reads what is there and makes it ready for changes.
pub(crate) async fn open(backend: Rc<dyn Backend>, options: &Options) -> Result<Opened, WorkspaceError> {
    let names = backend.list().await?;
    let mut generations: Vec<u64> = names.iter().filter_map(|name| generation_of(name)).collect();
    generations.sort_unstable();
    let highest = generations.last().copied().unwrap_or(0);
    let aside = Aside::new(Rc::clone(&backend), names);

    // From the highest down to the first that counts.
    let mut above = Vec::new();
    let mut found = None;
    while let Some(generation) = generations.pop() {
        let journal = read(&*backend, generation, options).await?;
        if journal.scan.founded_at.is_some() {
            found = Some(journal);
            break;
        }
        above.push(journal);
    }
    // What is not whole counts only if there is nothing else.
    if found.is_none() {
        found = above.iter().position(|journal| journal.replay.has_files()).map(|index| above.remove(index));
    }
    let opening = Opening { backend, aside, next: highest + 1, above, below: generations };
    match (found, options.access) {
        (Some(found), Access::ReadOnly) => Ok(opened_to_read(found, None)),
        (Some(found), Access::ReadWrite) => opening.go_on(found, options).await,
        (None, _) => opening.begin(options).await,
    }
}

async fn read(backend: &dyn Backend, generation: u64, options: &Options) -> Result<Found, WorkspaceError> {
    let log = backend.open(&journal_name(generation)).await?;
    let mut replay = Replay::new(options.limits.history_bytes);
    let scan = scan(&*log, &mut |item| replay.apply(item)).map_err(|error| match error {
        ReadError::NewerFormat(version) => WorkspaceError::NewerFormat(version),
        ReadError::Backend(error) => WorkspaceError::Storage(error),
    })?;
    Ok(Found { generation, log, scan, replay })
}

fn opened_to_read(found: Found, read_only: Option<String>) -> Opened {
    let recovery = Recovery { read_only, ..recovery_of(&found) };
    Opened { replay: found.replay, storage: None, recovery }
}

fn recovery_of(found: &Found) -> Recovery {
    Recovery {
        changes: found.replay.n_changes,
        dropped_bytes: found.scan.dropped_bytes,
        damages: found.replay.damages.clone(),
        n_damages: found.replay.n_damages,
        ..Recovery::default()
    }
}

struct Opening {
    backend: Rc<dyn Backend>,
    aside: Aside,
    /// The next free generation.
    next: u64,
    /// Journals that were not whole.
    above: Vec<Found>,
    /// Generations that were not looked at.
    below: Vec<u64>,
}

impl Opening {
    async fn go_on(mut self, found: Found, options: &Options) -> Result<Opened, WorkspaceError> {
        let mut recovery = recovery_of(&found);
        let is_damaged = found.replay.n_damages > 0 || found.scan.founded_at.is_none();
        if found.scan.format == Format::Present && !is_damaged {
            if found.scan.tail == Tail::Damaged {
                recovery.set_aside = self.aside.keep_tail(&*found.log, found.scan.good_length).await;
            }
            return self.resume(found, recovery).await;
        }
        match self.write_anew(&found, options).await {
            Ok((journal, generation)) => {
                let Found { generation: old, log, replay, scan } = found;
                drop(log);
                let old = journal_name(old);
                if is_damaged || scan.tail == Tail::Damaged {
                    recovery.set_aside = self.aside.keep_log(&old).await.ok();
                } else {
                    let _ = self.backend.remove(&old).await;
                }
                self.clear(&mut recovery).await;
                let room = self.backend.room().await;
                let storage = Some(Storage { backend: self.backend, journal, generation, room, stale: None });
                Ok(Opened { replay, storage, recovery })
            }
            // An old format cannot be added to.
            Err((error, _)) if found.scan.format == Format::First => Ok(opened_to_read(found, Some(error.to_string()))),
            // There may be no room. What is damaged is told again at the next start.
            Err((_, stale)) => {
                if found.scan.tail == Tail::Damaged {
                    recovery.set_aside = self.aside.keep_tail(&*found.log, found.scan.good_length).await;
                }
                let mut opened = self.resume(found, recovery).await?;
                if let Some(storage) = &mut opened.storage {
                    storage.stale = stale;
                }
                Ok(opened)
            }
        }
    }

    /// Goes on with a journal as it is.
    async fn resume(mut self, found: Found, mut recovery: Recovery) -> Result<Opened, WorkspaceError> {
        let Found { generation, log, replay, scan } = found;
        let journal = Journal::resume(log, scan.founded_at.unwrap_or(0), scan.good_length)?;
        self.clear(&mut recovery).await;
        let room = self.backend.room().await;
        let storage = Some(Storage { backend: self.backend, journal, generation, room, stale: None });
        Ok(Opened { replay, storage, recovery })
    }

    /// On an error there may be a log left over that would be taken for the workspace.
    async fn write_anew(
        &self,
        found: &Found,
        options: &Options,
    ) -> Result<(Journal, u64), (WorkspaceError, Option<Box<dyn Log>>)> {
        let kept = kept::from_names(&found.replay.kept);
        let base = base(&found.replay.tree, &found.replay.history, &kept, &*found.log);
        let base = base.map_err(|error| (error, None))?;
        let log = self.backend.open(&journal_name(self.next)).await.map_err(|error| (error.into(), None))?;
        match Journal::begin(log, options.salt, &base) {
            Ok(journal) => Ok((journal, self.next)),
            Err(BeginError { error, left }) => {
                if left.is_none() {
                    let _ = self.backend.remove(&journal_name(self.next)).await;
                }
                Err((error.into(), left))
            }
        }
    }

    /// Clears away the journals that do not count.
    async fn clear(&mut self, recovery: &mut Recovery) {
        for Found { generation, log, scan, .. } in self.above.drain(..) {
            drop(log);
            let name = journal_name(generation);
            if scan.tail == Tail::Damaged {
                // It may have been whole once, with changes that the present one does not have.
                recovery.dropped_bytes += scan.dropped_bytes;
                recovery.set_aside = self.aside.keep_log(&name).await.ok().or(recovery.set_aside.take());
            } else {
                // A compaction that was not finished.
                let _ = self.backend.remove(&name).await;
            }
        }
        for generation in self.below.drain(..) {
            let name = journal_name(generation);
            if recovery.n_damages > 0 {
                // What is lost in the newer one may be in the older.
                let _ = self.aside.keep_log(&name).await;
            } else {
                // What a finished compaction did not get to remove.
                let _ = self.backend.remove(&name).await;
            }
        }
    }

    /// There is no journal, or none with anything in it.
    async fn begin(mut self, options: &Options) -> Result<Opened, WorkspaceError> {
        let mut recovery = Recovery::default();
        for Found { generation, log, scan, .. } in std::mem::take(&mut self.above) {
            drop(log);
            recovery.dropped_bytes += scan.dropped_bytes;
            if options.access == Access::ReadWrite {
                let name = journal_name(generation);
                if scan.tail == Tail::Damaged || scan.dropped_bytes > N_EMPTY_JOURNAL {
                    recovery.set_aside = Some(self.aside.keep_log(&name).await?);
                } else {
                    self.backend.remove(&name).await?;
                }
            }
        }
        let storage = match options.access {
            Access::ReadOnly => None,
            Access::ReadWrite => {
                let generation = self.next;
                let log = self.backend.open(&journal_name(generation)).await?;
                let empty = BaseState { snapshot: 0, operations: Vec::new(), names: Vec::new() };
                // What is left of an empty one is an empty workspace.
                let journal = Journal::begin(log, options.salt, &[empty]).map_err(|failed| failed.error)?;
                let room = self.backend.room().await;
                Some(Storage { backend: self.backend, journal, generation, room, stale: None })
            }
        };
        Ok(Opened { replay: Replay::new(options.limits.history_bytes), storage, recovery })
    }
}

/// What a new journal begins with: from nothing to the oldest kept snapshot, to the next, and to what is now. A kept
/// snapshot that damage has taken is left out.
pub(crate) fn base(
    now: &Tree,
    history: &History,
    kept: &[Kept],
    log: &dyn Log,
) -> Result<Vec<BaseState>, WorkspaceError> {
    let mut trees = kept::trees(kept, history, now, Some(log))?;
    trees.push((history.newest(), now.clone()));
    trees.sort_by_key(|(snapshot, _)| *snapshot);
    trees.dedup_by_key(|(snapshot, _)| *snapshot);
    let mut before = Tree::default();
    let mut states = Vec::new();
    for (snapshot, tree) in trees {
        let names = kept.iter().filter(|kept| kept.snapshot == snapshot).map(|kept| kept.name.clone()).collect();
        states.push(BaseState { snapshot: snapshot.0, operations: compare::operations(&before, &tree), names });
        before = tree;
    }
    Ok(states)
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

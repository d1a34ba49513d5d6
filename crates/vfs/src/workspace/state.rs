//! What a workspace is made of, and how a change goes through it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use crate::backend::{Backend, Log};
use crate::journal::{self, BeginError, Journal};
use crate::operation::Operation;
use crate::workspace::history::History;
use crate::workspace::kept::{self, Kept, MAX_KEPT, MAX_NAME_BYTES};
use crate::workspace::log::Log as ChangeLog;
use crate::workspace::replay::Replay;
use crate::workspace::storage::{self, Storage};
use crate::workspace::tree::Tree;
use crate::workspace::{
    Access, Author, Change, Clock, Limits, Observer, Options, SignedChange, Snapshot, WorkspaceError, replay,
};

/// A journal with less garbage is left alone.
const N_GARBAGE: u64 = 4 << 20;
/// What a file takes in a journal beside its contents, about.
const N_ENTRY: u64 = 96;
/// A change that needs less is tried even if there seems to be no room for it: removing is what makes room.
const N_TRIED: u64 = 4 << 10;

/// Behind every handle of a workspace.
pub(crate) struct State {
    pub(crate) tree: Tree,
    pub(crate) history: History,
    /// Sorted by name.
    pub(crate) kept: Vec<Kept>,
    pub(crate) options: Options,
    pub(crate) clock: Option<Clock>,
    /// `None` when nothing is kept in storage or nothing may be changed.
    pub(crate) storage: Option<Storage>,
    is_compacting: bool,
    pub(crate) observers: Vec<Observer>,
    /// What has changed since somebody asked for it to be kept.
    pub(crate) log: Option<ChangeLog>,
    /// Changes that observers have not heard of yet.
    pub(crate) unheard: VecDeque<SignedChange>,
    pub(crate) is_telling: bool,
}

impl State {
    pub(crate) fn new(replay: Replay, storage: Option<Storage>, options: Options) -> Self {
        Self {
            kept: kept::from_names(&replay.kept),
            tree: replay.tree,
            history: replay.history,
            options,
            clock: None,
            storage,
            is_compacting: false,
            observers: Vec::new(),
            log: None,
            unheard: VecDeque::new(),
            is_telling: false,
        }
    }

    pub(crate) fn now_ms(&self) -> u64 {
        self.clock.as_ref().map_or(0, |clock| clock())
    }

    /// Applies a batch to memory and storage; `false` if it changes nothing.
    pub(crate) fn apply(&mut self, batch: Vec<Operation>, limits: &Limits) -> Result<bool, WorkspaceError> {
        if self.options.access == Access::ReadOnly {
            return Err(WorkspaceError::ReadOnly);
        }
        let mut undos = Vec::new();
        let mut recorded = Vec::with_capacity(batch.len());
        if let Some(log) = &mut self.log {
            log.begin();
        }
        for operation in batch {
            let n_undos = undos.len();
            // Without a journal there is nothing to keep short.
            let shortened = self.storage.as_ref().and_then(|_| self.tree.shortened(&operation));
            let operation = shortened.unwrap_or(operation);
            if let Err(error) = self.tree.apply(&operation, limits, &mut undos) {
                self.tree.roll_back(undos);
                return Err(error);
            }
            if let Some(log) = &mut self.log {
                log.note(&operation, undos.get(n_undos..).unwrap_or_default(), &self.tree);
            }
            recorded.push(operation);
        }
        if undos.is_empty() {
            return Ok(false);
        }
        let snapshot = self.history.next();
        let needed = journal::n_bytes(&recorded);
        if let Err(error) = self.record(needed, |journal| journal.append(snapshot, &recorded)) {
            self.tree.roll_back(undos);
            return Err(error);
        }
        self.history.push(snapshot, undos, self.options.limits.history_bytes);
        Ok(true)
    }

    /// Writes to the journal, if there is one and it has room.
    fn record(
        &mut self,
        needed: u64,
        write: impl FnOnce(&mut Journal) -> Result<(), crate::BackendError>,
    ) -> Result<(), WorkspaceError> {
        let Some(storage) = &mut self.storage else { return Ok(()) };
        if let Some(available) = storage.room
            && needed > available.max(N_TRIED)
        {
            return Err(WorkspaceError::NoRoom { needed, available });
        }
        storage.clear_stale()?;
        write(&mut storage.journal)?;
        storage.room = storage.room.map(|room| room.saturating_sub(needed));
        Ok(())
    }

    /// Notes what happened for the observers, and says which snapshot is after it.
    pub(crate) fn tell(&mut self, changes: Vec<Change>, author: &Author) -> Snapshot {
        let (snapshot, time_ms) = (self.history.newest(), self.now_ms());
        if let Some(log) = &mut self.log {
            log.push(snapshot.0, &changes, author, time_ms);
        }
        if !self.observers.is_empty() {
            let signed = |change| SignedChange { change, author: author.clone(), snapshot, time_ms };
            self.unheard.extend(changes.into_iter().map(signed));
        }
        snapshot
    }

    /// The tree at a snapshot: from memory, or else from the journal.
    pub(crate) fn tree_at(&self, snapshot: Snapshot) -> Result<Tree, WorkspaceError> {
        if let Some(tree) = self.history.tree_at(snapshot, &self.tree) {
            return Ok(tree);
        }
        let kept = self.kept.iter().find(|kept| kept.snapshot == snapshot);
        if let Some(tree) = kept.and_then(|kept| kept.tree.clone()) {
            return Ok(tree);
        }
        let (newest, oldest) = (self.history.newest(), self.history.oldest());
        if let Some(storage) = &self.storage
            && snapshot < oldest
        {
            let mut found = replay::trees(storage.journal.log(), &[snapshot], &self.tree)?;
            if let Some((_, tree)) = found.pop() {
                return Ok(tree);
            }
        }
        Err(WorkspaceError::SnapshotGone { wanted: snapshot.0, oldest: oldest.0, newest: newest.0 })
    }

    pub(crate) fn keep(&mut self, snapshot: Snapshot, name: &str) -> Result<(), WorkspaceError> {
        if self.options.access == Access::ReadOnly {
            return Err(WorkspaceError::ReadOnly);
        }
        let at = self.kept.binary_search_by(|kept| kept.name.as_str().cmp(name));
        if name.is_empty() || name.len() > MAX_NAME_BYTES || (at.is_err() && self.kept.len() >= MAX_KEPT) {
            return Err(WorkspaceError::CannotKeep(name.chars().take(MAX_NAME_BYTES).collect()));
        }
        let tree = self.tree_at(snapshot)?;
        let newest = self.history.newest().0;
        self.record(N_ENTRY + name.len() as u64, |journal| journal.keep(newest, snapshot.0, name))?;
        let tree = self.storage.is_none().then_some(tree);
        let kept = Kept { name: name.to_owned(), snapshot, tree };
        match at {
            Ok(at) => {
                if let Some(place) = self.kept.get_mut(at) {
                    *place = kept;
                }
            }
            Err(at) => self.kept.insert(at, kept),
        }
        Ok(())
    }

    pub(crate) fn release(&mut self, name: &str) -> Result<(), WorkspaceError> {
        if self.options.access == Access::ReadOnly {
            return Err(WorkspaceError::ReadOnly);
        }
        let at = self.kept.binary_search_by(|kept| kept.name.as_str().cmp(name));
        let at = at.map_err(|_| WorkspaceError::NotKept(name.chars().take(MAX_NAME_BYTES).collect()))?;
        let newest = self.history.newest().0;
        self.record(N_ENTRY + name.len() as u64, |journal| journal.release(newest, name))?;
        self.kept.remove(at);
        Ok(())
    }

    pub(crate) fn wants_compaction(&self) -> bool {
        let Some(storage) = &self.storage else { return false };
        let (size, length) = (self.tree.size(), storage.journal.length());
        // Kept snapshots are in the base, if there is one: it is no garbage.
        let base = if self.kept.is_empty() { 0 } else { storage.journal.founded_at() };
        let needed = base.max(size.bytes + size.entries * N_ENTRY);
        let garbage = length.saturating_sub(needed);
        garbage > N_GARBAGE && garbage > length / 2
    }

    /// Writes the tree and what is kept to a new journal and goes on with that one.
    pub(crate) fn switch_to(&mut self, log: Box<dyn Log>, generation: u64) -> Result<(), WorkspaceError> {
        let Some(storage) = &mut self.storage else { return Ok(()) };
        let base = storage::base(&self.tree, &self.history, &self.kept, storage.journal.log())?;
        let needed = base.iter().map(|state| journal::n_bytes(&state.operations)).sum();
        if let Some(available) = storage.room.filter(|available| needed > *available) {
            return Err(WorkspaceError::NoRoom { needed, available });
        }
        match Journal::begin(log, self.options.salt, &base) {
            Ok(journal) => {
                storage.journal = journal;
                storage.generation = generation;
                Ok(())
            }
            Err(BeginError { error, left }) => {
                storage.stale = left;
                Err(error.into())
            }
        }
    }
}

/// A compaction that is going on, until it is dropped.
pub(crate) struct Compaction<'a> {
    state: &'a RefCell<State>,
    pub(crate) backend: Rc<dyn Backend>,
    pub(crate) generation: u64,
}

impl<'a> Compaction<'a> {
    pub(crate) fn begin(state: &'a RefCell<State>) -> Option<Self> {
        let mut borrowed = state.borrow_mut();
        if borrowed.is_compacting {
            return None;
        }
        let storage = borrowed.storage.as_ref()?;
        let (backend, generation) = (Rc::clone(&storage.backend), storage.generation);
        borrowed.is_compacting = true;
        Some(Self { state, backend, generation })
    }
}

impl Drop for Compaction<'_> {
    fn drop(&mut self) {
        self.state.borrow_mut().is_compacting = false;
    }
}

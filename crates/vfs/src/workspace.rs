//! The workspace: the rules of the tree, and the order in which a change reaches the journal, memory and observers.

mod compare;
mod history;
mod storage;
mod tree;
mod types;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::backend::{Backend, Log};
use crate::journal::Journal;
use crate::operation::Operation;
use crate::path::WorkspacePath;
use crate::workspace::history::History;
use crate::workspace::storage::{Opened, Storage};
use crate::workspace::tree::{Node, Tree};

pub use types::{
    Access, Change, Contents, Difference, DifferenceKind, Entry, Kind, Limits, Observer, Options, Recovery, Snapshot,
    Usage, WorkspaceError,
};

/// The files the agent works on. A handle: clones are the same workspace.
///
/// Everything but [`Workspace::open`] and [`Workspace::compact`] is synchronous. A change is all or nothing: when it
/// returns an error, tree and storage are as they were before.
#[derive(Clone)]
pub struct Workspace {
    state: Rc<RefCell<State>>,
}

struct State {
    tree: Tree,
    history: History,
    options: Options,
    /// `None` when nothing is kept or nothing may be changed.
    storage: Option<Storage>,
    is_compacting: bool,
    observers: Vec<Observer>,
    /// Changes that observers have not heard of yet.
    unheard: VecDeque<Change>,
    is_telling: bool,
}

impl Workspace {
    /// An empty workspace that nothing is kept of.
    pub fn in_memory() -> Self {
        Self::in_memory_with(Limits::default())
    }

    /// An empty workspace that nothing is kept of, with limits of the caller's.
    pub fn in_memory_with(limits: Limits) -> Self {
        let opened =
            Opened { tree: Tree::default(), history: History::default(), storage: None, recovery: Recovery::default() };
        Self::new(opened, Options { access: Access::ReadWrite, limits }).0
    }

    /// Opens the workspace that `backend` holds, or begins one. The backend belongs to this workspace alone.
    ///
    /// Fails with `Storage(LockedElsewhere)` when another tab has it and `Storage(NotSupported)` where there is no
    /// storage. Damage is no failure: what is readable is opened and [`Recovery`] tells the rest.
    pub async fn open(backend: Rc<dyn Backend>, options: Options) -> Result<(Self, Recovery), WorkspaceError> {
        let opened = storage::open(backend, &options).await?;
        Ok(Self::new(opened, options))
    }

    fn new(opened: Opened, options: Options) -> (Self, Recovery) {
        let state = State {
            tree: opened.tree,
            history: opened.history,
            options,
            storage: opened.storage,
            is_compacting: false,
            observers: Vec::new(),
            unheard: VecDeque::new(),
            is_telling: false,
        };
        (Self { state: Rc::new(RefCell::new(state)) }, opened.recovery)
    }

    /// The contents of a file, shared and never copied. A later write does not change what was read.
    pub fn read(&self, path: &WorkspacePath) -> Result<Contents, WorkspaceError> {
        match self.state.borrow().tree.find(path)? {
            Node::File(contents) => Ok(Arc::clone(contents)),
            Node::Folder(_) => Err(WorkspaceError::NotAFile(path.clone())),
        }
    }

    /// What is in a folder, sorted by name (by code point).
    pub fn list(&self, path: &WorkspacePath) -> Result<Vec<Entry>, WorkspaceError> {
        match self.state.borrow().tree.find(path)? {
            Node::File(_) => Err(WorkspaceError::NotAFolder(path.clone())),
            Node::Folder(folder) => Ok(folder.iter().map(|(name, node)| entry(name, node)).collect()),
        }
    }

    /// What a path names.
    pub fn stat(&self, path: &WorkspacePath) -> Result<Entry, WorkspaceError> {
        let state = self.state.borrow();
        Ok(entry(path.name().unwrap_or_default(), state.tree.find(path)?))
    }

    /// Whether anything is there.
    pub fn exists(&self, path: &WorkspacePath) -> bool {
        self.state.borrow().tree.find(path).is_ok()
    }

    /// All files in a folder and below it, or the one file, sorted by path. Contents are shared.
    pub fn files(&self, path: &WorkspacePath) -> Result<Vec<(WorkspacePath, Contents)>, WorkspaceError> {
        let mut files = Vec::new();
        self.state.borrow().tree.find(path)?.each_file(path, &mut |path, contents| files.push((path, contents)));
        Ok(files)
    }

    /// Makes or overwrites a file, with the folders it needs, and returns the snapshot after it. The contents are in
    /// storage when this returns.
    pub fn write(&self, path: &WorkspacePath, contents: impl Into<Contents>) -> Result<Snapshot, WorkspaceError> {
        self.write_all([(path.clone(), contents.into())])
    }

    /// Writes several files as one change: after a crash all are there or none, and storage is flushed once. Of two
    /// contents for one path the later stays.
    pub fn write_all(
        &self,
        files: impl IntoIterator<Item = (WorkspacePath, Contents)>,
    ) -> Result<Snapshot, WorkspaceError> {
        let batch: Vec<Operation> =
            files.into_iter().map(|(path, contents)| Operation::Write { path, contents }).collect();
        let changes = batch.iter().filter_map(|operation| match operation {
            Operation::Write { path, .. } => Some(Change::Wrote(path.clone())),
            Operation::MakeFolder(_) | Operation::Remove(_) | Operation::Rename { .. } => None,
        });
        self.change(&batch, changes.collect())
    }

    /// Makes a folder, with those above it. One that is there already is no error and no change.
    pub fn mkdir(&self, path: &WorkspacePath) -> Result<Snapshot, WorkspaceError> {
        self.change(&[Operation::MakeFolder(path.clone())], vec![Change::MadeFolder(path.clone())])
    }

    /// Removes a file, or a folder with all that is in it.
    pub fn remove(&self, path: &WorkspacePath) -> Result<Snapshot, WorkspaceError> {
        self.change(&[Operation::Remove(path.clone())], vec![Change::Removed(path.clone())])
    }

    /// Gives a file or folder another path, whose folders are made. Nothing may be there yet, so nothing is lost. Its
    /// own path is no change.
    pub fn rename(&self, from: &WorkspacePath, to: &WorkspacePath) -> Result<Snapshot, WorkspaceError> {
        let (from, to) = (from.clone(), to.clone());
        let change = Change::Renamed { from: from.clone(), to: to.clone() };
        self.change(&[Operation::Rename { from, to }], vec![change])
    }

    /// Now. Free: contents are shared.
    pub fn snapshot(&self) -> Snapshot {
        self.state.borrow().history.newest()
    }

    /// Makes the tree what it was at a snapshot. That is a change like any other: it gets a snapshot of its own, and
    /// the one before it can be restored in turn.
    pub fn restore(&self, snapshot: Snapshot) -> Result<Snapshot, WorkspaceError> {
        let batch = {
            let state = self.state.borrow();
            compare::operations(&state.tree, &state.history.tree_at(snapshot, &state.tree)?)
        };
        // A tree that was within the limits once may be over them halfway to being restored.
        self.change_within(&Limits::NONE, &batch, vec![Change::Restored(snapshot)])
    }

    /// What has changed from one snapshot to another, sorted by path.
    pub fn diff(&self, from: Snapshot, to: Snapshot) -> Result<Vec<Difference>, WorkspaceError> {
        let state = self.state.borrow();
        let from = state.history.tree_at(from, &state.tree)?;
        let to = state.history.tree_at(to, &state.tree)?;
        Ok(compare::differences(&from, &to))
    }

    /// Adds an observer, called after each change of whoever makes it, in the order of the changes.
    pub fn observe(&self, observer: Observer) {
        self.state.borrow_mut().observers.push(observer);
    }

    /// What it may come to.
    pub fn limits(&self) -> Limits {
        self.state.borrow().options.limits
    }

    /// How much there is.
    pub fn usage(&self) -> Usage {
        let state = self.state.borrow();
        let size = state.tree.size();
        Usage {
            entries: size.entries,
            live_bytes: size.bytes,
            journal_bytes: state.storage.as_ref().map_or(0, |storage| storage.journal.length()),
            history_bytes: state.history.n_bytes(),
        }
    }

    /// Whether changes reach storage.
    pub fn is_persistent(&self) -> bool {
        self.state.borrow().storage.is_some()
    }

    /// Whether the journal has grown enough past its files for [`Workspace::compact`] to be worth its time: over 16 MB
    /// and over four times what a new one would hold.
    pub fn wants_compaction(&self) -> bool {
        let Usage { entries, live_bytes, journal_bytes, history_bytes: _ } = self.usage();
        journal_bytes > 16 << 20 && journal_bytes / 4 > live_bytes + entries * 64
    }

    /// Rewrites the journal to what is needed now; snapshots before it can be restored until the workspace is closed.
    /// `false` if there was nothing to do: no storage, or it is going on already. Changes may be made while it waits.
    /// Whenever it is killed or dropped or fails, the workspace is whole.
    pub async fn compact(&self) -> Result<bool, WorkspaceError> {
        let Some(compaction) = Compaction::begin(&self.state) else { return Ok(false) };
        let Compaction { backend, generation, .. } = &compaction;
        let (old, new) = (storage::journal_name(*generation), storage::journal_name(*generation + 1));
        let log = backend.open(&new).await?;
        let switched = self.state.borrow_mut().switch_to(log, *generation + 1);
        if let Err(error) = switched {
            let _ = backend.remove(&new).await;
            return Err(error);
        }
        // If this fails, the next opening removes it.
        let _ = backend.remove(&old).await;
        Ok(true)
    }

    fn change(&self, batch: &[Operation], changes: Vec<Change>) -> Result<Snapshot, WorkspaceError> {
        let limits = self.state.borrow().options.limits;
        self.change_within(&limits, batch, changes)
    }

    /// The one way in which anything changes: memory, storage, observers. Memory comes first because applying is what
    /// checks, and can be taken back; nobody can look in between.
    fn change_within(
        &self,
        limits: &Limits,
        batch: &[Operation],
        changes: Vec<Change>,
    ) -> Result<Snapshot, WorkspaceError> {
        let snapshot = {
            let mut state = self.state.borrow_mut();
            if !state.apply(batch, limits)? {
                return Ok(state.history.newest());
            }
            if !state.observers.is_empty() {
                state.unheard.extend(changes);
            }
            state.history.newest()
        };
        self.tell_observers();
        Ok(snapshot)
    }

    /// An observer may change the workspace, which leads here again: the outer call goes on to tell that change too,
    /// so that every observer hears of them in order.
    fn tell_observers(&self) {
        if std::mem::replace(&mut self.state.borrow_mut().is_telling, true) {
            return;
        }
        loop {
            let (change, observers) = {
                let mut state = self.state.borrow_mut();
                let Some(change) = state.unheard.pop_front() else {
                    state.is_telling = false;
                    return;
                };
                (change, state.observers.clone())
            };
            for observer in observers {
                observer(&change);
            }
        }
    }
}

impl State {
    /// Applies a batch to memory and storage; `false` if it changes nothing.
    fn apply(&mut self, batch: &[Operation], limits: &Limits) -> Result<bool, WorkspaceError> {
        if self.options.access == Access::ReadOnly {
            return Err(WorkspaceError::ReadOnly);
        }
        let mut undos = Vec::new();
        for operation in batch {
            if let Err(error) = self.tree.apply(operation, limits, &mut undos) {
                self.tree.roll_back(undos);
                return Err(error);
            }
        }
        if undos.is_empty() {
            return Ok(false);
        }
        if let Some(storage) = &mut self.storage
            && let Err(error) = storage.journal.append(batch)
        {
            self.tree.roll_back(undos);
            return Err(error.into());
        }
        self.history.push(undos, self.options.limits.history_bytes);
        Ok(true)
    }

    /// Writes the tree to a new journal and goes on with that one.
    fn switch_to(&mut self, log: Box<dyn Log>, generation: u64) -> Result<(), WorkspaceError> {
        let base = compare::operations(&Tree::default(), &self.tree);
        let journal = Journal::begin(log, &base, self.history.newest().0)?;
        if let Some(storage) = &mut self.storage {
            storage.journal = journal;
            storage.generation = generation;
        }
        Ok(())
    }
}

/// A compaction that is going on, until it is dropped.
struct Compaction<'a> {
    state: &'a RefCell<State>,
    backend: Rc<dyn Backend>,
    generation: u64,
}

impl<'a> Compaction<'a> {
    fn begin(state: &'a RefCell<State>) -> Option<Self> {
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

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("snapshot", &self.snapshot()).field("usage", &self.usage()).finish()
    }
}

fn entry(name: &str, node: &Node) -> Entry {
    let size = match node {
        Node::File(contents) => contents.len() as u64,
        Node::Folder(_) => 0,
    };
    Entry { name: name.to_owned(), kind: node.kind(), size }
}

#[cfg(test)]
mod tests;

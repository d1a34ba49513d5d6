//! The workspace: the rules of the tree, and the order in which a change reaches the journal, memory and observers.

mod aside;
mod compare;
mod history;
mod kept;
mod log;
mod replay;
mod saved;
mod state;
mod storage;
mod tree;
mod types;
mod undo;
mod versions;

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use crate::backend::Backend;
use crate::operation::Operation;
use crate::path::WorkspacePath;
use crate::workspace::state::{Compaction, State};
use crate::workspace::storage::Opened;
use crate::workspace::tree::Node;

#[cfg(test)]
pub(crate) use tree::Tree;

pub use log::LogLimits;
pub use types::{
    Access, Author, Change, Clock, Contents, Difference, DifferenceKind, Edit, Entry, FileVersions, Kind, Limits,
    LoggedChange, Observer, Options, Recovery, SavedSnapshot, SignedChange, Snapshot, UndoError, Usage, WorkspaceError,
};

/// The files the agent works on. A handle: clones are the same workspace, seen by the same author.
///
/// Everything but [`Workspace::open`], [`Workspace::compact`] and [`Workspace::measure_room`] is synchronous. A change is
/// all or nothing: when it returns an error, tree and storage are as they were before.
#[derive(Clone)]
pub struct Workspace {
    state: Rc<RefCell<State>>,
    author: Author,
}

impl Workspace {
    /// An empty workspace that nothing is kept of.
    pub fn in_memory() -> Self {
        Self::in_memory_with(Limits::default())
    }

    /// An empty workspace that nothing is kept of, with limits of the caller's.
    pub fn in_memory_with(limits: Limits) -> Self {
        let replay = replay::Replay::new(limits.history_bytes);
        let opened = Opened { replay, storage: None, recovery: Recovery::default() };
        Self::new(opened, Options { limits, ..Options::default() }).0
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
        let Opened { replay, storage, recovery } = opened;
        let access = if recovery.read_only.is_some() { Access::ReadOnly } else { options.access };
        let state = Rc::new(RefCell::new(State::new(replay, storage, Options { access, ..options })));
        (Self { state, author: Author::default() }, recovery)
    }

    /// The same workspace in the hands of somebody else: what is changed through it is told as theirs.
    pub fn by(&self, author: Author) -> Self {
        Self { state: Rc::clone(&self.state), author }
    }

    /// Gives it a clock, for the times of files and changes. Without one they have none.
    pub fn set_clock(&self, clock: Clock) {
        self.state.borrow_mut().clock = Some(clock);
    }

    /// The contents of a file, shared and never copied. A later write does not change what was read.
    pub fn read(&self, path: &WorkspacePath) -> Result<Contents, WorkspaceError> {
        match self.state.borrow().tree.find(path)? {
            Node::File(file) => Ok(Arc::clone(&file.contents)),
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

    /// The path as it is spelled here: the very one, or one that differs in how its characters are composed, as names from
    /// a Mac do. `composed` gives normalization form C of a text that is not ASCII.
    pub fn find(&self, path: &WorkspacePath, composed: &dyn Fn(&str) -> String) -> Option<WorkspacePath> {
        let state = self.state.borrow();
        if state.tree.find(path).is_ok() {
            return Some(path.clone());
        }
        let mut node = state.tree.root();
        let mut found = WorkspacePath::root();
        for name in path.names() {
            let Node::Folder(folder) = node else { return None };
            let entry = folder.get_key_value(name).or_else(|| {
                // A plain name differs from no other in that.
                let wanted = (!name.is_ascii()).then(|| composed(name))?;
                folder.iter().find(|(name, _)| !name.is_ascii() && composed(name) == wanted)
            });
            let (name, next) = entry?;
            (node, found) = (next, found.child(name));
        }
        Some(found)
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
        self.change_all(files.into_iter().map(|(path, contents)| Edit::Write(path, contents)))
    }

    /// Makes several changes as one: after a crash all are there or none, and storage is flushed once. They are made in
    /// order, each on what those before it left; if one is refused, none is made. To put a file in the place of another,
    /// remove that and rename.
    pub fn change_all(&self, edits: impl IntoIterator<Item = Edit>) -> Result<Snapshot, WorkspaceError> {
        let now_ms = self.state.borrow().now_ms();
        let mut batch = Vec::new();
        let mut changes = Vec::new();
        for edit in edits {
            let (operation, change) = match edit {
                Edit::Write(path, contents) => {
                    let change = Change::Wrote(path.clone());
                    (Operation::Write { path, contents, modified_ms: now_ms }, change)
                }
                Edit::Import(path, contents, modified_ms) => {
                    let change = Change::Wrote(path.clone());
                    (Operation::Write { path, contents, modified_ms }, change)
                }
                Edit::MakeFolder(path) => (Operation::MakeFolder(path.clone()), Change::MadeFolder(path)),
                Edit::Remove(path) => (Operation::Remove(path.clone()), Change::Removed(path)),
                Edit::Rename { from, to } => {
                    let change = Change::Renamed { from: from.clone(), to: to.clone() };
                    (Operation::Rename { from, to }, change)
                }
            };
            batch.push(operation);
            changes.push(change);
        }
        let limits = self.state.borrow().options.limits;
        self.change_within(&limits, batch, changes)
    }

    /// Makes a folder, with those above it. One that is there already is no error and no change.
    pub fn mkdir(&self, path: &WorkspacePath) -> Result<Snapshot, WorkspaceError> {
        self.change_all([Edit::MakeFolder(path.clone())])
    }

    /// Removes a file, or a folder with all that is in it.
    pub fn remove(&self, path: &WorkspacePath) -> Result<Snapshot, WorkspaceError> {
        self.change_all([Edit::Remove(path.clone())])
    }

    /// Gives a file or folder another path, whose folders are made. Nothing may be there yet, so nothing is lost. Its
    /// own path is no change.
    pub fn rename(&self, from: &WorkspacePath, to: &WorkspacePath) -> Result<Snapshot, WorkspaceError> {
        self.change_all([Edit::Rename { from: from.clone(), to: to.clone() }])
    }

    /// Always refuses: there are no links, and a file in the place of one would not follow what it points to.
    pub fn link(&self, path: &WorkspacePath) -> WorkspaceError {
        WorkspaceError::NoLinks(path.clone())
    }

    /// Now. Free: contents are shared.
    pub fn snapshot(&self) -> Snapshot {
        self.state.borrow().history.newest()
    }

    /// Makes the tree what it was at a snapshot. That is a change like any other: it gets a snapshot of its own, and
    /// the one before it can be restored in turn.
    pub fn restore(&self, snapshot: Snapshot) -> Result<Snapshot, WorkspaceError> {
        let batch = self.operations_back(&WorkspacePath::root(), snapshot)?;
        // A tree that was within the limits once may be over them halfway to being restored.
        self.change_within(&Limits::NONE, batch, vec![Change::Restored(snapshot)])
    }

    /// Makes what is at a path what it was at a snapshot, a folder with all in it, or nothing; the rest stays. Folders
    /// above it are made as needed.
    pub fn restore_path(&self, path: &WorkspacePath, snapshot: Snapshot) -> Result<Snapshot, WorkspaceError> {
        let batch = self.operations_back(path, snapshot)?;
        let changes = batch.iter().map(undo::change).collect();
        self.change_within(&Limits::NONE, batch, changes)
    }

    fn operations_back(&self, path: &WorkspacePath, snapshot: Snapshot) -> Result<Vec<Operation>, WorkspaceError> {
        let state = self.state.borrow();
        let then = state.tree_at(snapshot)?;
        Ok(compare::operations_at(path, state.tree.find(path).ok(), then.find(path).ok()))
    }

    /// The contents that a file had at a snapshot.
    pub fn read_at(&self, path: &WorkspacePath, snapshot: Snapshot) -> Result<Contents, WorkspaceError> {
        match self.state.borrow().tree_at(snapshot)?.find(path)? {
            Node::File(file) => Ok(Arc::clone(&file.contents)),
            Node::Folder(_) => Err(WorkspaceError::NotAFile(path.clone())),
        }
    }

    /// Keeps a snapshot under a name, in place of any other of that name: it is not forgotten, not by compaction either.
    /// It stays in storage, and takes the room of what has changed since.
    pub fn keep(&self, snapshot: Snapshot, name: &str) -> Result<(), WorkspaceError> {
        self.state.borrow_mut().keep(snapshot, name)
    }

    /// Gives up a kept snapshot, which is forgotten as others are.
    pub fn release(&self, name: &str) -> Result<(), WorkspaceError> {
        self.state.borrow_mut().release(name)
    }

    /// The names and snapshots that are kept, sorted by name.
    pub fn kept(&self) -> Vec<(String, Snapshot)> {
        self.state.borrow().kept.iter().map(|kept| (kept.name.clone(), kept.snapshot)).collect()
    }

    /// What has changed from one snapshot to another, sorted by path.
    pub fn diff(&self, from: Snapshot, to: Snapshot) -> Result<Vec<Difference>, WorkspaceError> {
        let state = self.state.borrow();
        Ok(compare::differences(&state.tree_at(from)?, &state.tree_at(to)?))
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

    /// Whether so much of the journal is garbage that [`Workspace::compact`] is worth its time: more than 4 MB and more
    /// than half of it.
    pub fn wants_compaction(&self) -> bool {
        self.state.borrow().wants_compaction()
    }

    /// Asks the storage how much room it has left. Changes that need more are refused before anything is written. To be
    /// called again when room may have been made.
    pub async fn measure_room(&self) -> Option<u64> {
        let backend = self.state.borrow().storage.as_ref().map(|storage| Rc::clone(&storage.backend))?;
        let room = backend.room().await;
        if let Some(storage) = &mut self.state.borrow_mut().storage {
            storage.room = room;
        }
        room
    }

    /// Rewrites the journal to what is needed now and for the snapshots that are kept; of the others, those in memory can
    /// be restored until the workspace is closed.
    /// `false` if there was nothing to do: no storage, or it is going on already. Changes may be made while it waits.
    /// Whenever it is killed or dropped or fails, the workspace is whole.
    pub async fn compact(&self) -> Result<bool, WorkspaceError> {
        let Some(compaction) = Compaction::begin(&self.state) else { return Ok(false) };
        let Compaction { backend, generation, .. } = &compaction;
        if let Some(storage) = &mut self.state.borrow_mut().storage {
            storage.clear_stale()?;
        }
        let (old, new) = (storage::journal_name(*generation), storage::journal_name(*generation + 1));
        let log = backend.open(&new).await?;
        let switched = self.state.borrow_mut().switch_to(log, *generation + 1);
        if let Err(error) = switched {
            let _ = backend.remove(&new).await;
            return Err(error);
        }
        // If this fails, the next opening removes it.
        let _ = backend.remove(&old).await;
        self.measure_room().await;
        Ok(true)
    }

    /// The one way in which anything changes: memory, storage, observers. Memory comes first because applying is what
    /// checks, and can be taken back; nobody can look in between.
    fn change_within(
        &self,
        limits: &Limits,
        batch: Vec<Operation>,
        changes: Vec<Change>,
    ) -> Result<Snapshot, WorkspaceError> {
        let snapshot = {
            let mut state = self.state.borrow_mut();
            if !state.apply(batch, limits)? {
                return Ok(state.history.newest());
            }
            state.tell(changes, &self.author)
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

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("snapshot", &self.snapshot()).field("usage", &self.usage()).finish()
    }
}

fn entry(name: &str, node: &Node) -> Entry {
    let (size, modified_ms) = match node {
        Node::File(file) => (file.contents.len() as u64, file.modified_ms),
        Node::Folder(_) => (0, 0),
    };
    Entry { name: name.to_owned(), kind: node.kind(), size, modified_ms }
}

#[cfg(test)]
impl Workspace {
    /// As if this had been written here.
    pub(crate) fn replace_tree(&self, tree: Tree) {
        self.state.borrow_mut().tree = tree;
    }
}

#[cfg(test)]
mod tests;

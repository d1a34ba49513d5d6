//! The workspace: the rules of the tree, and the order in which a change reaches the journal, memory and observers.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use crate::backend::{Backend, BackendError};
use crate::path::{PathError, WorkspacePath};

/// The files the agent works on. A handle: clones are the same workspace.
///
/// Everything but [`Workspace::open`] and [`Workspace::compact`] is synchronous. A change is all or nothing: when it
/// returns an error, tree and storage are as they were before.
#[derive(Clone)]
pub struct Workspace {
    state: Rc<RefCell<State>>,
}

struct State;

/// How to open a workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What the caller may do with it.
    pub access: Access,
    /// How much fits in.
    pub limits: Limits,
}

/// Whether a workspace may be changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Reading and changing.
    #[default]
    ReadWrite,
    /// Reading only: every change fails with [`WorkspaceError::ReadOnly`], and storage is not touched, not even to cut
    /// a torn tail.
    ReadOnly,
}

/// How much fits into a workspace. All of it is in memory, so the limits are what a browser tab can bear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of one file: 256 MB.
    pub file_bytes: u64,
    /// The bytes of all files together: 512 MB.
    pub workspace_bytes: u64,
    /// Files and folders together: 200,000.
    pub entries: u64,
    /// Bytes of overwritten and removed files kept so that snapshots can be restored: 128 MB. Beyond it the oldest
    /// snapshots are forgotten.
    pub history_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 256 << 20, workspace_bytes: 512 << 20, entries: 200_000, history_bytes: 128 << 20 }
    }
}

/// What opening found in storage. `dropped_bytes` of 0 and no `set_aside` mean that nothing was wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Changes that were read back.
    pub changes: u64,
    /// Bytes after the last good record that are not in the workspace: a change that was never acknowledged, or damage.
    pub dropped_bytes: u64,
    /// The log in which damaged bytes were kept. A tail torn by a crash is not kept: nobody was told it was saved.
    pub set_aside: Option<String>,
}

/// A moment of the workspace. Taking one is free; it grows by one with every change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Snapshot(pub u64);

/// What a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Bytes.
    File,
    /// Files and folders.
    Folder,
}

/// A file or folder, as a listing shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in its folder; empty for the root.
    pub name: String,
    /// File or folder.
    pub kind: Kind,
    /// The bytes of a file; 0 for a folder.
    pub size: u64,
}

/// A change that has happened and is in storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A file has new contents; it and its folders may be new.
    Wrote(WorkspacePath),
    /// A folder was made.
    MadeFolder(WorkspacePath),
    /// A file, or a folder with all in it, is gone.
    Removed(WorkspacePath),
    /// A file, or a folder with all in it, has another path.
    Renamed {
        /// The old path.
        from: WorkspacePath,
        /// The new path.
        to: WorkspacePath,
    },
    /// The whole workspace is as it was at a snapshot: look at everything again.
    Restored(Snapshot),
}

/// Called after each change, when the workspace may be used again; it may change it itself.
pub type Observer = Rc<dyn Fn(&Change)>;

/// A path that is not the same in two snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The path.
    pub path: WorkspacePath,
    /// What it is now, or was if it is gone.
    pub kind: Kind,
    /// What happened to it between the two.
    pub difference: DifferenceKind,
}

/// What happened to a path between two snapshots. A rename is a removal and an addition; so is a file that became a
/// folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// It was there and is not any more.
    Removed,
    /// It was not there.
    Added,
    /// The file has other bytes.
    Changed,
}

/// How much there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Files and folders, the root not counted.
    pub entries: u64,
    /// Bytes of all files.
    pub live_bytes: u64,
    /// Bytes of the journal in storage; 0 when there is none.
    pub journal_bytes: u64,
    /// Bytes kept in memory for older snapshots.
    pub history_bytes: u64,
}

/// Why the workspace did not do what it was asked. A message has the path, and what to do where that is not plain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// Nothing is there.
    #[error("no such file or folder: {0}")]
    NotFound(WorkspacePath),
    /// A folder is where a file has to be.
    #[error("is a folder, not a file: {0}")]
    NotAFile(WorkspacePath),
    /// A file is where a folder has to be; the path is the file's, which may be above the one that was asked for.
    #[error("is a file, not a folder: {0}")]
    NotAFolder(WorkspacePath),
    /// Something is there already.
    #[error("already exists: {0}")]
    AlreadyExists(WorkspacePath),
    /// A folder cannot be moved into itself.
    #[error("cannot move {from} into itself: {to}")]
    IntoItself {
        /// The folder.
        from: WorkspacePath,
        /// The path in it.
        to: WorkspacePath,
    },
    /// The root can be neither removed nor renamed.
    #[error("the workspace itself cannot be removed or renamed")]
    Root,
    /// A path that names nothing in any workspace, or that a rename would make too long.
    #[error(transparent)]
    Path(#[from] PathError),
    /// Over one of the [`Limits`].
    #[error("{path}: {size} {unit} are more than the limit of {limit}")]
    TooLarge {
        /// What was to be written.
        path: WorkspacePath,
        /// How much there would be.
        size: u64,
        /// How much may be.
        limit: u64,
        /// Of what.
        unit: &'static str,
    },
    /// Opened for reading only.
    #[error("the workspace is open for reading only")]
    ReadOnly,
    /// Not a snapshot that can still be restored.
    #[error("snapshot {wanted} is not available: those from {oldest} to {newest} are")]
    SnapshotGone {
        /// The one asked for.
        wanted: u64,
        /// The oldest that is kept.
        oldest: u64,
        /// Now.
        newest: u64,
    },
    /// The journal could not be read or written. Nothing has changed.
    #[error("nothing was changed: {0}")]
    Storage(#[from] BackendError),
}

impl Workspace {
    /// An empty workspace that nothing is kept of.
    pub fn in_memory() -> Self {
        todo!()
    }

    /// An empty workspace that nothing is kept of, with limits of the caller's.
    pub fn in_memory_with(options: Options) -> Self {
        todo!()
    }

    /// Opens the workspace that `backend` holds, or begins one. The backend belongs to this workspace alone.
    ///
    /// Fails with `Storage(LockedElsewhere)` when another tab has it and `Storage(NotSupported)` where there is no
    /// storage. Damage is no failure: what is readable is opened and [`Recovery`] tells the rest.
    pub async fn open(backend: Rc<dyn Backend>, options: Options) -> Result<(Self, Recovery), WorkspaceError> {
        todo!()
    }

    /// The contents of a file, shared and never copied. A later write does not change what was read.
    pub fn read(&self, path: &WorkspacePath) -> Result<Arc<[u8]>, WorkspaceError> {
        todo!()
    }

    /// Makes or overwrites a file, with the folders it needs, and returns the snapshot after it. The contents are in
    /// storage when this returns.
    pub fn write(&self, path: &WorkspacePath, contents: impl Into<Arc<[u8]>>) -> Result<Snapshot, WorkspaceError> {
        todo!()
    }

    /// Writes several files as one change: after a crash all are there or none, and storage is flushed once. Of two
    /// contents for one path the later stays.
    pub fn write_all(
        &self,
        files: impl IntoIterator<Item = (WorkspacePath, Arc<[u8]>)>,
    ) -> Result<Snapshot, WorkspaceError> {
        todo!()
    }

    /// Makes a folder, with those above it. One that is there already is no error and no change.
    pub fn mkdir(&self, path: &WorkspacePath) -> Result<Snapshot, WorkspaceError> {
        todo!()
    }

    /// What is in a folder, sorted by name (by code point).
    pub fn list(&self, path: &WorkspacePath) -> Result<Vec<Entry>, WorkspaceError> {
        todo!()
    }

    /// What a path names.
    pub fn stat(&self, path: &WorkspacePath) -> Result<Entry, WorkspaceError> {
        todo!()
    }

    /// Whether anything is there.
    pub fn exists(&self, path: &WorkspacePath) -> bool {
        todo!()
    }

    /// All files in a folder and below it, or the one file, sorted by path. Contents are shared.
    pub fn files(&self, path: &WorkspacePath) -> Result<Vec<(WorkspacePath, Arc<[u8]>)>, WorkspaceError> {
        todo!()
    }

    /// Removes a file, or a folder with all that is in it.
    pub fn remove(&self, path: &WorkspacePath) -> Result<Snapshot, WorkspaceError> {
        todo!()
    }

    /// Gives a file or folder another path, whose folders are made. Nothing may be there yet, so nothing is lost.
    pub fn rename(&self, from: &WorkspacePath, to: &WorkspacePath) -> Result<Snapshot, WorkspaceError> {
        todo!()
    }

    /// Now. Free: contents are shared.
    pub fn snapshot(&self) -> Snapshot {
        todo!()
    }

    /// Makes the tree what it was at a snapshot. That is a change like any other: it gets a snapshot of its own, and
    /// the one before it can be restored in turn.
    pub fn restore(&self, snapshot: Snapshot) -> Result<Snapshot, WorkspaceError> {
        todo!()
    }

    /// What has changed from one snapshot to another, sorted by path.
    pub fn diff(&self, from: Snapshot, to: Snapshot) -> Result<Vec<Difference>, WorkspaceError> {
        todo!()
    }

    /// Adds an observer, called after each change of whoever makes it, in the order of the changes.
    pub fn observe(&self, observer: Observer) {
        todo!()
    }

    /// How much there is.
    pub fn usage(&self) -> Usage {
        todo!()
    }

    /// Whether changes reach storage.
    pub fn is_persistent(&self) -> bool {
        todo!()
    }

    /// Whether the journal has grown enough past its files for [`Workspace::compact`] to be worth its time.
    pub fn wants_compaction(&self) -> bool {
        todo!()
    }

    /// Rewrites the journal to what is needed now; snapshots before it can be restored until the workspace is closed.
    /// `false` if there was nothing to do: no storage, read-only, or it is going on already. Changes may be made while
    /// it waits. Whenever it is killed or dropped or fails, the workspace is whole.
    pub async fn compact(&self) -> Result<bool, WorkspaceError> {
        todo!()
    }
}

//! What goes into a workspace and comes out of it.

use std::rc::Rc;
use std::sync::Arc;

use crate::backend::BackendError;
use crate::path::{PathError, WorkspacePath};

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

impl Limits {
    /// No limit of anything.
    pub(crate) const NONE: Self =
        Self { file_bytes: u64::MAX, workspace_bytes: u64::MAX, entries: u64::MAX, history_bytes: u64::MAX };
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

/// The bytes of a file, shared by everything that reads them.
pub type Contents = Arc<[u8]>;

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
    /// The journal was written by a later version of this program; it is left alone.
    #[error("the workspace was saved by a newer version (format {0}): reload the page to get that version")]
    NewerFormat(u32),
    /// The journal could not be read or written. Nothing has changed.
    #[error("nothing was changed: {0}")]
    Storage(#[from] BackendError),
}

//! What goes into a workspace and comes out of it.

use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use crate::backend::BackendError;
use crate::journal::Damage;
use crate::path::{PathError, WorkspacePath};

/// How to open a workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// What the caller may do with it.
    pub access: Access,
    /// How much fits in.
    pub limits: Limits,
    /// A random number, so that no file can be made to look like a part of the journal.
    pub salt: u64,
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
    /// Bytes of overwritten and removed files kept in memory so that snapshots can be restored: 24 MB. Beyond it the
    /// oldest are read from the journal again, or forgotten where there is none.
    pub history_bytes: u64,
}

impl Limits {
    /// No limit of anything.
    pub(crate) const NONE: Self =
        Self { file_bytes: u64::MAX, workspace_bytes: u64::MAX, entries: u64::MAX, history_bytes: u64::MAX };
}

impl Default for Limits {
    fn default() -> Self {
        Self { file_bytes: 256 << 20, workspace_bytes: 512 << 20, entries: 200_000, history_bytes: 24 << 20 }
    }
}

/// What opening found in storage. [`Recovery::is_clean`] says that nothing was wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Changes that were read back.
    pub changes: u64,
    /// Bytes after the last good record that are not in the workspace: a change that was never acknowledged, or damage.
    pub dropped_bytes: u64,
    /// The log in which damaged bytes were kept. A tail torn by a crash is not kept: nobody was told it was saved.
    pub set_aside: Option<String>,
    /// What is lost in the middle, the first two hundred of it; what came after it was read all the same.
    pub damages: Vec<Damage>,
    /// How many there are.
    pub n_damages: u64,
    /// Why the workspace can only be read: it was saved by an older version, and there is no room to save it anew.
    pub read_only: Option<String>,
}

impl Recovery {
    /// Whether everything that was in storage is there, and can be changed.
    pub fn is_clean(&self) -> bool {
        self.dropped_bytes == 0 && self.set_aside.is_none() && self.n_damages == 0 && self.read_only.is_none()
    }
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
    /// When a file was modified, in milliseconds since 1970; 0 for a folder, and where nobody said.
    pub modified_ms: u64,
}

/// A change that has happened and is in storage, and who made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedChange {
    /// What happened.
    pub change: Change,
    /// Who did it.
    pub author: Author,
    /// The snapshot after it; changes made as one have the same.
    pub snapshot: Snapshot,
    /// When, in milliseconds since 1970; 0 without a clock.
    pub time_ms: u64,
}

/// Whoever asks only what happened need not look further.
impl Deref for SignedChange {
    type Target = Change;

    fn deref(&self) -> &Change {
        &self.change
    }
}

/// What happened.
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

/// Who changes files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Author {
    /// A person.
    #[default]
    User,
    /// A tool, by the id of its call.
    ToolCall(Arc<str>),
    /// A command in the shell, by the id of the call that runs it; what one left behind has none.
    Shell(Option<Arc<str>>),
    /// Files that come from outside.
    Import,
    /// Another tab of this workspace.
    OtherTab,
}

impl Author {
    /// The call it is, if it is one.
    pub fn call_id(&self) -> Option<&Arc<str>> {
        match self {
            Self::ToolCall(call_id) | Self::Shell(Some(call_id)) => Some(call_id),
            Self::User | Self::Shell(None) | Self::Import | Self::OtherTab => None,
        }
    }
}

/// A change in the list of those of a visit. What is made as one is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedChange {
    /// The number of the snapshot after it.
    pub id: u64,
    /// Where it was; of several paths the folder that has all of them, of a rename the old path.
    pub path: WorkspacePath,
    /// What it was; of several things that are not of a kind, [`Change::Wrote`].
    pub change: Change,
    /// How many paths were touched one by one.
    pub paths: u32,
    /// Who made it.
    pub author: Author,
    /// When, in milliseconds since 1970; 0 without a clock.
    pub time_ms: u64,
    /// It was taken back, and that was not taken back in turn.
    pub undone: bool,
    /// It is not undone, and what it takes is still known. A later change may stand in the way.
    pub can_undo: bool,
}

/// A file before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersions {
    /// Where it is, or was if it is gone.
    pub path: WorkspacePath,
    /// Where it was before it was renamed.
    pub from: Option<WorkspacePath>,
    /// What it was; `None` if it was not there.
    pub before: Option<Contents>,
    /// What it is; `None` if it is gone.
    pub after: Option<Contents>,
}

/// A snapshot that somebody took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedSnapshot {
    /// Its number among them.
    pub id: u64,
    /// What it is called.
    pub name: Option<String>,
    /// When it was taken, in milliseconds since 1970; 0 without a clock.
    pub time_ms: u64,
    /// The moment.
    pub snapshot: Snapshot,
}

/// Why changes were not taken back, or cannot be looked at. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    /// No change of this visit has that number, or it is too long ago.
    #[error("no change of this visit has the number {0}")]
    Unknown(u64),
    /// It was taken back before.
    #[error("change {0} was undone already")]
    Undone(u64),
    /// Together they changed nothing, so there is nothing to take back.
    #[error("there is nothing to undo: the files are as they were before")]
    Nothing,
    /// It is too long ago, or too large: what was there before is not known any more.
    #[error("what was there before change {0} is not known any more")]
    Forgotten(u64),
    /// What it left is not there any more: a later change stands in the way.
    #[error("change {id} cannot be undone: {} changed since", shown(paths))]
    Changed {
        /// Which.
        id: u64,
        /// Where, at least one.
        paths: Vec<WorkspacePath>,
    },
    /// The workspace refused.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// The first few of them.
fn shown(paths: &[WorkspacePath]) -> String {
    const SHOWN: usize = 5;
    let name = |path: &WorkspacePath| if path.is_root() { "/".to_owned() } else { path.to_string() };
    let mut text = paths.iter().take(SHOWN).map(name).collect::<Vec<_>>().join(", ");
    if let Some(more) = paths.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// One of several changes that are made as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Makes or overwrites a file, with the folders it needs.
    Write(WorkspacePath, Contents),
    /// Likewise, modified at a time of its own, in milliseconds since 1970.
    Import(WorkspacePath, Contents, u64),
    /// Makes a folder, with those above it.
    MakeFolder(WorkspacePath),
    /// Removes a file, or a folder with all in it.
    Remove(WorkspacePath),
    /// Gives a file or folder another path, where nothing is.
    Rename {
        /// The old path.
        from: WorkspacePath,
        /// The new path.
        to: WorkspacePath,
    },
}

/// What time it is, in milliseconds since 1970.
pub type Clock = Rc<dyn Fn() -> u64>;

/// Called after each change, when the workspace may be used again; it may change it itself.
pub type Observer = Rc<dyn Fn(&SignedChange)>;

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
    /// More than what the storage has left. Nothing was tried.
    #[error(
        "nothing was changed: {needed} bytes of storage are needed and {available} are left: remove files or export the \
         workspace"
    )]
    NoRoom {
        /// The bytes that were to be added.
        needed: u64,
        /// The bytes there are.
        available: u64,
    },
    /// There are no links, neither symbolic nor hard: a copy would not be one.
    #[error("links are not supported in this workspace: {0}")]
    NoLinks(WorkspacePath),
    /// A name for a snapshot that is empty or too long, or one more than can be kept.
    #[error("snapshot cannot be kept under that name: {0:?}")]
    CannotKeep(String),
    /// No snapshot is kept under that name.
    #[error("no snapshot is kept under that name: {0:?}")]
    NotKept(String),
    /// Opened for reading only.
    #[error("the workspace is open for reading only")]
    ReadOnly,
    /// Not a snapshot that can still be restored.
    #[error("snapshot {wanted} is not available: those from {oldest} to {newest} are, and those that are kept by name")]
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

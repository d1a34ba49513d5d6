//! The workspace: an in-memory tree of files over one append-only journal.
//!
//! A change is acknowledged once its record is flushed, a snapshot is a number, and a crash at any byte of the journal
//! leaves a readable prefix. The crate knows no browser and no async runtime: where the bytes live is behind
//! [`Backend`], which has an implementation in memory here and one over OPFS in the platform.
//!
//! It deliberately is not a POSIX file system: no links, no permissions, no open files, of times only when a file was
//! modified.
//!
//! ```
//! use vitrine_vfs::{Workspace, WorkspacePath};
//!
//! let workspace = Workspace::in_memory();
//! let path = WorkspacePath::parse("notes/today.md")?;
//! let before = workspace.snapshot();
//! workspace.write(&path, b"hello".to_vec())?;
//! assert_eq!(&*workspace.read(&path)?, b"hello");
//! workspace.restore(before)?;
//! assert!(!workspace.exists(&path));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backend;
mod checksum;
#[cfg(any(test, feature = "testing"))]
pub mod conformance;
mod journal;
mod memory;
mod operation;
mod patch;
mod path;
mod workspace;

pub use backend::{Backend, BackendError, Log};
pub use journal::{Damage, DamageKind};
pub use memory::{MemoryBackend, Unflushed};
pub use path::{MAX_DEPTH, MAX_NAME_BYTES, MAX_PATH_BYTES, PathError, WorkspacePath};
pub use workspace::{
    Access, Author, Change, Clock, Contents, Difference, DifferenceKind, Edit, Entry, FileVersions, Kind, Limits,
    LogLimits, LoggedChange, Observer, Options, Recovery, SavedSnapshot, SignedChange, Snapshot, UndoError, Usage,
    Workspace, WorkspaceError,
};

//! One change of the tree, as it is applied, journaled and read back.

use std::sync::Arc;

use crate::patch::Patch;
use crate::path::WorkspacePath;

/// A change that needs nothing but the tree it is applied to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Makes or overwrites a file, and its folders.
    Write { path: WorkspacePath, contents: Arc<[u8]>, modified_ms: u64 },
    /// Replaces a part of a file. `contents` is what comes of it, for whoever has it already.
    Patch { path: WorkspacePath, patch: Patch, contents: Option<Arc<[u8]>>, modified_ms: u64 },
    /// Makes a folder, and those above it.
    MakeFolder(WorkspacePath),
    /// Removes a file, or a folder with all in it.
    Remove(WorkspacePath),
    /// Moves a file, or a folder with all in it, to where nothing is.
    Rename { from: WorkspacePath, to: WorkspacePath },
}

impl Operation {
    /// What it is about; of a rename, where it goes.
    pub(crate) fn path(&self) -> &WorkspacePath {
        match self {
            Self::Write { path, .. } | Self::Patch { path, .. } | Self::MakeFolder(path) | Self::Remove(path) => path,
            Self::Rename { to, .. } => to,
        }
    }
}

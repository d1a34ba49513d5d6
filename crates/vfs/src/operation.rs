//! One change of the tree, as it is applied, journaled and read back.

use std::sync::Arc;

use crate::path::WorkspacePath;

/// A change that needs nothing but the tree it is applied to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Makes or overwrites a file, and its folders.
    Write { path: WorkspacePath, contents: Arc<[u8]> },
    /// Makes a folder, and those above it.
    MakeFolder(WorkspacePath),
    /// Removes a file, or a folder with all in it.
    Remove(WorkspacePath),
    /// Moves a file, or a folder with all in it, to where nothing is.
    Rename { from: WorkspacePath, to: WorkspacePath },
}

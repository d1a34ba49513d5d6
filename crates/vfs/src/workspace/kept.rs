//! Snapshots that are kept by name, whatever is forgotten.

use std::collections::BTreeMap;

use crate::backend::Log;
use crate::workspace::history::History;
use crate::workspace::tree::Tree;
use crate::workspace::{Snapshot, WorkspaceError, replay};

/// How many there may be.
pub(crate) const MAX_KEPT: usize = 1000;
/// The longest name, in bytes.
pub(crate) const MAX_NAME_BYTES: usize = 255;

/// A snapshot that stays.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) name: String,
    pub(crate) snapshot: Snapshot,
    /// What it was, where no journal has it.
    pub(crate) tree: Option<Tree>,
}

/// As a journal has them.
pub(crate) fn from_names(names: &BTreeMap<String, u64>) -> Vec<Kept> {
    let kept =
        |(name, snapshot): (&String, &u64)| Kept { name: name.clone(), snapshot: Snapshot(*snapshot), tree: None };
    names.iter().map(kept).collect()
}

/// The trees of those that can still be had, from memory or else by reading the journal once.
pub(crate) fn trees(
    kept: &[Kept],
    history: &History,
    now: &Tree,
    log: Option<&dyn Log>,
) -> Result<Vec<(Snapshot, Tree)>, WorkspaceError> {
    let mut trees = Vec::new();
    let mut wanted = Vec::new();
    for kept in kept {
        match kept.tree.clone().or_else(|| history.tree_at(kept.snapshot, now)) {
            Some(tree) => trees.push((kept.snapshot, tree)),
            None => wanted.push(kept.snapshot),
        }
    }
    if let Some(log) = log
        && !wanted.is_empty()
    {
        trees.extend(replay::trees(log, &wanted, now)?);
    }
    Ok(trees)
}

//! What older snapshots need: how to take back each change, the oldest forgotten first.

use std::collections::VecDeque;

use crate::workspace::tree::{Tree, Undo};
use crate::workspace::{Snapshot, WorkspaceError};

/// What a step costs beside the contents it keeps.
const N_STEP_BYTES: u64 = 128;

/// The changes that led to the newest snapshot.
#[derive(Debug, Default)]
pub(crate) struct History {
    newest: u64,
    /// The last step takes the newest snapshot back to the one before it, and so on.
    steps: VecDeque<Step>,
    n_bytes: u64,
}

#[derive(Debug)]
struct Step {
    undos: Vec<Undo>,
    n_bytes: u64,
}

impl History {
    /// The same changes, numbered as from a base that has a number already.
    pub(crate) fn shifted_by(self, base: u64) -> Self {
        Self { newest: self.newest.saturating_add(base), ..self }
    }

    /// Adds a change, and forgets the oldest ones beyond the limit.
    pub(crate) fn push(&mut self, undos: Vec<Undo>, limit_bytes: u64) {
        let kept: u64 = undos.iter().map(kept_bytes).sum();
        let step = Step { undos, n_bytes: kept + N_STEP_BYTES };
        self.newest = self.newest.saturating_add(1);
        self.n_bytes += step.n_bytes;
        self.steps.push_back(step);
        while self.n_bytes > limit_bytes
            && let Some(oldest) = self.steps.pop_front()
        {
            self.n_bytes -= oldest.n_bytes;
        }
    }

    pub(crate) fn newest(&self) -> Snapshot {
        Snapshot(self.newest)
    }

    pub(crate) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// The tree at a snapshot, from the tree now. The time is that of the tree and of the changes since.
    pub(crate) fn tree_at(&self, snapshot: Snapshot, now: &Tree) -> Result<Tree, WorkspaceError> {
        let n_back = self.newest.checked_sub(snapshot.0).and_then(|back| usize::try_from(back).ok());
        let Some(n_back) = n_back.filter(|back| *back <= self.steps.len()) else {
            let oldest = self.newest.saturating_sub(self.steps.len() as u64);
            return Err(WorkspaceError::SnapshotGone { wanted: snapshot.0, oldest, newest: self.newest });
        };
        let mut tree = now.clone();
        for step in self.steps.iter().rev().take(n_back) {
            tree.roll_back(step.undos.clone());
        }
        Ok(tree)
    }
}

fn kept_bytes(undo: &Undo) -> u64 {
    match undo {
        Undo::Put { node: Some(node), .. } => {
            let size = node.size();
            size.bytes + size.entries * N_STEP_BYTES
        }
        Undo::Put { node: None, .. } | Undo::Move { .. } => N_STEP_BYTES,
    }
}

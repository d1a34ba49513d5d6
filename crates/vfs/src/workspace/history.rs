//! What older snapshots need: how to take back each change, the oldest forgotten first.

use std::collections::VecDeque;

use crate::workspace::Snapshot;
use crate::workspace::tree::{Tree, Undo};

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
    /// The snapshot it leads back to.
    before: u64,
    undos: Vec<Undo>,
    n_bytes: u64,
}

impl History {
    /// Nothing but a snapshot.
    pub(crate) fn at(newest: u64) -> Self {
        Self { newest, ..Self::default() }
    }

    /// Adds a change that led to a snapshot, and forgets the oldest ones beyond the limit.
    pub(crate) fn push(&mut self, snapshot: u64, undos: Vec<Undo>, limit_bytes: u64) {
        let kept: u64 = undos.iter().map(kept_bytes).sum();
        let step = Step { before: self.newest, undos, n_bytes: kept + N_STEP_BYTES };
        self.newest = snapshot;
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

    /// The number of the next change.
    pub(crate) fn next(&self) -> u64 {
        self.newest.saturating_add(1)
    }

    /// The oldest snapshot that can be reached from here.
    pub(crate) fn oldest(&self) -> Snapshot {
        Snapshot(self.steps.front().map_or(self.newest, |step| step.before))
    }

    pub(crate) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// The tree at a snapshot, from the tree now; `None` if it is forgotten. The time is that of the changes since.
    pub(crate) fn tree_at(&self, snapshot: Snapshot, now: &Tree) -> Option<Tree> {
        let mut tree = now.clone();
        if snapshot.0 == self.newest {
            return Some(tree);
        }
        let at = self.steps.partition_point(|step| step.before < snapshot.0);
        self.steps.get(at).filter(|step| step.before == snapshot.0)?;
        for step in self.steps.iter().skip(at).rev() {
            tree.roll_back(step.undos.clone());
        }
        Some(tree)
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

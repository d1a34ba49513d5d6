//! From what a journal says to a tree.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::backend::Log;
use crate::journal::{Batch, Damage, DamageKind, Item, ReadError, scan};
use crate::operation::Operation;
use crate::path::WorkspacePath;
use crate::workspace::history::History;
use crate::workspace::tree::{Node, Tree};
use crate::workspace::{Limits, Snapshot, WorkspaceError};

/// So many damages are told one by one.
const MAX_TOLD: usize = 200;

/// A tree as it is read.
#[derive(Default)]
pub(crate) struct Replay {
    pub(crate) tree: Tree,
    pub(crate) history: History,
    /// Names of the snapshots that are kept.
    pub(crate) kept: BTreeMap<String, u64>,
    /// What could not be read or does not fit, the first of it.
    pub(crate) damages: Vec<Damage>,
    pub(crate) n_damages: u64,
    /// Changes since the base.
    pub(crate) n_changes: u64,
    limit_bytes: u64,
    is_founded: bool,
    has_state: bool,
    /// Which damages are about the contents of a file.
    about: HashMap<WorkspacePath, Vec<usize>>,
}

impl Replay {
    /// `limit_bytes` is what older snapshots may cost.
    pub(crate) fn new(limit_bytes: u64) -> Self {
        Self { limit_bytes, ..Self::default() }
    }

    /// What is in storage was within the limits when it was written, so only the limit of the history holds.
    pub(crate) fn apply(&mut self, item: Item) {
        match item {
            Item::Batch(batch) => self.apply_batch(&batch),
            Item::Founded => self.is_founded = true,
            Item::Keep { snapshot, name } => drop(self.kept.insert(name, snapshot)),
            Item::Release(name) => drop(self.kept.remove(&name)),
            Item::Damage(damage) => self.note(damage),
        }
    }

    /// Whether anything was read that somebody would miss.
    pub(crate) fn has_files(&self) -> bool {
        self.history.newest() > Snapshot(0) || self.tree.size().entries > 0
    }

    fn apply_batch(&mut self, batch: &Batch) {
        let mut undos = Vec::new();
        for operation in &batch.operations {
            let n_undos = undos.len();
            match self.tree.apply(operation, &Limits::NONE, &mut undos) {
                Ok(()) => self.make_good(operation),
                // It needs something that was lost.
                Err(_) => {
                    self.tree.roll_back(undos.split_off(n_undos));
                    let kind = match operation {
                        Operation::Write { .. } | Operation::Patch { .. } => DamageKind::Contents,
                        Operation::MakeFolder(_) | Operation::Remove(_) | Operation::Rename { .. } => {
                            DamageKind::Change
                        }
                    };
                    let path = Some(operation.path().clone());
                    let snapshot = Some(batch.snapshot);
                    self.note(Damage { at: 0, n_bytes: 0, path, snapshot, kind, is_made_good: false });
                }
            }
        }
        if self.has_state {
            self.history.push(batch.snapshot, undos, self.limit_bytes);
        } else {
            self.history = History::at(batch.snapshot);
        }
        self.n_changes += u64::from(self.is_founded);
        self.has_state = true;
    }

    fn note(&mut self, damage: Damage) {
        self.n_damages += 1;
        if self.damages.len() >= MAX_TOLD {
            return;
        }
        if let (DamageKind::Contents, Some(path)) = (damage.kind, &damage.path) {
            self.about.entry(path.clone()).or_default().push(self.damages.len());
        }
        self.damages.push(damage);
    }

    /// Whoever writes a file whole makes good what was lost of it before.
    fn make_good(&mut self, operation: &Operation) {
        if self.about.is_empty() {
            return;
        }
        if let Operation::Write { path, .. } = operation {
            for index in self.about.remove(path).unwrap_or_default() {
                if let Some(damage) = self.damages.get_mut(index) {
                    damage.is_made_good = true;
                }
            }
        }
    }
}

/// The trees at some snapshots, those that the journal has. `now` is the tree that is in memory anyway: what is the same
/// in it is not there twice.
pub(crate) fn trees(
    log: &dyn Log,
    snapshots: &[Snapshot],
    now: &Tree,
) -> Result<Vec<(Snapshot, Tree)>, WorkspaceError> {
    let mut replay = Replay::new(0);
    let mut found = Vec::new();
    let mut on_item = |item: Item| {
        let item = match item {
            Item::Batch(mut batch) => {
                batch.operations.iter_mut().for_each(|operation| share(operation, now));
                Item::Batch(batch)
            }
            other => other,
        };
        let is_state = matches!(item, Item::Batch(_));
        replay.apply(item);
        let snapshot = replay.history.newest();
        if is_state && snapshots.contains(&snapshot) {
            found.push((snapshot, replay.tree.clone()));
        }
    };
    match scan(log, &mut on_item) {
        Ok(_) => Ok(found),
        Err(ReadError::Backend(error)) => Err(error.into()),
        Err(ReadError::NewerFormat(version)) => Err(WorkspaceError::NewerFormat(version)),
    }
}

fn share(operation: &mut Operation, now: &Tree) {
    if let Operation::Write { path, contents, .. } = operation
        && let Ok(Node::File(file)) = now.find(path)
        && file.contents == *contents
    {
        *contents = Arc::clone(&file.contents);
    }
}

//! The changes of a visit as a reader looks at them: by the turn that made them, newest first.

use crate::changes::{Changed, ChangedBy};

/// Changes that belong together: of one turn, or of whoever else made them in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The run, of changes that a run made.
    pub run_id: Option<String>,
    /// Its turn, from 1.
    pub turn: Option<u32>,
    /// Who made the newest of them.
    pub by: ChangedBy,
    /// Newest first.
    pub changes: Vec<Changed>,
}

impl Group {
    /// The numbers of those that could be taken back.
    pub fn undoable(&self) -> Vec<u64> {
        self.changes.iter().filter(|change| change.can_undo).map(|change| change.id).collect()
    }
}

/// The groups, newest first, of changes that come oldest first.
pub fn groups(changes: Vec<Changed>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for change in changes.into_iter().rev() {
        let belongs = |group: &Group| {
            group.run_id == change.run_id
                && group.turn == change.turn
                && (change.turn.is_some() || group.by == change.by)
        };
        match groups.last_mut().filter(|group| belongs(group)) {
            Some(group) => group.changes.push(change),
            None => {
                let (run_id, turn, by) = (change.run_id.clone(), change.turn, change.by);
                groups.push(Group { run_id, turn, by, changes: vec![change] });
            }
        }
    }
    groups
}

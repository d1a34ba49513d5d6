//! What a person does with what has changed: looks at it, takes it back, keeps a moment.

use crate::operation::Operation;
use crate::workspace::log::Log;
use crate::workspace::{
    Change, FileVersions, Limits, LogLimits, LoggedChange, SavedSnapshot, Snapshot, UndoError, Workspace,
    WorkspaceError, saved, versions,
};

impl Workspace {
    /// From now on changes are listed and can be taken back. Asked for again, the list begins anew.
    pub fn log_changes(&self, limits: LogLimits) {
        self.state.borrow_mut().log = Some(Log::new(limits));
    }

    /// The changes since [`Workspace::log_changes`], oldest first.
    pub fn changes(&self) -> Vec<LoggedChange> {
        self.state.borrow().log.as_ref().map(Log::list).unwrap_or_default()
    }

    /// The files that a change touched, sorted by path.
    pub fn versions(&self, change: u64) -> Result<Vec<FileVersions>, UndoError> {
        let state = self.state.borrow();
        let log = state.log.as_ref().ok_or(UndoError::Unknown(change))?;
        if let Some(steps) = log.steps(change)? {
            return Ok(versions::of_steps(steps));
        }
        // The log forgets what the journal may still have.
        let tree_at = |snapshot: u64| state.tree_at(Snapshot(snapshot)).map_err(|_| UndoError::Forgotten(change));
        Ok(versions::between(&tree_at(change.saturating_sub(1))?, &tree_at(change)?))
    }

    /// The files that are not the same at two snapshots, sorted by path.
    pub fn versions_between(&self, from: Snapshot, to: Snapshot) -> Result<Vec<FileVersions>, WorkspaceError> {
        let state = self.state.borrow();
        Ok(versions::between(&state.tree_at(from)?, &state.tree_at(to)?))
    }

    /// Takes changes back as one change, the newest first: at the paths they touched, what was there before is there again.
    /// Refused, with nothing changed, where what one of them left is not there any more. The new change can be taken back,
    /// too.
    pub fn undo(&self, changes: &[u64]) -> Result<Snapshot, UndoError> {
        let snapshot = {
            let mut state = self.state.borrow_mut();
            let log = state.log.as_ref();
            let plan = |log: &Log| log.plan(changes, &state.tree);
            let batch = log.map_or(Err(UndoError::Unknown(changes.first().copied().unwrap_or(0))), plan)?;
            let told = batch.iter().map(change).collect();
            // What was within the limits once may be over them halfway.
            if !state.apply(batch, &Limits::NONE)? {
                return Err(UndoError::Nothing);
            }
            let snapshot = state.tell(told, &self.author);
            if let Some(log) = &mut state.log {
                log.mark(changes);
            }
            snapshot
        };
        self.tell_observers();
        Ok(snapshot)
    }

    /// Keeps this moment, also when the workspace is closed.
    pub fn save(&self, name: Option<&str>) -> Result<SavedSnapshot, WorkspaceError> {
        let id = self.saved().last().map_or(1, |last| last.id.saturating_add(1));
        let time_ms = self.state.borrow().now_ms();
        let saved = SavedSnapshot { id, name: name.map(str::to_owned), time_ms, snapshot: self.snapshot() };
        self.keep(saved.snapshot, &saved::name_of(&saved))?;
        Ok(saved)
    }

    /// The moments that were kept by [`Workspace::save`], oldest first.
    pub fn saved(&self) -> Vec<SavedSnapshot> {
        let kept = self.kept();
        let mut saved: Vec<_> = kept.iter().filter_map(|(name, snapshot)| saved::of_name(name, *snapshot)).collect();
        saved.sort_by_key(|saved| saved.id);
        saved
    }
}

/// What an operation is told as.
pub(crate) fn change(operation: &Operation) -> Change {
    match operation {
        Operation::Write { path, .. } | Operation::Patch { path, .. } => Change::Wrote(path.clone()),
        Operation::MakeFolder(path) => Change::MadeFolder(path.clone()),
        Operation::Remove(path) => Change::Removed(path.clone()),
        Operation::Rename { from, to } => Change::Renamed { from: from.clone(), to: to.clone() },
    }
}

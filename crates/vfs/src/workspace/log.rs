//! The changes of a visit, and how to take them back: what each left at the paths it touched, and what was there before.
//!
//! A change may be taken back while what it left is still there, whatever happened elsewhere. That is asked of the tree and not
//! of the list, so a later change that was taken back itself stands in nobody's way.

use std::collections::VecDeque;

use crate::operation::Operation;
use crate::path::WorkspacePath;
use crate::workspace::compare::{self, Delta};
use crate::workspace::tree::{Node, Tree, Undo};
use crate::workspace::{Author, Change, Limits, LoggedChange, UndoError};

/// What a step costs beside the contents it keeps.
const N_STEP_BYTES: u64 = 128;

/// How much a log remembers; the oldest goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLimits {
    /// Changes that are listed.
    pub changes: usize,
    /// Bytes of contents that are kept so that changes can be taken back. A change that is let go is listed all the same.
    pub bytes: u64,
}

/// The newest changes.
#[derive(Debug)]
pub(crate) struct Log {
    limits: LogLimits,
    records: VecDeque<Record>,
    n_bytes: u64,
    /// Of the change that is being made.
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Record {
    told: LoggedChange,
    /// What it took back.
    undid: Vec<u64>,
    steps: Option<Vec<Step>>,
    n_bytes: u64,
}

/// What one operation did. Nodes are shared with the tree.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// Something else, or nothing, is at a path. `made` is the topmost folder that had to be made for it.
    Put { path: WorkspacePath, before: Option<Node>, after: Option<Node>, made: Option<WorkspacePath> },
    /// A folder was made, with those above it from `made` on.
    Made { path: WorkspacePath, made: WorkspacePath },
    /// Something has another path.
    Moved { from: WorkspacePath, to: WorkspacePath, node: Node, made: Option<WorkspacePath> },
}

impl Log {
    pub(crate) fn new(limits: LogLimits) -> Self {
        Self { limits, records: VecDeque::new(), n_bytes: 0, steps: Vec::new() }
    }

    /// A batch begins; what one that failed left is forgotten.
    pub(crate) fn begin(&mut self) {
        self.steps.clear();
    }

    /// Notes an operation that has just been applied; `undos` is what takes it back.
    pub(crate) fn note(&mut self, operation: &Operation, undos: &[Undo], tree: &Tree) {
        self.steps.extend(step(operation, undos, tree));
    }

    /// The batch is a change now.
    pub(crate) fn push(&mut self, id: u64, changes: &[Change], author: &Author, time_ms: u64) {
        let steps = std::mem::take(&mut self.steps);
        let n_bytes: u64 = steps.iter().map(n_bytes).sum();
        let (path, change) = summary(changes);
        let paths = u32::try_from(steps.len()).unwrap_or(u32::MAX);
        let told =
            LoggedChange { id, path, change, paths, author: author.clone(), time_ms, undone: false, can_undo: true };
        // One that is too large by itself does not take the others with it.
        let (steps, n_bytes) = if n_bytes > self.limits.bytes { (None, 0) } else { (Some(steps), n_bytes) };
        self.n_bytes += n_bytes;
        self.records.push_back(Record { told, undid: Vec::new(), steps, n_bytes });
        if self.records.len() > self.limits.changes
            && let Some(oldest) = self.records.pop_front()
        {
            self.n_bytes -= oldest.n_bytes;
        }
        for record in &mut self.records {
            if self.n_bytes <= self.limits.bytes {
                break;
            }
            self.n_bytes -= std::mem::take(&mut record.n_bytes);
            record.steps = None;
        }
    }

    /// All of them, oldest first.
    pub(crate) fn list(&self) -> Vec<LoggedChange> {
        self.records.iter().map(Record::told).collect()
    }

    /// What a change did, if that is still known.
    pub(crate) fn steps(&self, id: u64) -> Result<Option<&[Step]>, UndoError> {
        Ok(self.find(id)?.steps.as_deref())
    }

    /// The operations that take changes back together, the newest first. Nothing is changed yet.
    pub(crate) fn plan(&self, ids: &[u64], now: &Tree) -> Result<Vec<Operation>, UndoError> {
        let mut ids = ids.to_vec();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.dedup();
        let mut plan = Plan { tree: now.clone(), operations: Vec::new(), blocking: Vec::new(), has_moved: false };
        for id in ids {
            let record = self.find(id)?;
            if record.told.undone {
                return Err(UndoError::Undone(id));
            }
            for step in record.steps.as_ref().ok_or(UndoError::Forgotten(id))?.iter().rev() {
                plan.take_back(step)?;
                if !plan.blocking.is_empty() {
                    return Err(UndoError::Changed { id, paths: plan.blocking });
                }
            }
        }
        // Where nothing is moved, a file that changed a hundred times is written once.
        Ok(if plan.has_moved { plan.operations } else { compare::operations(now, &plan.tree) })
    }

    /// These were taken back by the change that was pushed last.
    pub(crate) fn mark(&mut self, ids: &[u64]) {
        let mut marks: Vec<(u64, bool)> = ids.iter().map(|id| (*id, true)).collect();
        while let Some((id, undone)) = marks.pop() {
            if let Ok(at) = self.position(id)
                && let Some(record) = self.records.get_mut(at)
                && record.told.undone != undone
            {
                record.told.undone = undone;
                // Who takes back that something was taken back does it again, and so on.
                marks.extend(record.undid.iter().map(|undid| (*undid, !undone)));
            }
        }
        if let Some(record) = self.records.back_mut() {
            record.undid = ids.to_vec();
        }
    }

    fn position(&self, id: u64) -> Result<usize, UndoError> {
        self.records.binary_search_by_key(&id, |record| record.told.id).map_err(|_| UndoError::Unknown(id))
    }

    fn find(&self, id: u64) -> Result<&Record, UndoError> {
        self.records.get(self.position(id)?).ok_or(UndoError::Unknown(id))
    }
}

impl Record {
    fn told(&self) -> LoggedChange {
        let has_effect = self.steps.as_ref().is_some_and(|steps| steps.iter().any(has_effect));
        LoggedChange { can_undo: has_effect && !self.told.undone, ..self.told.clone() }
    }
}

fn step(operation: &Operation, undos: &[Undo], tree: &Tree) -> Option<Step> {
    let (first, last) = (undos.first()?, undos.last()?);
    let made = |path: &WorkspacePath| match first {
        Undo::Put { path: top, node: None } if top != path => Some(top.clone()),
        Undo::Put { .. } | Undo::Move { .. } => None,
    };
    let replaced = || match last {
        Undo::Put { node, .. } => node.clone(),
        Undo::Move { .. } => None,
    };
    let now = |path: &WorkspacePath| tree.find(path).ok().cloned();
    Some(match operation {
        Operation::Write { path, .. } | Operation::Patch { path, .. } => {
            Step::Put { path: path.clone(), before: replaced(), after: now(path), made: made(path) }
        }
        Operation::Remove(path) => Step::Put { path: path.clone(), before: replaced(), after: None, made: None },
        Operation::MakeFolder(path) => {
            Step::Made { path: path.clone(), made: made(path).unwrap_or_else(|| path.clone()) }
        }
        Operation::Rename { from, to } => {
            Step::Moved { from: from.clone(), to: to.clone(), node: now(to)?, made: made(to) }
        }
    })
}

/// A file may be written as it was.
fn has_effect(step: &Step) -> bool {
    match step {
        Step::Put { before: Some(Node::File(before)), after: Some(Node::File(after)), .. } => {
            before.contents != after.contents
        }
        Step::Put { .. } | Step::Made { .. } | Step::Moved { .. } => true,
    }
}

/// What is replaced by one change is what another left, so one of the two is counted.
fn n_bytes(step: &Step) -> u64 {
    let Step::Put { before: Some(node), .. } = step else { return N_STEP_BYTES };
    let size = node.size();
    N_STEP_BYTES + size.bytes + size.entries * N_STEP_BYTES
}

/// Changes as one: a single one as it is, several of a kind as that in the folder that has all of them.
fn summary(changes: &[Change]) -> (WorkspacePath, Change) {
    let path_of = |change: &Change| match change {
        Change::Wrote(path) | Change::MadeFolder(path) | Change::Removed(path) => path.clone(),
        Change::Renamed { from, .. } => from.clone(),
        Change::Restored(_) => WorkspacePath::root(),
    };
    let Some((first, rest)) = changes.split_first() else {
        return (WorkspacePath::root(), Change::Wrote(WorkspacePath::root()));
    };
    if rest.is_empty() {
        return (path_of(first), first.clone());
    }
    let mut common = path_of(first).parent().unwrap_or_default();
    for change in rest {
        let path = path_of(change);
        while !path.is_within(&common) {
            common = common.parent().unwrap_or_default();
        }
    }
    let is_all = |kind: fn(&Change) -> bool| changes.iter().all(kind);
    let change = if is_all(|change| matches!(change, Change::Removed(_))) {
        Change::Removed(common.clone())
    } else if is_all(|change| matches!(change, Change::MadeFolder(_))) {
        Change::MadeFolder(common.clone())
    } else {
        Change::Wrote(common.clone())
    };
    (common, change)
}

/// The tree as it will be.
struct Plan {
    tree: Tree,
    operations: Vec<Operation>,
    /// Paths that are not as the change left them.
    blocking: Vec<WorkspacePath>,
    has_moved: bool,
}

impl Plan {
    fn take_back(&mut self, step: &Step) -> Result<(), UndoError> {
        match step {
            Step::Put { path, before, after, made } => {
                if !self.is_as_left(path, after.as_ref()) || (before.is_some() && !self.has_room(path)) {
                    return Ok(());
                }
                let now = self.tree.find(path).ok().cloned();
                for operation in compare::operations_at(path, now.as_ref(), before.as_ref()) {
                    self.apply(operation)?;
                }
                self.clear(path.parent(), made.as_ref())
            }
            Step::Made { path, made } => match self.tree.find(path).ok().cloned() {
                Some(Node::Folder(folder)) if folder.is_empty() => self.clear(Some(path.clone()), Some(made)),
                Some(Node::Folder(folder)) => {
                    self.blocking.extend(folder.keys().map(|name| path.child(name)));
                    Ok(())
                }
                Some(Node::File(_)) | None => {
                    self.blocking.push(path.clone());
                    Ok(())
                }
            },
            Step::Moved { from, to, node, made } => {
                if !self.is_as_left(to, Some(node)) || !self.is_as_left(from, None) || !self.has_room(from) {
                    return Ok(());
                }
                self.has_moved = true;
                self.apply(Operation::Rename { from: to.clone(), to: from.clone() })?;
                self.clear(to.parent(), made.as_ref())
            }
        }
    }

    fn apply(&mut self, operation: Operation) -> Result<(), UndoError> {
        self.tree.apply(&operation, &Limits::NONE, &mut Vec::new())?;
        self.operations.push(operation);
        Ok(())
    }

    /// Whether what a change left at a path is there; notes what is not.
    fn is_as_left(&mut self, path: &WorkspacePath, left: Option<&Node>) -> bool {
        let n_blocking = self.blocking.len();
        match (left, self.tree.find(path).ok()) {
            (Some(left), Some(now)) => {
                let blocking = &mut self.blocking;
                compare::compare(path, left, now, &mut |delta| match delta {
                    Delta::Removed(path, _) | Delta::Added(path, _) | Delta::Changed(path, ..) => blocking.push(path),
                });
            }
            (None, None) => {}
            (Some(_), None) | (None, Some(_)) => self.blocking.push(path.clone()),
        }
        self.blocking.len() == n_blocking
    }

    /// Whether there is a folder to put something into.
    fn has_room(&mut self, path: &WorkspacePath) -> bool {
        let parent = path.parent().unwrap_or_default();
        let is_folder = matches!(self.tree.find(&parent), Ok(Node::Folder(_)));
        if !is_folder {
            self.blocking.push(parent);
        }
        is_folder
    }

    /// Removes folders that were made for what is gone now, from here up to the topmost; none that has anything in it.
    fn clear(&mut self, from: Option<WorkspacePath>, made: Option<&WorkspacePath>) -> Result<(), UndoError> {
        let Some(made) = made else { return Ok(()) };
        let mut folder = from;
        while let Some(path) = folder.filter(|path| path.is_within(made)) {
            match self.tree.find(&path) {
                Ok(Node::Folder(inside)) if inside.is_empty() => {}
                Ok(_) | Err(_) => break,
            }
            folder = path.parent();
            self.apply(Operation::Remove(path))?;
        }
        Ok(())
    }
}

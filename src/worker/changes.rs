//! Commands about what has changed: the list of this visit, differences, undo and snapshots.

use vitrine_protocol::changes::{ChangeKind, Changed, ChangedBy, FileDiff, FileDiffKind, Side, SnapshotInfo};
use vitrine_protocol::notification::Problem;
use vitrine_tools::compare::{Budget, Comparison, Version, compare};
use vitrine_vfs::{
    Author, Change, FileVersions, LogLimits, LoggedChange, SavedSnapshot, Snapshot, UndoError, WorkspacePath,
};

use crate::desk::Desk;
use crate::files;
use crate::outbox::Answer;

/// How much of a visit is remembered. The bytes are those that a workspace keeps for its snapshots anyway.
pub const LIMITS: LogLimits = LogLimits { changes: 1000, bytes: 24 << 20 };
/// The id of the state that this visit began with, and the name under which it is kept when it has to be.
const START: &str = "start";

/// The state that a visit or a lesson began with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Start {
    snapshot: Snapshot,
    time_ms: u64,
}

/// Where a change was made, by its number.
#[derive(Clone, Debug)]
pub struct MadeIn {
    /// The change.
    pub id: u64,
    /// The run.
    pub run_id: String,
    /// Its turn.
    pub turn: u32,
}

/// From here on changes are listed, and this is what "start" is.
pub fn begin(desk: &Desk) {
    desk.workspace.log_changes(LIMITS);
    // Of a visit before this one.
    let _ = desk.workspace.release(START);
    set_start(desk);
}

/// "start" is now.
pub fn set_start(desk: &Desk) {
    desk.start.set(Start { snapshot: desk.workspace.snapshot(), time_ms: vitrine::platform::clock::wall_ms() });
    if !desk.workspace.is_persistent() {
        keep_start(desk);
    }
}

/// Before the journal is written anew: what a visit began with is not lost by it.
pub fn keep_start(desk: &Desk) {
    // Where it cannot be kept it is as far back as others are.
    let _ = desk.workspace.keep(desk.start.get().snapshot, START);
}

/// What was changed in this visit.
pub fn list(desk: &Desk) -> Result<Answer, Problem> {
    let changes: Vec<Changed> = desk.workspace.changes().iter().map(|change| changed(desk, change)).collect();
    Answer::json(&changes)
}

/// What a change did to each file.
pub fn diff(desk: &Desk, change: u64) -> Result<Answer, Problem> {
    let versions = desk.workspace.versions(change).map_err(|error| undo_problem(&error))?;
    Answer::json(&diffs(&versions))
}

/// Takes changes back.
pub fn undo(desk: &Desk, changes: &[u64]) -> Result<Answer, Problem> {
    desk.workspace.undo(changes).map_err(|error| undo_problem(&error))?;
    let last = desk.workspace.changes().pop().map(|change| changed(desk, &change));
    Answer::json(&last)
}

/// A file before or after a change.
pub fn read_version(desk: &Desk, change: u64, side: Side, path: Option<&str>) -> Result<Answer, Problem> {
    let versions = desk.workspace.versions(change).map_err(|error| undo_problem(&error))?;
    let file = match (path, versions.as_slice()) {
        (Some(path), versions) => {
            let path = files::parse(path)?;
            versions.iter().find(|version| version.path == path)
        }
        (None, [file]) => Some(file),
        (None, _) => {
            let message = format!("change {change} is about {} files", versions.len());
            return Err(Problem::new("invalid-argument", message, "name one of them as `path`"));
        }
    };
    let contents = file.and_then(|file| match side {
        Side::Before => file.before.clone(),
        Side::After => file.after.clone(),
    });
    contents.map(Answer::bytes).ok_or_else(|| {
        let message = format!("there is no such file on that side of change {change}");
        Problem::new("file-not-found", message, "look at the list of what the change did")
    })
}

/// Keeps this moment.
pub fn snapshot(desk: &Desk, name: Option<&str>) -> Result<Answer, Problem> {
    let saved = desk.workspace.save(name).map_err(|error| files::problem(&error))?;
    Answer::json(&info(saved))
}

/// The moments that can be gone back to.
pub fn snapshots(desk: &Desk) -> Result<Answer, Problem> {
    let start = SnapshotInfo { id: START.to_owned(), name: None, at_ms: desk.start.get().time_ms };
    let mut infos: Vec<_> = desk.workspace.saved().into_iter().map(info).collect();
    infos.push(start);
    infos.sort_by_key(|info| info.at_ms);
    Answer::json(&infos)
}

/// Goes back to one.
pub fn restore(desk: &Desk, id: &str) -> Result<Answer, Problem> {
    let snapshot = find(desk, id)?;
    desk.workspace.restore(snapshot).map_err(|error| files::problem(&error))?;
    Ok(Answer::done())
}

/// What is different between two, or between one and now.
pub fn diff_snapshots(desk: &Desk, from: &str, to: Option<&str>) -> Result<Answer, Problem> {
    let from = find(desk, from)?;
    let to = to.map_or(Ok(desk.workspace.snapshot()), |to| find(desk, to))?;
    let versions = desk.workspace.versions_between(from, to).map_err(|error| files::problem(&error))?;
    Answer::json(&diffs(&versions))
}

fn find(desk: &Desk, id: &str) -> Result<Snapshot, Problem> {
    if id == START {
        return Ok(desk.start.get().snapshot);
    }
    let saved = desk.workspace.saved().into_iter().find(|saved| saved.id.to_string() == id);
    saved.map(|saved| saved.snapshot).ok_or_else(|| {
        Problem::new("snapshot-gone", format!("no snapshot has the id {id:?}"), "look at the list of snapshots")
    })
}

fn info(saved: SavedSnapshot) -> SnapshotInfo {
    SnapshotInfo { id: saved.id.to_string(), name: saved.name, at_ms: saved.time_ms }
}

fn changed(desk: &Desk, change: &LoggedChange) -> Changed {
    let made_in = desk.made_in.borrow();
    let made_in = made_in.binary_search_by_key(&change.id, |made| made.id).ok().and_then(|at| made_in.get(at));
    let to = match &change.change {
        Change::Renamed { to, .. } => Some(to.to_string()),
        Change::Wrote(_) | Change::MadeFolder(_) | Change::Removed(_) | Change::Restored(_) => None,
    };
    Changed {
        id: change.id,
        // The root is written as a dot elsewhere.
        path: change.path.as_str().to_owned(),
        to,
        change: match change.change {
            Change::Wrote(_) => ChangeKind::Written,
            Change::MadeFolder(_) => ChangeKind::Made,
            Change::Removed(_) => ChangeKind::Removed,
            Change::Renamed { .. } => ChangeKind::Renamed,
            Change::Restored(_) => ChangeKind::Restored,
        },
        paths: change.paths,
        by: match &change.author {
            Author::User => ChangedBy::User,
            Author::Import => ChangedBy::Import,
            Author::ToolCall(_) => ChangedBy::Tool,
            Author::Shell(_) => ChangedBy::Shell,
            Author::OtherTab => ChangedBy::OtherTab,
        },
        call_id: change.author.call_id().map(ToString::to_string),
        run_id: made_in.map(|made| made.run_id.clone()),
        turn: made_in.map(|made| made.turn),
        at_ms: change.time_ms,
        undone: change.undone,
        can_undo: change.can_undo,
    }
}

fn diffs(versions: &[FileVersions]) -> Vec<FileDiff> {
    let mut budget = Budget::default();
    versions.iter().map(|version| file_diff(version, &mut budget)).collect()
}

fn file_diff(file: &FileVersions, budget: &mut Budget) -> FileDiff {
    let FileVersions { path, from, before, after } = file;
    let old_path: &WorkspacePath = from.as_ref().unwrap_or(path);
    let compared = compare(
        Version { path: old_path.as_str(), contents: before.as_deref() },
        Version { path: path.as_str(), contents: after.as_deref() },
        budget,
    );
    let bytes = |contents: &Option<vitrine_vfs::Contents>| contents.as_ref().map(|contents| contents.len() as u64);
    FileDiff {
        path: path.to_string(),
        from: from.as_ref().map(ToString::to_string),
        change: match (from, before, after) {
            (Some(_), ..) => FileDiffKind::Renamed,
            (None, None, _) => FileDiffKind::Added,
            (None, Some(_), None) => FileDiffKind::Removed,
            (None, Some(_), Some(_)) => FileDiffKind::Changed,
        },
        binary: compared == Comparison::Binary,
        too_large: compared == Comparison::TooLarge,
        patch: match compared {
            Comparison::Patch(patch) if !patch.is_empty() => Some(patch),
            Comparison::Patch(_) | Comparison::Binary | Comparison::TooLarge => None,
        },
        bytes_before: bytes(before),
        bytes_after: bytes(after),
    }
}

fn undo_problem(error: &UndoError) -> Problem {
    let (code, help) = match error {
        UndoError::Unknown(_) => ("change-not-found", "look at the list of changes"),
        UndoError::Undone(_) => ("already-undone", "look at the list of changes"),
        UndoError::Nothing => ("nothing-to-undo", "look at what differs"),
        UndoError::Forgotten(_) => ("change-gone", "go back to a snapshot instead"),
        UndoError::Changed { .. } => ("changed-since", "undo the later changes first, or with it"),
        UndoError::Workspace(error) => return files::problem(error),
    };
    Problem::new(code, error.to_string(), help)
}

//! File commands: what a person does in the workspace, as against what a tool does.

use vitrine::platform::unicode::Browser;
use vitrine_protocol::notification::{FileChange, FileInfo, FileKind, Problem};
use vitrine_tools::Paths;
use vitrine_vfs::{Change, Entry, Kind, PathError, SignedChange, Workspace, WorkspaceError, WorkspacePath};

use crate::outbox::Answer;
use crate::sessions::CWD;

/// The entries of a folder.
pub fn list(workspace: &Workspace, path: &str) -> Result<Answer, Problem> {
    let folder = place(workspace, path)?;
    let entries = workspace.list(&folder).map_err(|error| problem(&error))?;
    let infos = entries
        .into_iter()
        .map(|entry| {
            let path = folder.join(&entry.name).map_err(|error| path_problem(&error))?;
            Ok(info(&path, entry))
        })
        .collect::<Result<Vec<_>, Problem>>()?;
    Answer::json(&infos)
}

/// The bytes of a file.
pub fn read(workspace: &Workspace, path: &str) -> Result<Answer, Problem> {
    workspace.read(&place(workspace, path)?).map(Answer::bytes).map_err(|error| problem(&error))
}

/// Writes a file.
pub fn write(workspace: &Workspace, path: &str, bytes: Option<Vec<u8>>) -> Result<Answer, Problem> {
    let bytes = bytes.unwrap_or_default();
    workspace.write(&place(workspace, path)?, bytes).map_err(|error| problem(&error))?;
    Ok(Answer::done())
}

/// Makes a folder.
pub fn make_folder(workspace: &Workspace, path: &str) -> Result<Answer, Problem> {
    workspace.mkdir(&place(workspace, path)?).map_err(|error| problem(&error))?;
    Ok(Answer::done())
}

/// Removes a file or folder.
pub fn remove(workspace: &Workspace, path: &str) -> Result<Answer, Problem> {
    workspace.remove(&place(workspace, path)?).map_err(|error| problem(&error))?;
    Ok(Answer::done())
}

/// Moves a file or folder.
pub fn rename(workspace: &Workspace, path: &str, to: &str) -> Result<Answer, Problem> {
    workspace.rename(&place(workspace, path)?, &parse(to)?).map_err(|error| problem(&error))?;
    Ok(Answer::done())
}

/// One entry.
pub fn stat(workspace: &Workspace, path: &str) -> Result<Answer, Problem> {
    let path = place(workspace, path)?;
    let entry = workspace.stat(&path).map_err(|error| problem(&error))?;
    Answer::json(&info(&path, entry))
}

fn info(path: &WorkspacePath, entry: Entry) -> FileInfo {
    let kind = match entry.kind {
        Kind::File => FileKind::File,
        Kind::Folder => FileKind::Folder,
    };
    FileInfo { path: path.to_string(), name: entry.name, kind, size: entry.size }
}

/// A path as a person or a page writes it, as it is spelled in the workspace: names that differ only in how their characters
/// are composed are one name to whoever types them.
fn place(workspace: &Workspace, path: &str) -> Result<WorkspacePath, Problem> {
    let path = parse(path)?;
    Ok(Paths::new(CWD, CWD, &Browser).composed(workspace, &path))
}

/// A path as a person or a page writes it; none is the root.
pub fn parse(path: &str) -> Result<WorkspacePath, Problem> {
    if path.trim_matches('/').is_empty() {
        return Ok(WorkspacePath::root());
    }
    WorkspacePath::parse(path).map_err(|error| path_problem(&error))
}

/// A path that is none, as the reader sees it.
pub fn path_problem(error: &PathError) -> Problem {
    Problem::new("invalid-path", error.to_string(), "use a path inside the workspace, like src/main.ts")
}

/// A workspace error as the reader sees it.
pub fn problem(error: &WorkspaceError) -> Problem {
    let (code, help) = match error {
        WorkspaceError::NotFound(_) => ("file-not-found", "look at the list of files for its name"),
        WorkspaceError::NotAFile(_) => ("not-a-file", "name a file in it"),
        WorkspaceError::NotAFolder(_) => ("not-a-folder", "use another name, or remove the file first"),
        WorkspaceError::AlreadyExists(_) => ("already-exists", "use another name, or remove it first"),
        WorkspaceError::IntoItself { .. } | WorkspaceError::Root => ("invalid-path", "use another path"),
        WorkspaceError::Path(_) => ("invalid-path", "use a path inside the workspace, like src/main.ts"),
        WorkspaceError::TooLarge { .. } => ("too-large", "make it smaller, or remove files that are not needed"),
        WorkspaceError::ReadOnly => {
            ("read-only", "reload the page; if another tab has this workspace open, take over here")
        }
        WorkspaceError::NoRoom { .. } => ("storage-full", "export what you need, then remove files and try again"),
        WorkspaceError::NoLinks(_) => ("no-links", "copy the file instead"),
        WorkspaceError::CannotKeep(_) => ("invalid-name", "choose a short name, or give up another kept snapshot"),
        WorkspaceError::NotKept(_) => ("snapshot-gone", "look at the list of kept snapshots"),
        WorkspaceError::SnapshotGone { .. } => ("snapshot-gone", "choose a newer snapshot"),
        WorkspaceError::NewerFormat(_) => ("newer-format", "reload the page to get the newest version of it"),
        WorkspaceError::Storage(_) => ("storage", "export what you need; then reload the page and try again"),
    };
    Problem::new(code, error.to_string(), help)
}

/// A change as the page hears of it.
pub fn change(change: &SignedChange) -> FileChange {
    let (path, what) = match &change.change {
        Change::Wrote(path) => (path.to_string(), "written"),
        Change::MadeFolder(path) => (path.to_string(), "made"),
        Change::Removed(path) => (path.to_string(), "removed"),
        Change::Renamed { to, .. } => (to.to_string(), "renamed"),
        Change::Restored(_) => (String::new(), "restored"),
    };
    let call_id = change.author.call_id().map(ToString::to_string);
    FileChange { path, change: what.into(), call_id, id: change.snapshot.0 }
}

/// What is in a file, for whoever asks by a path of its own and can do without.
pub fn contents_of(workspace: &Workspace, path: &str) -> Option<Vec<u8>> {
    let path = WorkspacePath::parse(path).ok()?;
    workspace.read(&path).ok().map(|contents| contents.to_vec())
}

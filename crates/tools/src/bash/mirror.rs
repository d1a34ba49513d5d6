//! [`Mirror`]: what the shell does to its replica, done to the workspace.

use vitrine_shell::Change;
use vitrine_vfs::{self as vfs, Edit, Kind, Workspace, WorkspaceError, WorkspacePath};

/// Takes in the changes of a shell and gives out those of everybody else. A shell that appends a thousand lines makes a
/// thousand changes; they wait a moment here and become one.
#[derive(Debug)]
pub struct Mirror {
    workspace: Workspace,
    waiting: Vec<Change>,
}

impl Mirror {
    /// Between a workspace and a shell.
    pub fn new(workspace: Workspace) -> Self {
        Self { workspace, waiting: Vec::new() }
    }

    /// Takes in what the shell did. It is in the workspace after the next [`Mirror::settle`].
    pub fn take(&mut self, change: Change) {
        if let Change::Append { path, bytes } = &change
            && let Some(Change::Write { path: last, bytes: all } | Change::Append { path: last, bytes: all }) =
                self.waiting.last_mut()
            && last == path
        {
            all.extend_from_slice(bytes);
            return;
        }
        if let Change::Write { path, .. } = &change
            && let Some(Change::Write { path: last, .. }) = self.waiting.last()
            && last == path
        {
            self.waiting.pop();
        }
        self.waiting.push(change);
    }

    /// Whether something waits.
    pub fn is_settled(&self) -> bool {
        self.waiting.is_empty()
    }

    /// What waits, to be done by [`apply`] while nobody holds the mirror: the workspace tells everybody of each change.
    pub fn settle(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.waiting)
    }

    /// Somebody else wrote a file: what waits for it was before that, and is not done any more.
    pub fn overtaken(&mut self, written: &WorkspacePath) {
        self.waiting.retain(|change| match change {
            Change::Write { path, .. } | Change::Append { path, .. } => path != written.as_str(),
            Change::Folder { .. } | Change::Remove { .. } | Change::Rename { .. } => true,
        });
    }

    /// A change of somebody else as the shell is told it.
    pub fn told(&self, change: &vfs::Change) -> Vec<Change> {
        match change {
            vfs::Change::Wrote(path) => vec![self.now(path)],
            vfs::Change::MadeFolder(path) => vec![Change::Folder { path: path.to_string() }],
            vfs::Change::Removed(path) => vec![Change::Remove { path: path.to_string() }],
            vfs::Change::Renamed { from, to } => {
                vec![Change::Rename { from: from.to_string(), to: to.to_string() }]
            }
            vfs::Change::Restored(_) => self.everything(),
        }
    }

    /// The whole workspace, over whatever was there.
    pub fn everything(&self) -> Vec<Change> {
        let mut changes = vec![Change::Remove { path: String::new() }];
        let mut folders = vec![WorkspacePath::root()];
        while let Some(folder) = folders.pop() {
            for entry in self.workspace.list(&folder).unwrap_or_default() {
                let Ok(path) = folder.join(&entry.name) else { continue };
                match entry.kind {
                    Kind::Folder => {
                        changes.push(Change::Folder { path: path.to_string() });
                        folders.push(path);
                    }
                    Kind::File => changes.push(self.now(&path)),
                }
            }
        }
        changes
    }

    /// What changed paths are now, for a shell that did not know of a change when it made its own.
    pub fn echo(&self, change: &Change) -> Vec<Change> {
        let now = |path: &str| WorkspacePath::parse(path).ok().map(|path| self.now(&path));
        match change {
            Change::Write { path, .. } | Change::Append { path, .. } | Change::Folder { path } => {
                now(path).into_iter().collect()
            }
            Change::Remove { .. } | Change::Rename { .. } => self.everything(),
        }
    }

    fn now(&self, path: &WorkspacePath) -> Change {
        match self.workspace.read(path) {
            Ok(bytes) => Change::Write { path: path.to_string(), bytes: bytes.to_vec() },
            Err(WorkspaceError::NotAFile(_)) => Change::Folder { path: path.to_string() },
            Err(_) => Change::Remove { path: path.to_string() },
        }
    }

    /// The workspace.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }
}

/// Does in the workspace what a shell did in its replica; files that were written one after another are one change of it.
/// Gives what could not be done, and why, in words for the model.
pub fn apply(workspace: &Workspace, changes: Vec<Change>) -> Vec<String> {
    let (mut problems, mut batch) = (Vec::new(), Vec::<(WorkspacePath, Vec<u8>)>::new());
    for change in changes {
        let outcome = match change {
            Change::Write { path, bytes } => parse(&path).map(|path| put(&mut batch, path, bytes)),
            Change::Append { path, bytes } => parse(&path).map(|path| {
                let waiting = batch.iter().rev().find(|(waiting, _)| *waiting == path).map(|(_, bytes)| bytes.clone());
                let mut all =
                    waiting.unwrap_or_else(|| workspace.read(&path).map(|all| all.to_vec()).unwrap_or_default());
                all.extend_from_slice(&bytes);
                put(&mut batch, path, all);
            }),
            Change::Folder { path } => {
                flush(workspace, &mut batch, &mut problems);
                parse(&path).and_then(|path| workspace.mkdir(&path).map(|_| ()).map_err(|error| error.to_string()))
            }
            Change::Remove { path } => {
                flush(workspace, &mut batch, &mut problems);
                parse(&path).and_then(|path| match workspace.remove(&path) {
                    // Somebody else was faster.
                    Ok(_) | Err(WorkspaceError::NotFound(_)) => Ok(()),
                    Err(error) => Err(error.to_string()),
                })
            }
            Change::Rename { from, to } => {
                flush(workspace, &mut batch, &mut problems);
                parse(&from).and_then(|from| rename(workspace, &from, &parse(&to)?))
            }
        };
        problems.extend(outcome.err());
    }
    flush(workspace, &mut batch, &mut problems);
    problems
}

fn parse(path: &str) -> Result<WorkspacePath, String> {
    WorkspacePath::parse(path).map_err(|error| error.to_string())
}

/// Of two contents for one path the later one counts.
fn put(batch: &mut Vec<(WorkspacePath, Vec<u8>)>, path: WorkspacePath, bytes: Vec<u8>) {
    match batch.last_mut() {
        Some((last, all)) if *last == path => *all = bytes,
        _ => batch.push((path, bytes)),
    }
}

fn flush(workspace: &Workspace, batch: &mut Vec<(WorkspacePath, Vec<u8>)>, problems: &mut Vec<String>) {
    let files: Vec<(WorkspacePath, vfs::Contents)> =
        std::mem::take(batch).into_iter().map(|(path, bytes)| (path, bytes.into())).collect();
    if files.is_empty() || workspace.write_all(files.clone()).is_ok() {
        return;
    }
    // One of them does not fit: the others are written.
    for (path, contents) in files {
        problems.extend(workspace.write(&path, contents).err().map(|error| error.to_string()));
    }
}

/// What is there gives way, as a shell does it; the replica has looked whether it may.
fn rename(workspace: &Workspace, from: &WorkspacePath, to: &WorkspacePath) -> Result<(), String> {
    let rename = Edit::Rename { from: from.clone(), to: to.clone() };
    let gives_way = (workspace.exists(to) && workspace.exists(from)).then(|| Edit::Remove(to.clone()));
    let outcome = workspace.change_all(gives_way.into_iter().chain([rename]));
    outcome.map(|_| ()).map_err(|error| error.to_string())
}

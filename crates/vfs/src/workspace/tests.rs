//! The rules of the workspace, then what is left of it after every crash.

mod crash;
mod damage;
mod faults;
mod feed;
mod kept;
mod migration;
mod random;
mod rules;
mod scale;
mod snapshots;
mod undo;

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::FutureExt;

use crate::{Backend, Change, MemoryBackend, Options, Recovery, Workspace, WorkspaceError, WorkspacePath};

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

/// Memory is always ready, so nothing is waited for.
fn try_open(backend: &MemoryBackend) -> Result<(Workspace, Recovery), WorkspaceError> {
    try_open_with(backend, Options::default())
}

fn try_open_with(backend: &MemoryBackend, options: Options) -> Result<(Workspace, Recovery), WorkspaceError> {
    Workspace::open(Rc::new(backend.clone()), options).now_or_never().unwrap()
}

fn open(backend: &MemoryBackend) -> Workspace {
    try_open(backend).unwrap().0
}

fn compact(workspace: &Workspace) -> Result<bool, WorkspaceError> {
    workspace.compact().now_or_never().unwrap()
}

fn logs(backend: &MemoryBackend) -> Vec<String> {
    backend.list().now_or_never().unwrap().unwrap()
}

/// Every change that is told from now on.
fn observed(workspace: &Workspace) -> Rc<RefCell<Vec<Change>>> {
    let changes = Rc::new(RefCell::new(Vec::new()));
    let heard = Rc::clone(&changes);
    workspace.observe(Rc::new(move |change| heard.borrow_mut().push(change.change.clone())));
    changes
}

/// The whole tree, one line an entry: folders end with a slash, long contents are shortened.
fn tree(workspace: &Workspace) -> Vec<String> {
    fn walk(workspace: &Workspace, folder: &WorkspacePath, lines: &mut Vec<String>) {
        for entry in workspace.list(folder).unwrap() {
            let path = folder.join(&entry.name).unwrap();
            match entry.kind {
                crate::Kind::Folder => {
                    lines.push(format!("{path}/"));
                    walk(workspace, &path, lines);
                }
                crate::Kind::File => {
                    let contents = workspace.read(&path).unwrap();
                    assert_eq!(entry.size, contents.len() as u64);
                    let text = String::from_utf8_lossy(&contents);
                    let shown: String = text.chars().take(20).collect();
                    lines.push(format!("{path} = {shown} ({})", crate::checksum::of(&[&contents])));
                }
            }
        }
    }
    let mut lines = Vec::new();
    walk(workspace, &WorkspacePath::root(), &mut lines);
    assert_eq!(workspace.usage().entries, lines.len() as u64, "entries are counted right");
    let files = workspace.files(&WorkspacePath::root()).unwrap();
    let n_bytes: usize = files.iter().map(|(_, contents)| contents.len()).sum();
    assert_eq!(workspace.usage().live_bytes, n_bytes as u64, "bytes are counted right");
    lines
}

/// A change written as a line, so that a case can be read: `write a/b text`, `fill a/b n_bytes`, `mkdir a`, `remove a`,
/// `rename a b`, `restore 3`, `edit a 5 text`, `back 2 a` (a path two changes ago), `import a=1 b=2` (one change).
fn run(workspace: &Workspace, line: &str) -> Result<crate::Snapshot, WorkspaceError> {
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        ["write", file] => workspace.write(&path(file), *b""),
        ["write", file, text @ ..] => workspace.write(&path(file), text.join(" ").into_bytes()),
        ["fill", file, n_bytes] => workspace.write(&path(file), vec![b'x'; n_bytes.parse().unwrap()]),
        ["mkdir", folder] => workspace.mkdir(&path(folder)),
        ["remove", place] => workspace.remove(&path(place)),
        ["rename", from, to] => workspace.rename(&path(from), &path(to)),
        ["restore", snapshot] => workspace.restore(crate::Snapshot(snapshot.parse().unwrap())),
        ["import", files @ ..] => workspace.write_all(files.iter().map(|file| {
            let (file, text) = file.split_once('=').unwrap();
            (path(file), text.as_bytes().into())
        })),
        ["edit", file, at, text] => {
            let mut contents = workspace.read(&path(file))?.to_vec();
            let at = at.parse::<usize>().unwrap().min(contents.len());
            contents.splice(at..at, text.bytes());
            workspace.write(&path(file), contents)
        }
        ["back", n_back, place] => {
            let snapshot = workspace.snapshot().0.checked_sub(n_back.parse().unwrap());
            workspace.restore_path(&path(place), crate::Snapshot(snapshot.unwrap_or(u64::MAX)))
        }
        _ => panic!("not a change: {line}"),
    }
}

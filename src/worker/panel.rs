//! What the files panel asks beside the files themselves: all of the tree at once, and documents that show a file.

use vitrine_preview::{Files, Shown, compose};
use vitrine_protocol::notification::Problem;
use vitrine_protocol::tree::push_entry;
use vitrine_vfs::{Entry, Kind, Workspace, WorkspacePath};

use crate::files::{contents_of, parse, problem};
use crate::outbox::Answer;

/// Folders inside folders that are listed, at most; deeper ones are there all the same.
const DEPTH: usize = 200;

/// Everything, folders before files and what is in a folder right after it.
pub fn tree(workspace: &Workspace) -> Result<Answer, Problem> {
    let mut listing = Vec::new();
    list(workspace, &WorkspacePath::root(), 0, &mut listing)?;
    Ok(Answer::bytes(listing.into()))
}

fn list(workspace: &Workspace, folder: &WorkspacePath, depth: usize, listing: &mut Vec<u8>) -> Result<(), Problem> {
    let entries = workspace.list(folder).map_err(|error| problem(&error))?;
    let (folders, files): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|entry| entry.kind == Kind::Folder);
    for entry in folders {
        let Ok(path) = folder.join(&entry.name) else { continue };
        push_entry(listing, &path.to_string(), true, 0);
        if depth < DEPTH {
            list(workspace, &path, depth + 1, listing)?;
        }
    }
    for entry in files {
        let Ok(path) = folder.join(&entry.name) else { continue };
        push_entry(listing, &path.to_string(), false, entry.size);
    }
    Ok(())
}

/// The document for a file.
pub fn preview(workspace: &Workspace, path: &str) -> Result<Answer, Problem> {
    let path = parse(path)?;
    let bytes = workspace.read(&path).map_err(|error| problem(&error))?;
    let name = path.to_string();
    let Some(shown) = Shown::of(&name) else {
        return Err(Problem::new("no-preview", format!("{name} has no preview"), "open it as a text"));
    };
    Ok(Answer::bytes(compose(shown, &name, &bytes, &mut InWorkspace(workspace)).into_bytes().into()))
}

struct InWorkspace<'a>(&'a Workspace);

impl Files for InWorkspace<'_> {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        contents_of(self.0, path)
    }
}

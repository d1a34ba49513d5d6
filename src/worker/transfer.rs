//! What goes into the workspace and out of it: the workspace's side. The other side is a module that is loaded here.

pub mod folder;

use vitrine::platform::clock;
use vitrine::platform::transfer_link::{Packer, Room, Transfer};
use vitrine::platform::worker_port::Attached;
use vitrine_protocol::notification::{Imported, LeftOut, Problem};
use vitrine_vfs::{Author, Contents, Edit, Kind, Workspace, WorkspacePath};

use crate::desk::Desk;
use crate::files;
use crate::outbox::Answer;

/// How much is packed at once before others have their turn: a stream or a click waits no longer than that takes.
const BYTES_AT_ONCE: usize = 1 << 20;

/// Unpacks an archive into the workspace, over what is there. All of it, or nothing.
pub async fn import(desk: &Desk, attached: &Attached) -> Result<Answer, Problem> {
    let transfer = Transfer::load().await?;
    let workspace = &desk.workspace.by(Author::Import);
    let archive = transfer.open(attached, room(workspace), &desk.lang.borrow())?;
    let skipped = archive.skipped()?.into_iter();
    let mut imported = Imported {
        skipped: skipped.map(|[path, code, reason]| LeftOut { path, code, reason }).collect(),
        ..Imported::default()
    };
    let mut edits = Vec::new();
    for (index, entry) in archive.entries()?.into_iter().enumerate() {
        let path = WorkspacePath::parse(&entry.path).map_err(|error| files::path_problem(&error))?;
        edits.push(match entry.modified_ms {
            None => {
                imported.folders += 1;
                Edit::MakeFolder(path)
            }
            Some(modified_ms) => {
                let content = archive.content(index)?;
                imported.files += 1;
                imported.bytes += content.len() as u64;
                Edit::Import(path, content.into(), modified_ms)
            }
        });
    }
    workspace.change_all(edits).map_err(|error| files::problem(&error))?;
    Answer::json(&imported)
}

fn room(workspace: &Workspace) -> Room {
    let limits = workspace.limits();
    let total_bytes = limits.workspace_bytes.saturating_sub(workspace.usage().live_bytes);
    Room { entries: limits.entries, file_bytes: limits.file_bytes, total_bytes }
}

/// The whole workspace as an archive: as it was when this was asked for, whatever happens meanwhile.
pub async fn export(workspace: &Workspace) -> Result<Answer, Problem> {
    let mut entries = Vec::new();
    collect(workspace, &WorkspacePath::root(), &mut entries)?;
    let packer: Packer = Transfer::load().await?.pack()?;
    let mut n_bytes = 0;
    for Outgoing { path, contents, modified_ms } in entries {
        match contents {
            None => packer.folder(path.as_str(), modified_ms)?,
            Some(contents) => {
                packer.file(path.as_str(), &contents, modified_ms)?;
                n_bytes += contents.len();
            }
        }
        if n_bytes > BYTES_AT_ONCE {
            n_bytes = 0;
            clock::sleep(0).await;
        }
    }
    packer.finish().map(Answer::blob)
}

/// An entry that goes out; of a folder there are no contents.
struct Outgoing {
    path: WorkspacePath,
    contents: Option<Contents>,
    modified_ms: u64,
}

fn collect(workspace: &Workspace, folder: &WorkspacePath, entries: &mut Vec<Outgoing>) -> Result<(), Problem> {
    for entry in workspace.list(folder).map_err(|error| files::problem(&error))? {
        let path = folder.join(&entry.name).map_err(|error| files::path_problem(&error))?;
        let modified_ms = entry.modified_ms;
        match entry.kind {
            Kind::File => {
                let contents = workspace.read(&path).map_err(|error| files::problem(&error))?;
                entries.push(Outgoing { path, contents: Some(contents), modified_ms });
            }
            Kind::Folder => {
                entries.push(Outgoing { path: path.clone(), contents: None, modified_ms });
                // A path has at most as many parts as a workspace allows, so this is as deep as it goes.
                collect(workspace, &path, entries)?;
            }
        }
    }
    Ok(())
}

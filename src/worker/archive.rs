//! Zip archives in and out of the workspace.

use vitrine::platform::blob::BlobWriter;
use vitrine::platform::encoding::Encodings;
use vitrine::platform::worker_port::Attached;
use vitrine_archive::{ArchiveError, Entry, Export, Import, Limits, ReaderAt};
use vitrine_protocol::notification::{Imported, LeftOut, Problem};
use vitrine_vfs::{Author, Edit, Kind, Workspace, WorkspacePath};

use crate::desk::Desk;
use crate::files;
use crate::outbox::Answer;

const MEDIA_TYPE: &str = "application/zip";

/// Unpacks an archive into the workspace, over what is there. All of it, or nothing.
pub fn import(desk: &Desk, attached: Attached) -> Result<Answer, Problem> {
    let workspace = &desk.workspace.by(Author::Import);
    let lang = desk.lang.borrow();
    let encodings = Encodings::of([lang.as_str()]);
    let imported = match attached {
        Attached::Blob(blob) => {
            let length = blob.length();
            unpack(workspace, blob, length, &encodings)
        }
        Attached::Bytes(bytes) => unpack(workspace, bytes.as_slice(), bytes.len() as u64, &encodings),
        Attached::Nothing => {
            return Err(Problem::new(
                "invalid-argument",
                "there is no archive",
                "give a zip file as a Blob or as bytes",
            ));
        }
    }?;
    Answer::json(&imported)
}

fn unpack<R: ReaderAt>(
    workspace: &Workspace,
    source: R,
    length: u64,
    encodings: &Encodings,
) -> Result<Imported, Problem> {
    let room = workspace.limits();
    let left = room.workspace_bytes.saturating_sub(workspace.usage().live_bytes);
    let limits = Limits { entries: room.entries, file_bytes: room.file_bytes, total_bytes: left };
    let import = Import::open(source, length, &limits, encodings).map_err(|error| problem(&error))?;
    let mut imported = Imported {
        skipped: (import.skipped().iter())
            .map(|skipped| LeftOut {
                path: skipped.path.clone(),
                code: skipped.reason.code().to_owned(),
                reason: skipped.reason.to_string(),
            })
            .collect(),
        ..Imported::default()
    };
    let mut edits = Vec::with_capacity(import.entries().len());
    for (index, entry) in import.entries().iter().enumerate() {
        let path = WorkspacePath::parse(entry.path()).map_err(|error| files::path_problem(&error))?;
        edits.push(match entry {
            Entry::Folder { .. } => {
                imported.folders += 1;
                Edit::MakeFolder(path)
            }
            Entry::File { bytes, modified_ms, .. } => {
                imported.files += 1;
                imported.bytes += bytes;
                Edit::Import(path, import.read(index).map_err(|error| problem(&error))?.into(), *modified_ms)
            }
        });
    }
    workspace.change_all(edits).map_err(|error| files::problem(&error))?;
    Ok(imported)
}

/// The whole workspace as an archive.
pub fn export(workspace: &Workspace) -> Result<Answer, Problem> {
    let mut export = Export::new(BlobWriter::default());
    pack(workspace, &WorkspacePath::root(), &mut export)?;
    let blob = export.finish().map_err(|error| problem(&error))?.finish(MEDIA_TYPE);
    blob.map(Answer::blob).map_err(|error| problem(&error.into()))
}

fn pack(workspace: &Workspace, folder: &WorkspacePath, export: &mut Export<BlobWriter>) -> Result<(), Problem> {
    for entry in workspace.list(folder).map_err(|error| files::problem(&error))? {
        let path = folder.join(&entry.name).map_err(|error| files::path_problem(&error))?;
        let packed = match entry.kind {
            Kind::File => {
                let contents = workspace.read(&path).map_err(|error| files::problem(&error))?;
                export.file(path.as_str(), &contents, entry.modified_ms)
            }
            Kind::Folder => {
                // A path has at most as many parts as a workspace allows, so this is as deep as it goes.
                let packed = export.folder(path.as_str(), entry.modified_ms);
                pack(workspace, &path, export)?;
                packed
            }
        };
        packed.map_err(|error| problem(&error))?;
    }
    Ok(())
}

fn problem(error: &ArchiveError) -> Problem {
    let (code, help) = match error {
        ArchiveError::NotAnArchive(_) => ("not-an-archive", "choose a zip file"),
        ArchiveError::Refused(_) => {
            ("archive-refused", "unpack it elsewhere, look at it, and pack what you want to have")
        }
        ArchiveError::Damaged { .. } => ("archive-damaged", "download it again, or ask who made it"),
        ArchiveError::NoSuchFile(_) => ("internal", "report this as a bug"),
        ArchiveError::Io(_) => ("storage", "choose the file again; it may have been moved"),
    };
    Problem::new(code, error.to_string(), help)
}

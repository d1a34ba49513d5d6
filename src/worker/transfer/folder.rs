//! A folder of the reader's own: opened, compared, written to and read from, one command at a time.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use vitrine::platform::folder_link::{Act, Chosen, FolderLink, Step};
use vitrine::platform::transfer_link::Transfer;
use vitrine::platform::worker_port::Attached;
use vitrine_protocol::folder::{FolderChoice, FolderDone, FolderPlan};
use vitrine_protocol::notification::{LeftOut, Problem};
use vitrine_vfs::{Author, Contents, Edit, Kind, Workspace, WorkspacePath};

use super::room;
use crate::desk::Desk;
use crate::files;
use crate::outbox::Answer;

/// The folder that is open, if one is.
#[derive(Default)]
pub struct OpenFolder {
    folder: RefCell<Option<Rc<FolderLink>>>,
    is_busy: Cell<bool>,
}

/// One command's hold on the folder.
struct Turn<'a>(&'a OpenFolder);

impl OpenFolder {
    fn turn(&self) -> Result<Turn<'_>, Problem> {
        if self.is_busy.replace(true) {
            return Err(Problem::new(
                "busy",
                "the folder is being compared or written right now",
                "wait until that has ended",
            ));
        }
        Ok(Turn(self))
    }

    fn get(&self) -> Result<Rc<FolderLink>, Problem> {
        self.folder.borrow().clone().ok_or_else(|| {
            Problem::new("no-folder", "no folder is open", "open one first; after a reload it has to be opened again")
        })
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.is_busy.set(false);
    }
}

/// Opens the folder beside the command, in the place of another, and takes in what only it has.
pub async fn open(desk: &Desk, attached: &Attached, with_ignored: bool) -> Result<Answer, Problem> {
    let _turn = desk.folder.turn()?;
    let transfer = Transfer::load().await?;
    let opened = FolderLink::open(&transfer, attached, room(&desk.workspace), with_ignored)?;
    let folder = Rc::new(opened.ok_or_else(|| {
        Problem::new("invalid-argument", "there is no folder", "give the FileSystemDirectoryHandle of one")
    })?);
    compare(desk, &folder).await?;
    let done = perform(desk, &folder, Chosen { read: true, ..Chosen::default() }).await?;
    desk.folder.folder.replace(Some(folder.clone()));
    answer(desk, &folder, done).await
}

/// What differs now.
pub async fn plan(desk: &Desk) -> Result<Answer, Problem> {
    let _turn = desk.folder.turn()?;
    let folder = desk.folder.get()?;
    answer(desk, &folder, FolderDone::default()).await
}

/// Does what was chosen, as it was last compared: nothing that nobody has seen.
pub async fn sync(
    desk: &Desk,
    save: bool,
    remove: bool,
    read: bool,
    conflicts: BTreeMap<String, FolderChoice>,
) -> Result<Answer, Problem> {
    let _turn = desk.folder.turn()?;
    let folder = desk.folder.get()?;
    let chosen = Chosen { save, remove, read, conflicts: conflicts.into_iter().collect() };
    let done = perform(desk, &folder, chosen).await?;
    answer(desk, &folder, done).await
}

async fn answer(desk: &Desk, folder: &FolderLink, done: FolderDone) -> Result<Answer, Problem> {
    compare(desk, folder).await?;
    Answer::json(&FolderPlan { name: folder.name()?, items: folder.items()?, skipped: folder.left()?, done })
}

async fn compare(desk: &Desk, folder: &FolderLink) -> Result<(), Problem> {
    let here = desk.workspace.files(&WorkspacePath::root()).map_err(|error| files::problem(&error))?;
    folder.tell(here.iter().map(|(path, contents)| (path.as_str(), &**contents)))?;
    folder.compare().await
}

async fn perform(desk: &Desk, folder: &FolderLink, chosen: Chosen) -> Result<FolderDone, Problem> {
    let workspace = &desk.workspace.by(Author::Import);
    let (steps, held) = folder.choose(chosen)?;
    let mut done = FolderDone { held, ..FolderDone::default() };
    let mut incoming = Vec::new();
    for (index, Step { path, act }) in steps.into_iter().enumerate() {
        let place = WorkspacePath::parse(&path).map_err(|error| files::path_problem(&error))?;
        let came = match act {
            Act::Write | Act::Remove => {
                let contents = contents(workspace, &place);
                folder.write(index, contents.as_deref()).await.map(|()| match act {
                    Act::Write => done.written += 1,
                    Act::Remove | Act::Read | Act::Drop => done.removed += 1,
                })
            }
            Act::Read | Act::Drop => folder.read(index).await.map(|contents| incoming.push((index, place, contents))),
        };
        if let Err(problem) = came {
            done.held.push(LeftOut { path, code: problem.code, reason: problem.message });
        }
    }
    take(workspace, folder, incoming, &mut done)?;
    Ok(done)
}

/// A step's number, its path, and what the folder has there with its time.
type Incoming = (usize, WorkspacePath, Option<(Vec<u8>, u64)>);

/// Takes in what was read, as one change. Nobody else has a turn from looking at the workspace until it is made.
fn take(
    workspace: &Workspace,
    folder: &FolderLink,
    incoming: Vec<Incoming>,
    done: &mut FolderDone,
) -> Result<(), Problem> {
    let (mut edits, mut indices) = (Vec::new(), Vec::new());
    for (index, path, read) in incoming {
        if !folder.matches(index, contents(workspace, &path).as_deref())? {
            let reason = "it was changed in the workspace meanwhile".to_owned();
            done.held.push(LeftOut { path: path.to_string(), code: "changed-meanwhile".to_owned(), reason });
            continue;
        }
        indices.push(index);
        match read {
            None => edits.push(Edit::Remove(path)),
            Some((contents, modified_ms)) => {
                // All that was in a folder of that name is removed before: the plan sees to that.
                if workspace.stat(&path).is_ok_and(|entry| entry.kind == Kind::Folder) {
                    edits.push(Edit::Remove(path.clone()));
                }
                edits.push(Edit::Import(path, contents.into(), modified_ms));
            }
        }
    }
    if edits.is_empty() {
        return Ok(());
    }
    workspace.change_all(edits).map_err(|error| files::problem(&error))?;
    done.read = indices.len() as u64;
    indices.into_iter().try_for_each(|index| folder.taken(index))
}

fn contents(workspace: &Workspace, path: &WorkspacePath) -> Option<Contents> {
    workspace.read(path).ok()
}

//! A storage that fails while it is open: a handle the browser has closed, a file that is gone. What is in memory is whole, so
//! nothing is lost: it is opened again, or gone on without.

use std::rc::Rc;

use vitrine::platform::clock;
use vitrine_protocol::notification::{Notification, Problem, StorageKind};
use vitrine_tabs::{Input, Role};
use vitrine_vfs::{Contents, Edit, Kind, Workspace, WorkspaceError, WorkspacePath};

use super::Seat;
use crate::desk::Desk;
use crate::fence::Fence;
use crate::storage::{self, OpenedStorage};
use crate::{run, sessions};

/// How long after a change the storage is looked at.
const LOOK_MS: u32 = 500;

impl Seat {
    /// Recovers once the storage behind the fence fails.
    pub(super) fn watch(self: &Rc<Self>, fence: &Fence) {
        let weak = Rc::downgrade(self);
        fence.on_failure(move || {
            if let Some(seat) = weak.upgrade() {
                // Whoever met the failure is still in the middle of it.
                wasm_bindgen_futures::spawn_local(async move { seat.recover().await });
            }
        });
    }

    /// Looks in a moment whether the storage is still there.
    pub(super) fn look_soon(self: &Rc<Self>) {
        if self.tab.borrow().role() != Role::Writing || self.looks.replace(true) {
            return;
        }
        let seat = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            clock::sleep(LOOK_MS).await;
            seat.looks.set(false);
            let fence = seat.fence.borrow().clone();
            fence.look().await;
        });
    }

    async fn recover(self: &Rc<Self>) {
        let (Some(name), Ok(old)) = (&self.name, self.desk()) else { return };
        run::abort(&old).await;
        let session = old.sessions.current.lock().await.to_jsonl();
        if self.tab.borrow().role() != Role::Writing {
            return;
        }
        self.fence.borrow().cut();
        let fence = Fence::default();
        self.fence.replace(fence.clone());
        let again = match storage::open(name, &fence).await {
            Ok(opened) => match bring_over(&old.workspace, &opened.workspace) {
                Ok(()) => Ok(opened),
                Err(error) => Err(error.to_string()),
            },
            Err(error) => Err(error.to_string()),
        };
        if self.tab.borrow().role() != Role::Writing {
            return fence.cut();
        }
        let (problem, opened, input) = match again {
            Ok(opened) => (reopened(), opened, None),
            Err(error) => {
                fence.cut();
                (gone(&error), in_memory(&old.workspace, error), Some(Input::Failed))
            }
        };
        self.move_to(&old, opened, &session).await;
        self.outbox.tell(&Notification::Problem(problem));
        match input {
            Some(input) => self.happen(input),
            None => {
                self.watch(&fence);
                self.show().await;
            }
        }
    }

    /// The desk of another storage, with the session that was open.
    async fn move_to(self: &Rc<Self>, old: &Rc<Desk>, opened: OpenedStorage, session: &str) {
        match crate::commands::lay(&self.outbox, self.lang.clone(), opened) {
            Ok(desk) => {
                desk.take_from(old);
                if let Some(id) = old.sessions.stored_id().await {
                    sessions::bring_over(&desk, &id, session.as_bytes()).await;
                }
                self.desk.replace(Some(desk));
            }
            Err(problem) => self.outbox.tell(&Notification::Problem(problem)),
        }
    }
}

fn in_memory(old: &Workspace, error: String) -> OpenedStorage {
    let opened = storage::in_memory(StorageKind::Unavailable, Some(error));
    // It has the limits of the one it comes from, and no storage that could refuse.
    let _ = bring_over(old, &opened.workspace);
    opened
}

fn reopened() -> Problem {
    Problem::new(
        "storage-reopened",
        "the browser closed or cleared the storage of this workspace; the files and this session were stored again",
        "look whether the last change is there, and make it again if it was refused; other sessions may be gone",
    )
}

fn gone(error: &str) -> Problem {
    Problem::new(
        "storage-lost",
        format!("the storage of this workspace is gone ({error}); all files and this session are in memory now"),
        "download the files and export the session before you close or reload the page",
    )
}

/// Makes one workspace what another is, if it is not already.
fn bring_over(from: &Workspace, to: &Workspace) -> Result<(), WorkspaceError> {
    let (here, there) = (everything(from)?, everything(to)?);
    if here == there {
        return Ok(());
    }
    let remove = to.list(&WorkspacePath::root())?.into_iter();
    let remove = remove.map(|entry| Ok(Edit::Remove(WorkspacePath::root().join(&entry.name)?)));
    let remove: Vec<Edit> = remove.collect::<Result<_, WorkspaceError>>()?;
    let make = here.into_iter().map(|(path, node)| match node {
        Node::Folder => Edit::MakeFolder(path),
        Node::File(contents, modified_ms) => Edit::Import(path, contents, modified_ms),
    });
    to.change_all(remove.into_iter().chain(make)).map(|_| ())
}

#[derive(PartialEq)]
enum Node {
    Folder,
    File(Contents, u64),
}

/// All there is, folders before what is in them.
fn everything(workspace: &Workspace) -> Result<Vec<(WorkspacePath, Node)>, WorkspaceError> {
    let mut found = Vec::new();
    let mut folders = vec![WorkspacePath::root()];
    while let Some(folder) = folders.pop() {
        for entry in workspace.list(&folder)? {
            let path = folder.join(&entry.name)?;
            match entry.kind {
                Kind::Folder => {
                    folders.push(path.clone());
                    found.push((path, Node::Folder));
                }
                Kind::File => found.push((path.clone(), Node::File(workspace.read(&path)?, entry.modified_ms))),
            }
        }
    }
    Ok(found)
}

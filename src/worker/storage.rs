//! Where things are kept: the browser's private file system, or memory where that is not to be had.

use std::rc::Rc;

use vitrine::platform::opfs::OpfsBackend;
use vitrine::platform::{clock, random};
use vitrine_protocol::notification::{Damaged, Storage, StorageKind};
use vitrine_vfs::{Backend, MemoryBackend, Options, Workspace, WorkspaceError};

use crate::fence::Fence;

/// An open workspace and the backend its sessions are kept in.
pub struct OpenedStorage {
    /// What the page is told.
    pub storage: Storage,
    /// The agent's files.
    pub workspace: Workspace,
    /// Where sessions go.
    pub sessions: Rc<dyn Backend>,
}

/// Opens the named workspace in the browser, behind a fence. To be called by whoever has its lock; it may still be refused as
/// long as the one before has its files open.
pub async fn open(name: &str, fence: &Fence) -> Result<OpenedStorage, WorkspaceError> {
    let files = fence.before(OpfsBackend::open(&format!("vitrine/{name}/files")).await?);
    let salt = u64::from_le_bytes(random::bytes());
    let (workspace, recovery) = Workspace::open(files, Options { salt, ..Options::default() }).await?;
    workspace.set_clock(Rc::new(clock::wall_ms));
    let sessions = fence.before(OpfsBackend::open(&format!("vitrine/{name}/sessions")).await?);
    let lost = recovery.damages.iter().filter(|damage| !damage.is_made_good).map(|damage| damage.n_bytes).sum::<u64>();
    let dropped_bytes = recovery.dropped_bytes + lost;
    let damages = recovery.damages.iter().map(|damage| Damaged {
        path: damage.path.as_ref().map(ToString::to_string),
        bytes: damage.n_bytes,
        made_good: damage.is_made_good,
    });
    let damages = damages.collect();
    let reason = recovery.read_only.or(recovery.set_aside);
    let storage = Storage { kind: StorageKind::Browser, reason, dropped_bytes, damages, ..Storage::default() };
    Ok(OpenedStorage { storage, workspace, sessions })
}

/// A workspace in memory.
pub fn in_memory(kind: StorageKind, reason: Option<String>) -> OpenedStorage {
    let workspace = Workspace::in_memory();
    workspace.set_clock(Rc::new(clock::wall_ms));
    let storage = Storage { kind, reason, ..Storage::default() };
    OpenedStorage { storage, workspace, sessions: Rc::new(MemoryBackend::default()) }
}

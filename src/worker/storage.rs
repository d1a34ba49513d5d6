//! Where things are kept: the browser's private file system, or memory where that is not to be had.

use std::rc::Rc;

use vitrine::platform::clock;
use vitrine::platform::lock::{self, Guard};
use vitrine::platform::opfs::OpfsBackend;
use vitrine::platform::random;
use vitrine_protocol::notification::{Problem, Storage, StorageKind};
use vitrine_vfs::{Backend, BackendError, MemoryBackend, Options, Workspace, WorkspaceError};

/// The right to write a workspace; given back when dropped.
pub type Lease = Guard;

/// An open workspace and the backend its sessions are kept in.
pub struct OpenedStorage {
    /// What the page is told.
    pub storage: Storage,
    /// The agent's files.
    pub workspace: Workspace,
    /// Where sessions go.
    pub sessions: Rc<dyn Backend>,
    /// The right to write it.
    pub lease: Option<Lease>,
}

/// Opens the named workspace, or a throw-away one. What the browser refuses becomes memory, and says so.
pub async fn open(name: Option<&str>) -> Result<OpenedStorage, Problem> {
    let Some(name) = name else { return Ok(in_memory(StorageKind::Memory, None)) };
    match open_when_free(name).await {
        Ok(opened) => Ok(opened),
        Err(WorkspaceError::Storage(error @ BackendError::LockedElsewhere { .. })) => {
            Ok(in_memory(StorageKind::OtherTab, Some(error.to_string())))
        }
        Err(WorkspaceError::Storage(error)) => Ok(in_memory(StorageKind::Unavailable, Some(error.to_string()))),
        Err(error) => Err(crate::files::problem(&error)),
    }
}

/// How long to wait for a workspace that is taken. A page that was reloaded in the middle of a write has it until its
/// worker is gone, which looks like another tab.
const PATIENCE_MS: f64 = 2_500.0;
/// How long between two looks.
const PAUSE_MS: u32 = 100;

async fn open_when_free(name: &str) -> Result<OpenedStorage, WorkspaceError> {
    let began_ms = clock::monotonic_ms();
    loop {
        match open_in_browser(name).await {
            Err(WorkspaceError::Storage(BackendError::LockedElsewhere { .. }))
                if clock::monotonic_ms() - began_ms < PATIENCE_MS =>
            {
                clock::sleep(PAUSE_MS).await;
            }
            result => return result,
        }
    }
}

async fn open_in_browser(name: &str) -> Result<OpenedStorage, WorkspaceError> {
    let Some(lease) = lock::try_lock(&format!("vitrine/{name}")).await else {
        return Err(BackendError::LockedElsewhere { name: name.to_owned() }.into());
    };
    let files = Rc::new(OpfsBackend::open(&format!("vitrine/{name}/files")).await?);
    let salt = u64::from_le_bytes(random::bytes());
    let (workspace, recovery) = Workspace::open(files, Options { salt, ..Options::default() }).await?;
    workspace.set_clock(Rc::new(clock::wall_ms));
    let sessions = Rc::new(OpfsBackend::open(&format!("vitrine/{name}/sessions")).await?);
    let lost = recovery.damages.iter().filter(|damage| !damage.is_made_good).map(|damage| damage.n_bytes).sum::<u64>();
    let dropped_bytes = recovery.dropped_bytes + lost;
    let reason = recovery.read_only.or(recovery.set_aside);
    let storage = Storage { kind: StorageKind::Browser, reason, dropped_bytes };
    Ok(OpenedStorage { storage, workspace, sessions, lease: Some(lease) })
}

fn in_memory(kind: StorageKind, reason: Option<String>) -> OpenedStorage {
    let workspace = Workspace::in_memory();
    workspace.set_clock(Rc::new(clock::wall_ms));
    OpenedStorage {
        storage: Storage { kind, reason, dropped_bytes: 0 },
        workspace,
        sessions: Rc::new(MemoryBackend::default()),
        lease: None,
    }
}

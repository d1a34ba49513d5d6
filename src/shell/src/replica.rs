//! [`Replica`]: the file system that the shell sees: the workspace's files at its root, scratch files everywhere else.

use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bashkit::time::SystemTime;
use bashkit::{
    DirEntry, FileSystem, FileSystemExt, FileType, FsLimits, FsUsage, InMemoryFs, Metadata, Result, normalize_path,
};
use vitrine_shell::Change;

use crate::limits;
use crate::tree::{self, Body, Node, Refusal, Tree};

/// Hears of each change that the shell makes in the workspace, at once and in order.
pub type OnChange = Arc<dyn Fn(Change) + Send + Sync>;

/// The files. Reading is local; each change of the workspace is told when it has happened. What is outside of the workspace is
/// nobody else's business and is never told.
pub struct Replica {
    root: tree::Path,
    workspace: Mutex<Tree<SystemTime>>,
    scratch: InMemoryFs,
    on_change: OnChange,
}

/// Where a path leads.
enum Place {
    Workspace(tree::Path),
    Scratch(PathBuf),
}

impl Replica {
    /// With an empty workspace at an absolute path.
    pub fn new(root: &str, on_change: OnChange) -> Self {
        let root: tree::Path = root.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let scratch = InMemoryFs::with_limits(limits::scratch());
        scratch.add_dir(format!("/{}", root.join("/")), 0o755);
        Self { root, workspace: Mutex::new(Tree::new(now())), scratch, on_change }
    }

    /// Takes a change that was made elsewhere. What does not fit is left out: the other side has checked it, and if the two
    /// still differ, the file is there and not here.
    pub fn apply(&self, change: Change) {
        let (mut tree, now) = (self.tree(), now());
        let names =
            |path: &str| -> tree::Path { path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect() };
        // Here every folder on the way is made, as the workspace does it.
        let prepare = |tree: &mut Tree<SystemTime>, path: &tree::Path| {
            let parent = path.split_last().map(|(_, parent)| parent).unwrap_or_default();
            tree.make_folder(parent, true, now)
        };
        let _ = match change {
            Change::Write { path, bytes } => {
                let path = names(&path);
                prepare(&mut tree, &path).and_then(|()| tree.write(&path, bytes, now))
            }
            Change::Append { path, bytes } => {
                let path = names(&path);
                prepare(&mut tree, &path).and_then(|()| tree.append(&path, &bytes, now))
            }
            Change::Folder { path } => tree.make_folder(&names(&path), true, now),
            Change::Remove { path } if path.is_empty() => {
                tree.clear();
                Ok(())
            }
            Change::Remove { path } => tree.remove(&names(&path), true),
            Change::Rename { from, to } => {
                let (from, to) = (names(&from), names(&to));
                prepare(&mut tree, &to).and_then(|()| tree.rename(&from, &to))
            }
        };
    }

    /// A panic while it is held ends the module, so nobody sees a lock that is poisoned.
    fn tree(&self) -> MutexGuard<'_, Tree<SystemTime>> {
        self.workspace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn place(&self, path: &Path) -> Place {
        let path = normalize_path(path);
        let names: tree::Path =
            path.to_string_lossy().split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        match names.strip_prefix(self.root.as_slice()) {
            Some(inside) => Place::Workspace(inside.to_vec()),
            None => Place::Scratch(path),
        }
    }

    /// Changes the workspace and tells it.
    fn change(
        &self,
        act: impl FnOnce(&mut Tree<SystemTime>) -> std::result::Result<(), Refusal>,
        change: impl FnOnce() -> Change,
    ) -> Result<()> {
        act(&mut self.tree()).map_err(error)?;
        (self.on_change)(change());
        Ok(())
    }

    /// Copies what crosses the border between the workspace and the rest.
    async fn copy_across(&self, from: &Path, to: &Path) -> Result<()> {
        let bytes = self.read_file(from).await?;
        self.write_file(to, &bytes).await
    }
}

#[async_trait]
impl FileSystem for Replica {
    async fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        match self.place(path) {
            Place::Workspace(path) => Ok(self.tree().read(&path).map_err(error)?.to_vec()),
            Place::Scratch(path) => self.scratch.read_file(&path).await,
        }
    }

    async fn write_file(&self, path: &Path, content: &[u8]) -> Result<()> {
        match self.place(path) {
            Place::Workspace(path) => self.change(
                |tree| tree.write(&path, content.to_vec(), now()),
                || Change::Write { path: path.join("/"), bytes: content.to_vec() },
            ),
            Place::Scratch(path) => self.scratch.write_file(&path, content).await,
        }
    }

    async fn append_file(&self, path: &Path, content: &[u8]) -> Result<()> {
        match self.place(path) {
            Place::Workspace(path) => self.change(
                |tree| tree.append(&path, content, now()),
                || Change::Append { path: path.join("/"), bytes: content.to_vec() },
            ),
            Place::Scratch(path) => self.scratch.append_file(&path, content).await,
        }
    }

    async fn mkdir(&self, path: &Path, recursive: bool) -> Result<()> {
        match self.place(path) {
            Place::Workspace(path) => self
                .change(|tree| tree.make_folder(&path, recursive, now()), || Change::Folder { path: path.join("/") }),
            Place::Scratch(path) => self.scratch.mkdir(&path, recursive).await,
        }
    }

    async fn remove(&self, path: &Path, recursive: bool) -> Result<()> {
        match self.place(path) {
            Place::Workspace(path) => {
                self.change(|tree| tree.remove(&path, recursive), || Change::Remove { path: path.join("/") })
            }
            // A folder above the workspace has it inside.
            Place::Scratch(path) if self.is_above(&path) => Err(error(Refusal::Root)),
            Place::Scratch(path) => self.scratch.remove(&path, recursive).await,
        }
    }

    async fn stat(&self, path: &Path) -> Result<Metadata> {
        match self.place(path) {
            Place::Workspace(path) => Ok(metadata(self.tree().find(&path).map_err(error)?)),
            Place::Scratch(path) => self.scratch.stat(&path).await,
        }
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>> {
        match self.place(path) {
            Place::Workspace(path) => {
                let tree = self.tree();
                let listed = tree.list(&path).map_err(error)?.into_iter();
                Ok(listed.map(|(name, node)| DirEntry { name: name.to_owned(), metadata: metadata(node) }).collect())
            }
            Place::Scratch(path) => self.scratch.read_dir(&path).await,
        }
    }

    async fn exists(&self, path: &Path) -> Result<bool> {
        match self.place(path) {
            Place::Workspace(path) => Ok(self.tree().find(&path).is_ok()),
            Place::Scratch(path) => self.scratch.exists(&path).await,
        }
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        match (self.place(from), self.place(to)) {
            (Place::Workspace(from), Place::Workspace(to)) => {
                let is_same = from == to;
                let change = || Change::Rename { from: from.join("/"), to: to.join("/") };
                match is_same {
                    true => self.tree().find(&from).map(|_| ()).map_err(error),
                    false => self.change(|tree| tree.rename(&from, &to), change),
                }
            }
            (Place::Scratch(from), _) if self.is_above(&from) => Err(error(Refusal::Root)),
            (Place::Scratch(from), Place::Scratch(to)) => self.scratch.rename(&from, &to).await,
            (Place::Workspace(_), Place::Scratch(_)) | (Place::Scratch(_), Place::Workspace(_)) => {
                if self.stat(from).await?.file_type.is_dir() {
                    let words = "a folder cannot be moved between the workspace and other folders; copy it with cp -r";
                    return Err(IoError::other(words).into());
                }
                self.copy_across(from, to).await?;
                self.remove(from, false).await
            }
        }
    }

    async fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        match (self.place(from), self.place(to)) {
            (Place::Scratch(from), Place::Scratch(to)) => self.scratch.copy(&from, &to).await,
            (Place::Workspace(_), _) | (_, Place::Workspace(_)) => self.copy_across(from, to).await,
        }
    }

    /// A link would be a file of its target's content to every other tool, or nothing.
    async fn symlink(&self, _: &Path, _: &Path) -> Result<()> {
        Err(IoError::new(ErrorKind::Unsupported, "symbolic links are not supported here; copy the file instead").into())
    }

    async fn read_link(&self, path: &Path) -> Result<PathBuf> {
        self.stat(path).await?;
        Err(IoError::new(ErrorKind::InvalidInput, "not a symbolic link").into())
    }

    async fn chmod(&self, path: &Path, mode: u32) -> Result<()> {
        match self.place(path) {
            Place::Workspace(path) => {
                self.tree().find_mut(&path).map_err(error)?.mode = mode;
                Ok(())
            }
            Place::Scratch(path) => self.scratch.chmod(&path, mode).await,
        }
    }

    async fn set_modified_time(&self, path: &Path, time: SystemTime) -> Result<()> {
        match self.place(path) {
            Place::Workspace(path) => {
                self.tree().find_mut(&path).map_err(error)?.modified = time;
                Ok(())
            }
            Place::Scratch(path) => self.scratch.set_modified_time(&path, time).await,
        }
    }
}

#[async_trait]
impl FileSystemExt for Replica {
    fn usage(&self) -> FsUsage {
        let (bytes, entries) = self.tree().usage();
        let scratch = self.scratch.usage();
        FsUsage::new(scratch.total_bytes + bytes, scratch.file_count + entries, scratch.dir_count)
    }

    async fn mkfifo(&self, path: &Path, mode: u32) -> Result<()> {
        match self.place(path) {
            Place::Workspace(_) => {
                Err(IoError::new(ErrorKind::Unsupported, "no pipes in the workspace; make it under /tmp").into())
            }
            Place::Scratch(path) => self.scratch.mkfifo(&path, mode).await,
        }
    }

    fn limits(&self) -> FsLimits {
        FsLimits::new()
            .max_total_bytes(limits::WORKSPACE_BYTES)
            .max_file_size(limits::FILE_BYTES)
            .max_file_count(limits::ENTRIES as u64)
            .max_dir_count(limits::ENTRIES as u64)
            .max_path_depth(limits::DEPTH)
            .max_filename_length(limits::NAME_BYTES)
            .max_path_length(limits::PATH_BYTES)
    }

    fn backend_kind(&self) -> &'static str {
        "workspace"
    }
}

impl Replica {
    fn is_above(&self, path: &Path) -> bool {
        let names: tree::Path =
            path.to_string_lossy().split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        self.root.starts_with(&names)
    }
}

impl std::fmt::Debug for Replica {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replica").field("root", &self.root).field("usage", &self.tree().usage()).finish()
    }
}

fn metadata(node: &Node<SystemTime>) -> Metadata {
    let (file_type, size) = match &node.body {
        Body::File(bytes) => (FileType::File, bytes.len() as u64),
        Body::Folder => (FileType::Directory, 0),
    };
    Metadata { file_type, size, mode: node.mode, modified: node.modified, created: node.modified }
}

fn error(refusal: Refusal) -> bashkit::Error {
    let kind = match refusal {
        Refusal::NotFound | Refusal::NoParent => ErrorKind::NotFound,
        Refusal::Exists => ErrorKind::AlreadyExists,
        Refusal::TooLong | Refusal::IntoItself => ErrorKind::InvalidInput,
        Refusal::IsFolder | Refusal::NotAFolder | Refusal::NotEmpty | Refusal::Root | Refusal::Full(_) => {
            ErrorKind::Other
        }
    };
    IoError::new(kind, refusal.words()).into()
}

/// The shell's own clock, which in a browser is the browser's; the standard one would panic there.
#[allow(clippy::disallowed_methods, reason = "natively the two are the same type")]
fn now() -> SystemTime {
    SystemTime::now()
}

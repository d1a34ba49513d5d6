//! The tree in memory: applying operations, and taking them back.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use crate::operation::Operation;
use crate::patch::Patch;
use crate::path::{MAX_DEPTH, MAX_PATH_BYTES, PathError, WorkspacePath};
use crate::workspace::{Kind, Limits, WorkspaceError};

/// So many patches of a file in a row; then it is written whole. It bounds what opening has to copy by what it reads.
const MAX_PATCHES: u8 = 8;

/// A file or folder. Cloning shares what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    File(File),
    /// A tree that was cloned copies the folders that are changed, and no others.
    Folder(Rc<Folder>),
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) contents: Arc<[u8]>,
    pub(crate) modified_ms: u64,
    /// How many patches made it, since it was last written whole.
    n_patches: u8,
}

/// What is in a folder, by name. Recursion over it is as deep as [`MAX_DEPTH`] at most.
pub(crate) type Folder = BTreeMap<Box<str>, Node>;

/// All files and folders, counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    root: Node,
    size: Size,
}

/// How much a part of the tree holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) entries: u64,
    pub(crate) bytes: u64,
}

/// What takes one operation back.
#[derive(Clone, Debug)]
pub(crate) enum Undo {
    /// Puts back what was there: a node, or nothing.
    Put { path: WorkspacePath, node: Option<Node> },
    /// Moves a node back.
    Move { from: WorkspacePath, to: WorkspacePath },
}

impl Default for Tree {
    fn default() -> Self {
        Self { root: Node::folder(), size: Size::default() }
    }
}

impl Node {
    fn folder() -> Self {
        Self::Folder(Rc::default())
    }

    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::File(_) => Kind::File,
            Self::Folder(_) => Kind::Folder,
        }
    }

    /// With itself.
    pub(crate) fn size(&self) -> Size {
        match self {
            Self::File(file) => Size { entries: 1, bytes: file.contents.len() as u64 },
            Self::Folder(folder) => folder.values().map(Self::size).fold(Size { entries: 1, bytes: 0 }, Size::plus),
        }
    }

    /// Calls `on_file` for each file below, sorted by path, or for itself; `path` is the node's.
    pub(crate) fn each_file(&self, path: &WorkspacePath, on_file: &mut dyn FnMut(WorkspacePath, Arc<[u8]>)) {
        match self {
            Self::File(file) => on_file(path.clone(), Arc::clone(&file.contents)),
            Self::Folder(folder) => {
                for (name, node) in &**folder {
                    node.each_file(&path.child(name), on_file);
                }
            }
        }
    }

    /// Names and bytes of the longest path below it.
    fn reach(&self) -> (usize, usize) {
        match self {
            Self::File(_) => (0, 0),
            Self::Folder(folder) => folder.iter().fold((0, 0), |(names, bytes), (name, node)| {
                let (names_below, bytes_below) = node.reach();
                (names.max(names_below + 1), bytes.max(bytes_below + name.len() + 1))
            }),
        }
    }
}

impl Size {
    fn plus(self, other: Self) -> Self {
        Self { entries: self.entries + other.entries, bytes: self.bytes + other.bytes }
    }

    fn minus(self, other: Self) -> Self {
        Self { entries: self.entries.saturating_sub(other.entries), bytes: self.bytes.saturating_sub(other.bytes) }
    }
}

impl Tree {
    pub(crate) fn root(&self) -> &Node {
        &self.root
    }

    pub(crate) fn size(&self) -> Size {
        self.size
    }

    /// What is at a path: `NotFound`, or `NotAFolder` when a file is in the way.
    pub(crate) fn find(&self, path: &WorkspacePath) -> Result<&Node, WorkspaceError> {
        let mut node = &self.root;
        for (depth, name) in path.names().enumerate() {
            let Node::Folder(folder) = node else {
                return Err(WorkspaceError::NotAFolder(path.prefix(depth)));
            };
            node = folder.get(name).ok_or_else(|| WorkspaceError::NotFound(path.clone()))?;
        }
        Ok(node)
    }

    /// Applies an operation and pushes what takes it back; nothing is pushed if nothing changed. Undos are taken back
    /// from the end. After an error the caller rolls back, since part of it may be done and pushed.
    pub(crate) fn apply(
        &mut self,
        operation: &Operation,
        limits: &Limits,
        undos: &mut Vec<Undo>,
    ) -> Result<(), WorkspaceError> {
        match operation {
            Operation::Write { path, contents, modified_ms } => {
                let file = File { contents: Arc::clone(contents), modified_ms: *modified_ms, n_patches: 0 };
                self.write(path, file, limits, undos)
            }
            Operation::Patch { path, patch, contents, modified_ms } => {
                let file = self.patched(path, patch, contents.as_ref(), *modified_ms)?;
                self.write(path, file, limits, undos)
            }
            Operation::MakeFolder(path) => self.make_folder(path, limits, undos),
            Operation::Remove(path) => self.remove(path, undos),
            Operation::Rename { from, to } => self.rename(from, to, limits, undos),
        }
    }

    /// Takes operations back, the last first.
    pub(crate) fn roll_back(&mut self, undos: Vec<Undo>) {
        for undo in undos.into_iter().rev() {
            match undo {
                Undo::Put { path, node } => {
                    self.put(&path, node);
                }
                Undo::Move { from, to } => {
                    let node = self.put(&from, None);
                    self.put(&to, node);
                }
            }
        }
    }

    /// The operation, or a patch that does the same and is much shorter.
    pub(crate) fn shortened(&self, operation: &Operation) -> Option<Operation> {
        let Operation::Write { path, contents, modified_ms } = operation else { return None };
        match self.find(path) {
            Ok(Node::File(file)) if file.n_patches < MAX_PATCHES => {
                let patch = Patch::between(&file.contents, contents)?;
                let (path, contents) = (path.clone(), Some(Arc::clone(contents)));
                Some(Operation::Patch { path, patch, contents, modified_ms: *modified_ms })
            }
            Ok(Node::File(_) | Node::Folder(_)) | Err(_) => None,
        }
    }

    fn patched(
        &self,
        path: &WorkspacePath,
        patch: &Patch,
        contents: Option<&Arc<[u8]>>,
        modified_ms: u64,
    ) -> Result<File, WorkspaceError> {
        let Node::File(old) = self.find(path)? else { return Err(WorkspaceError::NotAFile(path.clone())) };
        let contents = contents.cloned().or_else(|| patch.apply(&old.contents));
        // Only a journal that was damaged has a patch for another file than this one.
        let contents = contents.ok_or_else(|| WorkspaceError::NotFound(path.clone()))?;
        Ok(File { contents, modified_ms, n_patches: old.n_patches.saturating_add(1) })
    }

    fn write(
        &mut self,
        path: &WorkspacePath,
        file: File,
        limits: &Limits,
        undos: &mut Vec<Undo>,
    ) -> Result<(), WorkspaceError> {
        let missing = match self.first_missing(path)? {
            Some(missing) => missing,
            None if self.find(path)?.kind() == Kind::Folder => return Err(WorkspaceError::NotAFile(path.clone())),
            None => path.clone(),
        };
        check_limit(path, file.contents.len() as u64, limits.file_bytes, "bytes in a file")?;
        let replaced = self.put(path, Some(Node::File(file)));
        undos.push(Undo::Put { path: missing, node: replaced });
        self.check_limits(path, limits)
    }

    fn make_folder(
        &mut self,
        path: &WorkspacePath,
        limits: &Limits,
        undos: &mut Vec<Undo>,
    ) -> Result<(), WorkspaceError> {
        let Some(missing) = self.first_missing(path)? else {
            return match self.find(path)?.kind() {
                Kind::File => Err(WorkspaceError::AlreadyExists(path.clone())),
                Kind::Folder => Ok(()),
            };
        };
        self.put(path, Some(Node::folder()));
        undos.push(Undo::Put { path: missing, node: None });
        self.check_limits(path, limits)
    }

    fn remove(&mut self, path: &WorkspacePath, undos: &mut Vec<Undo>) -> Result<(), WorkspaceError> {
        if path.is_root() {
            return Err(WorkspaceError::Root);
        }
        self.find(path)?;
        let node = self.put(path, None);
        undos.push(Undo::Put { path: path.clone(), node });
        Ok(())
    }

    fn rename(
        &mut self,
        from: &WorkspacePath,
        to: &WorkspacePath,
        limits: &Limits,
        undos: &mut Vec<Undo>,
    ) -> Result<(), WorkspaceError> {
        if from.is_root() {
            return Err(WorkspaceError::Root);
        }
        let (names_below, bytes_below) = self.find(from)?.reach();
        if from == to {
            return Ok(());
        }
        if to.is_within(from) {
            return Err(WorkspaceError::IntoItself { from: from.clone(), to: to.clone() });
        }
        let Some(missing) = self.first_missing(to)? else {
            return Err(WorkspaceError::AlreadyExists(to.clone()));
        };
        if to.names().count() + names_below > MAX_DEPTH || to.as_str().len() + bytes_below > MAX_PATH_BYTES {
            return Err(PathError::TooLong(to.to_string()).into());
        }
        let node = self.put(from, None);
        self.put(to, node);
        if missing != *to {
            undos.push(Undo::Put { path: missing, node: None });
        }
        undos.push(Undo::Move { from: to.clone(), to: from.clone() });
        self.check_limits(to, limits)
    }

    /// The topmost part of a path that is not there; `None` if all of it is. `NotAFolder` if a file is in the way.
    fn first_missing(&self, path: &WorkspacePath) -> Result<Option<WorkspacePath>, WorkspaceError> {
        let mut node = &self.root;
        for (depth, name) in path.names().enumerate() {
            let Node::Folder(folder) = node else {
                return Err(WorkspaceError::NotAFolder(path.prefix(depth)));
            };
            match folder.get(name) {
                Some(next) => node = next,
                None => return Ok(Some(path.prefix(depth + 1))),
            }
        }
        Ok(None)
    }

    /// Makes a node, or nothing, be at a path, and returns what was there. Folders above it are made; that no file is
    /// in the way was checked. Keeps count.
    fn put(&mut self, path: &WorkspacePath, node: Option<Node>) -> Option<Node> {
        let (parent, name) = (path.parent()?, path.name()?);
        let Node::Folder(root) = &mut self.root else { return None };
        let mut folder = Rc::make_mut(root);
        for name in parent.names() {
            if !folder.contains_key(name) {
                self.size.entries += 1;
                folder.insert(name.into(), Node::folder());
            }
            let Some(Node::Folder(next)) = folder.get_mut(name) else {
                debug_assert!(false, "a file is above {path}");
                return None;
            };
            folder = Rc::make_mut(next);
        }
        let added = node.as_ref().map(Node::size).unwrap_or_default();
        let replaced = match node {
            Some(node) => folder.insert(name.into(), node),
            None => folder.remove(name),
        };
        let removed = replaced.as_ref().map(Node::size).unwrap_or_default();
        self.size = self.size.plus(added).minus(removed);
        replaced
    }

    fn check_limits(&self, path: &WorkspacePath, limits: &Limits) -> Result<(), WorkspaceError> {
        check_limit(path, self.size.bytes, limits.workspace_bytes, "bytes in the workspace")?;
        check_limit(path, self.size.entries, limits.entries, "files and folders in the workspace")
    }
}

fn check_limit(path: &WorkspacePath, size: u64, limit: u64, unit: &'static str) -> Result<(), WorkspaceError> {
    if size > limit {
        return Err(WorkspaceError::TooLarge { path: path.clone(), size, limit, unit });
    }
    Ok(())
}

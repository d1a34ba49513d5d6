//! The tree in memory: applying operations, and taking them back.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::operation::Operation;
use crate::path::{MAX_DEPTH, MAX_PATH_BYTES, PathError, WorkspacePath};
use crate::workspace::{Kind, Limits, WorkspaceError};

/// A file or folder. Cloning shares contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    File(Arc<[u8]>),
    Folder(Folder),
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
        Self { root: Node::Folder(Folder::new()), size: Size::default() }
    }
}

impl Node {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Self::File(_) => Kind::File,
            Self::Folder(_) => Kind::Folder,
        }
    }

    /// With itself.
    pub(crate) fn size(&self) -> Size {
        match self {
            Self::File(contents) => Size { entries: 1, bytes: contents.len() as u64 },
            Self::Folder(folder) => folder.values().map(Self::size).fold(Size { entries: 1, bytes: 0 }, Size::plus),
        }
    }

    /// Calls `on_file` for each file below, sorted by path, or for itself; `path` is the node's.
    pub(crate) fn each_file(&self, path: &WorkspacePath, on_file: &mut dyn FnMut(WorkspacePath, Arc<[u8]>)) {
        match self {
            Self::File(contents) => on_file(path.clone(), Arc::clone(contents)),
            Self::Folder(folder) => {
                for (name, node) in folder {
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
            Operation::Write { path, contents } => self.write(path, contents, limits, undos),
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

    fn write(
        &mut self,
        path: &WorkspacePath,
        contents: &Arc<[u8]>,
        limits: &Limits,
        undos: &mut Vec<Undo>,
    ) -> Result<(), WorkspaceError> {
        let missing = match self.first_missing(path)? {
            Some(missing) => missing,
            None if self.find(path)?.kind() == Kind::Folder => return Err(WorkspaceError::NotAFile(path.clone())),
            None => path.clone(),
        };
        let size = contents.len() as u64;
        check_limit(path, size, limits.file_bytes, "bytes in a file")?;
        let replaced = self.put(path, Some(Node::File(Arc::clone(contents))));
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
        self.put(path, Some(Node::Folder(Folder::new())));
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
        let mut folder = root;
        for name in parent.names() {
            let next = folder.entry(name.into()).or_insert_with(|| {
                self.size.entries += 1;
                Node::Folder(Folder::new())
            });
            let Node::Folder(next) = next else {
                debug_assert!(false, "a file is above {path}");
                return None;
            };
            folder = next;
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

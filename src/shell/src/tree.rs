//! The files of the workspace in memory: folders sorted by name, and what may be done with them.

use std::collections::BTreeMap;

use crate::limits;

/// A file or a folder.
#[derive(Clone, Debug)]
pub struct Node<T> {
    /// What it is.
    pub body: Body,
    /// Permission bits; kept here and nowhere else.
    pub mode: u32,
    /// When it was changed, in the caller's time.
    pub modified: T,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum Body {
    /// Bytes.
    File(Vec<u8>),
    /// Nothing, so far: names and nodes are in the tree.
    Folder,
}

/// Why something was not done. The words are those of the shell's own file systems, since its commands look for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Nothing is there.
    NotFound,
    /// The folder that it would be in is not there.
    NoParent,
    /// A folder is where a file has to be.
    IsFolder,
    /// A file is where a folder has to be.
    NotAFolder,
    /// Something is there.
    Exists,
    /// There is something in the folder.
    NotEmpty,
    /// A folder cannot be moved into itself.
    IntoItself,
    /// The workspace itself stays where it is.
    Root,
    /// A name or path is longer than the workspace takes.
    TooLong,
    /// One of the limits of size or number.
    Full(&'static str),
}

impl Refusal {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotFound => "No such file or directory",
            Self::NoParent => "parent directory not found",
            Self::IsFolder => "is a directory",
            Self::NotAFolder => "not a directory",
            Self::Exists => "file exists",
            Self::NotEmpty => "directory not empty",
            Self::IntoItself => "cannot move a directory into itself",
            Self::Root => "the workspace itself cannot be removed or moved",
            Self::TooLong => "File name too long",
            Self::Full(words) => words,
        }
    }
}

/// The tree. A path is a list of names; the empty one is the root, which is always there. Nodes are kept by path, so that what
/// is below a folder stands right behind it.
#[derive(Clone, Debug)]
pub struct Tree<T> {
    nodes: BTreeMap<Path, Node<T>>,
    bytes: u64,
}

/// Names from the root down.
pub type Path = Vec<String>;

impl<T: Copy> Tree<T> {
    /// With nothing in it.
    pub fn new(now: T) -> Self {
        let root = Node { body: Body::Folder, mode: 0o755, modified: now };
        Self { nodes: BTreeMap::from([(Path::new(), root)]), bytes: 0 }
    }

    /// What a path names.
    pub fn find(&self, path: &[String]) -> Result<&Node<T>, Refusal> {
        if let Some(node) = self.nodes.get(path) {
            return Ok(node);
        }
        Err(if self.above_is_a_file(path) { Refusal::NotAFolder } else { Refusal::NotFound })
    }

    /// The bytes of a file.
    pub fn read(&self, path: &[String]) -> Result<&[u8], Refusal> {
        match &self.find(path)?.body {
            Body::File(bytes) => Ok(bytes),
            Body::Folder => Err(Refusal::IsFolder),
        }
    }

    /// The names in a folder, and their nodes.
    pub fn list(&self, path: &[String]) -> Result<Vec<(&str, &Node<T>)>, Refusal> {
        match self.find(path)?.body {
            Body::File(_) => return Err(Refusal::NotAFolder),
            Body::Folder => {}
        }
        let (mut listed, mut from) = (Vec::new(), path.to_vec());
        from.push(String::new());
        // From child to child: what is below one is stepped over, or listing every folder would go over everything each time.
        while let Some((child, node)) = self.nodes.range(from.clone()..).next() {
            let Some([name]) = child.strip_prefix(path) else {
                if !child.starts_with(path) {
                    break;
                }
                // Something below the child before.
                from = past(child.get(..=path.len()).unwrap_or_default());
                continue;
            };
            listed.push((name.as_str(), node));
            from = past(child);
        }
        Ok(listed)
    }

    /// Makes or overwrites a file; its folder must be there.
    pub fn write(&mut self, path: &[String], bytes: Vec<u8>, now: T) -> Result<(), Refusal> {
        let old = match self.nodes.get(path) {
            Some(Node { body: Body::Folder, .. }) => return Err(Refusal::IsFolder),
            Some(Node { body: Body::File(old), mode, .. }) => Some((old.len() as u64, *mode)),
            None => {
                self.check_parent(path)?;
                self.check_room()?;
                None
            }
        };
        let (old_bytes, mode) = old.unwrap_or((0, 0o644));
        self.check_bytes(bytes.len() as u64, old_bytes)?;
        self.bytes = self.bytes - old_bytes + bytes.len() as u64;
        self.nodes.insert(path.to_vec(), Node { body: Body::File(bytes), mode, modified: now });
        Ok(())
    }

    /// Adds to the end of a file, which is made if it is not there.
    pub fn append(&mut self, path: &[String], bytes: &[u8], now: T) -> Result<(), Refusal> {
        let length = match self.nodes.get(path).map(|node| &node.body) {
            Some(Body::File(old)) => old.len() as u64,
            Some(Body::Folder) | None => return self.write(path, bytes.to_vec(), now),
        };
        self.check_bytes(length + bytes.len() as u64, length)?;
        if let Some(Node { body: Body::File(old), modified, .. }) = self.nodes.get_mut(path) {
            old.extend_from_slice(bytes);
            *modified = now;
            self.bytes += bytes.len() as u64;
        }
        Ok(())
    }

    /// Makes a folder. With `deep` those above it too, and one that is there already is no error.
    pub fn make_folder(&mut self, path: &[String], deep: bool, now: T) -> Result<(), Refusal> {
        match self.nodes.get(path).map(|node| &node.body) {
            Some(Body::Folder) if deep => return Ok(()),
            Some(_) => return Err(Refusal::Exists),
            None => {}
        }
        if !deep {
            self.check_parent(path)?;
        } else if self.above_is_a_file(path) {
            return Err(Refusal::NotAFolder);
        }
        self.check_length(path)?;
        for length in 1..=path.len() {
            let folder = path.get(..length).unwrap_or_default();
            if !self.nodes.contains_key(folder) {
                self.check_room()?;
                self.nodes.insert(folder.to_vec(), Node { body: Body::Folder, mode: 0o755, modified: now });
            }
        }
        Ok(())
    }

    /// Removes a file, an empty folder, or with `deep` a folder with all in it.
    pub fn remove(&mut self, path: &[String], deep: bool) -> Result<(), Refusal> {
        if path.is_empty() {
            return Err(Refusal::Root);
        }
        self.find(path)?;
        let below = self.below(path);
        if !deep && below.len() > 1 {
            return Err(Refusal::NotEmpty);
        }
        for path in below {
            self.take(&path);
        }
        Ok(())
    }

    /// Moves a file or folder; a file or an empty folder that is there is replaced by one of its kind.
    pub fn rename(&mut self, from: &[String], to: &[String]) -> Result<(), Refusal> {
        if from.is_empty() || to.is_empty() {
            return Err(Refusal::Root);
        }
        let is_folder = matches!(self.find(from)?.body, Body::Folder);
        if from == to {
            return Ok(());
        }
        if to.starts_with(from) {
            return Err(Refusal::IntoItself);
        }
        self.check_parent(to)?;
        match (is_folder, self.nodes.get(to).map(|node| &node.body)) {
            (_, None) | (false, Some(Body::File(_))) => {}
            (false, Some(Body::Folder)) => return Err(Refusal::IsFolder),
            (true, Some(Body::File(_))) => return Err(Refusal::NotAFolder),
            (true, Some(Body::Folder)) if self.below(to).len() > 1 => return Err(Refusal::NotEmpty),
            (true, Some(Body::Folder)) => {}
        }
        let below = self.below(from);
        let new_path = |path: &[String]| [to, path.get(from.len()..).unwrap_or_default()].concat();
        for path in &below {
            self.check_length(&new_path(path))?;
        }
        self.take(to);
        for path in below {
            if let Some(node) = self.take(&path) {
                if let Body::File(bytes) = &node.body {
                    self.bytes += bytes.len() as u64;
                }
                self.nodes.insert(new_path(&path), node);
            }
        }
        Ok(())
    }

    /// The node, to change what is no content of it.
    pub fn find_mut(&mut self, path: &[String]) -> Result<&mut Node<T>, Refusal> {
        self.nodes.get_mut(path).ok_or(Refusal::NotFound)
    }

    /// Everything goes.
    pub fn clear(&mut self) {
        self.nodes.retain(|path, _| path.is_empty());
        self.bytes = 0;
    }

    /// Bytes of all files, and how many files and folders there are.
    pub fn usage(&self) -> (u64, u64) {
        (self.bytes, self.nodes.len() as u64)
    }

    fn take(&mut self, path: &[String]) -> Option<Node<T>> {
        let node = self.nodes.remove(path)?;
        if let Body::File(bytes) = &node.body {
            self.bytes -= bytes.len() as u64;
        }
        Some(node)
    }

    /// The path and all below it.
    fn below(&self, path: &[String]) -> Vec<Path> {
        let from = self.nodes.range(path.to_vec()..);
        from.map(|(below, _)| below).take_while(|below| below.starts_with(path)).cloned().collect()
    }

    fn above_is_a_file(&self, path: &[String]) -> bool {
        let mut above = (1..path.len()).filter_map(|length| self.nodes.get(path.get(..length)?));
        above.any(|node| matches!(node.body, Body::File(_)))
    }

    fn check_parent(&self, path: &[String]) -> Result<(), Refusal> {
        self.check_length(path)?;
        let parent = path.split_last().map(|(_, parent)| parent).unwrap_or_default();
        match self.nodes.get(parent).map(|node| &node.body) {
            Some(Body::Folder) => Ok(()),
            Some(Body::File(_)) => Err(Refusal::NotAFolder),
            None if self.above_is_a_file(path) => Err(Refusal::NotAFolder),
            None => Err(Refusal::NoParent),
        }
    }

    fn check_length(&self, path: &[String]) -> Result<(), Refusal> {
        let length = path.iter().map(|name| name.len() + 1).sum::<usize>();
        let name_is_long = path.iter().any(|name| name.len() > limits::NAME_BYTES);
        let is_long = name_is_long || length > limits::PATH_BYTES || path.len() > limits::DEPTH;
        if is_long { Err(Refusal::TooLong) } else { Ok(()) }
    }

    fn check_room(&self) -> Result<(), Refusal> {
        if self.nodes.len() > limits::ENTRIES {
            return Err(Refusal::Full("No space left on device: too many files"));
        }
        Ok(())
    }

    fn check_bytes(&self, new: u64, old: u64) -> Result<(), Refusal> {
        if new > limits::FILE_BYTES {
            return Err(Refusal::Full("File too large"));
        }
        if self.bytes - old + new > limits::WORKSPACE_BYTES {
            return Err(Refusal::Full("No space left on device"));
        }
        Ok(())
    }
}

/// The first path behind this one and all below it: no name holds NUL, so that nothing is between.
fn past(path: &[String]) -> Path {
    let mut past = path.to_vec();
    if let Some(name) = past.last_mut() {
        name.push('\0');
    }
    past
}

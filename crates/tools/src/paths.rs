//! From what a model writes as a path to a place in the workspace, and back to what it is shown.

use percent_encoding::percent_decode_str;
use vitrine_vfs::{Kind, PathError, Workspace, WorkspaceError, WorkspacePath};

use crate::unicode::Unicode;

/// How the workspace looks to the model: as a part of an ordinary file system with absolute paths.
///
/// Nothing outside the workspace exists. An absolute path has to be under `root`; a relative one starts at `cwd` and may
/// climb as long as it comes back.
#[derive(Clone, Debug)]
pub struct Paths {
    root: Vec<String>,
    cwd: Vec<String>,
    unicode: &'static dyn Unicode,
}

/// A path of the workspace, and how the model sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Where it is.
    pub path: WorkspacePath,
    /// Absolute, as in error texts.
    pub shown: String,
}

#[cfg(feature = "tables")]
impl Default for Paths {
    /// The whole workspace is `/workspace`, and the model is in it.
    fn default() -> Self {
        Self::new("/workspace", "/workspace", &crate::unicode::Tables)
    }
}

impl Paths {
    /// `root` is the absolute path at which the model sees the workspace's root, `cwd` the folder it is in: `root` or
    /// one below it. A `cwd` outside `root` counts as `root`.
    pub fn new(root: &str, cwd: &str, unicode: &'static dyn Unicode) -> Self {
        let root = names(Vec::new(), root);
        let cwd = names(Vec::new(), cwd);
        let cwd = if cwd.starts_with(&root) { cwd } else { root.clone() };
        Self { root, cwd, unicode }
    }

    /// Takes a path as a model writes it: a leading `@` is dropped, Unicode blanks are spaces, `~` is the root, and
    /// `file://` URLs are decoded. The error is the text the model reads.
    pub fn resolve(&self, raw: &str) -> Result<Resolved, String> {
        let text: String = raw.strip_prefix('@').unwrap_or(raw).chars().map(plain_space).collect();
        let text = match text.strip_prefix("file://") {
            Some(url) => {
                percent_decode_str(url.strip_prefix("localhost").unwrap_or(url)).decode_utf8_lossy().into_owned()
            }
            None => text,
        };
        let full = match (text.strip_prefix('~'), text.starts_with('/')) {
            (Some(rest), _) if rest.is_empty() || rest.starts_with('/') => names(self.root.clone(), rest),
            (_, true) => names(Vec::new(), &text),
            (_, false) => names(self.cwd.clone(), &text),
        };
        let outside = || format!("Path is outside the workspace: {}. Use a path under {}.", excerpt(raw), self.cwd());
        let inside = full.strip_prefix(self.root.as_slice()).ok_or_else(outside)?;
        let path = WorkspacePath::parse(&inside.join("/")).map_err(|error| match error {
            PathError::Outside(_) => outside(),
            PathError::Nul(_) => format!("Path contains a NUL character: {:?}", excerpt(raw)),
            PathError::TooLong(_) | PathError::NotAName(_) => {
                format!("ENAMETOOLONG: name too long, open '{}'", excerpt(raw))
            }
        })?;
        Ok(Resolved { path, shown: absolute(&full) })
    }

    /// How the model sees a path of the workspace.
    pub fn shown(&self, path: &WorkspacePath) -> String {
        absolute(&names(self.root.clone(), path.as_str()))
    }

    /// The folder the model is in.
    pub fn cwd(&self) -> String {
        absolute(&self.cwd)
    }

    /// What is known of characters here.
    pub fn unicode(&self) -> &'static dyn Unicode {
        self.unicode
    }

    /// The path as it is spelled in the workspace, if what is there differs from it in how its characters are composed alone.
    pub fn composed(&self, workspace: &Workspace, path: &WorkspacePath) -> WorkspacePath {
        if path.as_str().is_ascii() {
            return path.clone();
        }
        let composed = |text: &str| self.unicode.composed(text);
        // What is not there may be in a folder that is.
        let folder = || {
            let parent = path.parent().filter(|parent| !parent.is_root())?;
            self.composed(workspace, &parent).join(path.name()?).ok()
        };
        workspace.find(path, &composed).or_else(folder).unwrap_or_else(|| path.clone())
    }

    /// The path itself, or the one that differs from it only in how its characters are composed, in its blanks or in its
    /// apostrophes: names that look the same, typed on one system and made on another.
    pub fn find(&self, workspace: &Workspace, path: &WorkspacePath) -> Option<WorkspacePath> {
        if workspace.exists(path) {
            return Some(path.clone());
        }
        path.names().try_fold(WorkspacePath::root(), |folder, name| {
            let exact = folder.join(name).ok()?;
            if workspace.exists(&exact) {
                return Some(exact);
            }
            let wanted = self.folded(name);
            let entries = workspace.list(&folder).ok()?;
            let entry = entries.iter().find(|entry| self.folded(&entry.name) == wanted)?;
            folder.join(&entry.name).ok()
        })
    }

    fn folded(&self, name: &str) -> String {
        let composed = if name.is_ascii() { name.to_owned() } else { self.unicode.composed(name) };
        composed
            .chars()
            .map(plain_space)
            .map(|character| if character == '\u{2019}' { '\'' } else { character })
            .collect()
    }
}

/// Why a path that should be a file cannot be opened, as the model knows such errors.
pub fn open_error(workspace: &Workspace, resolved: &Resolved, error: &WorkspaceError) -> String {
    match error {
        WorkspaceError::NotAFile(_) => "EISDIR: illegal operation on a directory, read".to_owned(),
        WorkspaceError::NotFound(_) | WorkspaceError::NotAFolder(_) => {
            let shown = &resolved.shown;
            if above_is_a_file(workspace, &resolved.path).is_some() {
                format!("ENOTDIR: not a directory, access '{shown}'")
            } else {
                format!("ENOENT: no such file or directory, access '{shown}'")
            }
        }
        other => other.to_string(),
    }
}

/// The file that stands where a folder above `path` would have to be.
pub fn above_is_a_file(workspace: &Workspace, path: &WorkspacePath) -> Option<WorkspacePath> {
    let mut above = path.parent();
    while let Some(folder) = above {
        match workspace.stat(&folder) {
            Ok(entry) => return (entry.kind == Kind::File).then_some(folder),
            Err(_) => above = folder.parent(),
        }
    }
    None
}

/// `.` and `..` by text alone; above the file system's root is the root.
fn names(mut base: Vec<String>, text: &str) -> Vec<String> {
    for name in text.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                base.pop();
            }
            name => base.push(name.to_owned()),
        }
    }
    base
}

fn absolute(names: &[String]) -> String {
    format!("/{}", names.join("/"))
}

fn plain_space(character: char) -> char {
    match character {
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// A path in an error text must not be a megabyte because a model sent one.
fn excerpt(text: &str) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

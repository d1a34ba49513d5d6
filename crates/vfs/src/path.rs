//! Paths, parsed once: whoever holds a [`WorkspacePath`] need not check it again.

use std::fmt;

/// The longest name of one file or folder, in bytes.
pub const MAX_NAME_BYTES: usize = 255;
/// The longest path, in bytes.
pub const MAX_PATH_BYTES: usize = 4096;
/// The deepest path, in names. It bounds every recursion over the tree.
pub const MAX_DEPTH: usize = 128;

/// Why a text is no path of the workspace. Each variant carries the text as it was given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// `..` climbs above the root.
    #[error("path is outside the workspace: {0}")]
    Outside(String),
    /// A NUL character; no tool of any system could name the file.
    #[error("path contains a NUL character: {0:?}")]
    Nul(String),
    /// The path, a name in it or its depth is over the limit.
    #[error(
        "path is too long (at most {MAX_NAME_BYTES} bytes a name, {MAX_PATH_BYTES} bytes and {MAX_DEPTH} names \
         altogether): {0}"
    )]
    TooLong(String),
    /// A name to join that is empty, `.`, `..` or has a slash in it.
    #[error("not a file name: {0:?}")]
    NotAName(String),
}

/// A place in the workspace: relative to its root, names separated by `/`, no `.`, no `..`, no empty name, no NUL.
///
/// The root is the empty path. Case is kept and distinct, and no Unicode normalisation is done: two different texts are
/// two different files. The order is by name, level by level, so that a folder comes right before what is in it.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct WorkspacePath(String);

impl WorkspacePath {
    /// The folder that everything is in.
    pub fn root() -> Self {
        Self::default()
    }

    /// Parses a path from outside, absolute (`/a/b`) or relative to the root (`a/b`). `.`, `..`, doubled and trailing
    /// slashes are resolved by text alone. The empty text is the root.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        Self::root().resolve(text)
    }

    /// Parses `text` as seen from this folder: an absolute text starts at the root, a relative one here.
    pub fn resolve(&self, text: &str) -> Result<Self, PathError> {
        if text.contains('\0') {
            return Err(PathError::Nul(excerpt(text)));
        }
        let base = if text.starts_with('/') { "" } else { self.as_str() };
        let mut names: Vec<&str> = base.split('/').filter(|name| !name.is_empty()).collect();
        for name in text.split('/') {
            match name {
                "" | "." => {}
                ".." => {
                    if names.pop().is_none() {
                        return Err(PathError::Outside(excerpt(text)));
                    }
                }
                name if name.len() > MAX_NAME_BYTES => return Err(PathError::TooLong(excerpt(text))),
                name => names.push(name),
            }
        }
        let path = names.join("/");
        if names.len() > MAX_DEPTH || path.len() > MAX_PATH_BYTES {
            return Err(PathError::TooLong(excerpt(text)));
        }
        Ok(Self(path))
    }

    /// The path of `name` in this folder. Unlike [`Self::resolve`] it takes exactly one name and never climbs.
    pub fn join(&self, name: &str) -> Result<Self, PathError> {
        if matches!(name, "" | "." | "..") || name.contains('/') {
            return Err(PathError::NotAName(excerpt(name)));
        }
        // All else was checked when this path was made: a walk over a workspace comes here for every file.
        let path = self.child(name);
        if name.contains('\0') {
            return Err(PathError::Nul(excerpt(&path.0)));
        }
        let is_long = name.len() > MAX_NAME_BYTES || path.0.len() > MAX_PATH_BYTES || path.names().count() > MAX_DEPTH;
        if is_long { Err(PathError::TooLong(excerpt(&path.0))) } else { Ok(path) }
    }

    /// The folder it is in; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        match self.0.rsplit_once('/') {
            Some((parent, _)) => Some(Self(parent.to_owned())),
            None if self.is_root() => None,
            None => Some(Self::root()),
        }
    }

    /// The last name; `None` for the root.
    pub fn name(&self) -> Option<&str> {
        self.0.rsplit('/').next().filter(|name| !name.is_empty())
    }

    /// The names from the root on; none for the root.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|name| !name.is_empty())
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it is `folder` itself or somewhere in it.
    pub fn is_within(&self, folder: &Self) -> bool {
        folder.is_root() || self.0.strip_prefix(&folder.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The path of an entry of the tree, whose name was checked when it was made.
    pub(crate) fn child(&self, name: &str) -> Self {
        if self.is_root() { Self(name.to_owned()) } else { Self(format!("{}/{name}", self.0)) }
    }

    /// The first `n_names` names.
    pub(crate) fn prefix(&self, n_names: usize) -> Self {
        Self(self.names().take(n_names).collect::<Vec<_>>().join("/"))
    }

    /// The text, without a leading slash; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The path without a leading slash; `.` for the root, so that a message never has a hole in it.
impl fmt::Display for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "." } else { &self.0 })
    }
}

impl fmt::Debug for WorkspacePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl Ord for WorkspacePath {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.names().cmp(other.names())
    }
}

impl PartialOrd for WorkspacePath {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl std::str::FromStr for WorkspacePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Self::parse(text)
    }
}

/// A path in an error message must not be a megabyte because a model sent one.
fn excerpt(text: &str) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_normalises_or_names_the_text() {
        let outside = |text: &str| Err(PathError::Outside(text.into()));
        let cases: &[(&str, Result<&str, PathError>)] = &[
            ("", Ok("")),
            ("/", Ok("")),
            (".", Ok("")),
            ("./", Ok("")),
            ("a", Ok("a")),
            ("/a/b", Ok("a/b")),
            ("a//b/", Ok("a/b")),
            ("./a/./b", Ok("a/b")),
            ("a/../b", Ok("b")),
            ("a/b/../..", Ok("")),
            ("...", Ok("...")),
            ("..a", Ok("..a")),
            ("a b\n.txt", Ok("a b\n.txt")),
            ("a\\b", Ok("a\\b")),
            ("a\u{200b}b.txt", Ok("a\u{200b}b.txt")),
            ("CON", Ok("CON")),
            ("..", outside("..")),
            ("../../x", outside("../../x")),
            ("/..", outside("/..")),
            ("a/../../a", outside("a/../../a")),
            ("a\0b", Err(PathError::Nul("a\0b".into()))),
        ];
        for (text, expected) in cases {
            let found = WorkspacePath::parse(text);
            assert_eq!(found.as_ref().map(WorkspacePath::as_str), expected.as_ref().copied(), "{text:?}");
        }
        assert_eq!(WorkspacePath::parse("../../x").unwrap_err().to_string(), "path is outside the workspace: ../../x");
    }

    #[test]
    fn limits_hold_exactly_and_the_message_stays_short() {
        let name = "x".repeat(MAX_NAME_BYTES);
        assert!(WorkspacePath::parse(&name).is_ok());
        assert!(matches!(WorkspacePath::parse(&format!("{name}x")), Err(PathError::TooLong(_))));
        assert!(WorkspacePath::parse(&"d/".repeat(MAX_DEPTH)).is_ok());
        assert!(matches!(WorkspacePath::parse(&"d/".repeat(MAX_DEPTH + 1)), Err(PathError::TooLong(_))));
        let long = vec![name.as_str(); 17].join("/");
        assert!(matches!(WorkspacePath::parse(&long), Err(PathError::TooLong(_))));
        let message = WorkspacePath::parse(&"é/".repeat(1_000_000)).unwrap_err().to_string();
        assert!(message.len() < 1000, "{}", message.len());
    }

    #[test]
    fn parent_name_and_join_take_apart_and_put_together() {
        let cases = [("a/b/c", Some("a/b"), Some("c")), ("a", Some(""), Some("a")), ("", None, None)];
        for (text, parent, name) in cases {
            let path = WorkspacePath::parse(text).unwrap();
            assert_eq!(path.parent().as_ref().map(WorkspacePath::as_str), parent);
            assert_eq!(path.name(), name);
            if let (Some(parent), Some(name)) = (path.parent(), path.name()) {
                assert_eq!(parent.join(name), Ok(path));
            }
        }
        for name in ["", ".", "..", "a/b", "/a"] {
            assert_eq!(WorkspacePath::root().join(name), Err(PathError::NotAName(name.into())));
        }
        // One more name is within the limits, or not, as the same text parsed is.
        let name = |n_bytes| "n".repeat(n_bytes);
        let deep = |depth| vec!["d"; depth].join("/");
        let long = |n_bytes| format!("{}{}", format!("{}/", name(255)).repeat(n_bytes / 256), name(n_bytes % 256));
        let cases = [
            (String::new(), name(MAX_NAME_BYTES), true),
            (String::new(), name(MAX_NAME_BYTES + 1), false),
            (deep(MAX_DEPTH - 1), name(1), true),
            (deep(MAX_DEPTH), name(1), false),
            (long(MAX_PATH_BYTES - 2), name(1), true),
            (long(MAX_PATH_BYTES - 1), name(1), false),
            ("a".into(), "nul\0".into(), false),
        ];
        for (folder, name, is_good) in cases {
            let joined = WorkspacePath::parse(&folder).unwrap().join(&name);
            assert_eq!(joined.is_ok(), is_good, "{} bytes in {} bytes", name.len(), folder.len());
            let text = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            assert_eq!(joined, WorkspacePath::parse(&text));
        }
    }

    #[test]
    fn resolve_starts_here_or_at_the_root() {
        let folder = WorkspacePath::parse("src/page").unwrap();
        let cases = [("main.rs", "src/page/main.rs"), ("../lib.rs", "src/lib.rs"), ("/README.md", "README.md")];
        for (text, expected) in cases {
            assert_eq!(folder.resolve(text).unwrap().as_str(), expected);
        }
        assert_eq!(folder.resolve("../../../x"), Err(PathError::Outside("../../../x".into())));
    }

    #[test]
    fn within_goes_by_whole_names() {
        let cases = [("a/b", "a", true), ("a", "a", true), ("ab", "a", false), ("a", "a/b", false), ("a", "", true)];
        for (path, folder, expected) in cases {
            let (path, folder) = (WorkspacePath::parse(path).unwrap(), WorkspacePath::parse(folder).unwrap());
            assert_eq!(path.is_within(&folder), expected, "{path} in {folder}");
        }
    }

    #[test]
    fn a_folder_sorts_right_before_what_is_in_it() {
        let mut paths: Vec<_> =
            ["a.txt", "a/z", "b", "a", "a-b"].map(|text| WorkspacePath::parse(text).unwrap()).into();
        paths.sort();
        assert_eq!(paths.iter().map(WorkspacePath::as_str).collect::<Vec<_>>(), ["a", "a/z", "a-b", "a.txt", "b"]);
        assert_eq!(WorkspacePath::root().to_string(), ".");
    }
}

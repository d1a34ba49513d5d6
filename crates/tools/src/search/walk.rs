//! [`Walk`]: the files and folders below a folder that no rule leaves out.

use std::rc::Rc;

use vitrine_vfs::{Kind, Workspace, WorkspacePath};

use crate::search::ignore::{Rules, Verdict};

/// Bytes of a list of rules that are read.
const MAX_RULES_FILE: usize = 256 << 10;

/// A file or folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where it is.
    pub path: WorkspacePath,
    /// The same from the folder that was asked for.
    pub relative: String,
    /// What it is.
    pub kind: Kind,
}

/// Goes through a folder in the order of the names' bytes, each folder's contents right after it: an order that is the same
/// everywhere and always.
///
/// Rules are those of the folder, of the ones above it and of those below: `.gitignore`, with or without a repository; before
/// it `.ignore`, and before that the tool's own list. A deeper list has more weight than one above it. What is in a folder
/// that is left out is left out.
#[derive(Debug)]
pub struct Walk {
    workspace: Workspace,
    lists: [&'static str; 3],
    choice: Option<Rules>,
    waiting: Vec<(Found, Option<Rc<Level>>)>,
}

/// The rules in one folder, and those above.
#[derive(Debug)]
struct Level {
    /// How many names deep the folder is.
    depth: usize,
    /// In the order of the lists.
    rules: [Option<Rules>; 3],
    above: Option<Rc<Level>>,
}

impl Walk {
    /// Below `folder`. `own_list` is the name of the tool's own list of rules; `choice` is what the call itself asks for.
    pub fn new(workspace: &Workspace, folder: &WorkspacePath, own_list: &'static str, choice: Option<Rules>) -> Self {
        let lists = [own_list, ".ignore", ".gitignore"];
        let mut walk = Self { workspace: workspace.clone(), lists, choice, waiting: Vec::new() };
        let mut place = WorkspacePath::root();
        let mut level = None;
        for (depth, name) in folder.names().enumerate() {
            level = walk.level(&place, depth, level);
            let Ok(next) = place.join(name) else { return walk };
            place = next;
        }
        walk.enter(folder, "", level);
        walk
    }

    fn level(&self, folder: &WorkspacePath, depth: usize, above: Option<Rc<Level>>) -> Option<Rc<Level>> {
        let rules = self.lists.map(|name| {
            let bytes = self.workspace.read(&folder.join(name).ok()?).ok()?;
            let bytes = bytes.get(..MAX_RULES_FILE).unwrap_or(&bytes);
            Rules::of_file(&String::from_utf8_lossy(bytes))
        });
        if rules.iter().all(Option::is_none) {
            return above;
        }
        Some(Rc::new(Level { depth, rules, above }))
    }

    /// Puts what is in a folder before everything that waits. `above` are the rules of the folders above it.
    fn enter(&mut self, folder: &WorkspacePath, relative: &str, above: Option<Rc<Level>>) {
        let entries = self.workspace.list(folder).unwrap_or_default();
        // Few folders have a list of their own, and it would be among the entries.
        let has_rules = entries.iter().any(|entry| self.lists.contains(&entry.name.as_str()));
        let level = if has_rules { self.level(folder, folder.names().count(), above) } else { above };
        for entry in entries.into_iter().rev() {
            let Ok(path) = folder.join(&entry.name) else { continue };
            let relative = if relative.is_empty() { entry.name } else { format!("{relative}/{}", entry.name) };
            self.waiting.push((Found { path, relative, kind: entry.kind }, level.clone()));
        }
    }

    fn is_wanted(&self, found: &Found, level: Option<&Level>) -> bool {
        let is_folder = found.kind == Kind::Folder;
        if let Some(choice) = &self.choice {
            match choice.verdict(&found.relative, is_folder) {
                Some(Verdict::Ignored) => return false,
                Some(Verdict::Wanted) => return true,
                None if choice.is_choice() && !is_folder => return false,
                None => {}
            }
        }
        (0..self.lists.len()).find_map(|list| verdict(list, found, level)) != Some(Verdict::Ignored)
    }
}

/// What the lists of one name say: the deepest that says anything.
fn verdict(list: usize, found: &Found, level: Option<&Level>) -> Option<Verdict> {
    let mut level = level;
    while let Some(here) = level {
        if let Some(rules) = here.rules.get(list).and_then(Option::as_ref) {
            let verdict = rules.verdict(below(found.path.as_str(), here.depth), found.kind == Kind::Folder);
            if verdict.is_some() {
                return verdict;
            }
        }
        level = here.above.as_deref();
    }
    None
}

/// A path without its first names.
fn below(path: &str, depth: usize) -> &str {
    let mut rest = path;
    for _ in 0..depth {
        rest = rest.split_once('/').map_or("", |(_, rest)| rest);
    }
    rest
}

impl Iterator for Walk {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let (found, level) = self.waiting.pop()?;
            if !self.is_wanted(&found, level.as_deref()) {
                continue;
            }
            if found.kind == Kind::Folder {
                self.enter(&found.path, &found.relative, level);
            }
            return Some(found);
        }
    }
}

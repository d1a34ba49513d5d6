//! Files in two states: what a change did to each, and what differs between two trees.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::path::WorkspacePath;
use crate::workspace::compare::{self, Delta};
use crate::workspace::log::Step;
use crate::workspace::tree::{Node, Tree};
use crate::workspace::{Contents, FileVersions};

type Pairs = BTreeMap<WorkspacePath, FileVersions>;

/// The files that a change touched, sorted by path.
pub(crate) fn of_steps(steps: &[Step]) -> Vec<FileVersions> {
    let mut pairs = Pairs::new();
    for step in steps {
        match step {
            Step::Made { .. } => {}
            Step::Put { path, before, after, .. } => {
                each(path, before.as_ref(), after.as_ref(), &mut |path, before, after| {
                    let pair = pairs.entry(path.clone()).or_insert_with(|| pair(path, before, None));
                    pair.after = after;
                });
            }
            Step::Moved { from, to, node, .. } => node.each_file(to, &mut |new, contents| {
                let old = moved(&new, to, from);
                let before = pairs.remove(&old).unwrap_or_else(|| pair(old.clone(), Some(contents.clone()), None));
                match pairs.get_mut(&new) {
                    // It is in the place of another, which is what became of that.
                    Some(there) if there.before.is_some() => {
                        there.after = Some(contents);
                        pairs.insert(old, FileVersions { after: None, ..before });
                    }
                    Some(_) | None => {
                        let origin = before.from.unwrap_or(before.path);
                        let from = (before.before.is_some() && origin != new).then_some(origin);
                        let now =
                            FileVersions { from, before: before.before, path: new.clone(), after: Some(contents) };
                        pairs.insert(new, now);
                    }
                }
            }),
        }
    }
    pairs.into_values().filter(|pair| pair.from.is_some() || pair.before != pair.after).collect()
}

/// The files that differ, sorted by path. What is gone and is elsewhere, to the byte, was renamed.
pub(crate) fn between(from: &Tree, to: &Tree) -> Vec<FileVersions> {
    let mut pairs = Pairs::new();
    each(&WorkspacePath::root(), Some(from.root()), Some(to.root()), &mut |path, before, after| {
        pairs.insert(path.clone(), FileVersions { after, ..pair(path, before, None) });
    });
    let mut gone: HashMap<Contents, Vec<WorkspacePath>> = HashMap::new();
    for pair in pairs.values().rev() {
        if let (Some(before), None) = (&pair.before, &pair.after)
            && !before.is_empty()
        {
            gone.entry(Arc::clone(before)).or_default().push(pair.path.clone());
        }
    }
    let mut renamed = Vec::new();
    for pair in pairs.values_mut().filter(|pair| pair.before.is_none()) {
        let old = pair.after.as_ref().and_then(|after| gone.get_mut(after)?.pop());
        if let Some(old) = old {
            pair.before.clone_from(&pair.after);
            pair.from = Some(old.clone());
            renamed.push(old);
        }
    }
    for old in renamed {
        pairs.remove(&old);
    }
    pairs.into_values().collect()
}

fn pair(path: WorkspacePath, before: Option<Contents>, from: Option<WorkspacePath>) -> FileVersions {
    FileVersions { path, from, before, after: None }
}

/// Each file that is not the same in two nodes.
fn each(
    path: &WorkspacePath,
    before: Option<&Node>,
    after: Option<&Node>,
    on_file: &mut dyn FnMut(WorkspacePath, Option<Contents>, Option<Contents>),
) {
    let mut on_delta = |delta: Delta<'_>| match delta {
        Delta::Removed(path, node) => node.each_file(&path, &mut |path, contents| on_file(path, Some(contents), None)),
        Delta::Added(path, node) => node.each_file(&path, &mut |path, contents| on_file(path, None, Some(contents))),
        Delta::Changed(path, old, new) => on_file(path, Some(old.contents.clone()), Some(new.contents.clone())),
    };
    match (before, after) {
        (Some(before), Some(after)) => compare::compare(path, before, after, &mut on_delta),
        (Some(before), None) => on_delta(Delta::Removed(path.clone(), before)),
        (None, Some(after)) => on_delta(Delta::Added(path.clone(), after)),
        (None, None) => {}
    }
}

/// A path below one folder, as it is below another.
fn moved(path: &WorkspacePath, of: &WorkspacePath, to: &WorkspacePath) -> WorkspacePath {
    path.names().skip(of.names().count()).fold(to.clone(), |folder, name| folder.child(name))
}

//! [`Plan`]: the two sides compared with what was last in step.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{Base, Here, Print, There};
use crate::judge::Left;

/// What has become of a file on one side since both were last in step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Nothing.
    Same,
    /// It is there and was not.
    Added,
    /// It has other contents.
    Changed,
    /// It was there and is not.
    Removed,
}

impl Side {
    fn of(base: Option<Print>, now: Option<Print>) -> Self {
        match (base, now) {
            (None, Some(_)) => Self::Added,
            (Some(_), None) => Self::Removed,
            (Some(base), Some(now)) if base != now => Self::Changed,
            (None, None) | (Some(_), Some(_)) => Self::Same,
        }
    }

    /// A name for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Removed => "removed",
        }
    }
}

/// Where a change would go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the workspace to the folder.
    Out,
    /// From the folder to the workspace.
    In,
    /// Both have changed it, each in its own way: that is for the reader to decide.
    Conflict,
}

/// A path whose two sides differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Which, from the root of both.
    pub path: String,
    /// In the workspace.
    pub here: Side,
    /// In the folder.
    pub there: Side,
    pub(crate) file_here: Option<Here>,
    pub(crate) file_there: Option<There>,
}

impl Item {
    /// Where it would go.
    pub fn way(&self) -> Way {
        match (self.here, self.there) {
            (_, Side::Same) => Way::Out,
            (Side::Same, _) => Way::In,
            (_, _) => Way::Conflict,
        }
    }
}

/// What differs, sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    items: Vec<Item>,
    /// What is the same on both sides, and not what was last known.
    settled: Vec<(String, Option<There>)>,
    /// Every file of the workspace, also what is left out.
    pub(crate) all_here: BTreeSet<String>,
    /// Every file of the folder, also what is left out.
    pub(crate) all_there: BTreeSet<String>,
}

impl Plan {
    /// Compares. `left` is what was left out of the folder: of the workspace, nothing at or below those paths counts either.
    pub fn new(base: &Base, here: &BTreeMap<String, Here>, there: &BTreeMap<String, There>, left: &[Left]) -> Self {
        // Not by `collect`, which sorts first: each kind of set would have a sorter of its own to download.
        let (mut plan, mut outside, mut paths) = (Self::default(), BTreeSet::new(), BTreeSet::new());
        for Left { path, .. } in left {
            outside.insert(path.as_str());
            plan.all_there.insert(path.clone());
        }
        for path in here.keys() {
            plan.all_here.insert(path.clone());
        }
        for path in there.keys() {
            plan.all_there.insert(path.clone());
        }
        for path in base.paths().chain(here.keys()).chain(there.keys()) {
            paths.insert(path);
        }
        for path in paths {
            if prefixes(path).any(|prefix| outside.contains(prefix)) {
                continue;
            }
            let (file_here, file_there) = (here.get(path).copied(), there.get(path).copied());
            let known = base.get(path);
            let (print_here, print_there) = (file_here.map(|file| file.print), file_there.map(|file| file.print));
            if print_here == print_there {
                if known != file_there.as_ref() {
                    plan.settled.push((path.clone(), file_there));
                }
                continue;
            }
            let known = known.map(|known| known.print);
            plan.items.push(Item {
                path: path.clone(),
                here: Side::of(known, print_here),
                there: Side::of(known, print_there),
                file_here,
                file_there,
            });
        }
        plan
    }

    /// What differs, sorted by path.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Notes what both sides have come to have in common, whoever put it there.
    pub fn settle(&mut self, base: &mut Base) {
        for (path, both) in self.settled.drain(..) {
            base.settle(&path, both);
        }
    }
}

/// The path and the folders it lies in, the outermost first.
pub(crate) fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    folders.chain([path])
}

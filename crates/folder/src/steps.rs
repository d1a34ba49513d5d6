//! [`Plan::steps`]: what is to be done for what was chosen, in an order in which it can be done.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::{Here, There};
use crate::plan::{Item, Plan, Way, prefixes};

/// What the reader has chosen. Nothing is done that is not chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Write to the folder what was added or changed here.
    pub save: bool,
    /// Remove from the folder what was removed here.
    pub remove: bool,
    /// Bring to the workspace what was added, changed or removed there.
    pub read: bool,
    /// Of conflicts, by path; those that are not named stay.
    pub conflicts: BTreeMap<String, Choice>,
}

/// Whose file it is to be. The other side's change is lost with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The workspace's.
    Mine,
    /// The folder's.
    Theirs,
}

/// What one step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Removes a file of the folder.
    RemoveThere,
    /// Writes a file to the folder.
    WriteThere,
    /// Removes a file of the workspace.
    RemoveHere,
    /// Writes a file to the workspace.
    WriteHere,
}

/// A step, and what it takes for granted: where a side is not as it was when the plan was made, the step is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which file.
    pub path: String,
    /// What is done.
    pub act: Act,
    /// What the workspace has.
    pub here: Option<Here>,
    /// What the folder has.
    pub there: Option<There>,
}

/// A step that was chosen and cannot be done. It is in the next plan again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// Which file.
    pub path: String,
    /// Why.
    pub why: HeldFor,
}

/// Why a step cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldFor {
    /// There is a folder where the file would be, or a file where one of its folders would.
    InTheWay,
    /// Another name there differs only in case: on many disks that is the same file.
    Case,
}

impl HeldFor {
    /// A name for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::InTheWay => "in-the-way",
            Self::Case => "case",
        }
    }

    /// In words: a sentence's end.
    pub fn reason(self) -> &'static str {
        match self {
            Self::InTheWay => "a file stands where a folder would be, or a folder where the file would",
            Self::Case => "another name in the folder differs from it only in upper and lower case",
        }
    }
}

/// What is to be done, in this order, and what cannot be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// To be done: on each side what is removed before what is written.
    pub take: Vec<Step>,
    /// Chosen, and not to be done.
    pub held: Vec<Held>,
}

/// What is removed goes before what is written in its place.
const ORDER: [Act; 4] = [Act::RemoveThere, Act::WriteThere, Act::RemoveHere, Act::WriteHere];

impl Plan {
    /// What is to be done for these choices.
    pub fn steps(&self, choices: &Choices) -> Steps {
        let mut steps = Steps::default();
        let (mut here, mut there) = (Tree::of(&self.all_here), Tree::of(&self.all_there));
        let chosen = |wanted| {
            let items = self.items().iter().filter(move |item| act(item, choices) == Some(wanted));
            items.map(move |item| (item, wanted))
        };
        for (item, act) in ORDER.into_iter().flat_map(chosen) {
            let tree = if matches!(act, Act::RemoveThere | Act::WriteThere) { &mut there } else { &mut here };
            let why = match act {
                Act::RemoveThere | Act::RemoveHere => {
                    tree.remove(&item.path);
                    None
                }
                Act::WriteThere if tree.differs_in_case(&item.path) => Some(HeldFor::Case),
                Act::WriteThere | Act::WriteHere if !tree.write(&item.path) => Some(HeldFor::InTheWay),
                Act::WriteThere | Act::WriteHere => None,
            };
            let path = item.path.clone();
            match why {
                Some(why) => steps.held.push(Held { path, why }),
                None => steps.take.push(Step { path, act, here: item.file_here, there: item.file_there }),
            }
        }
        steps
    }
}

fn act(item: &Item, choices: &Choices) -> Option<Act> {
    let out = if item.file_here.is_some() { Act::WriteThere } else { Act::RemoveThere };
    let inwards = if item.file_there.is_some() { Act::WriteHere } else { Act::RemoveHere };
    match (item.way(), choices.conflicts.get(&item.path)) {
        (Way::Out, _) => {
            let is_chosen = if item.file_here.is_some() { choices.save } else { choices.remove };
            is_chosen.then_some(out)
        }
        (Way::In, _) => choices.read.then_some(inwards),
        (Way::Conflict, choice) => choice.map(|choice| match choice {
            Choice::Mine => out,
            Choice::Theirs => inwards,
        }),
    }
}

/// The files of a side, as they would be after the steps so far.
struct Tree<'a> {
    files: BTreeSet<&'a str>,
    /// How many files lie at or below each path.
    below: BTreeMap<&'a str, usize>,
    /// How each path is spelled, by what a disk that takes no notice of case would see.
    spelled: BTreeMap<String, &'a str>,
}

impl<'a> Tree<'a> {
    fn of(paths: &'a BTreeSet<String>) -> Self {
        let mut tree = Self { files: BTreeSet::new(), below: BTreeMap::new(), spelled: BTreeMap::new() };
        paths.iter().for_each(|path| tree.add(path));
        tree
    }

    fn add(&mut self, path: &'a str) {
        if self.files.insert(path) {
            for prefix in prefixes(path) {
                *self.below.entry(prefix).or_default() += 1;
                self.spelled.entry(prefix.to_lowercase()).or_insert(prefix);
            }
        }
    }

    fn remove(&mut self, path: &str) {
        if self.files.remove(path) {
            for prefix in prefixes(path) {
                let left = self.below.get_mut(prefix).map_or(0, |count| {
                    *count = count.saturating_sub(1);
                    *count
                });
                if left == 0 {
                    self.below.remove(prefix);
                    // Another spelling of it, if there is one, is there itself.
                    let folded = prefix.to_lowercase();
                    if self.spelled.get(&folded) == Some(&prefix) {
                        self.spelled.remove(&folded);
                    }
                }
            }
        }
    }

    /// Whether a path, or a folder it would need, is spelled otherwise here, and not so as well.
    fn differs_in_case(&self, path: &str) -> bool {
        prefixes(path).any(|prefix| {
            !self.below.contains_key(prefix)
                && self.spelled.get(&prefix.to_lowercase()).is_some_and(|spelled| *spelled != prefix)
        })
    }

    /// Adds a file, if nothing is in its way.
    fn write(&mut self, path: &'a str) -> bool {
        let is_folder = self.below.contains_key(path) && !self.files.contains(path);
        let is_below_a_file = prefixes(path).any(|prefix| prefix != path && self.files.contains(prefix));
        if is_folder || is_below_a_file {
            return false;
        }
        self.add(path);
        true
    }
}

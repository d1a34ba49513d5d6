//! [`Tree`]: the entries of a session by parent, and the leaf that the next one follows.

use std::collections::HashMap;

use crate::entry::{Entry, Payload};
use crate::ids::EntryId;

/// An append-only tree. Entries keep the order of the file; the leaf is the last one until it is moved.
///
/// A file may be wrong in any way. An entry whose parent is nowhere follows the entry before it, since a line between
/// them was lost; those that name the same lost parent stay siblings. A circle of parents is cut at its first entry. Of
/// two entries with one id the first counts.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    entries: Vec<Entry>,
    index: HashMap<EntryId, usize>,
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    /// The last label entry for each target, anywhere in the file.
    labels: HashMap<EntryId, usize>,
    leaf: Option<usize>,
    n_mended: usize,
}

impl Tree {
    /// The tree of a file's entries.
    pub fn new(entries: Vec<Entry>) -> Self {
        let links = entries.iter().map(|entry| (&entry.id, entry.parent_id.as_ref()));
        let (index, parents) = resolve(links);
        let mut children = vec![Vec::new(); entries.len()];
        for (child, parent) in parents.iter().enumerate() {
            if let Some(siblings) = parent.and_then(|parent| children.get_mut(parent)) {
                siblings.push(child);
            }
        }
        let is_lost = |parent: &EntryId| !index.contains_key(parent);
        let n_mended = entries.iter().filter(|entry| entry.parent_id.as_ref().is_some_and(is_lost)).count();
        let labels = labels(&entries);
        Self { leaf: entries.len().checked_sub(1), entries, index, parents, children, labels, n_mended }
    }

    /// All entries, in file order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of an id.
    pub fn entry(&self, id: &EntryId) -> Option<&Entry> {
        self.entries.get(*self.index.get(id)?)
    }

    /// How many entries of the file named a parent that is not in it, and follow the entry before them instead.
    pub fn n_mended(&self) -> usize {
        self.n_mended
    }

    /// The entry that the next one follows; `None` when it will be a root.
    pub fn leaf(&self) -> Option<&EntryId> {
        self.entries.get(self.leaf?).map(|entry| &entry.id)
    }

    /// The branch of the leaf, from its root on.
    pub fn path(&self) -> Vec<&Entry> {
        self.path_from(self.leaf)
    }

    /// The branch that ends in an entry, from its root on; empty for an unknown id. How a branch is read that is not the
    /// leaf's.
    pub fn path_to(&self, id: &EntryId) -> Vec<&Entry> {
        self.path_from(self.index.get(id).copied())
    }

    /// The entry that this one follows.
    pub fn parent(&self, id: &EntryId) -> Option<&Entry> {
        self.entries.get((*self.parents.get(*self.index.get(id)?)?)?)
    }

    /// The entries that follow this one directly, oldest first.
    pub fn children(&self, id: &EntryId) -> Vec<&Entry> {
        let numbers = self.index.get(id).and_then(|number| self.children.get(*number));
        self.by_age(numbers.into_iter().flatten().copied())
    }

    /// The entries that follow none, oldest first: several where the first message was written anew.
    pub fn roots(&self) -> Vec<&Entry> {
        self.by_age(self.parents.iter().enumerate().filter(|(_, parent)| parent.is_none()).map(|(number, _)| number))
    }

    /// The words an entry is marked with now.
    pub fn label(&self, id: &EntryId) -> Option<&str> {
        match &self.entries.get(*self.labels.get(id)?)?.payload {
            Payload::Label(label) => label.label.as_deref().filter(|label| !label.is_empty()),
            _ => None,
        }
    }

    /// Appends an entry, which becomes the leaf.
    pub fn push(&mut self, entry: Entry) {
        let number = self.entries.len();
        let parent = entry.parent_id.as_ref().and_then(|id| self.index.get(id)).copied();
        if let Some(siblings) = parent.and_then(|parent| self.children.get_mut(parent)) {
            siblings.push(number);
        }
        if let Payload::Label(label) = &entry.payload {
            self.labels.insert(label.target_id.clone(), number);
        }
        self.index.entry(entry.id.clone()).or_insert(number);
        self.parents.push(parent);
        self.children.push(Vec::new());
        self.entries.push(entry);
        self.leaf = Some(number);
    }

    /// Takes the last entry out again, because it could not be stored; its parent is the leaf.
    pub(crate) fn undo_push(&mut self) {
        let Some(entry) = self.entries.pop() else { return };
        let number = self.entries.len();
        let parent = self.parents.pop().flatten();
        self.children.pop();
        if let Some(siblings) = parent.and_then(|parent| self.children.get_mut(parent)) {
            siblings.retain(|sibling| *sibling != number);
        }
        if self.index.get(&entry.id) == Some(&number) {
            self.index.remove(&entry.id);
        }
        if matches!(entry.payload, Payload::Label(_)) {
            self.labels = labels(&self.entries);
        }
        self.leaf = parent;
    }

    /// Moves the leaf to an entry, or before all of them with `None`. Says whether the entry exists.
    pub(crate) fn move_leaf(&mut self, id: Option<&EntryId>) -> bool {
        let target = id.map(|id| self.index.get(id).copied());
        match target {
            None => self.leaf = None,
            Some(Some(number)) => self.leaf = Some(number),
            Some(None) => return false,
        }
        true
    }

    fn path_from(&self, leaf: Option<usize>) -> Vec<&Entry> {
        let numbers = chain(&self.parents, leaf);
        let mut path: Vec<_> = numbers.filter_map(|number| self.entries.get(number)).collect();
        path.reverse();
        path
    }

    fn by_age(&self, numbers: impl Iterator<Item = usize>) -> Vec<&Entry> {
        let mut entries: Vec<_> = numbers.filter_map(|number| self.entries.get(number)).collect();
        // Stable, so entries of one moment keep the order of the file.
        entries.sort_by_cached_key(|entry| entry.written_at());
        entries
    }
}

/// The numbers from a leaf up to its root. Ends, because `parents` has no circle.
pub(crate) fn chain(parents: &[Option<usize>], leaf: Option<usize>) -> impl Iterator<Item = usize> {
    std::iter::successors(leaf, |number| parents.get(*number).copied().flatten())
}

/// Finds each entry's number by id and the number of its parent, by the rules that [`Tree`] states. Linear.
pub(crate) fn resolve<'a>(
    links: impl Iterator<Item = (&'a EntryId, Option<&'a EntryId>)> + Clone,
) -> (HashMap<EntryId, usize>, Vec<Option<usize>>) {
    let mut index = HashMap::new();
    for (number, (id, _)) in links.clone().enumerate() {
        index.entry(id.clone()).or_insert(number);
    }
    // Entries that name the same lost parent stay siblings.
    let mut mended: HashMap<&EntryId, Option<usize>> = HashMap::new();
    let mut parents: Vec<Option<usize>> = links
        .enumerate()
        .map(|(number, (_, parent))| {
            let parent = parent?;
            match index.get(parent) {
                Some(found) => Some(*found),
                None => *mended.entry(parent).or_insert(number.checked_sub(1)),
            }
        })
        .collect();
    cut_circles(&mut parents);
    (index, parents)
}

/// Makes the first entry of each circle of parents a root.
fn cut_circles(parents: &mut [Option<usize>]) {
    // The walk that saw an entry first, 0 for none: a walk that meets itself has found a circle.
    let mut seen = vec![0_usize; parents.len()];
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut at = Some(start);
        while let Some(number) = at {
            match seen.get_mut(number) {
                Some(mark) if *mark == 0 => *mark = walk,
                Some(mark) if *mark == walk => {
                    let round = std::iter::successors(parents.get(number).copied().flatten(), |number| {
                        parents.get(*number).copied().flatten()
                    });
                    let first = round.take_while(|other| *other != number).fold(number, usize::min);
                    if let Some(cut) = parents.get_mut(first) {
                        *cut = None;
                    }
                    break;
                }
                Some(_) | None => break,
            }
            at = parents.get(number).copied().flatten();
        }
    }
}

fn labels(entries: &[Entry]) -> HashMap<EntryId, usize> {
    let mut labels = HashMap::new();
    for (number, entry) in entries.iter().enumerate() {
        if let Payload::Label(label) = &entry.payload {
            labels.insert(label.target_id.clone(), number);
        }
    }
    labels
}

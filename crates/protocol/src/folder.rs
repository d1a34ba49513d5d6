//! A folder of the reader's own beside the workspace: what differs, and what was done about it.

use serde::{Deserialize, Serialize};

use crate::notification::LeftOut;

/// The folder that is open, as it was just now. The reply to every command about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FolderPlan {
    /// The folder's name.
    pub name: String,
    /// The files in which the two differ, by path.
    pub items: Vec<FolderItem>,
    /// What is left alone on both sides.
    pub skipped: Vec<LeftOut>,
    /// What this command has done.
    pub done: FolderDone,
}

/// A file that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FolderItem {
    /// Which, from the root of both.
    pub path: String,
    /// In the workspace, since both were last in step.
    pub here: FolderSide,
    /// In the folder.
    pub there: FolderSide,
    /// Where the change would go.
    pub way: FolderWay,
}

/// What has become of a file on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FolderSide {
    /// Nothing.
    Same,
    /// It is new.
    Added,
    /// It has other contents.
    Changed,
    /// It is gone.
    Removed,
}

/// Where a change would go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FolderWay {
    /// From the workspace to the folder.
    Out,
    /// From the folder to the workspace.
    In,
    /// Both have changed it, each in its own way.
    Conflict,
}

/// Whose file it is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FolderChoice {
    /// The workspace's.
    Mine,
    /// The folder's.
    Theirs,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FolderDone {
    /// Files written to the folder.
    pub written: u64,
    /// Files removed from the folder.
    pub removed: u64,
    /// Files of the workspace that are now as in the folder: one change.
    pub read: u64,
    /// What was chosen and not done, and why.
    pub held: Vec<LeftOut>,
}

impl FolderPlan {
    /// How many files would go this way, in the order added, changed, removed.
    pub fn counts(&self, way: FolderWay) -> [usize; 3] {
        let items = || self.items.iter().filter(|item| item.way == way);
        [FolderSide::Added, FolderSide::Changed, FolderSide::Removed].map(|side| {
            let is_it = |item: &&FolderItem| if way == FolderWay::In { item.there == side } else { item.here == side };
            items().filter(is_it).count()
        })
    }

    /// The files that both have changed.
    pub fn conflicts(&self) -> impl Iterator<Item = &FolderItem> {
        self.items.iter().filter(|item| item.way == FolderWay::Conflict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_a_way_is_counted_by_the_side_it_comes_from() {
        use FolderSide::{Added, Changed, Removed, Same};
        let item = |path: &str, here, there, way| FolderItem { path: path.to_owned(), here, there, way };
        let plan = FolderPlan {
            items: vec![
                item("a", Added, Same, FolderWay::Out),
                item("b", Removed, Same, FolderWay::Out),
                item("c", Added, Same, FolderWay::Out),
                item("d", Same, Changed, FolderWay::In),
                item("e", Same, Removed, FolderWay::In),
                item("f", Changed, Removed, FolderWay::Conflict),
            ],
            ..FolderPlan::default()
        };
        assert_eq!(plan.counts(FolderWay::Out), [2, 0, 1]);
        assert_eq!(plan.counts(FolderWay::In), [0, 1, 1]);
        assert_eq!(plan.conflicts().map(|item| item.path.as_str()).collect::<Vec<_>>(), ["f"]);
    }
}

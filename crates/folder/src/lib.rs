//! A folder of the reader's own and the workspace: what would bring the two together.
//!
//! Neither side is the copy of the other: both are edited, by an agent here and by an editor there. What was last in step
//! ([`Base`]) tells who has changed what. [`Plan`] compares both sides with it; [`Plan::steps`] gives what is to be done for
//! what was chosen. No step loses a change that was made on either side, unless the reader has chosen the other side's for
//! that very path.
//!
//! The crate reads and writes nothing. [`Judge`] says what of a folder counts, while somebody else walks it.
//!
//! ```
//! use std::collections::BTreeMap;
//! use vitrine_folder::{Base, Choices, Here, Plan, Print, Seen, There, Way};
//!
//! let there = There { seen: Seen { bytes: 5, modified_ms: 1 }, print: Print::of(b"there") };
//! let here = BTreeMap::from([("new.txt".to_owned(), Here { print: Print::of(b"here") })]);
//! let plan = Plan::new(&Base::default(), &here, &BTreeMap::from([("old.txt".to_owned(), there)]), &[]);
//! let ways: Vec<_> = plan.items().iter().map(|item| (item.path.as_str(), item.way())).collect();
//! assert_eq!(ways, [("new.txt", Way::Out), ("old.txt", Way::In)]);
//! assert_eq!(plan.steps(&Choices { save: true, ..Choices::default() }).take.len(), 1);
//! ```

mod base;
mod judge;
mod plan;
mod steps;

pub use base::{Base, Here, Print, Seen, There};
pub use judge::{Judge, Left, Limits, Refusal, Why, is_ignored};
pub use plan::{Item, Plan, Side, Way};
pub use steps::{Act, Choice, Choices, Held, HeldFor, Step, Steps};

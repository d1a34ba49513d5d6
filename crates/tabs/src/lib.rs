//! Which of several tabs writes a workspace, and what they say to each other.
//!
//! A workspace has one writer, which holds the lock of that name; every other tab reads by asking the writer. [`Tab`] is what a
//! tab decides: it takes what happened ([`Input`]) and gives what is to be done ([`Act`]). It knows no lock, no channel, no
//! clock and no storage: the worker has those, and a test has others.
//!
//! ```
//! use vitrine_tabs::{Act, Input, Role, Tab, Word, WordKind};
//!
//! let mut tab = Tab::new("reader");
//! let acts = tab.take(Input::Begin);
//! assert_eq!(acts[0], Act::Queue);
//! let word = Word::new(WordKind::Here, "writer").numbered(7);
//! assert_eq!(tab.take(Input::Heard(word)), [Act::Show]);
//! assert_eq!(tab.role(), Role::Reading);
//! ```

mod tab;
mod word;

pub use tab::{Act, Entered, Input, OPEN_MS, PATIENCE_MS, RETRY_MS, Role, Tab};
pub use word::{Word, WordKind};

//! What `grep` and `find` share: the files there are, the rules by which some are left out, and patterns for lines and names.
//!
//! Patterns are compiled by `regex-automata`, on which ripgrep itself stands. What ripgrep has above it is made for files on a disk
//! in a hundred encodings, and would be a fifth of the worker to download.

mod contents;
mod glob;
mod globs;
mod ignore;
mod line_pattern;
mod walk;

pub use contents::{Contents, Named};
pub use globs::{Case, Globs};
pub use ignore::Rules;
pub use line_pattern::{LinePattern, PatternError, Work};
pub use walk::{Found, Walk};

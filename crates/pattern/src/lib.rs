//! The regular expressions of JSON Schema (ECMAScript, Unicode mode, no flags): does a pattern match somewhere in a text?
//!
//! Patterns and texts come from anywhere, so both are bounded: a pattern by its program's size, a match by its steps. A match
//! that is given up is an error and never a guess. A pattern without back references on a text of common length takes linear
//! time, since no state is tried twice.
//!
//! It is here for its size. The engines that `jsonschema` names weigh 230 KB to download, a third of the worker; the crates
//! under `instead_of/` give it this one under their names (`[patch.crates-io]`).
//!
//! What it leaves out: Unicode properties other than general categories and a few of two values (no scripts), flags, and
//! everything that captures are for but back references. Such a pattern is refused when it is compiled.
//!
//! ```
//! use vitrine_pattern::Pattern;
//!
//! let pattern = Pattern::compile(r"^\d{4}-(?!00)\d\d$")?;
//! assert_eq!(pattern.is_match("2024-05"), Ok(true));
//! assert_eq!(pattern.is_match("2024-00"), Ok(false));
//! # Ok::<(), vitrine_pattern::PatternError>(())
//! ```

mod class;
mod machine;
mod parse;
mod program;

pub use machine::GaveUp;
pub use program::{Pattern, PatternError};

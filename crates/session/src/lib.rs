//! Sessions: an append-only tree of entries kept as JSON Lines, and what a model sees of it.
//!
//! The format is pi's version 3, entry for entry: what pi writes opens here and what is written here opens in pi. The
//! crate knows no browser, clock or randomness: time is an argument, ids come from an [`Entropy`](ids::Entropy), files
//! from a `vitrine_vfs` backend. It deliberately does no retrying, compacting or summarising; it stores what those
//! decide and folds it into a context.
//!
//! ```
//! use vitrine_session::{log, projection, tree::Tree};
//!
//! let file = br#"{"type":"session","version":3,"id":"s","timestamp":"2026-11-30T15:00:00.000Z","cwd":"/w"}
//! {"type":"message","id":"00000001","parentId":null,"message":{"role":"user","content":"hello","timestamp":1}}
//! {"type":"message","id":"000000"#;
//! let parsed = log::parse(file)?;
//! assert!(parsed.damage.torn_tail);
//! let tree = Tree::new(parsed.entries);
//! assert_eq!(projection::project(&tree.path()).messages.len(), 1);
//! # Ok::<_, log::LogError>(())
//! ```
//!
//! Reading order: [`entry`], [`log`], [`tree`], [`projection`], [`settle`], [`session`], [`store`].

pub mod compaction;
pub mod entry;
pub mod ids;
pub mod ledger;
pub mod log;
pub mod loss;
mod migrate;
pub mod projection;
pub mod session;
pub mod settle;
pub mod store;
pub mod summary;
pub mod time;
pub mod tree;

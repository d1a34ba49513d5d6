//! The shell of a workspace: `bashkit` over a replica of the files, in a module that is loaded when a model first asks for it.
//!
//! It prints, and tells what it did to the files, while it runs; it knows no worker and no tool. What it cannot be is stopped
//! from outside: a loop in it never yields, so whoever runs it must be able to end its thread.
//!
//! Reading order: `session` (a shell that lives on), `replica` (its files), `jq` (a command of its own module), `absent` (what
//! it says of what it has not).

mod absent;
mod jq;
mod limits;
mod replica;
mod session;
mod tree;

pub use jq::{Jq, JqDone, JqError, JqJob};
pub use replica::OnChange;
pub use session::{Ended, Events, OnOutput, Session, Stream};

//! What the shell, which runs in a worker of its own, and its host say to each other.
//!
//! Types and their encoding only. The crate knows no shell, no workspace, no worker and no tool. A message is a JSON text with
//! bytes beside it, so that the contents of files never become text.

mod change;
mod message;

pub use change::{Change, ChangeError, Packed};
pub use message::{Exit, FromShell, ToShell};

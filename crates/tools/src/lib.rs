//! The tools an agent works with, over a workspace: names, schemas, limits and texts as pi's.
//!
//! What it is not: a loop, a provider or a file system. A tool reads and changes the workspace, answers in text the model
//! can act on, and never reaches outside its root.

pub mod registry;
pub mod truncate;

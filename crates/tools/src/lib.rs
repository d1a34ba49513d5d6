//! The tools an agent works with, over a workspace: names, schemas, limits and texts as pi's.
//!
//! What it is not: a loop, a provider or a file system. A tool reads and changes the workspace, answers in text the model
//! can act on, and never reaches outside its root.
//!
//! ```
//! use vitrine_tools::{Paths, Registry};
//! use vitrine_vfs::Workspace;
//!
//! let tools = Registry::new(&Workspace::in_memory(), &Paths::default(), &["read", "write"])?;
//! assert!(tools.get("read").is_some());
//! assert!(tools.get("Read").is_none());
//! # Ok::<(), vitrine_tools::RegistryError>(())
//! ```

pub mod bash;
pub mod compare;
mod definition;
mod edit;
mod effect;
mod find;
mod grep;
mod image;
mod listing;
mod ls;
pub mod mutation_queue;
mod order;
mod paths;
mod read;
mod registry;
mod search;
pub mod truncate;
mod unicode;
mod write;

pub use edit::Edit;
pub use effect::{Effect, effect, subject};
pub use find::Find;
pub use grep::Grep;
pub use image::{Format, Images, Picture, Size};
pub use ls::Ls;
pub use paths::{Paths, Resolved};
pub use read::Read;
pub use registry::{ALL, DEFAULT, Registry, RegistryError, Switch};
#[cfg(feature = "tables")]
pub use unicode::Tables;
pub use unicode::Unicode;
pub use write::Write;

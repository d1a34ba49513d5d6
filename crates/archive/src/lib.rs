//! Zip archives in and out.
//!
//! An archive that comes is untrusted: [`Import`] reads its list of entries first and refuses, before anything is
//! unpacked, what would leave the folder it is unpacked into, what is larger than allowed, and what says two things at
//! once. An entry is then read with its size and checksum verified, and never beyond the size that was planned for.
//! [`Export`] writes an archive piece by piece, so that it never stands in memory whole.
//!
//! The crate knows no workspace and no browser: an archive is anything that can be read at an offset, a name in an old
//! encoding is decoded by whoever can.
//!
//! ```
//! use vitrine_archive::{Entry, Export, Import, Limits};
//!
//! let mut export = Export::new(Vec::new());
//! export.file("notes/today.md", b"hello", 0)?;
//! let bytes = export.finish()?;
//!
//! let length = bytes.len() as u64;
//! let import = Import::open(bytes.as_slice(), length, &Limits::default(), &())?;
//! let Some(Entry::File { path, .. }) = import.entries().first() else { panic!("it was written") };
//! assert_eq!(path, "notes/today.md");
//! assert_eq!(import.read(0)?, b"hello");
//! # Ok::<(), vitrine_archive::ArchiveError>(())
//! ```

mod error;
mod export;
mod import;
mod names;
mod paths;

pub use error::{ArchiveError, Refusal, SkipReason, Skipped};
pub use export::Export;
pub use import::{Entry, Import, Limits};
pub use names::Decode;
pub use rawzip::ReaderAt;

//! What a lesson needs of a run: what it comes to, so that two runs can be compared wherever they ran ([`canonicalize`] and
//! [`fingerprint`]), what is broken in it on purpose ([`fault`]) and what is edited ([`edits`]). No IO, no clock.

pub mod edits;
pub mod fault;
mod fingerprint;

pub use fingerprint::{CanonicalError, Files, canonicalize, canonicalize_json, fingerprint, fingerprint_json};

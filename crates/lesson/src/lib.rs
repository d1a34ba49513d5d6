//! What a run comes to, so that two runs can be compared wherever they ran: [`canonicalize`] and [`fingerprint`].

mod fingerprint;

pub use fingerprint::{CanonicalError, Files, canonicalize, canonicalize_json, fingerprint, fingerprint_json};

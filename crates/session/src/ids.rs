//! Ids of sessions and entries, made from time and randomness that are passed in.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Where random bits come from. In a page it is `crypto.getRandomValues`; in a test a counter.
///
/// Any `FnMut() -> u64` is one. It may not fail.
pub trait Entropy {
    /// 64 fresh random bits.
    fn bits(&mut self) -> u64;
}

impl<F: FnMut() -> u64> Entropy for F {
    fn bits(&mut self) -> u64 {
        self()
    }
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The text of the id.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.as_str())
            }
        }
    };
}

id! {
    /// The id of an entry: 8 hex digits where we make it, anything in a file of someone else's.
    EntryId
}

id! {
    /// The id of a session: a UUIDv7 where we make it.
    SessionId
}

impl EntryId {
    /// A new id that `taken` does not know: 8 hex digits, or a whole UUID when those keep colliding.
    pub fn generate(entropy: &mut dyn Entropy, taken: impl Fn(&Self) -> bool) -> Self {
        for _ in 0..100 {
            let id = Self::from(format!("{:08x}", entropy.bits() as u32));
            if !taken(&id) {
                return id;
            }
        }
        Self::from(uuid(entropy.bits(), entropy.bits(), 4))
    }
}

impl SessionId {
    /// A UUIDv7: its text sorts by `now_ms`.
    pub fn generate(now_ms: u64, entropy: &mut dyn Entropy) -> Self {
        let high = (now_ms << 16) | (entropy.bits() & 0xffff);
        Self::from(uuid(high, entropy.bits(), 7))
    }

    /// Whether it may stand in a file name: letters, digits, `.`, `_` and `-`, the first and the last a letter or digit,
    /// at most 64 of them. An id from a file that is not like this would be a path chosen by whoever wrote the file.
    pub fn is_safe(&self) -> bool {
        let text = self.as_str().as_bytes();
        let ends = [text.first(), text.last()].into_iter().all(|end| end.is_some_and(u8::is_ascii_alphanumeric));
        ends && text.len() <= 64
            && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    }
}

fn uuid(high: u64, low: u64, version: u64) -> String {
    let high = (high & !0xf000) | (version << 12);
    let low = (low & (u64::MAX >> 2)) | (1 << 63);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_ids_carry_time_and_version() {
        let id = SessionId::generate(0x0192_3456_789a, &mut || u64::MAX);
        assert_eq!(id.as_str(), "01923456-789a-7fff-bfff-ffffffffffff");
        let id = SessionId::generate(0x0192_3456_789a, &mut || 0);
        assert_eq!(id.as_str(), "01923456-789a-7000-8000-000000000000");
    }

    #[test]
    fn entry_ids_avoid_taken_ones() {
        let mut next = 6;
        let mut count = || {
            next += 1;
            next
        };
        let id = EntryId::generate(&mut count, |id| id.as_str() != "00000009");
        assert_eq!(id.as_str(), "00000009");
    }

    #[test]
    fn an_unlucky_source_still_ends() {
        let id = EntryId::generate(&mut || 5, |_| true);
        assert_eq!(id.as_str(), "00000000-0000-4005-8000-000000000005");
    }

    #[test]
    fn ids_that_are_paths_are_not_safe() {
        for (id, safe) in [
            ("0192-a.b_c9", true),
            ("x", true),
            ("", false),
            ("../x", false),
            (".x", false),
            ("x.", false),
            ("a/b", false),
            ("a b", false),
            ("é", false),
        ] {
            assert_eq!(SessionId::from(id).is_safe(), safe, "{id}");
        }
    }
}

//! A part of a file replaced: what an edit costs in the journal, instead of the whole file again.

use std::sync::Arc;

use crate::checksum;

/// A patch is worth it if what it carries is less than this part of the file.
const WORTH: usize = 4;
/// Smaller files are written whole: the record itself is as large.
const N_SMALL: usize = 512;

/// Bytes put in place of others. It fits one file only, which its checksum proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    /// Where the replaced bytes begin.
    pub(crate) at: u64,
    /// How many there were.
    pub(crate) n_removed: u64,
    /// What is there instead.
    pub(crate) inserted: Arc<[u8]>,
    /// The checksum of the file that comes of it.
    pub(crate) checksum: u32,
}

impl Patch {
    /// What makes `old` into `new`, if that is much less than `new`. Linear.
    pub(crate) fn between(old: &[u8], new: &[u8]) -> Option<Self> {
        if new.len() < N_SMALL {
            return None;
        }
        let n_same = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(old, new)| old == new).count();
        let at = n_same(&mut old.iter().zip(new));
        let (old_rest, new_rest) = (old.get(at..)?, new.get(at..)?);
        let n_after = n_same(&mut old_rest.iter().rev().zip(new_rest.iter().rev()));
        let inserted = new_rest.get(..new_rest.len().checked_sub(n_after)?)?;
        if inserted.len() > new.len() / WORTH {
            return None;
        }
        let n_removed = old_rest.len().checked_sub(n_after)? as u64;
        Some(Self { at: at as u64, n_removed, inserted: inserted.into(), checksum: checksum::of(&[new]) })
    }

    /// What comes of `old`; `None` if the patch was not made for it.
    pub(crate) fn apply(&self, old: &[u8]) -> Option<Arc<[u8]>> {
        let at = usize::try_from(self.at).ok()?;
        let before = old.get(..at)?;
        let after = old.get(at.checked_add(usize::try_from(self.n_removed).ok()?)?..)?;
        if checksum::of(&[before, &self.inserted, after]) != self.checksum {
            return None;
        }
        Some([before, &self.inserted, after].concat().into())
    }
}

#[cfg(test)]
mod tests {
    use super::Patch;

    #[test]
    fn a_patch_makes_the_new_file_of_the_old_and_of_no_other() {
        let old: Vec<u8> = (0..4000_u32).map(|at| (at % 251) as u8).collect();
        let changed = |at: usize, n_removed: usize, inserted: &[u8]| {
            let mut new = old.clone();
            new.splice(at..at + n_removed, inserted.iter().copied());
            new
        };
        // What is to be replaced, and the place and lengths that say so; `None` where the file is written whole.
        let cases = [
            (changed(0, 0, b""), Some((4000, 0, 0))),
            (changed(0, 1, b"x"), Some((0, 1, 1))),
            (changed(2000, 10, b"0123456789ab"), Some((2000, 10, 12))),
            (changed(4000, 0, b"end"), Some((4000, 0, 3))),
            (changed(0, 0, b"start"), Some((0, 0, 5))),
            (changed(100, 3000, b""), Some((100, 3000, 0))),
            (changed(0, 3990, b""), None),
            (changed(0, 2000, &[7; 2000]), None),
            (vec![], None),
        ];
        for (new, expected) in cases {
            let patch = Patch::between(&old, &new);
            let found = patch.as_ref().map(|patch| (patch.at, patch.n_removed, patch.inserted.len()));
            assert_eq!(found, expected);
            if let Some(patch) = patch {
                assert_eq!(patch.apply(&old).as_deref(), Some(new.as_slice()));
                let mut other = old.clone();
                other[3999] ^= 1;
                let fits = patch.apply(&other);
                assert!(fits.is_none() || patch.at + patch.n_removed > 3999, "{patch:?}");
                assert_eq!(patch.apply(b"short"), None);
            }
        }
    }

    #[test]
    fn lengths_that_nobody_wrote_are_refused() {
        for (at, n_removed) in [(u64::MAX, 0), (0, u64::MAX), (u64::MAX, u64::MAX), (1, u64::MAX), (6, 0)] {
            let patch = Patch { at, n_removed, inserted: (*b"x").into(), checksum: 0 };
            assert_eq!(patch.apply(b"hello"), None);
        }
    }
}

//! Snapshots that a person takes, which stay when the workspace is closed. Each is kept under a name that says all of it.

use crate::workspace::{SavedSnapshot, Snapshot};

/// What the names of ours begin with.
const MARK: &str = "saved";
/// Between the parts; the last is what the reader calls it, and may have it.
const BETWEEN: char = '\u{1f}';

/// Under which name it is kept.
pub(crate) fn name_of(saved: &SavedSnapshot) -> String {
    let SavedSnapshot { id, name, time_ms, .. } = saved;
    let mut text = format!("{MARK}{BETWEEN}{id}{BETWEEN}{time_ms}");
    if let Some(name) = name {
        text.push(BETWEEN);
        text.push_str(name);
    }
    text
}

/// What a name says; `None` for one that somebody else chose.
pub(crate) fn of_name(kept: &str, snapshot: Snapshot) -> Option<SavedSnapshot> {
    let mut parts = kept.splitn(4, BETWEEN);
    let is_ours = parts.next()? == MARK;
    let (id, time_ms) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    is_ours.then(|| SavedSnapshot { id, name: parts.next().map(str::to_owned), time_ms, snapshot })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_all_of_it() {
        for name in [None, Some(""), Some("before the rewrite"), Some("a\u{1f}b\u{1f}c\u{1f}d"), Some("改写之前")] {
            let saved = SavedSnapshot { id: 3, name: name.map(Into::into), time_ms: 9, snapshot: Snapshot(5) };
            assert_eq!(of_name(&name_of(&saved), Snapshot(5)), Some(saved));
        }
        for other in ["", "saved", "start", "saved\u{1f}x\u{1f}1", "saved\u{1f}1", "other\u{1f}1\u{1f}1\u{1f}n"] {
            assert_eq!(of_name(other, Snapshot(1)), None, "{other:?}");
        }
    }
}

//! Where an entry goes: a name of the archive as a path that stays inside.

use crate::error::Refusal;

/// The parts of a name that is safe, joined by `/`; empty for the folder itself.
///
/// A backslash separates too: Windows tools write it, and elsewhere it must not hide a `..`.
pub(crate) fn path(name: &str) -> Result<String, Refusal> {
    let mut parts = Vec::new();
    let drive = name.as_bytes().get(1) == Some(&b':') && name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    if drive || name.starts_with(['/', '\\']) {
        return Err(Refusal::Escapes(name.to_owned()));
    }
    for part in name.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => return Err(Refusal::Escapes(name.to_owned())),
            part if part.chars().any(|character| character < ' ' || character == '\u{7f}') => {
                return Err(Refusal::Name(name.to_owned()));
            }
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// Whether it is what a Mac puts beside files, and nobody has asked for.
pub(crate) fn is_mac_metadata(path: &str) -> bool {
    let mut parts = path.split('/');
    parts.next() == Some("__MACOSX") || path.rsplit('/').next() == Some(".DS_Store")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside() {
        let inside = [
            ("a", "a"),
            ("a/b/", "a/b"),
            ("./a//b", "a/b"),
            ("a\\b.txt", "a/b.txt"),
            ("..a/b..", "..a/b.."),
            ("", ""),
            ("./", ""),
        ];
        for (name, expected) in inside {
            assert_eq!(path(name).as_deref(), Ok(expected), "{name}");
        }
        let outside = [
            "/etc/passwd",
            "../a",
            "a/../../b",
            "a/..",
            "..\\a",
            "\\a",
            "c:\\a",
            "C:a",
            "a\\..\\..\\b",
            "//host/share",
        ];
        for name in outside {
            assert_eq!(path(name), Err(Refusal::Escapes(name.to_owned())), "{name}");
        }
        for name in ["a\0b", "a\nb", "a\u{7f}"] {
            assert_eq!(path(name), Err(Refusal::Name(name.to_owned())), "{name:?}");
        }
    }
}

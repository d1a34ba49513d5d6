//! [`Contents`]: the bytes of a file as lines to search, whatever they are.

use std::borrow::Cow;

use memchr::memchr;

/// Bytes in which a file shows at once that it is no text.
const HEAD: usize = 64 << 10;

/// How a file came to be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// It was asked for by its own name.
    Itself,
    /// It is in a folder that was asked for.
    InFolder,
}

/// What of a file is searched.
#[derive(Debug)]
pub struct Contents<'a> {
    bytes: Cow<'a, [u8]>,
    /// Nobody has looked for a NUL yet.
    is_open: bool,
}

impl<'a> Contents<'a> {
    /// A byte order mark says how a file is encoded, and is no part of it. A NUL means that the file is no text, and nothing of it is
    /// searched unless it was named; if the NUL comes late, what is before it is.
    ///
    /// In a file that is short it is looked for only when [`Contents::is_text`] asks: most files have nothing of what is
    /// searched for, and looking twice at each would be half of a search.
    pub fn new(bytes: &'a [u8], named: Named) -> Self {
        let contents = match bytes {
            [0xef, 0xbb, 0xbf, rest @ ..] => Cow::Borrowed(rest),
            [0xff, 0xfe, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)),
            [0xfe, 0xff, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)),
            bytes => Cow::Borrowed(bytes),
        };
        if named == Named::Itself || contents.len() <= HEAD {
            return Self { bytes: contents, is_open: named == Named::InFolder };
        }
        let bytes = match memchr(0, &contents) {
            None => contents,
            Some(nul) if nul < HEAD => Cow::Borrowed(&[] as &[u8]),
            Some(nul) => match contents {
                Cow::Borrowed(bytes) => Cow::Borrowed(bytes.get(..nul).unwrap_or_default()),
                Cow::Owned(mut bytes) => {
                    bytes.truncate(nul);
                    Cow::Owned(bytes)
                }
            },
        };
        Self { bytes, is_open: false }
    }

    /// The bytes. What is found in them counts only if [`Contents::is_text`].
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether what is found in the bytes counts.
    pub fn is_text(&self) -> bool {
        !self.is_open || memchr(0, &self.bytes).is_none()
    }
}

/// What is no UTF-16 becomes U+FFFD.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let characters = char::decode_utf16(pairs.iter().copied().map(unit));
    let mut text: String = characters.map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_say_the_encoding_and_a_nul_ends_a_text() {
        let cases: [(&[u8], Named, &str); 9] = [
            (b"plain\n", Named::InFolder, "plain\n"),
            (b"\xef\xbb\xbfmark\n", Named::InFolder, "mark\n"),
            (b"\xff\xfea\0\xe9\0\n\0", Named::InFolder, "aé\n"),
            (b"\xfe\xff\0a\0\xe9\0\n", Named::InFolder, "aé\n"),
            (b"\xff\xfe\x3d\xd8\x42\xdea\0", Named::InFolder, "🙂a"),
            (b"\xff\xfe\x3d\xd8a\0b", Named::InFolder, "\u{fffd}a\u{fffd}"),
            (b"text\nhalf\0more\n", Named::InFolder, ""),
            (b"text\nhalf\0more\n", Named::Itself, "text\nhalf\0more\n"),
            (b"", Named::Itself, ""),
        ];
        for (bytes, named, expected) in cases {
            let contents = Contents::new(bytes, named);
            let searched = if contents.is_text() { contents.bytes() } else { b"" };
            assert_eq!(std::str::from_utf8(searched), Ok(expected));
        }
        let late = [&b"line\n".repeat(HEAD), b"half\0more".as_slice()].concat();
        let late = Contents::new(&late, Named::InFolder);
        assert_eq!((late.bytes().len(), late.is_text()), (5 * HEAD + 4, true));
        let early = [b"half\0more".as_slice(), &b"line\n".repeat(HEAD)].concat();
        assert_eq!(Contents::new(&early, Named::InFolder).bytes(), b"");
    }
}

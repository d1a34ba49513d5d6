//! The inside of a JSON string in pieces: escapes are held back until they are whole, and kept as text if they are none.

use std::ops::Range;

use memchr::memchr2;

/// Some of what a string is, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Bytes of the piece, as they stand there; never none, and whole characters.
    Run(Range<usize>),
    /// What an escape stood for.
    Char(char),
}

/// An escape that is being read.
#[derive(Clone, Debug, Default)]
pub(super) struct Escape {
    /// The escape so far, backslash included; empty outside one.
    held: String,
    /// The first half of a surrogate pair.
    high: Option<u32>,
}

/// Reads a piece from `at` up to the closing quote. Gives where it stopped and whether the string is closed. Every byte is
/// looked at once, and what is plain text is not copied.
pub(super) fn read_string(
    escape: &mut Escape,
    piece: &str,
    mut at: usize,
    tell: &mut impl FnMut(Part),
) -> (usize, bool) {
    let bytes = piece.as_bytes();
    loop {
        if !escape.held.is_empty() {
            let Some(next) = bytes.get(at) else { return (at, false) };
            at += usize::from(escape.take(*next, tell));
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let end = memchr2(b'"', b'\\', rest).map_or(bytes.len(), |length| at + length);
        if end > at {
            escape.lone(tell);
            tell(Part::Run(at..end));
        }
        at = end + 1;
        match bytes.get(end) {
            Some(b'"') => {
                escape.lone(tell);
                return (at, true);
            }
            Some(_) => escape.held.push('\\'),
            None => return (end, false),
        }
    }
}

impl Escape {
    /// Takes one more byte of an escape; `false` if it does not belong to it and must be read again as text.
    fn take(&mut self, next: u8, tell: &mut impl FnMut(Part)) -> bool {
        if self.held.len() == 1 {
            let plain = match next {
                b'"' | b'\\' | b'/' => char::from(next),
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => {
                    self.held.push('u');
                    return true;
                }
                _ => return self.give_up(tell),
            };
            self.held.clear();
            self.lone(tell);
            tell(Part::Char(plain));
            return true;
        }
        if !next.is_ascii_hexdigit() {
            return self.give_up(tell);
        }
        self.held.push(char::from(next));
        if self.held.len() == 6 {
            let unit = self.held.get(2..).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or_default();
            self.held.clear();
            self.unit(unit, tell);
        }
        true
    }

    /// No escape after all: it stays as it was written.
    fn give_up(&mut self, tell: &mut impl FnMut(Part)) -> bool {
        self.lone(tell);
        self.held.drain(..).for_each(|sign| tell(Part::Char(sign)));
        false
    }

    fn unit(&mut self, unit: u32, tell: &mut impl FnMut(Part)) {
        let decoded = match (self.high, unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                self.high = None;
                0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00)
            }
            (_, 0xd800..=0xdbff) => {
                self.lone(tell);
                self.high = Some(unit);
                return;
            }
            (_, _) => {
                self.lone(tell);
                unit
            }
        };
        tell(Part::Char(char::from_u32(decoded).unwrap_or(char::REPLACEMENT_CHARACTER)));
    }

    /// Half a pair without its other half.
    fn lone(&mut self, tell: &mut impl FnMut(Part)) {
        if self.high.take().is_some() {
            tell(Part::Char(char::REPLACEMENT_CHARACTER));
        }
    }
}

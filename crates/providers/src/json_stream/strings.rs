//! The inside of a JSON string in pieces: escapes are held back until they are whole, and kept as text if they are none.

use std::ops::Range;

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
        let start = at;
        if !escape.held.is_empty() {
            let Some(next) = bytes.get(at) else { return (at, false) };
            match escape.take(*next, tell) {
                Taken::Itself => at += 1,
                Taken::Held => {
                    at += 1;
                    continue;
                }
                Taken::Not => continue,
            }
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let is_special = |byte: &u8| matches!(byte, b'"' | b'\\');
        let end = rest.iter().position(is_special).map_or(bytes.len(), |length| at + length);
        if end > start {
            escape.lone(tell);
            tell(Part::Run(start..end));
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

/// What became of a byte after a backslash.
enum Taken {
    /// It is part of the escape, which may be whole now.
    Held,
    /// The escape is whole and stands for this very byte.
    Itself,
    /// It does not belong to the escape and must be read again as text.
    Not,
}

impl Escape {
    /// Whether none is being read.
    pub(super) fn is_idle(&self) -> bool {
        self.held.is_empty() && self.high.is_none()
    }

    fn take(&mut self, next: u8, tell: &mut impl FnMut(Part)) -> Taken {
        if self.held.len() == 1 {
            let plain = match next {
                b'"' | b'\\' | b'/' => {
                    self.held.clear();
                    return Taken::Itself;
                }
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => {
                    self.held.push('u');
                    return Taken::Held;
                }
                _ => return self.give_up(tell),
            };
            self.held.clear();
            self.lone(tell);
            tell(Part::Char(plain));
            return Taken::Held;
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
        Taken::Held
    }

    /// No escape after all: it stays as it was written.
    fn give_up(&mut self, tell: &mut impl FnMut(Part)) -> Taken {
        self.lone(tell);
        self.held.drain(..).for_each(|sign| tell(Part::Char(sign)));
        Taken::Not
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

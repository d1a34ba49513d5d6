//! The inside of a JSON string in pieces: escapes are held back until they are whole, and kept as text if they are none.

use memchr::memchr2;

/// An escape that is being read.
#[derive(Clone, Debug, Default)]
pub(super) struct Escape {
    /// The escape so far, backslash included; empty outside one.
    held: String,
    /// The first half of a surrogate pair.
    high: Option<u32>,
}

/// Reads up to the closing quote. Gives what is left and whether the string is closed.
pub(super) fn read_string<'t>(value: &mut String, escape: &mut Escape, text: &'t str) -> (&'t str, bool) {
    let mut rest = text;
    loop {
        if !escape.held.is_empty() {
            let Some(next) = rest.chars().next() else { return (rest, false) };
            if escape.take(next, value) {
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
            }
            continue;
        }
        let Some(at) = memchr2(b'"', b'\\', rest.as_bytes()) else {
            escape.flush(rest, value);
            return ("", false);
        };
        let (plain, special) = rest.split_at(at);
        escape.flush(plain, value);
        rest = special.get(1..).unwrap_or_default();
        if special.starts_with('"') {
            escape.lone(value);
            return (rest, true);
        }
        escape.held.push('\\');
    }
}

impl Escape {
    /// Outside of any escape, and of a pair of them.
    pub(super) fn is_idle(&self) -> bool {
        self.held.is_empty() && self.high.is_none()
    }

    /// Takes one more character of an escape; `false` if it does not belong to it and must be read again as text.
    fn take(&mut self, next: char, value: &mut String) -> bool {
        if self.held.len() == 1 {
            let plain = match next {
                '"' | '\\' | '/' => next,
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    self.held.push('u');
                    return true;
                }
                _ => return self.give_up(value),
            };
            self.held.clear();
            self.lone(value);
            value.push(plain);
            return true;
        }
        if !next.is_ascii_hexdigit() {
            return self.give_up(value);
        }
        self.held.push(next);
        if self.held.len() == 6 {
            let unit = self.held.get(2..).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or_default();
            self.held.clear();
            self.unit(unit, value);
        }
        true
    }

    /// No escape after all: it stays as it was written.
    fn give_up(&mut self, value: &mut String) -> bool {
        self.lone(value);
        value.push_str(&std::mem::take(&mut self.held));
        false
    }

    fn unit(&mut self, unit: u32, value: &mut String) {
        match (self.high.take(), unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                let code = 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00);
                value.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            (before, 0xd800..=0xdbff) => {
                value.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                self.high = Some(unit);
            }
            (before, _) => {
                value.extend(before.map(|_| char::REPLACEMENT_CHARACTER));
                value.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
    }

    fn flush(&mut self, plain: &str, value: &mut String) {
        if !plain.is_empty() {
            self.lone(value);
            value.push_str(plain);
        }
    }

    /// Half a pair without its other half.
    fn lone(&mut self, value: &mut String) {
        value.extend(self.high.take().map(|_| char::REPLACEMENT_CHARACTER));
    }
}

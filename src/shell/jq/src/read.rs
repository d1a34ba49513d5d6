//! JSON text to values, one after another, with jq's leniencies and its words for what is none.

use std::rc::Rc;

use crate::value::{Map, Value};
use crate::write;

/// Levels of arrays and objects that are read.
const DEPTH: usize = 512;

/// Reads the values of a text one after another. After an error there is nothing more.
#[derive(Debug)]
pub struct Reader<'t> {
    text: &'t str,
    at: usize,
}

/// Why a text is no JSON, in jq's words, with the place.
pub type ReadError = String;

impl<'t> Reader<'t> {
    /// At the beginning of a text, whose byte order mark is passed over.
    pub fn new(text: &'t str) -> Self {
        Self { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } }
    }

    /// A reader that goes on where another one was.
    pub fn from(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    /// How much was read, in bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next value; `None` at the end.
    pub fn next(&mut self) -> Option<Result<Value, ReadError>> {
        self.blanks();
        self.peek()?;
        let value = self.value(0);
        if value.is_err() {
            self.at = self.text.len();
        }
        Some(value)
    }

    fn value(&mut self, depth: usize) -> Result<Value, ReadError> {
        self.blanks();
        if depth > DEPTH {
            return Err(self.error("Exceeds depth limit for parsing"));
        }
        match self.peek() {
            None => Err(self.error("Unfinished JSON term")),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Value::text),
            Some(b'}') => Err(self.error("Unmatched '}'")),
            Some(b']') => Err(self.error("Unmatched ']'")),
            Some(b',') => Err(self.error("Expected value before ','")),
            Some(b':') => Err(self.error("':' not as part of an object")),
            Some(_) => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, ReadError> {
        self.at += 1;
        let mut members = Map::default();
        loop {
            self.blanks();
            match self.peek() {
                Some(b'}') if members.is_empty() => break,
                Some(b'}') => return Err(self.error("Objects must consist of key:value pairs")),
                Some(b'"') => {}
                None => return Err(self.error("Unfinished JSON term")),
                Some(b'[' | b'{' | b',' | b':' | b']') => {
                    return Err(self.error("Object keys must be strings"));
                }
                Some(_) => {
                    self.word()?;
                    return Err(self.error("Object keys must be strings"));
                }
            }
            let key = self.string()?;
            self.blanks();
            match self.peek() {
                Some(b':') => self.at += 1,
                None => return Err(self.error("Unfinished JSON term")),
                Some(_) => return Err(self.error("Objects must consist of key:value pairs")),
            }
            let value = self.value(depth + 1)?;
            members.insert(key.into(), value);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                None => return Err(self.error("Unfinished JSON term")),
                Some(b']') => return Err(self.error("Unmatched ']'")),
                Some(_) => return Err(self.error("Expected separator between values")),
            }
        }
        self.at += 1;
        Ok(Value::Object(Rc::new(members)))
    }

    fn array(&mut self, depth: usize) -> Result<Value, ReadError> {
        self.at += 1;
        let mut items = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                Some(b']') if items.is_empty() => break,
                Some(b']') => return Err(self.error("Expected another array element")),
                _ => {}
            }
            items.push(self.value(depth + 1)?);
            self.blanks();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                None => return Err(self.error("Unfinished JSON term")),
                Some(b'}') => return Err(self.error("Unmatched '}'")),
                Some(b':') => return Err(self.error("':' not as part of an object")),
                Some(_) => return Err(self.error("Expected separator between values")),
            }
        }
        self.at += 1;
        Ok(Value::array(items))
    }

    fn string(&mut self) -> Result<String, ReadError> {
        self.at += 1;
        let (mut text, mut is_raw) = (String::new(), false);
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let Some(length) = rest.find(['"', '\\']) else {
                self.at = self.text.len();
                return Err(self.error("Unfinished string"));
            };
            let plain = rest.get(..length).unwrap_or_default();
            is_raw |= plain.bytes().any(|byte| byte < b' ');
            text.push_str(plain);
            self.at += length + 1;
            if rest.as_bytes().get(length) == Some(&b'"') {
                if is_raw {
                    self.at -= 1;
                    let what = "Invalid string: control characters from U+0000 through U+001F must be escaped";
                    return Err(self.error(what));
                }
                return Ok(text);
            }
            let escape = self.peek();
            self.at += 1;
            text.push(match escape {
                Some(b'"') => '"',
                Some(b'\\') => '\\',
                Some(b'/') => '/',
                Some(b'b') => '\u{8}',
                Some(b'f') => '\u{c}',
                Some(b'n') => '\n',
                Some(b'r') => '\r',
                Some(b't') => '\t',
                Some(b'u') => self.unicode()?,
                _ => return Err(self.error("Invalid escape")),
            });
        }
    }

    /// Behind a `\u`. Half a pair becomes the character that stands for what is none.
    fn unicode(&mut self) -> Result<char, ReadError> {
        let first = self.unit()?;
        if (0xd800..0xdc00).contains(&first) && self.text.get(self.at..).is_some_and(|rest| rest.starts_with("\\u")) {
            let back = self.at;
            self.at += 2;
            let second = self.unit()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn unit(&mut self) -> Result<u32, ReadError> {
        let digits = self.text.get(self.at..self.at + 4).filter(|digits| digits.bytes().all(|d| d.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.error("Invalid escape"))?;
        self.at += 4;
        Ok(unit)
    }

    /// What is no string and has no brackets.
    fn word(&mut self) -> Result<Value, ReadError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let is_end = |byte: &u8| b" \t\r\n[]{},:\"".contains(byte);
        let length = rest.bytes().position(|byte| is_end(&byte)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        let value = match word {
            "null" => Some(Value::Null),
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "nan" | "NaN" | "-nan" | "-NaN" => Some(Value::Number(f64::NAN)),
            "Infinity" => Some(Value::Number(f64::INFINITY)),
            "-Infinity" => Some(Value::Number(f64::NEG_INFINITY)),
            word => number(word),
        };
        self.at += length;
        let what = if word.starts_with(['t', 'f', 'n']) { "Invalid literal" } else { "Invalid numeric literal" };
        value.ok_or_else(|| self.error(what))
    }

    fn blanks(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| b" \t\r\n\x1e".contains(byte)).count();
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn error(&self, what: &str) -> ReadError {
        let before = self.text.as_bytes().get(..self.at).unwrap_or(self.text.as_bytes());
        let is_end = self.at >= self.text.len();
        // jq notices when it reads the byte behind.
        let seen = if is_end { before.len() } else { before.len() + 1 };
        let before = self.text.as_bytes().get(..seen).unwrap_or(before);
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
        let at = if is_end { "at EOF at" } else { "at" };
        format!("{what} {at} line {line}, column {column}")
    }
}

/// The only value of a text. What is blank is none.
pub fn read_one(text: &str) -> Result<Option<Value>, ReadError> {
    let mut reader = Reader::new(text);
    let Some(value) = reader.next().transpose()? else { return Ok(None) };
    match reader.next() {
        None => Ok(Some(value)),
        Some(Ok(_)) => Err("Unexpected extra JSON values".to_owned()),
        Some(Err(error)) => Err(error),
    }
}

/// A number, written as JSON has it or a little less strictly.
pub fn number(text: &str) -> Option<Value> {
    let is_plain = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    if !text.bytes().all(is_plain) {
        return None;
    }
    let value = text.parse::<f64>().ok()?;
    let literal = canonical(text);
    if literal == write::number(value) {
        return Some(Value::Number(value));
    }
    Some(Value::Literal(Rc::new((value, literal.into()))))
}

/// A decimal number as the decimal arithmetic of jq writes it: every digit that was there, an exponent only where it is needed.
fn canonical(text: &str) -> String {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = exponent.parse::<i64>().unwrap_or_default();
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let exponent = exponent - fraction.len() as i64;
    let adjusted = exponent + digits.len() as i64 - 1;
    if exponent <= 0 && adjusted >= -6 {
        let n_fraction = usize::try_from(-exponent).unwrap_or_default();
        if n_fraction == 0 {
            return format!("{sign}{digits}");
        }
        let padded = format!("{digits:0>width$}", width = n_fraction + 1);
        let (whole, fraction) = padded.split_at(padded.len() - n_fraction);
        return format!("{sign}{whole}.{fraction}");
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{point}{rest}E{adjusted:+}")
}

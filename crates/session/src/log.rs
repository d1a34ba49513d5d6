//! The JSONL codec: bytes of a session file to header and entries, and back.
//!
//! Lines end at LF alone (a CR before it is dropped; U+2028 is data). Reading never gives up on a file for one bad line:
//! it is counted, stays in the file, and everything else is read.

use serde_json::value::RawValue;

use crate::entry::{Entry, Header};
use crate::migrate::Migration;

/// What is wrong with bytes that are not a session.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// There are no bytes, or only blank lines.
    #[error("it is empty")]
    Empty,
    /// No line is a JSON object.
    #[error("it has no line of JSON")]
    NoJson,
    /// The first JSON object is something else.
    #[error("its first line is not a session header but {found}")]
    NoHeader {
        /// What it is instead, in words.
        found: String,
    },
}

/// What some editors put before the first line.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A session file, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The first line.
    pub header: Header,
    /// The others, in file order.
    pub entries: Vec<Entry>,
    /// What could not be read.
    pub damage: Damage,
    /// Whether the last line has its line feed. One that has not needs it before anything is appended.
    pub ended: bool,
    /// Whether the lines were brought up from version 1 or 2, so that the file no longer says what they say.
    pub migrated: bool,
}

/// Lines that could not be read. They stay in the file, unless all of it is written anew, in another version's form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// How many. Blank lines are not among them.
    pub n_bad_lines: usize,
    /// Whether the last line is one of them and has no line feed: the write of it was cut off.
    pub torn_tail: bool,
}

/// Reads a session file. Linear in its length; fails only when the first JSON object in it is no header.
pub fn parse(bytes: &[u8]) -> Result<Parsed, LogError> {
    let mut reader = Reader::default();
    let damage = scan(bytes, |record| reader.record(record))?;
    let Some(header) = reader.header else {
        return Err(if damage.n_bad_lines > 0 { LogError::NoJson } else { LogError::Empty });
    };
    let migrated = reader.migration.is_some();
    // Objects without an id are bad lines too, found only while they are read.
    let damage = Damage { n_bad_lines: damage.n_bad_lines + reader.n_refused, ..damage };
    Ok(Parsed { header, entries: reader.entries, damage, ended: bytes.ends_with(b"\n"), migrated })
}

/// Header and entries as a file of the current version.
pub fn encode(header: &Header, entries: &[Entry]) -> Vec<u8> {
    let mut bytes = header.line.as_bytes().to_vec();
    bytes.push(b'\n');
    bytes.extend(encode_lines(entries));
    bytes
}

/// The bytes of a file with another header and all else as it is, lines that cannot be read included; `None` when the
/// file does not begin with its header.
pub(crate) fn with_header(bytes: &[u8], old: &Header, new: &Header) -> Option<Vec<u8>> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let rest = bytes.strip_prefix(old.line.as_bytes())?;
    Some([new.line.as_bytes(), rest].concat())
}

/// Entries as the lines to append to a file.
pub fn encode_lines(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.iter().map(|entry| entry.line.len() + 1).sum());
    for entry in entries {
        bytes.extend_from_slice(entry.line.as_bytes());
        bytes.push(b'\n');
    }
    bytes
}

/// Calls `each` with every JSON object of a file, in order. Objects that a lost line feed glued together are taken
/// apart.
pub(crate) fn scan(bytes: &[u8], mut each: impl FnMut(&str) -> Result<(), LogError>) -> Result<Damage, LogError> {
    let mut damage = Damage::default();
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let ended = line.ends_with(b"\n");
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        // A string could hide half a character anywhere, so each line is decoded on its own.
        let good = match std::str::from_utf8(line) {
            Ok(text) => objects(text, &mut each)?,
            Err(_) => false,
        };
        if !good {
            damage.n_bad_lines += 1;
            damage.torn_tail = !ended;
        }
    }
    Ok(damage)
}

/// Calls `each` with every JSON object of a line; says whether the line had nothing else.
fn objects(line: &str, mut each: impl FnMut(&str) -> Result<(), LogError>) -> Result<bool, LogError> {
    let mut values = serde_json::Deserializer::from_str(line).into_iter::<&RawValue>();
    for value in &mut values {
        match value {
            // A line that is one object is handed on whole, with the white space around it, to be written back as it was.
            Ok(value) if value.get().starts_with('{') => {
                each(if value.get().len() == line.trim_ascii().len() { line } else { value.get() })?;
            }
            Ok(_) | Err(_) => return Ok(false),
        }
    }
    Ok(true)
}

#[derive(Default)]
struct Reader {
    header: Option<Header>,
    migration: Option<Migration>,
    entries: Vec<Entry>,
    n_refused: usize,
}

impl Reader {
    fn record(&mut self, record: &str) -> Result<(), LogError> {
        if self.header.is_none() {
            let header = Header::parse(record).ok_or_else(|| LogError::NoHeader { found: describe(record) })?;
            self.migration = Migration::from_version(header.version);
            self.header = Some(if self.migration.is_some() { header.into_current() } else { header });
            return Ok(());
        }
        let entry = match &mut self.migration {
            None => Entry::parse(record),
            Some(migration) => migration.line(record).and_then(|line| Entry::parse(&line)),
        };
        match entry {
            Some(entry) => self.entries.push(entry),
            None => self.n_refused += 1,
        }
        Ok(())
    }
}

/// What a JSON object that is no header seems to be.
fn describe(record: &str) -> String {
    match Entry::parse(record) {
        Some(entry) if !entry.payload.kind().is_empty() => {
            let kind: String = entry.payload.kind().chars().take(40).collect();
            format!("an entry of type {kind:?}")
        }
        _ => "another JSON object".to_owned(),
    }
}

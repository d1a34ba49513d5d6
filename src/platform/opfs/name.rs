//! Names of logs as names of files.
//!
//! Browsers and the systems under them refuse some names (`..`, `CON`, a zero-width space), hide others and may not tell
//! capitals apart. So a file has a prefix that says what it is, and everything but small ASCII letters, digits, `-`, `_`
//! and inner dots is escaped as `%` and two hexadecimal digits.

use std::fmt::Write as _;

use vitrine_vfs::BackendError;

const LOG: &str = "v-";
const MARK: &str = "r-";
const PROOF: &str = "t-";
const MAX_NAME_BYTES: usize = 80;
/// No mark is longer.
pub(super) const N_MARK_BYTES: usize = 512;

/// The file of a log.
pub(super) fn encode(name: &str) -> Result<String, BackendError> {
    if name.is_empty() || name.contains('/') || name.len() > MAX_NAME_BYTES {
        return Err(BackendError::NameRefused { name: name.to_owned() });
    }
    let mut file = String::from(LOG);
    for (at, byte) in name.bytes().enumerate() {
        let is_inner = at > 0 && at + 1 < name.len();
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => file.push(char::from(byte)),
            b'.' if is_inner => file.push('.'),
            // Writing to a string does not fail.
            _ => drop(write!(file, "%{byte:02x}")),
        }
    }
    Ok(file)
}

/// The log of a file; `None` if it is none.
pub(super) fn decode(file: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = file.strip_prefix(LOG)?.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    let name = String::from_utf8(bytes).ok()?;
    (encode(&name).ok()?.as_str() == file).then_some(name)
}

/// The log of a file, for an error message.
pub(super) fn shown(file: String) -> String {
    decode(&file).unwrap_or(file)
}

/// The file that marks that `to` is being replaced.
pub(super) fn mark(to: &str) -> String {
    format!("{MARK}{to}")
}

/// Whether a file is such a mark.
pub(super) fn is_mark(file: &str) -> bool {
    file.starts_with(MARK)
}

/// What a mark holds. Its last byte says that it is whole.
pub(super) fn mark_bytes(from: &str) -> Vec<u8> {
    format!("{from}\n").into_bytes()
}

/// From and to; `None` if the mark is not whole.
pub(super) fn read_mark(mark: &str, bytes: &[u8]) -> Option<(String, String)> {
    let from = std::str::from_utf8(bytes).ok()?.strip_suffix('\n')?;
    let to = mark.strip_prefix(MARK)?;
    decode(from)?;
    decode(to)?;
    Some((from.to_owned(), to.to_owned()))
}

/// The file that proves that storage works.
pub(super) fn proof(random: f64) -> String {
    format!("{PROOF}{:016x}", (random * 2_f64.powi(53)) as u64)
}

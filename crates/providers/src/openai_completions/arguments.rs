//! What the arguments of a call are, once all of their text is there (rule 6 of the cases).

use serde_json::Value;
use serde_json::value::RawValue;
use vitrine_agent::json::Json;

use crate::json_stream::{Refusal, parse_object, repair_json};

/// More objects than this in the arguments of one call are not several calls but a runaway.
const MAX_OBJECTS: usize = 32;

/// The arguments of the call, and of the further calls that were glued to it: never empty.
///
/// Blank is `{}`; one object is itself; several objects in a row are one each, equal ones once; leftovers of brackets, blanks
/// and `<|…|>` tokens are dropped. Anything else is refused: nothing is closed, cut or guessed.
pub(super) fn judge(text: &str) -> Result<Vec<Json>, Refusal> {
    let refusal = match parse_object(text) {
        Ok(json) => return Ok(vec![json]),
        Err(refusal) => refusal,
    };
    match objects(text) {
        Objects::Found(objects) => Ok(objects),
        Objects::CutOff => Err(Refusal::cut_off("the last object is not complete", text)),
        Objects::None => match objects(&repair_json(text)) {
            Objects::Found(objects) => Ok(objects),
            Objects::CutOff | Objects::None => Err(refusal),
        },
    }
}

enum Objects {
    Found(Vec<Json>),
    /// At least one whole object, then one that is not.
    CutOff,
    None,
}

fn objects(text: &str) -> Objects {
    let mut found = Vec::<(Value, Json)>::new();
    let mut rest = text;
    while found.is_empty() || !is_junk(rest) {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<&RawValue>();
        let raw = match values.next() {
            Some(Ok(raw)) => raw,
            Some(Err(failure)) if failure.is_eof() && !found.is_empty() => return Objects::CutOff,
            Some(Err(_)) | None => return Objects::None,
        };
        let (Ok(value @ Value::Object(_)), Ok(json)) = (serde_json::from_str(raw.get()), Json::parse(raw.get())) else {
            return Objects::None;
        };
        if !found.iter().any(|(seen, _)| *seen == value) {
            found.push((value, json));
        }
        if found.len() > MAX_OBJECTS {
            return Objects::None;
        }
        rest = rest.get(values.byte_offset()..).unwrap_or_default();
    }
    Objects::Found(found.into_iter().map(|(_, json)| json).collect())
}

/// Only brackets, blanks and special tokens.
fn is_junk(text: &str) -> bool {
    let mut rest = text;
    loop {
        rest = rest
            .trim_start_matches(|sign: char| sign.is_whitespace() || matches!(sign, '{' | '}' | '[' | ']' | '(' | ')'));
        match rest.strip_prefix("<|").and_then(|token| token.split_once("|>")) {
            Some((name, after)) if name.len() <= 64 => rest = after,
            _ => return rest.is_empty(),
        }
    }
}

/// Follows a text to the end of its first JSON object or array, a byte at a time, so that asking "is it complete?" at each
/// delta does not start over.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    depth: usize,
    in_string: bool,
    after_backslash: bool,
    is_complete: bool,
}

impl Progress {
    pub(super) fn push(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.in_string {
                match byte {
                    _ if self.after_backslash => self.after_backslash = false,
                    b'\\' => self.after_backslash = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    self.is_complete |= self.depth == 0;
                }
                _ => {}
            }
        }
    }

    /// Whether a whole value is there and nothing has been begun after it.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete && self.depth == 0 && !self.in_string
    }
}

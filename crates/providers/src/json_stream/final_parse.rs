//! The strict end: is this text the arguments of a call, or not?

use serde_json::Value;
use vitrine_agent::json::Json;

/// Arguments from their whole text: the object, or `{}` and why it was refused.
///
/// Blank text is `{}`. Text that is not JSON only because of raw control characters or invalid escapes inside strings is
/// mended, since no meaning is lost; anything else is refused with the raw text, so that the model can see what it wrote.
/// A prefix is never completed: half a file would be written as if it were whole.
pub fn parse_tool_call_arguments(text: &str) -> (Json, Option<String>) {
    match parse_object(text) {
        Ok(json) => (json, None),
        Err(refusal) => (Json::empty_object(), Some(refusal.message)),
    }
}

/// Why arguments were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The text ends inside the value.
    pub(crate) is_cut_off: bool,
    /// For the model: the reason and the raw text.
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn cut_off(detail: &str, received: &str) -> Self {
        Self { is_cut_off: true, message: with_received(&format!("Tool arguments cut off: {detail}"), received) }
    }
}

fn with_received(reason: &str, received: &str) -> String {
    format!("{reason}\n\nReceived arguments:\n{received}")
}

/// [`parse_tool_call_arguments`] with the refusal as a value.
pub(crate) fn parse_object(received: &str) -> Result<Json, Refusal> {
    let text = received.trim();
    if text.is_empty() {
        return Ok(Json::empty_object());
    }
    let failure = match strict(text) {
        Ok(Some(json)) => return Ok(json),
        Ok(None) => return Err(not_an_object(received)),
        Err(failure) => failure,
    };
    match strict(&repair_json(text)) {
        Ok(Some(json)) => Ok(json),
        Ok(None) => Err(not_an_object(received)),
        Err(_) if failure.is_eof() => Err(Refusal::cut_off(&failure.to_string(), received)),
        Err(_) => {
            let message = with_received(&format!("Tool arguments are not valid JSON: {failure}"), received);
            Err(Refusal { is_cut_off: false, message })
        }
    }
}

fn not_an_object(received: &str) -> Refusal {
    Refusal { is_cut_off: false, message: with_received("Tool arguments must be a JSON object", received) }
}

/// `None` for JSON that is no object. Parses to a [`Value`] once, so that whoever needs the value later cannot find it too
/// deep or its escapes broken.
fn strict(text: &str) -> Result<Option<Json>, serde_json::Error> {
    Ok(match serde_json::from_str::<Value>(text)? {
        Value::Object(_) => Some(Json::parse(text)?),
        _ => None,
    })
}

/// Mends the inside of strings and leaves everything else: raw control characters become escapes, a backslash before
/// something that is no escape is doubled (`\d`, `\usepackage`), half a surrogate pair becomes U+FFFD.
pub fn repair_json(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len() + 16);
    let mut in_string = false;
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let mut taken = next.len_utf8();
        match next {
            '"' => {
                in_string = !in_string;
                repaired.push('"');
            }
            '\\' if in_string => taken = repair_escape(rest, &mut repaired),
            '\0'..='\u{1f}' if in_string => push_control(next, &mut repaired),
            _ => repaired.push(next),
        }
        rest = rest.get(taken..).unwrap_or_default();
    }
    repaired
}

/// Writes the escape that `text` begins with and says how long it was.
fn repair_escape(text: &str, repaired: &mut String) -> usize {
    match text.as_bytes().get(1) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
            repaired.push_str(text.get(..2).unwrap_or_default());
            2
        }
        Some(b'u') => match hex_escape(text) {
            Some(0xd800..=0xdbff) if matches!(text.get(6..).and_then(hex_escape), Some(0xdc00..=0xdfff)) => {
                repaired.push_str(text.get(..12).unwrap_or_default());
                12
            }
            Some(0xd800..=0xdfff) => {
                repaired.push_str("\\ufffd");
                6
            }
            Some(_) => {
                repaired.push_str(text.get(..6).unwrap_or_default());
                6
            }
            None => {
                repaired.push_str("\\\\");
                1
            }
        },
        _ => {
            repaired.push_str("\\\\");
            1
        }
    }
}

fn hex_escape(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    // `from_str_radix` would also take a sign.
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

fn push_control(control: char, repaired: &mut String) {
    match control {
        '\n' => repaired.push_str("\\n"),
        '\r' => repaired.push_str("\\r"),
        '\t' => repaired.push_str("\\t"),
        _ => repaired.push_str(&format!("\\u{:04x}", u32::from(control))),
    }
}

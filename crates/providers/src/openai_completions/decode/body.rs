//! What kind of body this is: events, JSON or a web page. Told from its first byte, since content types lie.

use crate::error::{ErrorKind, ProviderError, is_web_page, web_page};

use super::answer::Said;

/// A JSON body longer than this is refused.
const MAX_JSON_BYTES: usize = 64 << 20;
/// How much of the beginning is kept for the error text of a body that says nothing.
const MAX_HEAD_BYTES: usize = 1200;
const BOM: &[u8] = b"\xef\xbb\xbf";

#[derive(Debug, Default)]
pub(super) struct Body {
    kind: Kind,
    head: Vec<u8>,
}

#[derive(Debug, Default)]
enum Kind {
    /// Only blanks so far, or part of a byte order mark.
    #[default]
    Unknown,
    Events,
    Json(Vec<u8>),
}

/// What to do with the bytes just pushed.
pub(super) enum Pushed {
    /// Nothing: they are kept.
    Held,
    /// Read what was held, then them, as events.
    Events {
        held: Vec<u8>,
    },
    Refused(ProviderError),
}

impl Body {
    pub(super) fn push(&mut self, bytes: &[u8]) -> Pushed {
        let head_room = MAX_HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        match &mut self.kind {
            Kind::Events => {
                self.head.extend_from_slice(bytes.get(..head_room).unwrap_or_default());
                Pushed::Events { held: Vec::new() }
            }
            Kind::Json(json) if json.len() + bytes.len() > MAX_JSON_BYTES => {
                Pushed::Refused(ProviderError::of(ErrorKind::NotAStream, false, "the server's answer is too long"))
            }
            Kind::Json(json) => {
                json.extend_from_slice(bytes);
                Pushed::Held
            }
            Kind::Unknown => {
                let held = self.head.clone();
                self.head.extend_from_slice(bytes.get(..head_room).unwrap_or_default());
                let seen: Vec<u8> = [&held, bytes].concat();
                match first_sign(&seen) {
                    Some(b'<') => Pushed::Refused(web_page()),
                    Some(b'{' | b'[') => {
                        self.kind = Kind::Json(seen);
                        Pushed::Held
                    }
                    None if seen.len() <= MAX_HEAD_BYTES => Pushed::Held,
                    Some(_) | None => {
                        self.kind = Kind::Events;
                        Pushed::Events { held }
                    }
                }
            }
        }
    }

    /// Hands each value of a JSON body to `read`: one whole answer, or a line a chunk from servers that forget the framing.
    pub(super) fn finish(&mut self, mut read: impl FnMut(&str) -> Said) -> Said {
        let Kind::Json(json) = &self.kind else { return Said::More };
        let json = json.strip_prefix(BOM).unwrap_or(json);
        let text = String::from_utf8_lossy(json);
        let mut values = serde_json::Deserializer::from_str(&text).into_iter::<&serde_json::value::RawValue>();
        loop {
            match values.next() {
                None => return Said::More,
                Some(Ok(value)) => match read(value.get()) {
                    Said::More => {}
                    ended => return ended,
                },
                Some(Err(failure)) if failure.is_eof() => return Said::Failed(ProviderError::incomplete()),
                Some(Err(_)) => return Said::Failed(not_a_stream(&text)),
            }
        }
    }

    /// The error of a body without a single event.
    pub(super) fn nothing_said(&self) -> ProviderError {
        let head = String::from_utf8_lossy(self.head.strip_prefix(BOM).unwrap_or(&self.head));
        let says_something = head.lines().any(|line| {
            let field = line.trim().split(':').next().unwrap_or_default();
            !matches!(field, "" | "data" | "event" | "id" | "retry")
        });
        if says_something { not_a_stream(&head) } else { ProviderError::incomplete() }
    }
}

fn first_sign(bytes: &[u8]) -> Option<u8> {
    let bytes = match bytes.strip_prefix(BOM) {
        Some(rest) => rest,
        None if BOM.starts_with(bytes) => return None,
        None => bytes,
    };
    bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace())
}

fn not_a_stream(text: &str) -> ProviderError {
    if is_web_page(text) {
        return web_page();
    }
    let quote: String = text.trim().chars().take(300).collect();
    let message = format!("The server's answer is not a model stream: {quote}");
    ProviderError { message, ..crate::error::classify(None, "", &quote) }
}

//! [`Decoder`]: bytes to server-sent events.
//!
//! The rules are the WHATWG's, with one change that model streams need: an event that the end of the body cuts off is given
//! out, marked, and its reader decides (rule 1 of the cases). Invalid UTF-8 becomes U+FFFD.

use std::borrow::Cow;

use memchr::memchr2;

/// More bytes than any event may have; a server that never sends a blank line must not fill the memory.
pub const MAX_EVENT_BYTES: usize = 64 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One event, borrowed from the decoder for as long as its reader looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The `event` field; empty if it had none.
    pub name: Cow<'a, str>,
    /// The `data` lines, joined by a line feed.
    pub data: Cow<'a, str>,
    /// Whether a blank line ended it. If not, the body ended first and the data may be half of what was meant.
    pub is_terminated: bool,
}

/// An event grew past the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a server-sent event is longer than {max_bytes} bytes")]
pub struct TooLongError {
    /// The limit.
    pub max_bytes: usize,
}

/// Whether to go on reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// More, please.
    Continue,
    /// Nothing after this event matters.
    Stop,
}

/// Cuts a body into events. Linear in the bytes, whatever the chunks.
#[derive(Clone, Debug)]
pub struct Decoder {
    max_event_bytes: usize,
    /// The line that the last chunk ended in.
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    name: Vec<u8>,
    /// How much of a byte order mark has been seen; 3 once the question is settled.
    bom: usize,
    /// The last byte was a CR: an LF right after it belongs to it.
    after_cr: bool,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::with_limit(MAX_EVENT_BYTES)
    }
}

impl Decoder {
    /// At the beginning of a body, with the limit of [`MAX_EVENT_BYTES`].
    pub fn new() -> Self {
        Self::default()
    }

    /// At the beginning of a body, with a limit of one's own.
    pub fn with_limit(max_event_bytes: usize) -> Self {
        Self {
            max_event_bytes,
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            name: Vec::new(),
            bom: 0,
            after_cr: false,
        }
    }

    /// The next chunk. `on_event` is called for every event that it completes, in order, until it says [`Flow::Stop`].
    /// After an error the decoder must not be used again.
    pub fn push(&mut self, bytes: &[u8], mut on_event: impl FnMut(Event<'_>) -> Flow) -> Result<Flow, TooLongError> {
        let mut rest = self.skip_bom(bytes);
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_cr) && *first == b'\n' {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', rest) else {
                self.keep(rest)?;
                break;
            };
            let (line, tail) = rest.split_at(end);
            self.after_cr = tail.first() == Some(&b'\r');
            rest = tail.get(1..).unwrap_or_default();
            let flow = if self.line.is_empty() {
                self.read_line(line, &mut on_event)?
            } else {
                self.keep(line)?;
                let line = std::mem::take(&mut self.line);
                let flow = self.read_line(&line, &mut on_event)?;
                // Its buffer is worth keeping: most chunks cut a line.
                self.line = line;
                self.line.clear();
                flow
            };
            if flow == Flow::Stop {
                return Ok(Flow::Stop);
            }
        }
        Ok(Flow::Continue)
    }

    /// The body has ended: a last line without its end, and an event without its blank line, are given out.
    pub fn finish(&mut self, mut on_event: impl FnMut(Event<'_>) -> Flow) -> Result<Flow, TooLongError> {
        if self.bom < BOM.len() {
            // A body shorter than the mark that it seemed to begin with.
            let start = BOM.get(..self.bom).unwrap_or_default().to_vec();
            self.bom = BOM.len();
            self.keep(&start)?;
        }
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() && self.read_line(&line, &mut on_event)? == Flow::Stop {
            return Ok(Flow::Stop);
        }
        Ok(self.dispatch(false, &mut on_event))
    }

    fn skip_bom<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let mut rest = bytes;
        while let (Some(expected), Some(found)) = (BOM.get(self.bom), rest.first()) {
            if expected != found {
                self.line.extend_from_slice(BOM.get(..self.bom).unwrap_or_default());
                self.bom = BOM.len();
                break;
            }
            self.bom += 1;
            rest = rest.get(1..).unwrap_or_default();
        }
        rest
    }

    fn keep(&mut self, part: &[u8]) -> Result<(), TooLongError> {
        self.check(self.line.len() + part.len())?;
        self.line.extend_from_slice(part);
        Ok(())
    }

    /// Whether so much more than the data of the event still fits.
    fn check(&self, more: usize) -> Result<(), TooLongError> {
        let max_bytes = self.max_event_bytes;
        if self.data.len() + more > max_bytes { Err(TooLongError { max_bytes }) } else { Ok(()) }
    }

    fn read_line(&mut self, line: &[u8], on_event: &mut impl FnMut(Event<'_>) -> Flow) -> Result<Flow, TooLongError> {
        if line.is_empty() {
            return Ok(self.dispatch(true, on_event));
        }
        let (field, value) = match memchr::memchr(b':', line) {
            // A comment: a sign of life, no more.
            Some(0) => return Ok(Flow::Continue),
            Some(colon) => {
                let (field, value) = line.split_at(colon);
                let value = value.get(1..).unwrap_or_default();
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &[][..]),
        };
        match field {
            b"data" => {
                self.check(value.len())?;
                if self.has_data {
                    // Counted by the next line's check.
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // `id` and `retry` are for reconnecting, which a model stream cannot do; others are unknown.
            _ => {}
        }
        Ok(Flow::Continue)
    }

    fn dispatch(&mut self, is_terminated: bool, on_event: &mut impl FnMut(Event<'_>) -> Flow) -> Flow {
        let mut flow = Flow::Continue;
        if self.has_data {
            flow = on_event(Event {
                name: String::from_utf8_lossy(&self.name),
                data: String::from_utf8_lossy(&self.data),
                is_terminated,
            });
        }
        self.has_data = false;
        self.data.clear();
        self.name.clear();
        flow
    }
}

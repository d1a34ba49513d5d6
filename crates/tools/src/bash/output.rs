//! [`Output`]: what a command has printed so far, as text.

/// The text of a stream of bytes, which may end anywhere. A line that is written over after a carriage return is what was
/// written last: a progress bar is one line, not a thousand.
#[derive(Debug, Default)]
pub struct Output {
    text: String,
    /// Where the last line begins.
    line: usize,
    /// The last character was a carriage return, and nothing came after it yet.
    returned: bool,
    /// The beginning of a character.
    rest: Vec<u8>,
}

impl Output {
    /// Takes in what was printed.
    pub fn push(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let taken = std::mem::take(&mut self.rest);
        let mut chunks = taken.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.push_text(chunk.valid());
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && is_beginning(invalid) {
                self.rest = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.push_text("\u{fffd}");
            }
        }
    }

    /// Nothing comes any more.
    pub fn finish(&mut self) {
        if !std::mem::take(&mut self.rest).is_empty() {
            self.push_text("\u{fffd}");
        }
    }

    /// All of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn push_text(&mut self, text: &str) {
        for part in text.split_inclusive(['\n', '\r']) {
            if let Some(line) = part.strip_suffix('\n') {
                self.write_over(line);
                self.text.push('\n');
                (self.line, self.returned) = (self.text.len(), false);
            } else {
                let line = part.strip_suffix('\r');
                self.write_over(line.unwrap_or(part));
                self.returned |= line.is_some();
            }
        }
    }

    fn write_over(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.returned) {
            self.text.truncate(self.line);
        }
        self.text.push_str(text);
    }
}

/// Whether bytes that are no UTF-8 become some when more come.
fn is_beginning(bytes: &[u8]) -> bool {
    !bytes.is_empty() && std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_what_was_written_last_wherever_the_bytes_are_cut() {
        for (bytes, shown) in [
            (b"  1%\r 50%\r100%\ndone\r\n".as_slice(), "100%\ndone\n"),
            (b"a\r\r\nb\rc", "a\nc"),
            (b"kept\r", "kept"),
            ("äöü€😀\n".as_bytes(), "äöü€😀\n"),
            (b"a\xffb\xc3", "a\u{fffd}b\u{fffd}"),
            (b"\xf0\x9f\x98\n", "\u{fffd}\n"),
            (b"", ""),
        ] {
            for cut in 0..=bytes.len() {
                let (head, tail) = bytes.split_at(cut);
                let mut output = Output::default();
                output.push(head);
                output.push(tail);
                output.finish();
                assert_eq!(output.text(), shown, "cut at {cut} of {bytes:?}");
            }
        }
    }
}

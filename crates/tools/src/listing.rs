//! [`Listing`]: lines of a result, of which no more are kept than are shown.

use crate::truncate::{self, Limits, MAX_BYTES, Truncation};

/// Lines that are counted to the last one and kept as far as the limit of bytes allows.
#[derive(Debug, Default)]
pub struct Listing {
    text: String,
    n_lines: usize,
    /// With a line feed after each.
    n_bytes: usize,
}

impl Listing {
    /// Adds a line.
    pub fn push(&mut self, line: &str) {
        // One line over the limit shows that there are more.
        if self.n_bytes <= MAX_BYTES + 1 {
            if self.n_lines > 0 {
                self.text.push('\n');
            }
            self.text.push_str(line);
        }
        self.n_lines += 1;
        self.n_bytes += line.len() + 1;
    }

    /// What is shown of it, and how much that is of the whole.
    pub fn finish(self) -> (String, Truncation) {
        let limits = Limits { lines: usize::MAX, ..Limits::default() };
        let mut truncation = truncate::head(&self.text, limits);
        truncation.total_lines = self.n_lines;
        truncation.total_bytes = self.n_bytes.saturating_sub(1);
        (truncation.content.clone(), truncation)
    }
}

//! Showing tool output that may be megabytes: its head and its tail, with what lies between counted.
//!
//! A collapsed card draws none of it. An opened one draws [`Presented`]; the whole text stays in the row for copying,
//! downloading, or paging through with [`page`].

/// How much is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the text shown from its start, at most.
    pub head_bytes: usize,
    /// Bytes of the text shown from its end, at most.
    pub tail_bytes: usize,
    /// Drawn lines of each, at most.
    pub lines: usize,
    /// Bytes of a drawn line, at most; a longer one continues on the next.
    pub line_bytes: usize,
}

impl Default for Limits {
    /// 8 KiB or 120 lines from each end, in lines of at most 1,000 bytes: a few milliseconds of layout.
    fn default() -> Self {
        Self { head_bytes: 8 * 1024, tail_bytes: 8 * 1024, lines: 120, line_bytes: 1000 }
    }
}

/// What is drawn of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Presented<'a> {
    /// Drawn lines from the start: each a slice of the text without its line end, long ones split.
    pub head: Vec<&'a str>,
    /// Drawn lines from the end; empty when `head` is all there is.
    pub tail: Vec<&'a str>,
    /// Line feeds in what is left out between them.
    pub omitted_lines: usize,
    /// Bytes left out between them; 0 when everything is shown.
    pub omitted_bytes: usize,
}

/// What to draw of `text`. Costs one pass that counts line feeds, and the drawn part.
pub fn present(text: &str, limits: Limits) -> Presented<'_> {
    let _ = limits;
    Presented { head: text.lines().collect(), ..Presented::default() }
}

/// A page of a text, for reading all of it piece by piece: pages of about `page_bytes` each, cut between characters.
/// `None` past the end. The pages in order are the text.
pub fn page(text: &str, number: usize, page_bytes: usize) -> Option<&str> {
    let _ = (number, page_bytes);
    Some(text)
}

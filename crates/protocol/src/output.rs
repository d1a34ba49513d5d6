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
    let (head, head_end) = take_head(text, limits);
    let rest = text.get(head_end..).unwrap_or_default();
    let (tail, tail_start) = take_tail(rest, limits);
    let omitted = rest.get(..tail_start).unwrap_or_default();
    let omitted_lines = omitted.bytes().filter(|byte| *byte == b'\n').count();
    Presented { head, tail, omitted_lines, omitted_bytes: omitted.len() }
}

/// Drawn lines from the start, and where they end.
fn take_head(text: &str, limits: Limits) -> (Vec<&str>, usize) {
    let mut lines = Vec::new();
    let mut position = 0;
    while position < text.len() && lines.len() < limits.lines {
        let budget = limits.line_bytes.min(limits.head_bytes.saturating_sub(position));
        let rest = text.get(position..).unwrap_or_default();
        let window = rest.get(..rest.floor_char_boundary(budget)).unwrap_or_default();
        let line = match window.find('\n') {
            Some(end) => window.get(..end).unwrap_or_default(),
            None if window.is_empty() && !rest.starts_with('\n') => break,
            None => window,
        };
        lines.push(line);
        position += line.len() + usize::from(rest.as_bytes().get(line.len()) == Some(&b'\n'));
    }
    (lines, position)
}

/// Drawn lines from the end, and where they start.
fn take_tail(text: &str, limits: Limits) -> (Vec<&str>, usize) {
    let mut lines = Vec::new();
    let mut position = text.len();
    while position > 0 && lines.len() < limits.lines {
        let rest = text.get(..position).unwrap_or_default();
        // The line feed that ends the line is not drawn, but it is not omitted either.
        let rest = rest.strip_suffix('\n').unwrap_or(rest);
        let budget = limits.line_bytes.min(limits.tail_bytes.saturating_sub(text.len() - rest.len()));
        let window = rest.get(rest.ceil_char_boundary(rest.len().saturating_sub(budget))..).unwrap_or_default();
        let line = match window.rfind('\n') {
            Some(end) => window.get(end + 1..).unwrap_or_default(),
            None if window.is_empty() && !rest.is_empty() && !rest.ends_with('\n') => break,
            None => window,
        };
        lines.push(line);
        position = rest.len() - line.len();
    }
    lines.reverse();
    (lines, position)
}

/// A page of a text, for reading all of it piece by piece: pages of about `page_bytes` each, cut between characters.
/// `None` past the end. The pages in order are the text.
pub fn page(text: &str, number: usize, page_bytes: usize) -> Option<&str> {
    // Room for any one character, so that every page moves on.
    let page_bytes = page_bytes.max(4);
    let start = text.floor_char_boundary(number.saturating_mul(page_bytes));
    let end = text.floor_char_boundary(number.saturating_add(1).saturating_mul(page_bytes));
    text.get(start..end).filter(|page| !page.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Limits = Limits { head_bytes: 12, tail_bytes: 12, lines: 3, line_bytes: 5 };

    #[test]
    fn head_and_tail_are_shown_and_the_rest_is_counted() {
        let shown = |head: &[&'static str], tail: &[&'static str], omitted_lines, omitted_bytes| Presented {
            head: head.to_vec(),
            tail: tail.to_vec(),
            omitted_lines,
            omitted_bytes,
        };
        let cases = [
            ("", shown(&[], &[], 0, 0)),
            ("a", shown(&["a"], &[], 0, 0)),
            ("a\n", shown(&["a"], &[], 0, 0)),
            ("a\n\nb", shown(&["a", "", "b"], &[], 0, 0)),
            ("1\n2\n3\n4\n5\n6\n", shown(&["1", "2", "3"], &["4", "5", "6"], 0, 0)),
            ("1\n2\n3\n4\n5\n6\n7\n8", shown(&["1", "2", "3"], &["6", "7", "8"], 2, 4)),
            ("abcdefgh", shown(&["abcde", "fgh"], &[], 0, 0)),
            ("abcde\nf", shown(&["abcde", "f"], &[], 0, 0)),
            ("0123456789abcdefghijklmnopqrst", shown(&["01234", "56789", "ab"], &["ij", "klmno", "pqrst"], 0, 6)),
            ("中文中文中文中文中文", shown(&["中", "文", "中"], &["文", "中", "文"], 0, 12)),
            ("\n\n\n\n\n\n\n\n", shown(&["", "", ""], &["", "", ""], 2, 2)),
        ];
        for (text, expected) in cases {
            assert_eq!(present(text, SMALL), expected, "{text:?}");
        }
    }

    #[test]
    fn nothing_is_lost_or_shown_twice() {
        for text in ["a\nbb\n\nccc\n", "é中🎉\nx🎉🎉🎉🎉🎉y\n", "\n", "no end", "x\n\n\n\n\n\n\n\nlong line here\n"]
        {
            for head_bytes in 0..20 {
                for lines in 0..5 {
                    let limits = Limits { head_bytes, tail_bytes: head_bytes, lines, line_bytes: 6 };
                    let shown = present(text, limits);
                    let drawn: usize = shown.head.iter().chain(&shown.tail).map(|line| line.len()).sum();
                    let feeds = text.matches('\n').count();
                    assert!(drawn + shown.omitted_bytes <= text.len());
                    assert!(
                        drawn + shown.omitted_bytes + feeds - shown.omitted_lines >= text.len(),
                        "{text:?} {limits:?}"
                    );
                    assert!(shown.head.iter().chain(&shown.tail).all(|line| line.len() <= 6 && !line.contains('\n')));
                }
            }
        }
    }

    #[test]
    fn f10_five_megabytes_are_a_few_hundred_short_lines() {
        let one_line = "x".repeat(5_000_000);
        let many_lines = "25 characters of a line.\n".repeat(200_000);
        let counts = |text: &str| {
            let shown = present(text, Limits::default());
            let drawn: Vec<usize> = shown.head.iter().chain(&shown.tail).map(|line| line.len()).collect();
            let longest = drawn.iter().max().copied().unwrap_or_default();
            (drawn.len(), longest, drawn.iter().sum::<usize>(), shown.omitted_lines, shown.omitted_bytes)
        };
        assert_eq!(counts(&one_line), (18, 1000, 16_384, 0, 4_983_616));
        assert_eq!(counts(&many_lines), (240, 24, 5_760, 199_760, 4_994_000));
    }

    #[test]
    fn f10_the_pages_in_order_are_the_whole_text() {
        for text in ["", "abc", "é中🎉".repeat(50).as_str()] {
            for page_bytes in [0, 1, 4, 7, 64, 10_000] {
                let pages: Vec<&str> = (0..).map_while(|number| page(text, number, page_bytes)).collect();
                assert_eq!(pages.concat(), text);
                assert!(pages.iter().all(|page| page.len() <= page_bytes.max(4) + 3));
            }
        }
        assert_eq!(page("abc", usize::MAX, usize::MAX), None);
    }
}

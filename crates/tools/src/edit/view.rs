//! [`View`]: a text as tolerant matching sees it, and the way back to where each part of it came from.

use crate::unicode::Unicode;

/// A text with compatible characters made one, typographic quotes, dashes and blanks made plain, and the blanks at the ends
/// of lines gone. Blanks at the start of a line count.
#[derive(Debug)]
pub struct View {
    text: String,
    pieces: Vec<Piece>,
    original_len: usize,
}

/// Where a part of the view came from. It reaches to the next one.
#[derive(Clone, Copy, Debug)]
struct Piece {
    view: usize,
    original: usize,
    /// Byte for byte the original; otherwise it stands for the original as a whole.
    is_same: bool,
}

/// Which part of the original to replace for a part of the view, and what of the view has to stay round the new text because
/// it comes from a character that the match only touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span<'a> {
    /// First byte in the original.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
    /// Stays before the new text.
    pub before: &'a str,
    /// Stays after it.
    pub after: &'a str,
}

impl View {
    /// Of a text whose lines end with a line feed. Linear.
    pub fn new(original: &str, unicode: &dyn Unicode) -> Self {
        let mut view = Self { text: String::with_capacity(original.len()), pieces: Vec::new(), original_len: 0 };
        for line in original.split_inclusive('\n') {
            let body = line.strip_suffix('\n').unwrap_or(line);
            let start = view.text.len();
            if body.is_ascii() {
                view.push(body, body);
            } else if unicode.compatible(body) == body {
                view.push_plain(body);
            } else {
                for part in parts(body) {
                    let compatible = if part.is_ascii() { part.to_owned() } else { unicode.compatible(part) };
                    if compatible == part {
                        view.push_plain(part);
                    } else {
                        view.push(part, &compatible.chars().map(plain).collect::<String>());
                    }
                }
            }
            view.trim_line(start);
            if body.len() < line.len() {
                view.push("\n", "\n");
            }
        }
        view
    }

    /// What to search in.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where `start..end` of the view, which is not empty, is in the original. Blanks at the end of the last line belong to
    /// it if `blanks` says so.
    pub fn span(&self, start: usize, end: usize, blanks: Blanks) -> Span<'_> {
        let first = self.pieces.partition_point(|piece| piece.view <= start).saturating_sub(1);
        let last = self.pieces.partition_point(|piece| piece.view < end).saturating_sub(1);
        let mut span = Span { start: 0, end: self.original_len, before: "", after: "" };
        if let Some(piece) = self.pieces.get(first) {
            span.start = piece.original;
            if piece.is_same {
                span.start += start - piece.view;
            } else {
                span.before = self.text.get(piece.view..start).unwrap_or_default();
            }
        }
        if let Some(piece) = self.pieces.get(last) {
            let (view_end, original_end) = self.start_of(last + 1);
            if piece.is_same {
                span.end = piece.original + (end - piece.view);
            } else {
                span.end = original_end;
                span.after = self.text.get(end..view_end).unwrap_or_default();
            }
            let blanks_follow = view_end == end && self.start_of(last + 2).0 == end && last + 1 < self.pieces.len();
            if blanks == Blanks::Matched && blanks_follow {
                span.end = self.start_of(last + 2).1;
            }
        }
        span
    }

    /// Where a piece begins, in the view and in the original; after the last one, where they end.
    fn start_of(&self, piece: usize) -> (usize, usize) {
        let end = (self.text.len(), self.original_len);
        self.pieces.get(piece).map_or(end, |piece| (piece.view, piece.original))
    }

    fn push(&mut self, original: &str, view: &str) {
        if original.is_empty() {
            return;
        }
        let is_same = original == view;
        if !(is_same && self.pieces.last().is_some_and(|last| last.is_same)) {
            self.pieces.push(Piece { view: self.text.len(), original: self.original_len, is_same });
        }
        self.text.push_str(view);
        self.original_len += original.len();
    }

    /// A text in which only single characters have another form.
    fn push_plain(&mut self, original: &str) {
        let mut rest = original;
        while let Some((at, character)) = rest.char_indices().find(|(_, character)| plain(*character) != *character) {
            let (same, from) = rest.split_at(at);
            let (odd, after) = from.split_at(character.len_utf8());
            self.push(same, same);
            self.push(odd, plain(character).encode_utf8(&mut [0; 4]));
            rest = after;
        }
        self.push(rest, rest);
    }

    /// Takes the blanks off the end of the line that begins at `start`.
    fn trim_line(&mut self, start: usize) {
        let line = self.text.get(start..).unwrap_or_default();
        let kept = start + line.trim_end_matches(is_blank).len();
        if kept == self.text.len() {
            return;
        }
        let mut cut = self.original_len;
        while let Some(piece) = self.pieces.last().copied() {
            if piece.view < kept {
                if piece.is_same {
                    cut = piece.original + (kept - piece.view);
                }
                break;
            }
            cut = piece.original;
            self.pieces.pop();
        }
        self.text.truncate(kept);
        if cut < self.original_len {
            self.pieces.push(Piece { view: kept, original: cut, is_same: false });
        }
    }
}

/// Whether the blanks at the end of a line are a part of what was matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blanks {
    /// The text that was looked for ended with blanks.
    Matched,
    /// They stay.
    Kept,
}

/// A blank by JavaScript's rules, which decide what pi takes off.
pub fn is_blank(character: char) -> bool {
    character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
}

fn plain(character: char) -> char {
    match character {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// A text cut where normalisation cannot reach across.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let ascii = rest.bytes().take_while(u8::is_ascii).count();
        let mut ends = rest.char_indices().skip(1).filter(|(_, character)| begins_anew(*character)).map(|(at, _)| at);
        // Of a run of ASCII all but the last character stand alone: what follows may belong to that one.
        let end = if ascii == rest.len() {
            ascii
        } else if ascii > 1 {
            ascii - 1
        } else {
            ends.next().unwrap_or(rest.len())
        };
        let (part, after) = rest.split_at(end);
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// Whether no normalisation joins this character to the one before: neither a mark nor the second half of a composition, also
/// when it is taken apart. Those that are not listed only make the parts longer.
fn begins_anew(character: char) -> bool {
    matches!(character,
        '\0'..='\u{2ff}'
        | '\u{370}'..='\u{482}'
        | '\u{48a}'..='\u{52f}'
        | '\u{1e00}'..='\u{1fff}'
        | '\u{2000}'..='\u{20cf}'
        | '\u{2100}'..='\u{2bff}'
        | '\u{3000}'..='\u{3029}'
        | '\u{3030}'..='\u{3098}'
        | '\u{309b}'..='\u{3130}'
        | '\u{3190}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff01}'..='\u{ff9d}'
        | '\u{1f000}'..='\u{1faff}')
}

#[cfg(all(test, feature = "tables"))]
mod tests {
    use super::*;
    use crate::unicode::Tables;

    /// The view of a text, made in one go.
    fn whole(text: &str) -> String {
        let lines = Tables.compatible(text);
        let lines: Vec<&str> = lines.split('\n').map(|line| line.trim_end_matches(is_blank)).collect();
        lines.join("\n").chars().map(plain).collect()
    }

    #[test]
    fn no_character_that_begins_anew_joins_the_one_before() {
        let befores = ["a", "e\u{301}", "\u{1100}", "\u{ac00}", "\u{3131}", "か", "ﬁ", "\u{92f}", "\u{1100}\u{1161}"];
        for character in ('\0'..=char::MAX).filter(|character| begins_anew(*character)) {
            for before in befores {
                let apart = Tables.compatible(before) + &Tables.compatible(&character.to_string());
                assert_eq!(Tables.compatible(&format!("{before}{character}")), apart, "{before} {character:?}");
            }
        }
    }

    #[test]
    fn the_view_is_that_of_the_whole_and_leads_back() {
        let alphabet: Vec<char> =
            "ab \t\n\n\u{a0}“”’—ﬁé\u{301}e中か\u{3099}\u{1100}\u{1161}ㅏ①½\u{feff}\u{2028}🙂ﾞｶ\u{b4}\u{338}="
                .chars()
                .collect();
        let mut state = 7_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % limit as u64).unwrap()
        };
        for _ in 0..5000 {
            let text: String = (0..below(14)).map(|_| alphabet[below(alphabet.len())]).collect();
            let view = View::new(&text, &Tables);
            assert_eq!(view.text(), whole(&text), "{text:?}");
            assert_eq!(view.original_len, text.len());
            let ends: Vec<usize> = view.text().char_indices().map(|(at, _)| at).chain([view.text().len()]).collect();
            for (n, start) in ends.iter().enumerate() {
                for end in ends.iter().skip(n + 1) {
                    for blanks in [Blanks::Matched, Blanks::Kept] {
                        // What stays, and what is taken, is in the view what it was.
                        let span = view.span(*start, *end, blanks);
                        let taken = format!("{}{}{}", span.before, &view.text()[*start..*end], span.after);
                        let original = &text[span.start..span.end];
                        let line_feed = |text: &str| text.matches('\n').count();
                        assert_eq!(line_feed(original), line_feed(&taken), "{text:?} {start} {end}");
                        let (found, wanted) = (whole(original), taken);
                        assert_eq!(
                            found.trim_end_matches(is_blank),
                            wanted.trim_end_matches(is_blank),
                            "{text:?} {start} {end}"
                        );
                    }
                }
            }
        }
    }
}

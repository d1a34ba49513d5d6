//! Finding the argument worth a header while the arguments are still being written.

use crate::visible::visible;

/// Keys whose string value can be the subject, best first.
const KEYS: [&str; 9] = ["path", "file_path", "filePath", "file", "filename", "command", "url", "pattern", "query"];

/// Longest subject, in characters; the rest is an ellipsis.
const MAX_CHARS: usize = 200;

/// Reads the raw text of a JSON object as it grows, each byte once. It only looks at strings right inside the object, and
/// takes any text: what is not JSON has no subject.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SubjectScanner {
    /// Bytes looked at.
    position: usize,
    depth: u32,
    /// Where the open string starts, its quote included.
    string_start: Option<usize>,
    escaped: bool,
    /// The key whose value comes next: its place in `KEYS`.
    key: Option<usize>,
    /// A colon came after the last key.
    in_value: bool,
    /// The best so far, by its place in `KEYS`.
    found: Option<(usize, String)>,
}

impl SubjectScanner {
    /// The subject of a whole text.
    pub(super) fn subject_of(text: &str) -> Option<String> {
        let mut scanner = Self::default();
        scanner.scan(text);
        scanner.found.map(|(_, subject)| subject)
    }

    /// Looks at what is new in `text`, which must begin with what was there before. Gives the subject if it is another
    /// than before.
    pub(super) fn scan(&mut self, text: &str) -> Option<&str> {
        let before = self.found.as_ref().map(|(rank, _)| *rank);
        for (offset, byte) in text.bytes().enumerate().skip(self.position) {
            self.byte(text, offset, byte);
        }
        self.position = text.len();
        self.found.as_ref().filter(|(rank, _)| Some(*rank) != before).map(|(_, subject)| subject.as_str())
    }

    fn byte(&mut self, text: &str, offset: usize, byte: u8) {
        if let Some(start) = self.string_start {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => {
                    self.string_start = None;
                    if self.depth == 1 {
                        self.string(text.get(start..=offset).unwrap_or_default());
                    }
                }
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.string_start = Some(offset),
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b':' if self.depth == 1 => self.in_value = true,
            b',' if self.depth == 1 => (self.in_value, self.key) = (false, None),
            _ => {}
        }
    }

    /// A string right inside the object: a key, or the value of one.
    fn string(&mut self, quoted: &str) {
        if !self.in_value {
            let key = quoted.trim_matches('"');
            self.key = KEYS.iter().position(|known| *known == key);
            return;
        }
        let better = |rank: &usize| self.found.as_ref().is_none_or(|(found, _)| rank < found);
        let Some(rank) = self.key.take().filter(better) else { return };
        let Ok(value) = vitrine_agent::json::read::<String>(quoted) else { return };
        let line = value.lines().next().unwrap_or_default();
        let line: String = line.chars().take(MAX_CHARS).collect();
        let is_whole = line.len() >= value.trim_end().len();
        let mut subject = visible(&line).into_owned();
        if !is_whole {
            subject.push('…');
        }
        if !subject.is_empty() {
            self.found = Some((rank, subject));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_known_once_its_string_is_whole() {
        // (what has come, the subject)
        let long = format!("{{\"path\":\"{}\"", "x".repeat(300));
        let cut = "x".repeat(200) + "…";
        let cases = [
            ("", None),
            ("{\"path\":\"src/gre", None),
            ("{\"path\":\"src/greet.ts\"", Some("src/greet.ts")),
            ("{ \"limit\" : 3, \"path\" : \"a \\\"b\\\" \\u4e2d\" }", Some("a \"b\" 中")),
            ("{\"command\":\"ls\\nrm\",\"n\":1", Some("ls…")),
            ("{\"command\":\"ls\",\"path\":\"p\"}", Some("p")),
            ("{\"path\":\"p\",\"command\":\"ls\"}", Some("p")),
            ("{\"deep\":{\"path\":\"no\"},\"list\":[\"path\",\"no\"]}", None),
            ("{\"path\":5,\"x\":\"no\"}", None),
            ("{\"path\":\"a\u{202e}txt.exe\"}", Some("a⟨U+202E⟩txt.exe")),
            ("{\"content\":\"path\\\":\\\"no\"}", None),
            ("[\"path\",\"no\"]", None),
            ("}}}]\"\\", None),
            ("{\"path\":\"bad \\q\"}", None),
            (long.as_str(), Some(cut.as_str())),
        ];
        for (text, expected) in cases {
            assert_eq!(SubjectScanner::subject_of(text).as_deref(), expected, "{text}");
            let mut scanner = SubjectScanner::default();
            for end in (0..=text.len()).filter(|end| text.is_char_boundary(*end)) {
                scanner.scan(&text[..end]);
            }
            assert_eq!(scanner.found.map(|(_, subject)| subject).as_deref(), expected, "byte by byte: {text}");
        }
    }
}

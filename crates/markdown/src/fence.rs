//! A code block that is still open: its text is appended to, never parsed.

use crate::build::build;
use crate::definitions::Definitions;
use crate::tree::Block;

/// An open fence that starts a line at the left margin, outside everything else.
#[derive(Clone, Debug)]
pub(crate) struct OpenFence {
    mark: char,
    len: usize,
    pub(crate) lang: String,
    /// The code that is certain.
    pub(crate) text: String,
    /// Whether `text` ends with a whole line, so that what comes next may close the fence.
    at_line_start: bool,
}

/// What [`OpenFence::take`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// The fence is closed; this many bytes are used up.
    Closed(usize),
    /// The fence is open; this many bytes are used up, and what is left may be the closing line.
    Open(usize),
}

/// The fence at the start of a line (without its indentation): its character, its length, and what follows.
pub(crate) fn fence_mark(line: &str) -> Option<(char, usize, &str)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = line.trim_start_matches(mark);
    let len = line.len() - info.len();
    (len >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, len, info))
}

impl OpenFence {
    /// The fence this whole line opens, if it does.
    pub(crate) fn open(line: &str) -> Option<Self> {
        let (mark, len, _) = fence_mark(line)?;
        // The parser knows how an info string is unescaped.
        let built = build(line, &Definitions::default());
        match built.blocks.into_iter().next() {
            Some((_, Block::Code { lang, .. })) => {
                Some(Self { mark, len, lang, text: String::new(), at_line_start: true })
            }
            _ => None,
        }
    }

    /// Takes what is certainly code, up to the closing line.
    pub(crate) fn take(&mut self, text: &str) -> Taken {
        let mut taken = 0;
        while let Some(rest) = text.get(taken..).filter(|rest| !rest.is_empty()) {
            let (line, ended) = match rest.find('\n') {
                Some(end) => (rest.get(..=end).unwrap_or(rest), true),
                None => (rest, false),
            };
            if self.at_line_start {
                if ended && self.closes(line) {
                    return Taken::Closed(taken + line.len());
                }
                if !ended && self.may_close(line) {
                    return Taken::Open(taken);
                }
            }
            self.text.push_str(line);
            self.at_line_start = ended;
            taken += line.len();
        }
        Taken::Open(taken)
    }

    /// Whether a whole line closes the fence.
    pub(crate) fn closes(&self, line: &str) -> bool {
        let line = line.trim_end_matches(['\n', ' ', '\t']);
        let marks = line.trim_start_matches(' ');
        line.len() - marks.len() <= 3 && marks.len() >= self.len && marks.chars().all(|c| c == self.mark)
    }

    /// Whether a line that is still being typed may come to close the fence, or is nothing but space.
    fn may_close(&self, line: &str) -> bool {
        let marks = line.trim_start_matches(' ');
        let after = marks.trim_start_matches(self.mark);
        let n_marks = marks.len() - after.len();
        line.len() - marks.len() <= 3
            && after.chars().all(|c| c == ' ' || c == '\t')
            && (after.is_empty() || n_marks >= self.len)
    }
}

//! [`Reader`]: from text in pieces to what changes in the value.

use serde_json::Value;

use super::strings::{Escape, Part, read_string};
use super::words::{open_word, parse_word};

/// Containers nested deeper than this are read but shown as `null`: receivers build and drop values by recursion.
const MAX_SHOWN_DEPTH: usize = 100;

/// One change of the value. What is put goes to the key of the innermost container that was read last; in an array it is the
/// next item, outside of any container the root.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Change<'a> {
    /// The innermost container is closed.
    Close,
    /// A new container is put, and is the innermost from now on.
    Open { is_object: bool },
    /// A key begins: empty so far.
    Key,
    /// A string is put: empty so far.
    Text,
    /// More of the key or the string that began last.
    More(Part),
    /// A number or literal is put.
    Value(&'a Value),
    /// What an open number or literal shows until the next piece, which takes it back first.
    Guess(&'a Value),
}

/// Reads JSON that arrives in pieces and tolerates what models do to it (§3, A.3). Every byte is looked at once, whatever the
/// pieces. It holds the token being read where it cannot be told yet, no key and no value.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    /// Open containers, outermost first.
    open: Vec<Open>,
    state: State,
    /// Of the string being read.
    escape: Escape,
    /// The number or literal being read.
    word: String,
    is_complete: bool,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    is_object: bool,
    /// The receiver has it.
    is_shown: bool,
    /// A key waits for its value.
    has_key: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// Between tokens.
    #[default]
    Between,
    /// Inside a key.
    Key { is_shown: bool },
    /// Inside a string value.
    Text { is_shown: bool },
    /// Inside a number or a literal.
    Word,
}

impl Reader {
    /// The next piece. Text after the root value is ignored.
    pub(super) fn push(&mut self, piece: &str, tell: &mut impl FnMut(Change<'_>)) {
        let mut at = 0;
        while at < piece.len() && !self.is_complete {
            at = match self.state {
                State::Between => self.between(piece, at, tell),
                State::Key { is_shown } | State::Text { is_shown } => self.string(is_shown, piece, at, tell),
                State::Word => self.word(piece, at, tell),
            };
        }
        self.guess(tell);
    }

    /// Whether it is inside a string value that is shown, so that text without quotes and backslashes only makes it longer.
    pub(super) fn is_in_text(&self) -> bool {
        matches!(self.state, State::Text { is_shown: true }) && self.escape.is_idle()
    }

    /// Whether the root value is closed.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    fn guess(&self, tell: &mut impl FnMut(Change<'_>)) {
        let State::Word = self.state else { return };
        if self.open.last().is_some_and(|open| !open.is_shown || open.is_object && !open.has_key) {
            return;
        }
        if let Some(value) = &open_word(&self.word) {
            tell(Change::Guess(value));
        }
    }

    /// Whether there is a place for the next value, which takes the key. A value without one is read and forgotten: an
    /// object's without a key, and whatever is inside of what is not shown.
    fn take_place(&mut self) -> bool {
        self.open.last_mut().is_none_or(|open| {
            let had_key = std::mem::take(&mut open.has_key);
            open.is_shown && (had_key || !open.is_object)
        })
    }

    fn between(&mut self, piece: &str, at: usize, tell: &mut impl FnMut(Change<'_>)) -> usize {
        let Some(next) = piece.as_bytes().get(at).copied() else { return at + 1 };
        match next {
            b'"' => match self.open.last() {
                Some(&Open { is_object: true, has_key: false, is_shown }) => {
                    self.state = State::Key { is_shown };
                    if is_shown {
                        tell(Change::Key);
                    }
                }
                _ => {
                    let is_shown = self.take_place();
                    self.state = State::Text { is_shown };
                    if is_shown {
                        tell(Change::Text);
                    }
                }
            },
            b'{' | b'[' => self.open_container(next == b'{', tell),
            // A bracket of the wrong kind closes nothing.
            b'}' | b']' if self.open.last().is_some_and(|open| open.is_object == (next == b'}')) => {
                if self.open.pop().is_some_and(|open| open.is_shown) {
                    tell(Change::Close);
                }
                self.is_complete = self.open.is_empty();
            }
            // A key whose value never came.
            b',' => {
                if let Some(open) = self.open.last_mut() {
                    open.has_key = false;
                }
            }
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => {
                self.state = State::Word;
                self.word.clear();
                return at;
            }
            _ => {}
        }
        at + 1
    }

    fn open_container(&mut self, is_object: bool, tell: &mut impl FnMut(Change<'_>)) {
        let has_place = self.take_place();
        let is_shown = has_place && self.open.len() < MAX_SHOWN_DEPTH;
        if is_shown {
            tell(Change::Open { is_object });
        } else if has_place {
            tell(Change::Value(&Value::Null));
        }
        self.open.push(Open { is_object, is_shown, has_key: false });
    }

    fn string(&mut self, is_shown: bool, piece: &str, at: usize, tell: &mut impl FnMut(Change<'_>)) -> usize {
        let (end, is_closed) = read_string(&mut self.escape, piece, at, &mut |part| {
            if is_shown {
                tell(Change::More(part));
            }
        });
        if is_closed {
            match (self.state, self.open.last_mut()) {
                (State::Key { .. }, Some(open)) => open.has_key = true,
                (_, open) => self.is_complete = open.is_none(),
            }
            self.state = State::Between;
        }
        end
    }

    fn word(&mut self, piece: &str, at: usize, tell: &mut impl FnMut(Change<'_>)) -> usize {
        let is_part = |sign: &u8| sign.is_ascii_alphanumeric() || matches!(sign, b'+' | b'-' | b'.');
        let rest = piece.get(at..).unwrap_or_default();
        let length = rest.bytes().take_while(is_part).count();
        self.word.push_str(rest.get(..length).unwrap_or_default());
        if length < rest.len() {
            self.state = State::Between;
            if let Some(value) = parse_word(&self.word).or_else(|| open_word(&self.word)) {
                if self.take_place() {
                    tell(Change::Value(&value));
                }
                self.is_complete = self.open.is_empty();
            }
        }
        at + length
    }
}

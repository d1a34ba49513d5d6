//! [`Reader`]: from text in pieces to what changes in the value.

use serde_json::Value;

use super::strings::{Escape, read_string};
use super::words::{open_word, parse_word};

/// Containers nested deeper than this are read but shown as `null`: receivers build and drop values by recursion.
const MAX_SHOWN_DEPTH: usize = 100;

/// One change of the value. A key is `None` for the next item of an array and for the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change<'a> {
    /// The innermost container is closed.
    Close,
    /// A new container is put, and is the innermost from now on.
    Open { key: Option<&'a str>, is_object: bool },
    /// A string, number or literal is put. A string may be the beginning of one.
    Put { key: Option<&'a str>, value: &'a Value },
    /// More of the string that was put last.
    Append(&'a str),
    /// What an open number or literal shows until the next piece, which takes it back first.
    Guess { key: Option<&'a str>, value: &'a Value },
}

/// Reads JSON that arrives in pieces and tolerates what models do to it (§3, A.3). Every byte is looked at once, whatever the
/// pieces. It holds keys of open objects and the token being read, no value.
#[derive(Clone, Debug, Default)]
pub(super) struct Reader {
    /// Open containers, outermost first.
    open: Vec<Open>,
    state: State,
    is_complete: bool,
}

#[derive(Clone, Debug)]
struct Open {
    is_object: bool,
    /// The receiver has it.
    is_shown: bool,
    /// The key that waits for its value.
    key: Option<String>,
}

#[derive(Clone, Debug, Default)]
enum State {
    /// Between tokens.
    #[default]
    Between,
    /// Inside a key.
    Key { text: String, escape: Escape },
    /// Inside a string value.
    Text { is_shown: bool, escape: Escape },
    /// Inside a number or a literal; held back as it is.
    Word(String),
}

/// Where the next value goes.
enum Place {
    Key(String),
    Next,
    /// An object's value without a key, or something inside of what is not shown: it is read and forgotten.
    Nowhere,
}

impl Place {
    fn key(&self) -> Option<&str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Next | Self::Nowhere => None,
        }
    }

    fn is_shown(&self) -> bool {
        !matches!(self, Self::Nowhere)
    }
}

impl Reader {
    /// The next piece. Text after the root value is ignored.
    pub(super) fn push(&mut self, text: &str, tell: &mut impl FnMut(Change<'_>)) {
        let mut rest = text;
        while !rest.is_empty() && !self.is_complete {
            rest = match std::mem::take(&mut self.state) {
                State::Between => self.between(rest, tell),
                State::Key { text, escape } => self.key(text, escape, rest),
                State::Text { is_shown, escape } => self.text(None, is_shown, escape, rest, tell),
                State::Word(word) => self.word(word, rest, tell),
            };
        }
        self.guess(tell);
    }

    /// Whether the root value is closed.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the receiver has a string that is open, outside of any escape in it.
    pub(super) fn is_in_text(&self) -> bool {
        matches!(&self.state, State::Text { is_shown: true, escape } if escape.is_idle())
    }

    fn guess(&self, tell: &mut impl FnMut(Change<'_>)) {
        let State::Word(word) = &self.state else { return };
        let key = match self.open.last() {
            Some(Open { is_shown: false, .. }) => return,
            Some(Open { is_object: true, key, .. }) => match key {
                Some(key) => Some(key.as_str()),
                None => return,
            },
            Some(Open { is_object: false, .. }) | None => None,
        };
        if let Some(value) = &open_word(word) {
            tell(Change::Guess { key, value });
        }
    }

    fn place(&mut self) -> Place {
        match self.open.last_mut() {
            Some(Open { is_shown: false, key, .. }) => {
                *key = None;
                Place::Nowhere
            }
            Some(Open { is_object: true, key, .. }) => key.take().map_or(Place::Nowhere, Place::Key),
            Some(Open { is_object: false, .. }) | None => Place::Next,
        }
    }

    fn between<'t>(&mut self, text: &'t str, tell: &mut impl FnMut(Change<'_>)) -> &'t str {
        let Some(next) = text.chars().next() else { return text };
        let rest = text.get(next.len_utf8()..).unwrap_or_default();
        match next {
            '"' if self.open.last().is_some_and(|open| open.is_object && open.key.is_none()) => {
                self.state = State::Key { text: String::new(), escape: Escape::default() };
            }
            '"' => {
                let place = self.place();
                return self.text(Some(&place), place.is_shown(), Escape::default(), rest, tell);
            }
            '{' | '[' => self.open_container(next == '{', tell),
            // A bracket of the wrong kind closes nothing.
            '}' | ']' if self.open.last().is_some_and(|open| open.is_object == (next == '}')) => {
                if self.open.pop().is_some_and(|open| open.is_shown) {
                    tell(Change::Close);
                }
                self.is_complete = self.open.is_empty();
            }
            // A key whose value never came.
            ',' => {
                if let Some(open) = self.open.last_mut() {
                    open.key = None;
                }
            }
            '-' | '0'..='9' | 't' | 'f' | 'n' => self.state = State::Word(next.to_string()),
            _ => {}
        }
        rest
    }

    fn open_container(&mut self, is_object: bool, tell: &mut impl FnMut(Change<'_>)) {
        let place = self.place();
        let is_shown = place.is_shown() && self.open.len() < MAX_SHOWN_DEPTH;
        if is_shown {
            tell(Change::Open { key: place.key(), is_object });
        } else if place.is_shown() {
            tell(Change::Put { key: place.key(), value: &Value::Null });
        }
        self.open.push(Open { is_object, is_shown, key: None });
    }

    fn key<'t>(&mut self, mut key: String, mut escape: Escape, text: &'t str) -> &'t str {
        let (rest, is_closed) = read_string(&mut key, &mut escape, text);
        if is_closed {
            if let Some(open) = self.open.last_mut() {
                open.key = Some(key);
            }
        } else {
            self.state = State::Key { text: key, escape };
        }
        rest
    }

    /// `begins` is where the string goes if this is its first piece.
    fn text<'t>(
        &mut self,
        begins: Option<&Place>,
        is_shown: bool,
        mut escape: Escape,
        text: &'t str,
        tell: &mut impl FnMut(Change<'_>),
    ) -> &'t str {
        let mut piece = String::new();
        let (rest, is_closed) = read_string(&mut piece, &mut escape, text);
        match begins {
            _ if !is_shown => {}
            Some(place) => tell(Change::Put { key: place.key(), value: &Value::String(piece) }),
            None if piece.is_empty() => {}
            None => tell(Change::Append(&piece)),
        }
        if is_closed {
            self.is_complete = self.open.is_empty();
        } else {
            self.state = State::Text { is_shown, escape };
        }
        rest
    }

    fn word<'t>(&mut self, mut word: String, text: &'t str, tell: &mut impl FnMut(Change<'_>)) -> &'t str {
        let is_part = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '+' | '-' | '.');
        let end = text.find(|sign: char| !is_part(sign)).unwrap_or(text.len());
        let (part, rest) = text.split_at(end);
        word.push_str(part);
        if rest.is_empty() {
            self.state = State::Word(word);
            return rest;
        }
        if let Some(value) = parse_word(&word).or_else(|| open_word(&word)) {
            let place = self.place();
            if place.is_shown() {
                tell(Change::Put { key: place.key(), value: &value });
            }
            self.is_complete = self.open.is_empty();
        }
        rest
    }
}

//! A text that a reader edits while the file may change underneath: neither what they wrote nor what came is lost.

/// A file open for editing: what it holds as far as is known, and what to do when it turns out to hold something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editing {
    /// What the edited text began as: the file, when it was read or saved last.
    base: String,
    /// What the file holds instead, while the reader has not said which is to stay.
    theirs: Option<Theirs>,
}

/// What a file that changed underneath has become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Theirs {
    /// Another text.
    Text(String),
    /// Bytes that are no text.
    Bytes,
    /// It is gone.
    Gone,
}

impl Theirs {
    /// Of a file's bytes; none where it is gone.
    pub fn of(bytes: Option<Vec<u8>>) -> Self {
        match bytes.map(String::from_utf8) {
            Some(Ok(text)) => Self::Text(text),
            Some(Err(_)) => Self::Bytes,
            None => Self::Gone,
        }
    }
}

/// What is to be done about a file that was looked at again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrived {
    /// It is as it was known to be, or as the reader's own text is.
    Same,
    /// The reader has changed nothing: the editor shows this now.
    Show(String),
    /// It has changed, and so has the reader's text: they choose.
    Conflict,
}

impl Editing {
    /// Begins with a file's text.
    pub fn new(base: String) -> Self {
        Self { base, theirs: None }
    }

    /// Whether the reader's text is not what the file was.
    pub fn is_changed(&self, mine: &str) -> bool {
        self.base != mine
    }

    /// What the file holds instead, if the reader is to choose.
    pub fn theirs(&self) -> Option<&Theirs> {
        self.theirs.as_ref()
    }

    /// The file was looked at, because it changed or before it is saved.
    pub fn arrived(&mut self, now: Theirs, mine: &str) -> Arrived {
        match now {
            Theirs::Text(text) if text == self.base || text == mine => {
                self.theirs = None;
                self.base = text;
                Arrived::Same
            }
            Theirs::Text(text) if self.base == mine => {
                self.theirs = None;
                self.base.clone_from(&text);
                Arrived::Show(text)
            }
            other => {
                self.theirs = Some(other);
                Arrived::Conflict
            }
        }
    }

    /// The reader's text is in the file.
    pub fn saved(&mut self, mine: &str) {
        mine.clone_into(&mut self.base);
        self.theirs = None;
    }

    /// The reader takes what is in the file. The text to show; `None` where there is none, and the editor is to close.
    pub fn take_theirs(&mut self) -> Option<String> {
        match self.theirs.take()? {
            Theirs::Text(text) => {
                self.base.clone_from(&text);
                Some(text)
            }
            Theirs::Bytes | Theirs::Gone => None,
        }
    }
}

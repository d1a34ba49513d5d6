//! [`Word`]: what one tab says to the others on the channel of a workspace.

/// What a word is about. The numbers cross between builds: they are never given anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// Of a reader: who writes?
    Hello = 1,
    /// Of the writer: it is me, and so many changes were told. Said in answer to a hello, and when it begins to write.
    Here = 2,
    /// Of a reader: I want to write.
    Ask = 3,
    /// Of the writer: something changed. The text is a notification as a page reads it.
    Changed = 4,
    /// Of the writer: a session has grown, or the list of them is another.
    Grown = 5,
    /// Of a reader: answer this command for me. The text is the command.
    Call = 6,
    /// Of the writer: the answer to the call of that number. The text is the value, or a problem; what belongs to it rides beside.
    Answer = 7,
    /// As `Answer`, of a command that failed: the text is the problem.
    Refusal = 8,
}

impl WordKind {
    const ALL: [Self; 8] =
        [Self::Hello, Self::Here, Self::Ask, Self::Changed, Self::Grown, Self::Call, Self::Answer, Self::Refusal];

    /// The kind of that number; `None` for what another build may say.
    pub fn from_number(number: f64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| f64::from(*kind as u8) == number)
    }
}

/// One thing said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// What it is about.
    pub kind: WordKind,
    /// The tab that says it.
    pub from: String,
    /// The tab it is for; empty for all.
    pub to: String,
    /// Of `Here`, `Changed` and `Grown` how many changes have been told with it; of a call and its answer which call.
    pub number: u64,
    /// See the kind.
    pub text: String,
}

impl Word {
    /// A word to all, without number and text.
    pub fn new(kind: WordKind, from: &str) -> Self {
        Self { kind, from: from.to_owned(), to: String::new(), number: 0, text: String::new() }
    }

    /// For one tab.
    #[must_use]
    pub fn to(self, to: &str) -> Self {
        Self { to: to.to_owned(), ..self }
    }

    /// With a number.
    #[must_use]
    pub fn numbered(self, number: u64) -> Self {
        Self { number, ..self }
    }

    /// With a text.
    #[must_use]
    pub fn saying(self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self }
    }
}

//! [`Tab`]: what one tab is to the workspace, and what follows from what happens.

use crate::word::{Word, WordKind};

/// How long a tab that opens waits for the lock or for a writer's answer before it opens as a reader all the same.
pub const OPEN_MS: u32 = 1000;
/// How long a writer that was asked to step down may take before its lock is stolen.
pub const PATIENCE_MS: u32 = 2000;
/// How long a reader stays out of the queue after another asked to write, or after the storage was refused to it.
pub const RETRY_MS: u32 = 3000;

/// What a tab is to the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It does not know yet.
    Opening,
    /// Another tab writes, or none does yet.
    Reading,
    /// It has asked the writer to step down.
    Asking,
    /// The writer did not answer: its lock is being taken.
    Stealing,
    /// It has the lock and opens the storage.
    Entering,
    /// It has lock and storage.
    Writing,
    /// It ends what it does and closes the storage, for another tab.
    Leaving,
    /// There is no storage to share: what it has is its own. Final.
    Alone,
}

/// How opening the storage went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// It is open.
    Kept,
    /// There is none here; everything is in memory.
    Alone,
    /// Another tab still has it.
    Refused,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The workspace is to be opened. The first input, once.
    Begin,
    /// The lock is ours.
    Granted,
    /// The lock was ours and was stolen.
    Lost,
    /// Another tab said something.
    Heard(Word),
    /// The time of [`Act::Wake`] is over; its ticket.
    Woken(u64),
    /// Whether a person can see the tab. Until it is told, they can.
    Seen(bool),
    /// A person asks to write here.
    TakeOver,
    /// What [`Act::Enter`] came to.
    Entered(Entered),
    /// [`Act::Leave`] is done.
    Left,
    /// The writer did not answer a call.
    Unanswered,
    /// The storage failed and could not be opened again: what there is lives in memory from now on.
    Failed,
}

/// What is to be done, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Say it to the other tabs.
    Say(Word),
    /// Wait for the lock.
    Queue,
    /// Wait for it no longer. It may have been granted on the way.
    LeaveQueue,
    /// Take the lock from whoever has it.
    Steal,
    /// Give the lock back.
    Release,
    /// Open the storage; then [`Input::Entered`].
    Enter,
    /// End the run, store what there is, close the storage; then [`Input::Left`].
    Leave,
    /// Close the storage at once: not one more byte may be written.
    Cut,
    /// Come back with this ticket after that time. A later one takes its place.
    Wake {
        /// Which.
        ticket: u64,
        /// When.
        ms: u32,
    },
    /// The role is settled, or another: tell the page.
    Show,
    /// Anything may have changed: ask the writer anew for what is on screen.
    Refresh,
    /// Hand a notification of the writer to the page.
    Pass(String),
    /// A session has grown, or the list of them is another: ask for what is on screen.
    Reread,
    /// Carry a command out for a reader, and answer it.
    Answer {
        /// Who asks.
        to: String,
        /// Their number for it.
        number: u64,
        /// What.
        command: String,
    },
    /// A call was answered.
    Answered {
        /// Which.
        number: u64,
        /// Whether it went well.
        ok: bool,
        /// The value or the problem.
        text: String,
    },
}

/// What one tab decides.
#[derive(Clone, Debug)]
pub struct Tab {
    me: String,
    role: Role,
    is_seen: bool,
    /// Whether the lock has been asked for and not been given or given up.
    is_queued: bool,
    /// Whether the lock is held.
    is_holding: bool,
    /// Whether there are readers, as far as this writer knows.
    is_heard: bool,
    /// The writer, as far as this reader knows.
    writer: String,
    /// Of a writer, the changes it has told; of a reader, those it has heard.
    number: u64,
    ticket: u64,
}

impl Tab {
    /// A tab with an id that no other has.
    pub fn new(me: &str) -> Self {
        Self {
            me: me.to_owned(),
            role: Role::Opening,
            is_seen: true,
            is_queued: false,
            is_holding: false,
            is_heard: false,
            writer: String::new(),
            number: 0,
            ticket: 0,
        }
    }

    /// What it is now.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether there is somebody to ask: a writer that was heard of, even if it is gone by now.
    pub fn knows_writer(&self) -> bool {
        !self.writer.is_empty()
    }

    /// A word about a change, for the readers; `None` of a tab that does not write, and as long as no reader was heard.
    pub fn change(&mut self, kind: WordKind, text: String) -> Option<Word> {
        if !self.is_heard || !matches!(self.role, Role::Writing | Role::Leaving) {
            return None;
        }
        self.number += 1;
        Some(self.say(kind).numbered(self.number).saying(text))
    }

    /// A call to the writer.
    pub fn call(&self, number: u64, command: String) -> Word {
        self.say(WordKind::Call).numbered(number).saying(command)
    }

    /// The answer to one.
    pub fn answer(&self, to: &str, number: u64, result: Result<String, String>) -> Word {
        let (kind, text) = match result {
            Ok(text) => (WordKind::Answer, text),
            Err(text) => (WordKind::Refusal, text),
        };
        self.say(kind).to(to).numbered(number).saying(text)
    }

    /// Something happened. Inputs that no longer matter do nothing.
    pub fn take(&mut self, input: Input) -> Vec<Act> {
        match input {
            Input::Begin => {
                let hello = Act::Say(self.say(WordKind::Hello));
                [self.queue(), vec![hello, self.wake(OPEN_MS)]].concat()
            }
            Input::Granted => self.granted(),
            Input::Lost => self.lost(),
            Input::Heard(word) => self.heard(word),
            Input::Woken(ticket) if ticket == self.ticket => self.woken(),
            Input::Woken(_) => Vec::new(),
            Input::Seen(is_seen) => self.seen(is_seen),
            Input::TakeOver if self.role == Role::Reading => {
                self.role = Role::Asking;
                let ask = Act::Say(self.say(WordKind::Ask));
                [self.queue(), vec![ask, self.wake(PATIENCE_MS)]].concat()
            }
            Input::TakeOver => Vec::new(),
            Input::Entered(entered) => self.entered(entered),
            Input::Left if self.role == Role::Leaving => {
                self.role = Role::Reading;
                // The one who asked waits for the lock already: it comes first.
                [self.release(), self.queue_if_seen(), vec![Act::Show]].concat()
            }
            Input::Left => Vec::new(),
            // A tab nobody sees waits for no lock; but somebody asks it something.
            Input::Unanswered if self.role == Role::Reading => self.queue(),
            Input::Unanswered => Vec::new(),
            Input::Failed if matches!(self.role, Role::Writing | Role::Leaving) => self.alone(),
            Input::Failed => Vec::new(),
        }
    }

    fn granted(&mut self) -> Vec<Act> {
        let wanted = self.is_queued || self.role == Role::Stealing;
        self.is_queued = false;
        self.is_holding = true;
        match self.role {
            Role::Opening | Role::Reading | Role::Asking | Role::Stealing if wanted => {
                self.role = Role::Entering;
                vec![Act::Enter]
            }
            Role::Entering | Role::Writing | Role::Leaving => Vec::new(),
            // It was given up a moment too late.
            Role::Opening | Role::Reading | Role::Asking | Role::Stealing | Role::Alone => self.release(),
        }
    }

    fn lost(&mut self) -> Vec<Act> {
        self.is_holding = false;
        match self.role {
            Role::Entering | Role::Writing | Role::Leaving => {
                self.role = Role::Reading;
                // Whoever stole it writes in a moment; until they say so, nothing is known of them.
                self.writer.clear();
                [vec![Act::Cut], self.queue_if_seen(), vec![Act::Show]].concat()
            }
            Role::Opening | Role::Reading | Role::Asking | Role::Stealing | Role::Alone => Vec::new(),
        }
    }

    fn heard(&mut self, word: Word) -> Vec<Act> {
        if word.from == self.me || !(word.to.is_empty() || word.to == self.me) {
            return Vec::new();
        }
        match (word.kind, self.role) {
            (WordKind::Hello, Role::Writing) => {
                self.is_heard = true;
                vec![Act::Say(self.say(WordKind::Here).to(&word.from).numbered(self.number))]
            }
            (WordKind::Ask, Role::Writing) => {
                self.is_heard = true;
                self.role = Role::Leaving;
                vec![Act::Leave]
            }
            // Whoever asked comes before whoever only waits.
            (WordKind::Ask, Role::Reading) => [self.leave_queue(), vec![self.wake(RETRY_MS)]].concat(),
            (WordKind::Call, Role::Writing) => {
                self.is_heard = true;
                vec![Act::Answer { to: word.from, number: word.number, command: word.text }]
            }
            (WordKind::Answer | WordKind::Refusal, Role::Opening | Role::Reading | Role::Asking | Role::Stealing)
                if !word.to.is_empty() =>
            {
                vec![Act::Answered { number: word.number, ok: word.kind == WordKind::Answer, text: word.text }]
            }
            (WordKind::Here | WordKind::Changed | WordKind::Grown, Role::Opening) => {
                self.role = Role::Reading;
                (self.writer, self.number) = (word.from, word.number);
                let leave = if self.is_seen { Vec::new() } else { self.leave_queue() };
                [leave, vec![Act::Show]].concat()
            }
            (WordKind::Here | WordKind::Changed | WordKind::Grown, Role::Reading) => self.follow(word),
            (WordKind::Here | WordKind::Changed | WordKind::Grown, Role::Asking) => {
                // Another was quicker: it is asked in turn.
                let is_new = word.from != self.writer;
                let mut acts = self.follow(word);
                if is_new {
                    acts.extend([Act::Say(self.say(WordKind::Ask)), self.wake(PATIENCE_MS)]);
                }
                acts
            }
            (
                WordKind::Hello
                | WordKind::Here
                | WordKind::Ask
                | WordKind::Changed
                | WordKind::Grown
                | WordKind::Call
                | WordKind::Answer
                | WordKind::Refusal,
                _,
            ) => Vec::new(),
        }
    }

    /// What a writer told, if nothing before it was missed; else everything is looked at anew.
    fn follow(&mut self, word: Word) -> Vec<Act> {
        let is_next = word.from == self.writer && word.number == self.number.wrapping_add(1);
        let is_same = word.from == self.writer && word.number == self.number;
        (self.writer, self.number) = (word.from, word.number);
        match word.kind {
            WordKind::Here if is_same => Vec::new(),
            WordKind::Changed if is_next => vec![Act::Pass(word.text)],
            WordKind::Grown if is_next => vec![Act::Reread],
            WordKind::Hello
            | WordKind::Here
            | WordKind::Ask
            | WordKind::Changed
            | WordKind::Grown
            | WordKind::Call
            | WordKind::Answer
            | WordKind::Refusal => vec![Act::Refresh],
        }
    }

    fn woken(&mut self) -> Vec<Act> {
        match self.role {
            // Nobody answers: a writer that is busy, or none. The queue knows.
            Role::Opening => {
                self.role = Role::Reading;
                let leave = if self.is_seen { Vec::new() } else { self.leave_queue() };
                [leave, vec![Act::Show]].concat()
            }
            Role::Reading => self.queue_if_seen(),
            Role::Asking => {
                self.role = Role::Stealing;
                [self.leave_queue(), vec![Act::Steal, self.wake(PATIENCE_MS)]].concat()
            }
            Role::Stealing => {
                self.role = Role::Reading;
                [self.queue_if_seen(), vec![Act::Show]].concat()
            }
            Role::Entering | Role::Writing | Role::Leaving | Role::Alone => Vec::new(),
        }
    }

    fn seen(&mut self, is_seen: bool) -> Vec<Act> {
        let was_seen = std::mem::replace(&mut self.is_seen, is_seen);
        match (self.role, is_seen) {
            // It may have slept: what it missed is answered with a number.
            (Role::Reading, true) if !was_seen => [self.queue(), vec![Act::Say(self.say(WordKind::Hello))]].concat(),
            (Role::Reading, false) => self.leave_queue(),
            _ => Vec::new(),
        }
    }

    fn entered(&mut self, entered: Entered) -> Vec<Act> {
        match (self.role, entered) {
            (Role::Entering, Entered::Kept) => {
                self.role = Role::Writing;
                vec![Act::Say(self.say(WordKind::Here).numbered(self.number)), Act::Show]
            }
            (Role::Entering, Entered::Alone) => self.alone(),
            (Role::Entering, Entered::Refused) => {
                self.role = Role::Reading;
                [self.release(), vec![self.wake(RETRY_MS), Act::Show]].concat()
            }
            // The lock was lost meanwhile.
            (_, Entered::Kept) => vec![Act::Cut],
            (_, Entered::Alone | Entered::Refused) => Vec::new(),
        }
    }

    fn alone(&mut self) -> Vec<Act> {
        self.role = Role::Alone;
        [self.release(), vec![Act::Show]].concat()
    }

    fn say(&self, kind: WordKind) -> Word {
        Word::new(kind, &self.me)
    }

    fn wake(&mut self, ms: u32) -> Act {
        self.ticket += 1;
        Act::Wake { ticket: self.ticket, ms }
    }

    fn queue(&mut self) -> Vec<Act> {
        if std::mem::replace(&mut self.is_queued, true) { Vec::new() } else { vec![Act::Queue] }
    }

    fn queue_if_seen(&mut self) -> Vec<Act> {
        if self.is_seen { self.queue() } else { Vec::new() }
    }

    fn leave_queue(&mut self) -> Vec<Act> {
        if std::mem::take(&mut self.is_queued) { vec![Act::LeaveQueue] } else { Vec::new() }
    }

    fn release(&mut self) -> Vec<Act> {
        if std::mem::take(&mut self.is_holding) { vec![Act::Release] } else { Vec::new() }
    }
}

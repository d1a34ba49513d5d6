//! [`Desk`]: everything the worker owns once it is open, and the state that is told of it.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use futures_channel::oneshot;
use vitrine_agent::gate::{Breakpoint, Gate};
use vitrine_agent::message::{Message, SharedMessage, join_text};
use vitrine_agent::model::ModelInfo;
use vitrine_agent::queue::{Queue, Queues};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::unanswered;
use vitrine_protocol::changes::ToolSwitch;
use vitrine_protocol::notification::{AgentState, Notification, PausedAt, Status, Storage, StorageRole};
use vitrine_providers::openai_completions::BodyCache;
use vitrine_tools::{Paths, Registry, Switch};
use vitrine_vfs::{SignedChange, Workspace};

use crate::approval::Approvals;
use crate::changes::{self, MadeIn, Start};
use crate::keys::Keys;
use crate::lesson::Classroom;
use crate::models::{self, ScriptPlayer};
use crate::outbox::Outbox;
use crate::parts::Parts;
use crate::requests::Requests;
use crate::sessions::{self, Sessions};
use crate::shell::ShellHost;
use crate::storage::OpenedStorage;
use crate::tamper::Tamper;
use crate::toys::Toolbox;
use crate::visit::Visit;

/// What the worker owns.
pub struct Desk {
    /// The way to the page.
    pub outbox: Outbox,
    /// `en` or `zh`.
    pub lang: RefCell<String>,
    /// Where things are kept.
    pub storage: Storage,
    /// The agent's files.
    pub workspace: Workspace,
    /// The tools over them.
    pub tools: Toolbox,
    /// The shell behind one of them.
    pub shell: ShellHost,
    /// The saved sessions and the open one.
    pub sessions: Sessions,
    /// The scripted model's place in its script.
    pub scripts: ScriptPlayer,
    /// Message bytes that requests share.
    pub bodies: RefCell<BodyCache>,
    /// API keys.
    pub keys: RefCell<Keys>,
    /// The model of the next request.
    pub model: RefCell<ModelInfo>,
    /// Messages that wait for the run.
    pub queues: RefCell<Queues>,
    /// Breakpoints the reader set; each run's gate starts with them.
    pub breakpoints: RefCell<Vec<Breakpoint>>,
    /// The run, while there is one.
    pub active: RefCell<Option<Active>>,
    /// What the open session has used.
    pub tally: RefCell<Tally>,
    /// What this visit, or the lesson, began with.
    pub start: Cell<Start>,
    /// In which turn changes were made, by their numbers.
    pub made_in: RefCell<VecDeque<MadeIn>>,
    /// A folder of the reader's own beside the workspace.
    pub folder: crate::transfer::folder::OpenFolder,
    /// Turns of the last run.
    pub turn: Cell<u32>,
    /// The lesson that is open.
    pub lesson: Classroom,
    /// How paths are read and shown.
    pub paths: Paths,
    /// What a person does to a run.
    pub tamper: Tamper,
    /// What a person is asked.
    pub approvals: Approvals,
    /// Whose part a person plays.
    pub parts: Parts,
    /// What has happened in this visit to the session.
    pub visit: Visit,
    /// The requests of it.
    pub requests: Requests,
}

/// A run that goes on.
pub struct Active {
    /// Its id.
    pub run_id: String,
    /// Ends it.
    pub signal: AbortSignal,
    /// Holds it.
    pub gate: Gate,
    /// Told once it has settled.
    pub on_settled: Vec<oneshot::Sender<()>>,
}

/// What a session has used, and how long its context is.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    usage: vitrine_agent::message::Usage,
    requests: u32,
    context_tokens: u64,
}

impl Tally {
    /// Of a whole branch.
    pub fn of(messages: &[SharedMessage]) -> Self {
        let requests = unanswered::requests_in(messages).try_into().unwrap_or(u32::MAX);
        let mut tally = Self { requests, ..Self::default() };
        messages.iter().for_each(|message| tally.add(message));
        tally
    }

    /// A request is sent; the message that answers it is still to come.
    pub fn begin_request(&mut self) {
        self.requests += 1;
    }

    /// Adds what one message used.
    pub fn add(&mut self, message: &Message) {
        let text_tokens = |text: &str| text.chars().count().div_ceil(4) as u64;
        match message {
            Message::System(system) => self.context_tokens += text_tokens(&system.content.text()),
            Message::User(user) => self.context_tokens += text_tokens(&user.content.text()),
            Message::ToolResult(result) => self.context_tokens += text_tokens(&join_text(&result.content)),
            Message::Other(_) => {}
            Message::Assistant(assistant) => {
                let (sum, new) = (&mut self.usage, &assistant.usage);
                sum.input += new.input;
                sum.output += new.output;
                sum.cache_read += new.cache_read;
                sum.cache_write += new.cache_write;
                sum.total_tokens += new.total_tokens;
                sum.cost.total += new.cost.total;
                // What the server counted holds; without it the message's own text is estimated.
                if new.total_tokens > 0 {
                    self.context_tokens = new.total_tokens;
                } else {
                    self.context_tokens += text_tokens(&join_text(&assistant.content));
                }
            }
        }
    }
}

impl Desk {
    /// A desk with nothing going on.
    pub fn new(outbox: Outbox, lang: String, opened: OpenedStorage, tools: Registry, shell: ShellHost) -> Self {
        let OpenedStorage { storage, workspace, sessions } = opened;
        Self {
            lang: RefCell::new(lang),
            storage,
            workspace,
            tools: Toolbox::new(tools, outbox.clone()),
            outbox,
            shell,
            sessions: Sessions::new(sessions),
            scripts: ScriptPlayer::default(),
            bodies: RefCell::default(),
            keys: RefCell::default(),
            model: RefCell::new(models::scripted_model()),
            queues: RefCell::default(),
            breakpoints: RefCell::default(),
            active: RefCell::default(),
            tally: RefCell::default(),
            start: Cell::default(),
            made_in: RefCell::default(),
            folder: crate::transfer::folder::OpenFolder::default(),
            turn: Cell::new(0),
            paths: sessions::paths(),
            tamper: Tamper::default(),
            approvals: Approvals::default(),
            parts: Parts::default(),
            visit: Visit::default(),
            lesson: Classroom::default(),
            requests: Requests::default(),
        }
    }

    /// Takes over what is the person's and not the workspace's: model, keys, breakpoints, language, tools that are on, and what
    /// they wrote that waits to be read.
    pub fn take_from(&self, old: &Self) {
        let on = old.tools.switches().into_iter().filter(|(_, switch)| *switch == Switch::On).map(|(name, _)| name);
        // They were taken once.
        let _ = self.tools.set_toys(old.tools.toys());
        // Both have the same tools.
        let _ = self.tools.switch_to(&on.collect::<Vec<_>>());
        self.queues.replace(old.queues.take());
        self.lang.replace(old.lang.borrow().clone());
        self.keys.replace(old.keys.take());
        self.model.replace(old.model.borrow().clone());
        self.breakpoints.replace(old.breakpoints.borrow().clone());
        self.approvals.take_policy(&old.approvals);
        self.lesson.take_from(&old.lesson);
    }

    /// Whether another tab writes the workspace, and this one reads.
    pub fn reads(&self) -> bool {
        self.storage.role == StorageRole::Reader
    }

    /// The state as it is now.
    pub fn state(&self) -> AgentState {
        let model = self.model.borrow().clone();
        let tally = self.tally.borrow();
        let queues = self.queues.borrow();
        let active = self.active.borrow();
        let paused_at = active.as_ref().and_then(|active| active.gate.paused_at());
        let waits = self.approvals.is_waiting() || self.parts.is_waiting();
        let status = match (&*active, &paused_at) {
            (None, _) => Status::Idle,
            (Some(_), None) if waits => Status::Waiting,
            (Some(_), None) => Status::Running,
            (Some(_), Some(_)) => Status::Paused,
        };
        AgentState {
            status,
            run_id: active.as_ref().map(|active| active.run_id.clone()),
            turn: self.turn.get(),
            has_key: self.keys.borrow().for_url(&model.base_url).is_some(),
            usage: tally.usage.clone(),
            requests: tally.requests,
            context_tokens: tally.context_tokens,
            context_window: model.context_window,
            storage: self.storage.clone(),
            steering: texts(&queues.steering),
            follow_up: texts(&queues.follow_up),
            tools: {
                let switches = self.tools.switches().into_iter();
                switches.map(|(name, switch)| ToolSwitch { name, on: switch == Switch::On }).collect()
            },
            policy: self.approvals.policy(),
            faults: self.tamper.armed(),
            part: self.parts.part(),
            modified: self.tamper.is_modified(),
            paused_at: paused_at.map(|at| PausedAt { event: at.output, call_id: at.call_id, answer: at.answer }),
            model,
        }
    }

    /// Tells the page the state as it is now.
    pub fn tell_state(&self) {
        self.outbox.tell(&Notification::State(Box::new(self.state())));
    }

    /// Tells the page when files change, and notes in which turn that was.
    pub fn watch_files(self: &Rc<Self>) {
        let weak = Rc::downgrade(self);
        self.workspace.observe(Rc::new(move |change| {
            if let Some(desk) = weak.upgrade() {
                desk.note(change);
                desk.outbox.tell(&Notification::File(crate::files::change(change)));
                crate::lesson::files_changed(&desk);
            }
        }));
        changes::begin(self);
    }

    fn note(&self, change: &SignedChange) {
        let (active, mut made_in) = (self.active.borrow(), self.made_in.borrow_mut());
        let id = change.snapshot.0;
        let is_noted = made_in.back().is_some_and(|last| last.id == id);
        if let (Some(active), Some(_), false) = (&*active, change.author.call_id(), is_noted) {
            made_in.push_back(MadeIn { id, run_id: active.run_id.clone(), turn: self.turn.get() });
        }
        if made_in.len() > changes::LIMITS.changes {
            made_in.pop_front();
        }
    }
}

fn texts(queue: &Queue) -> Vec<String> {
    queue.messages().map(|message| user_text(message)).collect()
}

/// The text of a queued message.
pub fn user_text(message: &Message) -> String {
    match message {
        Message::User(user) => user.content.text(),
        Message::System(_) | Message::Assistant(_) | Message::ToolResult(_) | Message::Other(_) => String::new(),
    }
}

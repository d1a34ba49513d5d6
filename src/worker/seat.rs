//! [`Seat`]: this tab's place at a workspace that other tabs have open, too. `vitrine_tabs` decides; here is what has a lock, a
//! channel, a storage and a page.

mod reader;
mod recover;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_channel::oneshot;
use vitrine::platform::channel::{Beside, Channel};
use vitrine::platform::lock::{Asking, Lock, LockEvent};
use vitrine::platform::{clock, random};
use vitrine_protocol::notification::{FileChange, Notification, Opened, Problem, StorageKind};
use vitrine_tabs::{Act, Entered, Input, Role, Tab, Word};
use vitrine_vfs::{BackendError, WorkspaceError};
use wasm_bindgen_futures::spawn_local;

use crate::desk::Desk;
use crate::fence::Fence;
use crate::outbox::{Answer, Outbox};
use crate::storage::{self, OpenedStorage};
use crate::{commands, run, sessions};

/// How long to wait for a storage whose lock is ours. A page that was reloaded in the middle of a write, or a tab that was
/// robbed, has it until its worker is gone or has noticed.
const PATIENCE_MS: f64 = 4_000.0;
/// How long between two looks.
const PAUSE_MS: u32 = 50;

/// One worker's place at its workspace, and the desk that goes with it. Another role is another desk.
pub struct Seat {
    outbox: Outbox,
    /// The workspace's; `None` for a throw-away one, which nobody shares.
    name: Option<String>,
    lang: String,
    tab: RefCell<Tab>,
    lock: OnceCell<Lock>,
    channel: OnceCell<Option<Channel>>,
    desk: RefCell<Option<Rc<Desk>>>,
    /// Before the storage that is open.
    fence: RefCell<Fence>,
    calls: RefCell<BTreeMap<u64, oneshot::Sender<Called>>>,
    last_call: Cell<u64>,
    /// What rode beside the word that is being heard.
    beside: RefCell<Beside>,
    /// Told when the role is another, or settled.
    on_show: RefCell<Vec<oneshot::Sender<()>>>,
    /// Why the storage cannot be opened at all.
    broken: RefCell<Option<Problem>>,
    follow: RefCell<reader::Follow>,
    /// Whether the storage is about to be looked at.
    looks: Cell<bool>,
}

/// What came of a call.
type Called = Result<Answer, Problem>;

impl Seat {
    /// At a workspace that is not open yet.
    pub fn new(outbox: Outbox, name: Option<&str>, lang: String) -> Rc<Self> {
        let me: String = random::bytes::<8>().iter().map(|byte| format!("{byte:02x}")).collect();
        Rc::new(Self {
            outbox,
            name: name.map(str::to_owned),
            lang,
            tab: RefCell::new(Tab::new(&me)),
            lock: OnceCell::new(),
            channel: OnceCell::new(),
            desk: RefCell::default(),
            fence: RefCell::default(),
            calls: RefCell::default(),
            last_call: Cell::default(),
            beside: RefCell::default(),
            on_show: RefCell::default(),
            broken: RefCell::default(),
            follow: RefCell::default(),
            looks: Cell::default(),
        })
    }

    /// Takes the place: as the writer if nobody else is, else as a reader. Ready within about a second.
    pub async fn open(self: &Rc<Self>) -> Result<Answer, Problem> {
        match &self.name {
            None => {
                let desk =
                    commands::lay(&self.outbox, self.lang.clone(), storage::in_memory(StorageKind::Memory, None))?;
                self.desk.replace(Some(desk));
            }
            Some(name) => {
                let name = format!("vitrine/{name}");
                let weak = Rc::downgrade(self);
                let on_lock = move |event| {
                    if let Some(seat) = weak.upgrade() {
                        seat.happen(match event {
                            LockEvent::Granted => Input::Granted,
                            LockEvent::Lost => Input::Lost,
                        });
                    }
                };
                let _ = self.lock.set(Lock::new(&name, on_lock));
                let weak = Rc::downgrade(self);
                let on_word = move |word, beside| {
                    if let Some(seat) = weak.upgrade() {
                        seat.beside.replace(beside);
                        seat.happen(Input::Heard(word));
                        seat.beside.take();
                    }
                };
                let _ = self.channel.set(Channel::open(&name, on_word));
                let weak = Rc::downgrade(self);
                self.outbox.on_change(move |kind, text| {
                    let Some(seat) = weak.upgrade() else { return };
                    seat.look_soon();
                    let word = seat.tab.borrow_mut().change(kind, text.to_owned());
                    if let Some(word) = word {
                        seat.say(&word, &Beside::Nothing);
                    }
                });
                let shown = self.shown();
                self.happen(Input::Begin);
                let _ = shown.await;
            }
        }
        if let Some(problem) = self.broken.take() {
            return Err(problem);
        }
        let desk = self.desk()?;
        let list = self.sessions(&desk).await?;
        let session = desk.sessions.current_info().await;
        self.outbox.tell(&Notification::Sessions(list.clone()));
        Answer::json(&Opened { storage: desk.storage.clone(), sessions: list, state: desk.state(), session })
    }

    /// What belongs to the role of now.
    pub fn desk(&self) -> Result<Rc<Desk>, Problem> {
        self.desk.borrow().clone().ok_or_else(|| {
            Problem::new("not-open", "the worker has no workspace yet", "wait for the element's `ready`")
        })
    }

    /// Becomes the writer, if that can be.
    pub async fn take_over(self: &Rc<Self>) -> Result<Answer, Problem> {
        if self.name.is_none() {
            return Ok(Answer::done());
        }
        self.happen(Input::TakeOver);
        loop {
            match self.tab.borrow().role() {
                Role::Writing | Role::Alone => return Ok(Answer::done()),
                Role::Reading => {
                    return Err(Problem::new(
                        "not-taken-over",
                        "the other tab did not let go of the workspace",
                        "close it, or wait until it has finished what it does, and take over again",
                    ));
                }
                Role::Opening | Role::Asking | Role::Stealing | Role::Entering | Role::Leaving => {}
            }
            let _ = self.shown().await;
        }
    }

    /// A person sees the tab, or does not.
    pub fn seen(self: &Rc<Self>, is_seen: bool) {
        self.happen(Input::Seen(is_seen));
        // The machine may have slept.
        self.look_soon();
    }

    fn shown(&self) -> oneshot::Receiver<()> {
        let (sender, shown) = oneshot::channel();
        self.on_show.borrow_mut().push(sender);
        shown
    }

    fn happen(self: &Rc<Self>, input: Input) {
        let acts = self.tab.borrow_mut().take(input);
        for act in acts {
            self.act(act);
        }
    }

    fn act(self: &Rc<Self>, act: Act) {
        let seat = self.clone();
        match act {
            Act::Say(word) => self.say(&word, &Beside::Nothing),
            Act::Queue => self.ask(Asking::InTurn),
            Act::Steal => self.ask(Asking::ByForce),
            Act::LeaveQueue | Act::Release => {
                if let Some(lock) = self.lock.get() {
                    lock.let_go();
                }
            }
            Act::Enter => spawn_local(async move { seat.enter().await }),
            Act::Leave => spawn_local(async move {
                if let Ok(desk) = seat.desk() {
                    run::abort(&desk).await;
                    // What is being written is written.
                    drop(desk.sessions.current.lock().await);
                }
                seat.fence.borrow().cut();
                seat.happen(Input::Left);
            }),
            Act::Cut => self.fence.borrow().cut(),
            Act::Wake { ticket, ms } => spawn_local(async move {
                clock::sleep(ms).await;
                seat.happen(Input::Woken(ticket));
            }),
            Act::Show => spawn_local(async move { seat.show().await }),
            Act::Refresh => {
                self.refresh_files();
                self.reread();
            }
            Act::Pass(text) => self.outbox.pass(&text),
            Act::Reread => self.reread(),
            Act::Answer { to, number, command } => spawn_local(async move {
                let (result, beside) = seat.answer_for(&command).await;
                let word = seat.tab.borrow().answer(&to, number, result);
                seat.say(&word, &beside);
            }),
            Act::Answered { number, ok, text } => {
                if let Some(waiting) = self.calls.borrow_mut().remove(&number) {
                    let answered = reader::called(ok, text, self.beside.take());
                    // Whoever asked may have given up.
                    let _ = waiting.send(answered);
                }
            }
        }
    }

    fn say(&self, word: &Word, beside: &Beside) {
        if let Some(channel) = self.channel.get().and_then(Option::as_ref) {
            channel.post(word, beside);
        }
    }

    fn ask(&self, asking: Asking) {
        if let Some(lock) = self.lock.get() {
            lock.ask(asking);
        }
    }

    /// Opens the storage, for the writer.
    async fn enter(self: &Rc<Self>) {
        let Some(name) = &self.name else { return };
        let fence = Fence::default();
        self.fence.replace(fence.clone());
        let began_ms = clock::monotonic_ms();
        let opened = loop {
            match storage::open(name, &fence).await {
                Err(WorkspaceError::Storage(BackendError::LockedElsewhere { .. }))
                    if self.tab.borrow().role() == Role::Entering && clock::monotonic_ms() - began_ms < PATIENCE_MS =>
                {
                    clock::sleep(PAUSE_MS).await;
                }
                result => break result,
            }
        };
        let (opened, entered) = match opened {
            Ok(opened) => (Some(opened), Entered::Kept),
            Err(WorkspaceError::Storage(BackendError::LockedElsewhere { .. })) => (None, Entered::Refused),
            Err(WorkspaceError::Storage(error)) => {
                (Some(storage::in_memory(StorageKind::Unavailable, Some(error.to_string()))), Entered::Alone)
            }
            Err(error) => {
                self.broken.replace(Some(crate::files::problem(&error)));
                (None, Entered::Refused)
            }
        };
        if let Some(opened) = opened
            && self.tab.borrow().role() == Role::Entering
            && let Err(problem) = self.sit_down(opened).await
        {
            self.outbox.tell(&Notification::Problem(problem));
        }
        self.happen(Input::Entered(entered));
        self.watch(&fence);
        // The lock was lost on the way: the desk that was just laid is not this role's.
        let is_late = self.tab.borrow().role() == Role::Reading && self.desk().is_ok_and(|desk| !desk.reads());
        if is_late {
            self.show().await;
        }
    }

    /// Lays a desk over an opened storage and moves what is the person's from the old one to it.
    async fn sit_down(self: &Rc<Self>, opened: OpenedStorage) -> Result<(), Problem> {
        let desk = commands::lay(&self.outbox, self.lang.clone(), opened)?;
        let old = self.desk.borrow().clone();
        if let Some(old) = old {
            desk.take_from(&old);
            if let Some(id) = old.sessions.stored_id().await {
                sessions::reopen(&desk, &id).await;
            }
        }
        self.desk.replace(Some(desk));
        Ok(())
    }

    /// The role is settled, or another.
    async fn show(self: &Rc<Self>) {
        let role = self.tab.borrow().role();
        let old = self.desk.borrow().clone();
        let is_first = old.is_none();
        if role == Role::Reading && !old.as_ref().is_some_and(|desk| desk.reads()) {
            match self.sit_aside(old).await {
                // Between two waits it may have become the writer.
                Ok(desk) if self.tab.borrow().role() == Role::Reading => drop(self.desk.replace(Some(desk))),
                Ok(_) => {}
                Err(problem) => self.outbox.tell(&Notification::Problem(problem)),
            }
        }
        for waiting in self.on_show.take() {
            // Whoever waited may be gone.
            let _ = waiting.send(());
        }
        if is_first {
            return;
        }
        if let Ok(desk) = self.desk() {
            desk.tell_state();
            self.refresh_files();
            if desk.reads() {
                self.reread();
            } else {
                let _ = sessions::show(&desk).await;
            }
        }
    }

    fn refresh_files(&self) {
        self.outbox.tell(&Notification::File(FileChange { change: "restored".to_owned(), ..FileChange::default() }));
    }
}

//! The shell's host: a worker that is started when a command first asks for it, one command at a time, and the changes of the
//! files in both directions.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};
use std::sync::Arc;

use futures_channel::oneshot;
use futures_util::future::{Either, LocalBoxFuture, pending, select};
use futures_util::{FutureExt as _, pin_mut};
use vitrine::platform::clock;
use vitrine::platform::shell_link::ShellLink;
use vitrine_shell::{Change, FromShell, ToShell};
use vitrine_tools::bash::{self, End, Finished, Mirror, OnOutput, Shell, ShellCommand};
use vitrine_tools::mutation_queue::{MutationQueue, Ticket};
use vitrine_vfs::{self as vfs, Author, Workspace, WorkspacePath};

use crate::sessions::CWD;

/// How long the shell's changes wait for more of them: a loop that appends lines is one change of the journal then.
const SETTLE_MS: u32 = 10;

/// Said with the next command after one that was ended.
const LOST: &str = "The command before was ended while it ran: what it changed in the shell itself (folder, variables, \
                    functions) is lost, the files that it wrote are kept";
/// Said when everything is gone.
const BEGUN_ANEW: &str = "The shell was begun anew: its folder, variables and functions from before are lost";

/// The shell of a workspace. Clones are the same one.
#[derive(Clone)]
pub struct ShellHost(Rc<Inner>);

struct Inner {
    mirror: RefCell<Mirror>,
    /// The worker, while there is one.
    live: RefCell<Option<Live>>,
    /// The command that runs.
    current: RefCell<Option<Current>>,
    /// One command at a time.
    queue: MutationQueue,
    /// What the shell had come to after its last command.
    state: RefCell<Option<String>>,
    /// What the next command is told of the one before.
    note: Cell<Option<&'static str>>,
    last_id: Cell<u64>,
    /// The workspace is being changed for the shell, which need not hear of it.
    is_applying: Cell<bool>,
    settle_is_due: Cell<bool>,
    /// The session whose shell it is.
    session: RefCell<String>,
    env: RefCell<BTreeMap<String, String>>,
}

struct Live {
    link: ShellLink,
    /// What is said before the shell listens; `None` once it does.
    early: Option<Vec<ToShell>>,
    /// The number of the last feed.
    fed: u64,
}

struct Current {
    id: u64,
    call_id: Arc<str>,
    on_output: OnOutput,
    done: Option<oneshot::Sender<Done>>,
    /// What could not be done in the workspace.
    problems: Vec<String>,
}

/// How the shell says that a command is over.
enum Done {
    Exited(i32),
    Refused(String),
}

impl ShellHost {
    /// For a workspace. Nothing is loaded yet.
    pub fn new(workspace: &Workspace) -> Self {
        let inner = Rc::new(Inner {
            mirror: RefCell::new(Mirror::new(workspace.clone())),
            live: RefCell::default(),
            current: RefCell::default(),
            queue: MutationQueue::default(),
            state: RefCell::default(),
            note: Cell::default(),
            last_id: Cell::default(),
            is_applying: Cell::default(),
            settle_is_due: Cell::default(),
            session: RefCell::default(),
            env: RefCell::default(),
        });
        let weak = Rc::downgrade(&inner);
        workspace.observe(Rc::new(move |change| {
            if let Some(inner) = weak.upgrade() {
                inner.heard(change);
            }
        }));
        Self(inner)
    }

    /// A run of this session begins. Folder, variables and functions are a session's own: another one begins anew.
    pub fn begin_run(&self, session: &str, env: BTreeMap<String, String>) {
        self.0.env.replace(env);
        if self.0.session.replace(session.to_owned()) != session {
            self.0.live.take();
            self.0.state.take();
            self.0.note.set(None);
        }
    }
}

impl Shell for ShellHost {
    fn run(&self, command: ShellCommand) -> LocalBoxFuture<'static, Finished> {
        let ticket = self.0.queue.ticket(&WorkspacePath::root());
        let inner = self.0.clone();
        async move { inner.run(ticket, command).await }.boxed_local()
    }

    fn now_ms(&self) -> f64 {
        clock::monotonic_ms()
    }

    fn sleep(&self, ms: u32) -> LocalBoxFuture<'static, ()> {
        clock::sleep(ms).boxed_local()
    }
}

/// Ends the worker when the command that runs in it is given up.
struct Running(Rc<Inner>, bool);

impl Drop for Running {
    fn drop(&mut self) {
        if !self.1 {
            self.0.kill();
        }
    }
}

impl Inner {
    async fn run(self: Rc<Self>, ticket: Ticket, command: ShellCommand) -> Finished {
        let ShellCommand { call_id, text, timeout_ms, signal, on_output } = command;
        {
            let (turn, aborted) = (ticket.turn(), signal.aborted());
            pin_mut!(turn, aborted);
            select(turn, aborted).await;
        }
        if signal.is_aborted() {
            return Finished { end: End::Aborted, notes: Vec::new() };
        }
        let mut notes: Vec<String> = self.note.take().map(str::to_owned).into_iter().collect();
        if let Err(why) = self.start() {
            return Finished { end: End::Refused(format!("The shell could not be started: {why}")), notes };
        }
        let id = self.last_id.get() + 1;
        self.last_id.set(id);
        let (done, ended) = oneshot::channel();
        self.current.replace(Some(Current { id, call_id, on_output, done: Some(done), problems: Vec::new() }));
        let mut running = Running(self.clone(), false);
        self.say(ToShell::Run { id, command: text, env: self.env.borrow().clone() });
        let stopped = async {
            let time = async {
                match timeout_ms {
                    Some(ms) => clock::sleep(ms).await,
                    None => pending().await,
                }
            };
            let aborted = signal.aborted();
            pin_mut!(time, aborted);
            match select(aborted, time).await {
                Either::Left(_) => End::Aborted,
                Either::Right(_) => End::TimedOut,
            }
        };
        pin_mut!(stopped);
        let end = match select(ended, stopped).await {
            Either::Left((Ok(Done::Exited(code)), _)) => End::Exited(code),
            Either::Left((Ok(Done::Refused(why)), _)) => End::Refused(why),
            Either::Left((Err(_), _)) => End::Refused("The shell stopped".to_owned()),
            Either::Right((end, _)) => end,
        };
        running.1 = matches!(end, End::Exited(_) | End::Refused(_));
        drop(running);
        self.settle();
        let problems = self.current.take().map(|current| current.problems).unwrap_or_default();
        if !problems.is_empty() {
            // The replica has what the workspace has not.
            let everything = self.mirror.borrow().everything();
            self.feed(everything);
            notes.push(format!("Not all that the command wrote could be saved: {}", listed(&problems)));
        }
        // A clone of the ticket would hold the next command up; this one gives the turn on.
        drop(ticket);
        Finished { end, notes }
    }

    /// Starts the worker unless there is one, and hands it the files.
    fn start(self: &Rc<Self>) -> Result<(), String> {
        if self.live.borrow().is_some() {
            return Ok(());
        }
        let weak: Weak<Self> = Rc::downgrade(self);
        let link = ShellLink::start(move |message| {
            if let Some(inner) = weak.upgrade() {
                inner.hear(message);
            }
        })?;
        self.live.replace(Some(Live { link, early: Some(Vec::new()), fed: 0 }));
        self.say(ToShell::Open { root: CWD.to_owned(), state: self.state.borrow().clone() });
        let everything = self.mirror.borrow().everything();
        self.feed(everything);
        Ok(())
    }

    /// Ends the worker. Files that it wrote stay, and the next one goes on after the last command that came to its end.
    fn kill(&self) {
        self.live.take();
        self.note.set(Some(LOST));
    }

    fn say(&self, message: ToShell) {
        let mut live = self.live.borrow_mut();
        match live.as_mut() {
            Some(Live { early: Some(early), .. }) => early.push(message),
            Some(live) => live.link.post(message),
            None => {}
        }
    }

    fn feed(&self, changes: Vec<Change>) {
        let number = match self.live.borrow_mut().as_mut() {
            Some(live) if !changes.is_empty() => {
                live.fed += 1;
                live.fed
            }
            Some(_) | None => return,
        };
        self.say(ToShell::Feed { number, changes: changes.into_iter().collect() });
    }

    /// Somebody changed the workspace.
    fn heard(&self, change: &vfs::Change) {
        if self.is_applying.get() || self.live.borrow().is_none() {
            return;
        }
        let told = {
            let mut mirror = self.mirror.borrow_mut();
            if let vfs::Change::Wrote(path) = change {
                mirror.overtaken(path);
            }
            mirror.told(change)
        };
        self.feed(told);
    }

    /// The shell said something.
    fn hear(self: &Rc<Self>, message: FromShell) {
        match message {
            FromShell::Ready => {
                let early = self.live.borrow_mut().as_mut().and_then(|live| live.early.take());
                early.into_iter().flatten().for_each(|message| self.say(message));
            }
            FromShell::Output { id, bytes } => {
                if let Some(current) = self.current.borrow_mut().as_mut().filter(|current| current.id == id) {
                    (current.on_output)(&bytes);
                }
            }
            FromShell::Changed { seen, changes, .. } => {
                let fed = self.live.borrow().as_ref().map_or(0, |live| live.fed);
                for change in changes.unpack().unwrap_or_default() {
                    let again = (seen < fed).then(|| change.clone());
                    self.mirror.borrow_mut().take(change);
                    // The shell did not know of something that happened here: it is told how the two came out together.
                    if let Some(change) = again {
                        self.settle();
                        let now = self.mirror.borrow().echo(&change);
                        self.feed(now);
                    }
                }
                self.settle_soon();
            }
            FromShell::Exit(exit) => {
                self.state.replace(exit.state.clone());
                if exit.state.is_none() {
                    // Too much to keep: it is there as long as this worker is.
                    self.note.set(None);
                }
                let done = exit.refused.map_or(Done::Exited(exit.code), Done::Refused);
                self.over(exit.id, done);
            }
            FromShell::Broken { why } => {
                self.live.take();
                self.note.set(Some(if self.state.borrow().is_some() { LOST } else { BEGUN_ANEW }));
                let id = self.last_id.get();
                self.over(id, Done::Refused(format!("The shell stopped: {why}. The next command starts a new one.")));
            }
        }
    }

    fn over(&self, id: u64, how: Done) {
        let done = self
            .current
            .borrow_mut()
            .as_mut()
            .filter(|current| current.id == id)
            .and_then(|current| current.done.take());
        if let Some(done) = done {
            // Whoever waited may have given up.
            let _ = done.send(how);
        }
    }

    fn settle_soon(self: &Rc<Self>) {
        if self.mirror.borrow().is_settled() || self.settle_is_due.replace(true) {
            return;
        }
        let inner = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            clock::sleep(SETTLE_MS).await;
            inner.settle_is_due.set(false);
            inner.settle();
        });
    }

    /// Does in the workspace what the shell did.
    fn settle(&self) {
        let changes = self.mirror.borrow_mut().settle();
        if changes.is_empty() {
            return;
        }
        let call_id = self.current.borrow().as_ref().map(|current| current.call_id.clone());
        let workspace = self.mirror.borrow().workspace().by(Author::Shell(call_id));
        self.is_applying.set(true);
        let problems = bash::apply(&workspace, changes);
        self.is_applying.set(false);
        if let Some(current) = self.current.borrow_mut().as_mut() {
            current.problems.extend(problems);
        }
    }
}

/// The first few of them.
fn listed(problems: &[String]) -> String {
    const SHOWN: usize = 5;
    let mut text = problems.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ");
    if problems.len() > SHOWN {
        text.push_str(&format!("; and {} more", problems.len() - SHOWN));
    }
    text
}

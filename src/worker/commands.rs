//! What the page can ask: one arm a command, one reply each.

use std::cell::OnceCell;
use std::rc::Rc;

use vitrine::platform::images::Canvas;
use vitrine::platform::worker_port::{self, Attached, WorkerPort};
use vitrine_agent::gate;
use vitrine_agent::json::Json;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::{Notification, Problem};
use vitrine_tools::Registry;
use vitrine_tools::bash::Bash;

use crate::desk::Desk;
use crate::outbox::{Answer, Outbox};
use crate::seat::Seat;
use crate::shell::ShellHost;
use crate::storage::OpenedStorage;
use crate::{
    approval, changes, connection, files, lesson, panel, parts, requests, rewind, run, sessions, tamper, toys,
    transfer, visit,
};

/// What lives as long as the worker.
struct Worker {
    outbox: OnceCell<Outbox>,
    seat: OnceCell<Rc<Seat>>,
}

/// Listens to the page and says that it does.
pub fn listen() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        // Nothing in this worker can be trusted any more; what was acknowledged is stored.
        let problem = Notification::Problem(Problem::new(
            "worker-stopped",
            "the worker that runs the agent stopped",
            "reload the page; files and sessions that were saved are still there",
        ));
        worker_port::give_up(&serde_json::to_string(&problem).unwrap_or_default());
    }));
    let worker = Rc::new(Worker { outbox: OnceCell::new(), seat: OnceCell::new() });
    let listening = worker.clone();
    let port = WorkerPort::listen(move |id, text, attached| {
        wasm_bindgen_futures::spawn_local(receive(listening.clone(), id, text, attached));
    });
    let outbox = worker.outbox.get_or_init(|| Outbox::new(port));
    outbox.tell(&Notification::Ready);
}

async fn receive(worker: Rc<Worker>, id: u64, text: String, attached: Attached) {
    let Some(outbox) = worker.outbox.get() else { return };
    let result = match serde_json::from_str(&text) {
        Ok(command) => worker.answer(command, attached).await,
        Err(error) => {
            Err(Problem::new("invalid-argument", error.to_string(), "see vitrine.d.ts for what this member takes"))
        }
    };
    outbox.reply(id, result);
}

impl Worker {
    async fn answer(&self, command: Command, attached: Attached) -> Result<Answer, Problem> {
        if let Command::Open { workspace, lang } = command {
            return self.open(workspace.as_deref(), lang).await;
        }
        let seat = self.seat.get().ok_or_else(|| {
            Problem::new("not-open", "the worker has no workspace yet", "wait for the element's `ready`")
        })?;
        match command {
            Command::TakeOver {} => seat.take_over().await,
            Command::SetSeen { seen } => {
                seat.seen(seen);
                Ok(Answer::done())
            }
            command => seat.answer(command, attached).await,
        }
    }

    async fn open(&self, workspace: Option<&str>, lang: String) -> Result<Answer, Problem> {
        let Some(outbox) = self.outbox.get() else { return Ok(Answer::done()) };
        let seat = Seat::new(outbox.clone(), workspace, lang);
        if self.seat.set(seat.clone()).is_err() {
            return Err(Problem::new("already-open", "the worker has a workspace", "open it once"));
        }
        seat.open().await
    }
}

/// Lays a desk over an opened storage: the tools, and whoever has to hear of changes.
pub fn lay(outbox: &Outbox, lang: String, opened: OpenedStorage) -> Result<Rc<Desk>, Problem> {
    let paths = sessions::paths();
    let bug = |error: String| Problem::new("internal", error, "report this as a bug");
    let shell = ShellHost::new(&opened.workspace);
    // The scripted model lists files by `ls`.
    let names = [vitrine_tools::DEFAULT, &["ls"]].concat();
    let tools = Registry::new(&opened.workspace, &paths, &names)
        .and_then(|tools| tools.with_search(&opened.workspace, &paths))
        .and_then(|tools| tools.with_images(&opened.workspace, &paths, Rc::new(Canvas)))
        .map_err(|error| bug(error.to_string()))?;
    let (workspace, queue) = (opened.workspace.clone(), tools.queue().clone());
    let bash = Bash::new(workspace, paths, Rc::new(shell.clone()), queue).map_err(|error| bug(error.to_string()))?;
    let tools = tools.with(Rc::new(bash));
    let desk = Rc::new(Desk::new(outbox.clone(), lang, opened, tools, shell));
    desk.watch_files();
    Ok(desk)
}

/// Does what is asked at a desk.
pub async fn answer(desk: &Rc<Desk>, command: Command, attached: Attached) -> Result<Answer, Problem> {
    let workspace = &desk.workspace;
    match command {
        Command::Open { .. } | Command::TakeOver {} | Command::SetSeen { .. } => {
            Err(Problem::new("already-open", "the worker has a workspace", "open it once"))
        }
        Command::SetLanguage { lang } => {
            desk.lang.replace(lang);
            lesson::speak(desk);
            Ok(Answer::done())
        }
        Command::Prompt { text, images } => run::prompt(desk, &text, images).await,
        Command::OpenLesson { url, text } => lesson::open(desk, url.as_deref(), text).await,
        Command::CloseLesson {} => Ok(lesson::close(desk)),
        Command::ListLessons {} => lesson::list(desk).await,
        Command::PlayLesson { fresh } => lesson::play(desk, fresh).await,
        Command::AnswerLesson { step, option } => lesson::answer(desk, &step, option),
        Command::HintLesson { step } => lesson::hint(desk, &step),
        Command::SetToys { toys } => toys::set(desk, toys),
        Command::AnswerToy { call, value, error } => {
            // What returns nothing gives null, and that is no value on the way here.
            let value = value.unwrap_or_else(|| Json::from_value(&serde_json::Value::Null));
            Ok(toys::answer(desk, call, error.map_or(Ok(value), Err)))
        }
        Command::Continue {} => run::continue_run(desk).await,
        Command::Steer { text, images } => run::steer(desk, &text, images),
        Command::FollowUp { text, images } => run::follow_up(desk, &text, images),
        Command::ClearQueue {} => run::clear_queue(desk),
        Command::Abort {} => Ok(run::abort(desk).await),
        Command::SetModel { model } => connection::set_model(desk, model),
        Command::SetKey { key, origin } => {
            desk.keys.borrow_mut().set(&key, &origin)?;
            desk.tell_state();
            Ok(Answer::done())
        }
        Command::ForgetKeys {} => {
            desk.keys.borrow_mut().forget();
            desk.tell_state();
            Ok(Answer::done())
        }
        Command::TestConnection { model } => connection::test(desk, &model).await,
        Command::SetBreakpoints { breakpoints } => {
            desk.breakpoints.replace(breakpoints.clone());
            with_gate(desk, |gate| gate.set_breakpoints(breakpoints))
        }
        Command::Pause {} => with_gate(desk, gate::Gate::pause),
        Command::Step {} => with_gate(desk, gate::Gate::step),
        Command::StepTurn {} => with_gate(desk, gate::Gate::step_turn),
        Command::StepToAnswer {} => with_gate(desk, gate::Gate::step_to_answer),
        Command::Resume {} => with_gate(desk, gate::Gate::resume),
        Command::ListRequests {} => requests::list(desk),
        Command::ReadRequest { number } => requests::read(desk, number),
        Command::ReadLedger {} => rewind::read_ledger(desk).await,
        Command::Fingerprint { trail } => visit::fingerprint(desk, trail),
        Command::ListRuns {} => visit::list_runs(desk),
        Command::DiffRuns { a, b } => visit::diff_runs(desk, &a, &b),
        Command::Rewind { to } => rewind::rewind(desk, to).await,
        Command::Edit { edit } => tamper::edit(desk, &edit).await,
        Command::Fault { fault } => tamper::fault(desk, fault),
        Command::ClearFaults {} => Ok(tamper::clear_faults(desk)),
        Command::SetPolicy { policy } => approval::set_policy(desk, policy),
        Command::Decide { decisions } => approval::decide(desk, decisions),
        Command::PlayPart { part } => Ok(parts::play(desk, part)),
        Command::AnswerAsModel { content, stop_reason } => parts::answer_as_model(desk, &content, stop_reason),
        Command::AnswerAsHarness { call_id, action, text, is_error } => {
            parts::answer_as_harness(desk, &call_id, action, text, is_error)
        }
        Command::ListFiles { path } => files::list(workspace, &path),
        Command::ListTree {} => panel::tree(workspace),
        Command::Preview { path } => panel::preview(workspace, &path),
        Command::ReadFile { path } => files::read(workspace, &path),
        Command::WriteFile { path } => files::write(workspace, &path, attached.bytes()),
        Command::MakeFolder { path } => files::make_folder(workspace, &path),
        Command::RemoveFile { path } => files::remove(workspace, &path),
        Command::RenameFile { path, to } => files::rename(workspace, &path, &to),
        Command::StatFile { path } => files::stat(workspace, &path),
        Command::ListChanges {} => changes::list(desk),
        Command::DiffChange { change } => changes::diff(desk, change),
        Command::UndoChanges { changes } => changes::undo(desk, &changes),
        Command::ReadVersion { change, side, path } => changes::read_version(desk, change, side, path.as_deref()),
        Command::Snapshot { name } => changes::snapshot(desk, name.as_deref()),
        Command::ListSnapshots {} => changes::snapshots(desk),
        Command::Restore { snapshot } => changes::restore(desk, &snapshot),
        Command::DiffSnapshots { from, to } => changes::diff_snapshots(desk, &from, to.as_deref()),
        Command::SetTools { names } => set_tools(desk, &names),
        Command::ImportZip {} => transfer::import(desk, &attached).await,
        Command::ExportZip {} => transfer::export(workspace).await,
        Command::OpenFolder { ignored } => transfer::folder::open(desk, &attached, ignored).await,
        Command::FolderPlan {} => transfer::folder::plan(desk).await,
        Command::SyncFolder { save, remove, read, conflicts } => {
            transfer::folder::sync(desk, save, remove, read, conflicts).await
        }
        Command::ListSessions {} => Answer::json(&desk.sessions.list().await?),
        Command::OpenSession { session_id } => sessions::open(desk, &session_id).await,
        Command::CreateSession {} => sessions::create(desk).await,
        Command::RenameSession { session_id, name } => sessions::rename(desk, &session_id, &name).await,
        Command::RemoveSession { session_id } => sessions::remove(desk, &session_id).await,
        Command::ExportSession { session_id } => sessions::export(desk, &session_id).await,
        Command::ImportSession {} => sessions::import(desk, &attached.bytes().unwrap_or_default()).await,
    }
}

/// Switches tools. The next request has these, in a run that goes on, too.
fn set_tools(desk: &Desk, names: &[String]) -> Result<Answer, Problem> {
    let switched = desk.tools.switch_to(names);
    switched.map_err(|error| Problem::new("unknown-tool", error.to_string(), "see `state.tools` for the names"))?;
    desk.tell_state();
    Ok(Answer::done())
}

/// Does something to the gate of the run, if there is one.
fn with_gate(desk: &Desk, act: impl FnOnce(&gate::Gate)) -> Result<Answer, Problem> {
    let gate = desk.active.borrow().as_ref().map(|active| active.gate.clone());
    if let Some(gate) = gate {
        act(&gate);
        desk.tell_state();
    }
    Ok(Answer::done())
}

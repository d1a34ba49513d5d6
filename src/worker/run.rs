//! A run, from the command that asks for it to the session having settled.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;
use vitrine::platform::{clock, random};
use vitrine_agent::drive::{drive_kept, drive_returned};
use vitrine_agent::gate::Gate;
use vitrine_agent::history::History;
use vitrine_agent::message::{
    AssistantMessage, Block, ImageBlock, Message, SharedMessage, StopReason, UserContent, UserMessage, join_text,
};
use vitrine_agent::past::{Past, Returned};
use vitrine_agent::replay::create_initial_system_message;
use vitrine_agent::run::{Run, RunConfig, Start};
use vitrine_agent::signal::AbortSignal;
use vitrine_protocol::notification::{Notification, Problem, RunResult};
use vitrine_session::ids::EntryId;
use vitrine_teach::Happening;

use crate::desk::{Active, Desk};
use crate::host::{RunHost, run_tools};
use crate::outbox::Answer;
use crate::{changes, lesson, sessions};

/// What the model is told of where it is.
const PROMPT: &str = "You are an agent that works on files inside a web page. The files are in a workspace at /workspace; \
     paths may be relative to it, and nothing outside it exists. Use the tools to look before you answer, and say what \
     you did and what you did not check. Answer in the language of the user.";

/// Starts a run with a user message.
pub async fn prompt(desk: &Rc<Desk>, text: &str, images: Vec<ImageBlock>) -> Result<Answer, Problem> {
    let gate = Gate::new();
    gate.set_breakpoints(desk.breakpoints.borrow().clone());
    let active = Claim::new(desk, gate)?;
    not_empty(text, &images)?;
    if &*desk.model.borrow().api == "scripted" {
        desk.scripts.top_up(&desk.lang.borrow(), format!("call_{}", random_hex()));
    }
    run(active, Some(user(text, images))).await
}

/// Goes on from the transcript as it is. A last answer that failed is left out of what the model sees and asked for anew.
pub async fn continue_run(desk: &Rc<Desk>) -> Result<Answer, Problem> {
    let gate = Gate::new();
    gate.set_breakpoints(desk.breakpoints.borrow().clone());
    let active = Claim::new(desk, gate)?;
    {
        let mut session = desk.sessions.current.lock().await;
        let failed = session.tree().path().last().and_then(|entry| {
            let Message::Assistant(assistant) = &**entry.message()? else { return None };
            matches!(assistant.stop_reason, StopReason::Error | StopReason::Aborted).then(|| entry.id.clone())
        });
        if let Some(failed) = failed {
            let edited = session.append_context_edit(&failed, None, clock::wall_ms()).await;
            edited.map_err(|error| sessions::session_problem(&error))?;
        }
    }
    if &*desk.model.borrow().api == "scripted" {
        desk.scripts.top_up(&desk.lang.borrow(), format!("call_{}", random_hex()));
    }
    run(active, None).await
}

/// Puts a message in before the next request.
pub fn steer(desk: &Desk, text: &str, images: Vec<ImageBlock>) -> Result<Answer, Problem> {
    not_empty(text, &images)?;
    desk.queues.borrow_mut().steering.push(user(text, images));
    desk.tell_state();
    Ok(Answer::done())
}

/// Keeps a message until the run would stop.
pub fn follow_up(desk: &Desk, text: &str, images: Vec<ImageBlock>) -> Result<Answer, Problem> {
    not_empty(text, &images)?;
    desk.queues.borrow_mut().follow_up.push(user(text, images));
    desk.tell_state();
    Ok(Answer::done())
}

/// Takes all queued messages back.
pub fn clear_queue(desk: &Desk) -> Result<Answer, Problem> {
    let mut queues = desk.queues.borrow_mut();
    let texts = |messages: Vec<SharedMessage>| -> Vec<String> {
        messages.iter().map(|message| crate::desk::user_text(message)).collect()
    };
    let (steering, follow_up) = (texts(queues.steering.clear()), texts(queues.follow_up.clear()));
    drop(queues);
    desk.tell_state();
    Answer::json(&serde_json::json!({ "steering": steering, "followUp": follow_up }))
}

/// Ends the run. Ready once it has settled.
pub async fn abort(desk: &Desk) -> Answer {
    let settled = desk.active.borrow_mut().as_mut().map(|active| {
        let (sender, receiver) = oneshot::channel();
        active.on_settled.push(sender);
        (active.signal.clone(), receiver)
    });
    if let Some((signal, settled)) = settled {
        signal.abort();
        // Dropped only together with the run.
        let _ = settled.await;
    }
    Answer::done()
}

/// The right to run: while it lives no other run can start, and when it is dropped the session has settled.
pub struct Claim {
    desk: Rc<Desk>,
    run_id: String,
    signal: AbortSignal,
    gate: Gate,
}

impl Claim {
    /// The run's signal.
    pub fn signal(&self) -> &AbortSignal {
        &self.signal
    }

    /// The run's id.
    pub fn run_id(&self) -> &str {
        &self.run_id
    }

    /// Claims it; a problem while another has it.
    pub fn new(desk: &Rc<Desk>, gate: Gate) -> Result<Self, Problem> {
        let mut slot = desk.active.borrow_mut();
        if slot.is_some() {
            return Err(busy());
        }
        let (run_id, signal) = (random_hex(), AbortSignal::new());
        *slot =
            Some(Active { run_id: run_id.clone(), signal: signal.clone(), gate: gate.clone(), on_settled: Vec::new() });
        drop(slot);
        desk.turn.set(0);
        desk.tell_state();
        Ok(Self { desk: desk.clone(), run_id, signal, gate })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let active = self.desk.active.take();
        crate::approval::close(&self.desk);
        self.desk.tell_state();
        self.desk.outbox.tell(&Notification::Settled { aborted: self.signal.is_aborted() });
        lesson::happened(&self.desk, &Happening::Settled { aborted: self.signal.is_aborted() });
        for waiting in active.into_iter().flat_map(|active| active.on_settled) {
            // Whoever asked may be gone.
            let _ = waiting.send(());
        }
        tidy(&self.desk);
    }
}

/// Rewrites a journal that has grown far past its files, while nothing runs.
fn tidy(desk: &Rc<Desk>) {
    // Other tabs of the origin fill the storage, too, or empty it.
    let workspace = desk.workspace.clone();
    wasm_bindgen_futures::spawn_local(async move {
        let _ = workspace.measure_room().await;
    });
    if desk.workspace.wants_compaction() {
        changes::keep_start(desk);
        let desk = desk.clone();
        wasm_bindgen_futures::spawn_local(async move {
            // Whatever happens, the workspace is whole; the reader is told, since storage that fails will fail again.
            if let Err(error) = desk.workspace.compact().await {
                desk.outbox.tell(&Notification::Problem(crate::files::problem(&error)));
            }
        });
    }
}

/// Runs, with a prompt or from the transcript as it is.
pub async fn run(claim: Claim, prompt: Option<SharedMessage>) -> Result<Answer, Problem> {
    let desk = &claim.desk;
    let model = desk.model.borrow().clone();
    let (context, leaf) = {
        let mut session = desk.sessions.current.lock().await;
        let context = session.context();
        if context.model.as_ref().map(|model| model.model_id.as_str()) != Some(&model.id) {
            let changed = session.append_model_change(&model.provider, &model.id, clock::wall_ms()).await;
            changed.map_err(|error| sessions::session_problem(&error))?;
        }
        let id = session.id().to_string();
        let file = format!("{id}.jsonl");
        let variables = [
            ("PI_SESSION_ID", id.as_str()),
            // As it is exported: no tool can reach it where it is kept.
            ("PI_SESSION_FILE", &file),
            ("PI_PROVIDER", &model.provider),
            ("PI_MODEL", &model.id),
            ("PI_REASONING_LEVEL", "off"),
        ];
        let env = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        desk.shell.begin_run(&id, env.into());
        (context, session.tree().leaf().cloned())
    };
    let start = match prompt {
        Some(prompt) => {
            let mut specs = desk.tools.specs();
            specs.retain(|spec| desk.approvals.offers(&spec.name));
            let has_system = matches!(context.messages.first().map(|message| &**message), Some(Message::System(_)));
            let system =
                (!has_system).then(|| create_initial_system_message(&lesson::system(desk, PROMPT), &specs)).flatten();
            Start::Prompts(system.into_iter().chain([prompt]).collect())
        }
        None => Start::Continue,
    };
    let config = RunConfig {
        start,
        history: context.messages.into_iter().collect::<History>(),
        model,
        reasoning: None,
        tools: run_tools(desk),
        execution: Default::default(),
        signal: claim.signal.clone(),
    };
    let mut host = RunHost::new(desk.clone(), claim.gate.clone(), claim.signal.clone());
    let last: Rc<RefCell<Option<AssistantMessage>>> = host.last.clone();
    let now = vitrine_agent::host::Host::now(&mut host);
    let past = Rc::new(RefCell::new(Past::new(config.clone(), now)));
    let mut run = Run::new(config, now)
        .map_err(|error| Problem::new("cannot-continue", error.to_string(), "write a message instead"))?;
    desk.visit.begin_run(&claim.run_id, leaf, past.clone());
    drive_kept(&mut run, &mut host, &past).await;
    let result = result(&claim, last.take());
    // The session has settled before the answer goes out.
    drop(claim);
    Answer::json(&result)
}

/// Goes on with a run that was brought back, by itself: whoever asked for it first has had the answer.
pub fn go_on(claim: Claim, returned: Returned, first: usize, leaf: Option<EntryId>) {
    let Returned { mut run, standing, past } = returned;
    let past = Rc::new(RefCell::new(past));
    let desk = claim.desk.clone();
    desk.visit.resume_run(&claim.run_id, first, leaf, past.clone());
    let mut host = RunHost::new(desk, claim.gate.clone(), claim.signal.clone());
    wasm_bindgen_futures::spawn_local(async move {
        drive_returned(&mut run, standing, &mut host, &past).await;
        drop(claim);
    });
}

fn result(claim: &Claim, last: Option<AssistantMessage>) -> RunResult {
    RunResult {
        run_id: claim.run_id.clone(),
        stop_reason: last.as_ref().map_or(StopReason::Error, |last| last.stop_reason),
        error_message: last.as_ref().and_then(|last| last.error_message.clone()),
        text: last.map(|last| join_text(&last.content)).unwrap_or_default(),
        turns: claim.desk.turn.get(),
        aborted: claim.signal.is_aborted(),
    }
}

fn not_empty(text: &str, images: &[ImageBlock]) -> Result<(), Problem> {
    if text.trim().is_empty() && images.is_empty() {
        return Err(Problem::new("empty-prompt", "the message is empty", "write something first"));
    }
    Ok(())
}

/// A user message.
pub fn user(text: &str, images: Vec<ImageBlock>) -> SharedMessage {
    let text = (!text.is_empty()).then(|| Block::text(text));
    let content = UserContent::Blocks(text.into_iter().chain(images.into_iter().map(Block::Image)).collect());
    SharedMessage::new(Message::User(UserMessage { content, timestamp: clock::wall_ms(), ..UserMessage::default() }))
}

fn random_hex() -> String {
    random::bytes::<4>().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A run goes on.
pub fn busy() -> Problem {
    Problem::new(
        "busy",
        "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
        "steer, follow up, or stop the run first",
    )
}

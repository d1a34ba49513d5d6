//! Asking a person whether a call may run. What is asked and what not is the policy's; here the run waits.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use serde_json::Value;
use vitrine_agent::json::Json;
use vitrine_agent::message::{AssistantMessage, ToolCall};
use vitrine_agent::run::BeforeTool;
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::ToolError;
use vitrine_protocol::edit::{Edited, EditedPart};
use vitrine_protocol::notification::{Notification, Problem};
use vitrine_protocol::policy::{
    About, Approval, ApprovalCall, Decision, DecisionKind, Effect, MAX_RULES, Policy, Verdict,
};
use vitrine_vfs::WorkspacePath;

use crate::desk::Desk;
use crate::outbox::Answer;
use crate::tamper;

/// What a person is asked.
#[derive(Default)]
pub struct Approvals {
    policy: RefCell<Policy>,
    /// The calls of the response that the run is at.
    batch: RefCell<Vec<ToolCall>>,
    open: RefCell<Option<Open>>,
    n_opened: Cell<u64>,
}

/// The calls of one response that are asked about.
struct Open {
    approval: Approval,
    /// Decided before the run came to them.
    early: HashMap<String, Decision>,
    /// The call that the run waits for.
    waiting: Option<(String, oneshot::Sender<Decision>)>,
}

impl Approvals {
    /// Which calls may run.
    pub fn policy(&self) -> Policy {
        self.policy.borrow().clone()
    }

    /// Takes over what another desk had: the policy is the person's, not the workspace's.
    pub fn take_policy(&self, other: &Self) {
        self.policy.replace(other.policy());
    }

    /// Whether the run waits for a decision.
    pub fn is_waiting(&self) -> bool {
        self.open.borrow().as_ref().is_some_and(|open| open.waiting.is_some())
    }

    /// Whether the model is told of a tool.
    pub fn offers(&self, tool: &str) -> bool {
        self.policy.borrow().offers(tool)
    }

    /// A response is whole.
    pub fn batch(&self, assistant: &AssistantMessage) {
        self.batch.replace(assistant.tool_calls().cloned().collect());
    }
}

/// Says which calls may run, from the next one on.
pub fn set_policy(desk: &Desk, policy: Policy) -> Result<Answer, Problem> {
    if policy.rules.len() > MAX_RULES {
        let message = format!("{} rules, and {MAX_RULES} are kept", policy.rules.len());
        return Err(Problem::new("invalid-argument", message, "give fewer, wider rules"));
    }
    desk.approvals.policy.replace(policy);
    desk.tell_state();
    Ok(Answer::done())
}

/// What becomes of a call by the policy: at once, or when a person has decided.
pub enum Judged {
    /// At once.
    Now(Result<BeforeTool, ToolError>),
    /// A person is asked: with these arguments.
    Ask(Value),
}

/// Judges a call with checked arguments. What a person has decided of this very call goes before all rules.
pub fn judge(desk: &Desk, tool_call: &ToolCall, arguments: Value) -> Judged {
    if desk.approvals.open.borrow().as_ref().is_some_and(|open| open.early.contains_key(&*tool_call.id)) {
        return Judged::Ask(arguments);
    }
    let (decided, kind) = {
        let policy = desk.approvals.policy.borrow();
        match verdict(desk, &policy, &tool_call.name, &arguments) {
            Verdict::Allow => (BeforeTool::Allow(arguments), DecisionKind::Allow),
            Verdict::Ask => return Judged::Ask(arguments),
            Verdict::Deny(reason) => {
                (BeforeTool::Block { reason: reason.map(str::to_owned), terminate: false }, DecisionKind::Deny)
            }
        }
    };
    // It was listed, and the policy is another one by now: nobody is asked about it any more.
    note_decision(desk, &tool_call.id, kind);
    Judged::Now(Ok(decided))
}

/// What the policy says of a call.
fn verdict<'a>(desk: &Desk, policy: &'a Policy, tool: &str, arguments: &Value) -> Verdict<'a> {
    let path = vitrine_tools::subject(&desk.workspace, &desk.paths, arguments);
    let command = arguments.get("command").and_then(Value::as_str);
    policy.judge(tool, About { path: path.as_ref().map(WorkspacePath::as_str), command })
}

/// Decides a listed call on the list, where it is open there.
fn note_decision(desk: &Desk, call_id: &str, kind: DecisionKind) {
    let told = {
        let mut slot = desk.approvals.open.borrow_mut();
        let Some(open) = slot.as_mut() else { return };
        let mut rows = open.approval.calls.iter_mut();
        let Some(row) = rows.find(|row| row.call_id == call_id && row.decision.is_none()) else { return };
        row.decision = Some(kind);
        open.approval.clone()
    };
    desk.outbox.tell(&Notification::Approval(Some(told)));
}

/// Asks a person, and waits. An abort ends it.
pub async fn ask(
    desk: Rc<Desk>,
    tool_call: ToolCall,
    arguments: Value,
    signal: AbortSignal,
) -> Result<BeforeTool, ToolError> {
    let decision = match wait(&desk, &tool_call, &arguments) {
        Ok(early) => early,
        Err(answer) => {
            desk.tell_state();
            let aborted = std::pin::pin!(signal.aborted());
            match select(aborted, answer).await {
                Either::Right((Ok(decision), _)) => decision,
                // Nobody will decide any more. The loop itself says that it was aborted.
                Either::Left(_) | Either::Right((Err(_), _)) => {
                    close(&desk);
                    return Ok(BeforeTool::Block { reason: None, terminate: false });
                }
            }
        }
    };
    desk.tell_state();
    Ok(match decision.decision {
        DecisionKind::Deny => BeforeTool::Block { reason: decision.reason, terminate: false },
        DecisionKind::Allow | DecisionKind::AllowSession => BeforeTool::Allow(match decision.args {
            Some(args) => edited(&desk, &tool_call, args),
            None => arguments,
        }),
    })
}

/// The call's decision if it was made before; else what will give it.
fn wait(desk: &Desk, tool_call: &ToolCall, arguments: &Value) -> Result<Decision, oneshot::Receiver<Decision>> {
    let mut slot = desk.approvals.open.borrow_mut();
    let is_listed = slot.as_ref().is_some_and(|open| row(&open.approval, &tool_call.id).is_some());
    if !is_listed {
        let id = desk.approvals.n_opened.get() + 1;
        desk.approvals.n_opened.set(id);
        let approval = Approval { id, calls: rows(desk, tool_call, arguments) };
        *slot = Some(Open { approval, early: HashMap::new(), waiting: None });
    }
    let (sender, receiver) = oneshot::channel();
    let Some(open) = slot.as_mut() else { return Err(receiver) };
    if let Some(decision) = open.early.remove(&*tool_call.id) {
        return Ok(decision);
    }
    for call in &mut open.approval.calls {
        if call.call_id == *tool_call.id {
            // The files may be other ones by now than when the list was made.
            call.effect = effect_of(desk, &tool_call.name, arguments);
            call.asked = true;
        }
    }
    open.waiting = Some((tool_call.id.to_string(), sender));
    desk.outbox.tell(&Notification::Approval(Some(open.approval.clone())));
    Err(receiver)
}

fn row<'a>(approval: &'a Approval, call_id: &str) -> Option<&'a ApprovalCall> {
    approval.calls.iter().find(|call| call.call_id == call_id)
}

/// This call, and those after it in its response that will be asked about, too.
fn rows(desk: &Desk, first: &ToolCall, arguments: &Value) -> Vec<ApprovalCall> {
    let row = |tool_call: &ToolCall, arguments: &Value| ApprovalCall {
        call_id: tool_call.id.to_string(),
        tool: tool_call.name.to_string(),
        args: Json::from_value(arguments),
        effect: effect_of(desk, &tool_call.name, arguments),
        asked: false,
        decision: None,
    };
    let batch = desk.approvals.batch.borrow();
    let later = batch.iter().skip_while(|call| call.id != first.id).skip(1).filter_map(|call| {
        let arguments = desk.tools.get(&call.name)?.prepare(&call.arguments).ok()?;
        let is_asked = verdict(desk, &desk.approvals.policy.borrow(), &call.name, &arguments) == Verdict::Ask;
        is_asked.then(|| row(call, &arguments))
    });
    std::iter::once(row(first, arguments)).chain(later).collect()
}

fn effect_of(desk: &Desk, tool: &str, arguments: &Value) -> Effect {
    match vitrine_tools::effect(&desk.workspace, &desk.paths, tool, arguments) {
        vitrine_tools::Effect::Diff { path, patch, added, removed } => Effect::Diff { path, patch, added, removed },
        vitrine_tools::Effect::Command(command) => Effect::Command { command },
        vitrine_tools::Effect::Fails(message) => Effect::Fails { message },
        vitrine_tools::Effect::Unknown => Effect::Call,
    }
}

/// Decides calls that are listed: all that are named, or none.
pub fn decide(desk: &Desk, decisions: Vec<Decision>) -> Result<Answer, Problem> {
    let mut slot = desk.approvals.open.borrow_mut();
    let open = slot
        .as_mut()
        .ok_or_else(|| Problem::new("not-asked", "no call waits for a decision", "wait for `vitrine-approval`"))?;
    for decision in &decisions {
        let listed =
            row(&open.approval, &decision.call_id).filter(|call| call.decision.is_none()).ok_or_else(|| {
                let message = format!("call {} does not wait for a decision", decision.call_id);
                Problem::new("not-asked", message, "decide the calls of the last `vitrine-approval`, each once")
            })?;
        if let Some(args) = &decision.args {
            let tool = desk.tools.get(&listed.tool);
            let prepared = tool.map_or(Ok(Value::Null), |tool| tool.prepare(args));
            prepared.map_err(|text| {
                Problem::new("invalid-arguments", text, "change the arguments so that they fit the tool's schema")
            })?;
        }
    }
    for decision in decisions {
        let tool = row(&open.approval, &decision.call_id).map(|call| call.tool.clone()).unwrap_or_default();
        apply(open, decision.clone());
        if decision.decision == DecisionKind::AllowSession {
            desk.approvals.policy.borrow_mut().allow(&tool);
            let same: Vec<_> = open
                .approval
                .calls
                .iter()
                .filter(|call| call.tool == tool && call.decision.is_none())
                .map(|call| call.call_id.clone())
                .collect();
            for call_id in same {
                apply(open, Decision { call_id, decision: DecisionKind::Allow, reason: None, args: None });
            }
        }
    }
    let approval = open.approval.clone();
    drop(slot);
    desk.outbox.tell(&Notification::Approval(Some(approval)));
    desk.tell_state();
    Ok(Answer::done())
}

/// The call that is waited for goes on; another one will when its turn comes.
fn apply(open: &mut Open, decision: Decision) {
    for call in open.approval.calls.iter_mut().filter(|call| call.call_id == decision.call_id) {
        call.decision = Some(decision.decision);
    }
    match open.waiting.take_if(|(call_id, _)| *call_id == decision.call_id) {
        Some((_, waiting)) => {
            // A run that was aborted waits no more.
            let _ = waiting.send(decision);
        }
        None => {
            open.early.insert(decision.call_id.clone(), decision);
        }
    }
}

/// Nothing is asked any more: the turn is over, or the run.
pub fn close(desk: &Desk) {
    if desk.approvals.open.take().is_some() {
        desk.outbox.tell(&Notification::Approval(None));
    }
}

/// The arguments that a person allowed in place of the model's; they were checked when that was decided.
fn edited(desk: &Desk, tool_call: &ToolCall, args: Json) -> Value {
    let prepared = desk.tools.get(&tool_call.name).and_then(|tool| tool.prepare(&args).ok());
    let arguments = prepared.unwrap_or_else(|| args.to_value());
    tamper::told(desk, &Edited { what: EditedPart::Args, call_id: Some(tool_call.id.to_string()), value: args });
    arguments
}

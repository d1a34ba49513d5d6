//! The tools of the desk: those of the workspace, and the reader's own, whose bodies run in the page's sandbox.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::oneshot;
use futures_util::future::{Either, LocalBoxFuture, select};
use serde::Deserialize;
use serde_json::Value;
use vitrine_agent::json::Json;
use vitrine_agent::message::Block;
use vitrine_agent::tool::{ExecutionMode, Invocation, Tool, ToolError, ToolOutput, ToolSpec};
use vitrine_protocol::notification::{Notification, Problem};
use vitrine_protocol::toy::{MAX_CODE, MAX_TOYS, ToyCall, ToyTool};
use vitrine_schema::PlainSchema;
use vitrine_tools::{Registry, RegistryError, Switch};

use crate::desk::Desk;
use crate::outbox::{Answer, Outbox};

/// All tools by their names.
pub struct Toolbox {
    built_in: Registry,
    toys: RefCell<Vec<Rc<Toy>>>,
    /// Toys that are off.
    off: RefCell<BTreeSet<String>>,
    line: Rc<Line>,
}

/// The way to the sandbox and back.
struct Line {
    outbox: Outbox,
    n_calls: Cell<u64>,
    waiting: RefCell<HashMap<u64, oneshot::Sender<Result<Json, String>>>>,
}

impl Toolbox {
    /// With no toys.
    pub fn new(built_in: Registry, outbox: Outbox) -> Self {
        let line = Line { outbox, n_calls: Cell::new(0), waiting: RefCell::default() };
        Self { built_in, toys: RefCell::default(), off: RefCell::default(), line: Rc::new(line) }
    }

    /// The tools that are on, in order, the reader's own last.
    pub fn tools(&self) -> Vec<Rc<dyn Tool>> {
        let off = self.off.borrow();
        let toys = self.toys.borrow();
        let on = toys.iter().filter(|toy| !off.contains(&toy.spec.name));
        self.built_in.tools().into_iter().chain(on.map(|toy| toy.clone() as Rc<dyn Tool>)).collect()
    }

    /// What the model is told of them.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools().iter().map(|tool| tool.spec().clone()).collect()
    }

    /// The tool of this name, whether it is on or not.
    pub fn named(&self, name: &str) -> Option<Rc<dyn Tool>> {
        let toy = self.toys.borrow().iter().find(|toy| toy.spec.name == name).cloned();
        self.built_in.named(name).or(toy.map(|toy| toy as Rc<dyn Tool>))
    }

    /// The tool of this name, if it is on.
    pub fn get(&self, name: &str) -> Option<Rc<dyn Tool>> {
        self.tools().into_iter().find(|tool| tool.spec().name == name)
    }

    /// All of them and whether each is on, in order.
    pub fn switches(&self) -> Vec<(String, Switch)> {
        let off = self.off.borrow();
        let toys = self.toys.borrow();
        let own = toys.iter().map(|toy| {
            let name = toy.spec.name.clone();
            let switch = if off.contains(&name) { Switch::Off } else { Switch::On };
            (name, switch)
        });
        self.built_in.switches().into_iter().chain(own).collect()
    }

    /// Switches the named ones on and all others off. An unknown name switches nothing.
    pub fn switch_to(&self, names: &[String]) -> Result<(), RegistryError> {
        let toys: Vec<String> = self.toys.borrow().iter().map(|toy| toy.spec.name.clone()).collect();
        let (own, built_in): (Vec<String>, Vec<String>) = names.iter().cloned().partition(|name| toys.contains(name));
        self.built_in.switch_to(&built_in)?;
        self.off.replace(toys.into_iter().filter(|name| !own.contains(name)).collect());
        Ok(())
    }

    /// The toys.
    pub fn toys(&self) -> Vec<ToyTool> {
        self.toys.borrow().iter().map(|toy| toy.told.clone()).collect()
    }

    /// These are the toys from now on.
    pub fn set_toys(&self, toys: Vec<ToyTool>) -> Result<(), Problem> {
        let wrong = |message: String, help: &str| Err(Problem::new("invalid-tool", message, help));
        if toys.len() > MAX_TOYS {
            return wrong(format!("{} tools, and {MAX_TOYS} are kept", toys.len()), "take some away");
        }
        let mut made: Vec<Rc<Toy>> = Vec::new();
        for told in toys {
            let ToyTool { name, description, parameters, code, .. } = &told;
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            if name.is_empty() || name.len() > 64 || !name.bytes().all(is_plain) {
                return wrong(format!("{name:?} is no name of a tool"), "use letters, digits, _ and -, at most 64");
            }
            let is_taken = self.built_in.named(name).is_some() || made.iter().any(|toy| toy.spec.name == *name);
            if is_taken {
                return wrong(format!("there is a tool {name} already"), "choose another name");
            }
            if code.len() > MAX_CODE {
                return wrong(format!("the code of {name} is longer than {MAX_CODE} bytes"), "make it shorter");
            }
            let schema = match PlainSchema::new(&parameters.to_value()) {
                Ok(schema) => schema,
                Err(error) => {
                    let help = "a tool made here takes an object of type, properties, required, items and description";
                    return wrong(format!("the schema of {name}: {error}"), help);
                }
            };
            let spec = ToolSpec {
                name: name.clone(),
                description: description.clone(),
                parameters: parameters.clone(),
                constrained_sampling: None,
            };
            made.push(Rc::new(Toy { told, spec, schema, line: self.line.clone() }));
        }
        self.off.borrow_mut().clear();
        self.toys.replace(made);
        Ok(())
    }
}

/// Takes the reader's tools.
pub fn set(desk: &Desk, toys: Vec<ToyTool>) -> Result<Answer, Problem> {
    desk.tools.set_toys(toys)?;
    desk.tell_state();
    Ok(Answer::done())
}

/// What the sandbox says of a call. One that nobody waits for any more is late.
pub fn answer(desk: &Desk, call: u64, result: Result<Json, String>) -> Answer {
    if let Some(waiting) = desk.tools.line.waiting.borrow_mut().remove(&call) {
        // Whoever waited may be gone.
        let _ = waiting.send(result);
    }
    Answer::done()
}

/// One of the reader's own.
struct Toy {
    told: ToyTool,
    spec: ToolSpec,
    schema: PlainSchema,
    line: Rc<Line>,
}

impl Tool for Toy {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn execution_mode(&self) -> ExecutionMode {
        if self.told.sequential { ExecutionMode::Sequential } else { ExecutionMode::Parallel }
    }

    fn prepare(&self, arguments: &Json) -> Result<Value, String> {
        self.schema.prepare(&self.spec.name, &arguments.to_value())
    }

    fn execute(&self, invocation: Invocation) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        let line = self.line.clone();
        let call = line.n_calls.get() + 1;
        line.n_calls.set(call);
        let (sender, receiver) = oneshot::channel();
        line.waiting.borrow_mut().insert(call, sender);
        let asked =
            ToyCall { call, code: Some(self.told.code.clone()), args: Some(Json::from_value(&invocation.arguments)) };
        line.outbox.tell_unread(&asked, Notification::Toy);
        let running = Running { call, line };
        Box::pin(async move {
            let (aborted, answered) = (std::pin::pin!(invocation.signal.aborted()), receiver);
            let result = match select(answered, aborted).await {
                Either::Left((answer, _)) => answer.unwrap_or_else(|_| Err("the sandbox is gone".to_owned())),
                Either::Right(_) => Err("Operation aborted".to_owned()),
            };
            drop(running);
            result.map(|value| output(&value)).map_err(ToolError)
        })
    }
}

/// A call that runs. Dropped before it has ended, it is stopped.
struct Running {
    call: u64,
    line: Rc<Line>,
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.line.waiting.borrow_mut().remove(&self.call).is_some() {
            self.line.outbox.tell_unread(&ToyCall { call: self.call, code: None, args: None }, Notification::Toy);
        }
    }
}

/// What code may return: blocks and what belongs to them, as pi's tools do; a text; anything else as JSON.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Whole {
    content: Vec<Block>,
    #[serde(default)]
    details: Option<Json>,
    #[serde(default)]
    structured_content: Option<Json>,
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    terminate: bool,
}

fn output(value: &Json) -> ToolOutput {
    if let Ok(Whole { content, details, structured_content, is_error, terminate }) =
        serde_json::from_str(value.as_str())
    {
        return ToolOutput { content, details, structured_content, is_error, terminate, ..ToolOutput::default() };
    }
    let text: Result<Arc<str>, _> = serde_json::from_str(value.as_str());
    ToolOutput::text(text.as_deref().unwrap_or(value.as_str()))
}

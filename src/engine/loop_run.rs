//! [`LoopRun`]: the loop for a driver in JavaScript. It is polled for what comes next and told what came of it.

use std::sync::Arc;

use vitrine_agent::event::Event;
use vitrine_agent::message::{Block, Message, SharedMessage, SystemMessage};
use vitrine_agent::model::ModelInfo;
use vitrine_agent::run::{About, Changes, Now, Output, Run, RunConfig, RunTool, Start};
use vitrine_agent::tool::{ExecutionMode, ToolOutput};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::skeleton;

mod answers;

/// What comes next. Those up to `Done` are no output; events follow, then questions, each with one answer.
#[wasm_bindgen]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Only an answer brings the run on.
    Wait,
    /// The run is over.
    Done,
    /// Event.
    AgentStart,
    /// Event.
    TurnStart,
    /// Event about the given message `index()`.
    GivenStart,
    /// Event about the given message `index()`.
    GivenEnd,
    /// Event about a declaration of tools: a new message if `index()` is 0, else the given message with its tools
    /// replaced by `addedCount()`, `removedCount()`, …
    DeclarationStart,
    /// Event about the same.
    DeclarationEnd,
    /// Event about the response.
    AnswerStart,
    /// Event about the response.
    AnswerEnd,
    /// Event about the result of call `index()`.
    ResultStart,
    /// Event about the result of call `index()`.
    ResultEnd,
    /// Event about call `index()`.
    CallStart,
    /// Event about call `index()`: its tool and hook have given the result.
    CallEnd,
    /// Event about call `index()`: it did not run to its end; `refusal()` and `refusalTerminates()` say the result.
    CallRefused,
    /// Event.
    TurnEnd,
    /// Event.
    AgentEnd,
    /// Shim and validation of call `index()`: `prepared`, `prepareFailed`.
    Prepare,
    /// May call `index()` run: `admitted`, `blocked`, `admissionFailed`.
    BeforeTool,
    /// Run call `index()`: `executed`, `threw`.
    Execute,
    /// May the result of call `index()` stand: `finalized`, `finalizeFailed`.
    AfterTool,
    /// Send a request: `started`, then `answer`.
    CallModel,
    /// Answered by staged messages and `steering`.
    PollSteering,
    /// Answered by staged messages and `followUps`.
    PollFollowUps,
    /// Answered by staged messages and `nextTurn`.
    PrepareNextTurn,
    /// Answered by `request`.
    PrepareRequest,
    /// Answered by `context`.
    TransformContext,
    /// Answered by `finishTurn`.
    FinishTurn,
}

/// One run. What it is given in lists is staged first, item by item, and taken by the method that needs the list.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct LoopRun {
    run: Option<Run>,
    tools: Vec<RunTool>,
    messages: Vec<SharedMessage>,
    system: Option<SystemMessage>,
    calls: Vec<String>,
    changes: Changes,
    /// What the last output is about.
    index: u32,
    declared: SystemMessage,
    refusal: Arc<ToolOutput>,
}

#[wasm_bindgen]
impl LoopRun {
    /// A run that has not begun.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// A run that stands before the one call of a response, for a call that no model made. What it still says of the run
    /// and its messages is of no interest.
    #[wasm_bindgen(js_name = forCall)]
    pub fn for_call(name: String, exists: bool) -> Self {
        let mut this = Self::default();
        if exists {
            this.stage_tool(name.clone(), 0, false);
        }
        this.begin(0, false, false);
        loop {
            match this.poll() {
                Next::PollSteering => this.steering(),
                Next::PrepareRequest => this.request(),
                Next::TransformContext => this.context(),
                Next::DeclarationStart | Next::DeclarationEnd | Next::AgentStart | Next::TurnStart => {}
                _ => break,
            }
        }
        this.stage_call(name);
        this.answer("toolUse");
        this
    }

    /// Adds a tool to the staged tools. Equal numbers mean equal declarations.
    #[wasm_bindgen(js_name = stageTool)]
    pub fn stage_tool(&mut self, name: String, declaration: u32, is_sequential: bool) {
        self.tools.push(skeleton::tool(name, declaration, is_sequential));
    }

    /// Adds a message that declares nothing to the staged messages. Handles begin at 1.
    #[wasm_bindgen(js_name = stageMessage)]
    pub fn stage_message(&mut self, handle: u32) {
        self.messages.push(skeleton::message(handle));
    }

    /// Adds a system message, with what `stageAdded` and `stageRemoved` have told before.
    #[wasm_bindgen(js_name = stageSystem)]
    pub fn stage_system(&mut self, handle: u32) {
        let system = self.system.take().unwrap_or_default();
        self.messages.push(skeleton::system(handle, system));
    }

    /// A tool that the next staged system message declares.
    #[wasm_bindgen(js_name = stageAdded)]
    pub fn stage_added(&mut self, name: String, declaration: u32) {
        self.system.get_or_insert_default().tools_added.get_or_insert_default().push(skeleton::spec(name, declaration));
    }

    /// A tool that the next staged system message withdraws.
    #[wasm_bindgen(js_name = stageRemoved)]
    pub fn stage_removed(&mut self, name: String) {
        self.system.get_or_insert_default().tools_removed.get_or_insert_default().push(skeleton::tool_name(name));
    }

    /// Begins with the staged tools. Of the staged messages the first `known` are the context, the rest the prompts; with
    /// `continues` all are the context, which must not be empty.
    pub fn begin(&mut self, known: usize, continues: bool, is_sequential: bool) {
        let mut history = std::mem::take(&mut self.messages);
        let prompts = if continues { Vec::new() } else { history.split_off(known.min(history.len())) };
        let config = RunConfig {
            start: if continues { Start::Continue } else { Start::Prompts(prompts) },
            history: history.into_iter().collect(),
            model: ModelInfo::default(),
            reasoning: None,
            tools: std::mem::take(&mut self.tools),
            execution: if is_sequential { ExecutionMode::Sequential } else { ExecutionMode::Parallel },
            signal: Default::default(),
        };
        self.run = Run::new(config, Now::default()).ok().map(Run::without_traces);
    }

    /// What comes next.
    pub fn poll(&mut self) -> Next {
        let Some(run) = &mut self.run else { return Next::Done };
        loop {
            return match run.poll_output() {
                Some(Output::Trace(_)) => continue,
                Some(Output::Emit(event)) => {
                    let about = run.about();
                    self.event(event, about)
                }
                Some(output) => self.question(&output),
                None if run.is_done() => Next::Done,
                None => Next::Wait,
            };
        }
    }

    /// The call or the given message that the last output is about.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// How many tools the declaration adds.
    #[wasm_bindgen(js_name = addedCount)]
    pub fn added_count(&self) -> usize {
        self.declared.tools_added.as_ref().map_or(0, Vec::len)
    }

    /// The number of the declaration at a place among those added.
    pub fn added(&self, place: usize) -> u32 {
        let spec = self.declared.tools_added.as_ref().and_then(|added| added.get(place));
        spec.map(skeleton::declaration).unwrap_or_default()
    }

    /// How many tools the declaration withdraws.
    #[wasm_bindgen(js_name = removedCount)]
    pub fn removed_count(&self) -> usize {
        self.declared.tools_removed.as_ref().map_or(0, Vec::len)
    }

    /// The name at a place among those withdrawn.
    pub fn removed(&self, place: usize) -> String {
        let tool = self.declared.tools_removed.as_ref().and_then(|removed| removed.get(place));
        tool.map(|tool| tool.name.clone()).unwrap_or_default()
    }

    /// The text of a refused call's result.
    pub fn refusal(&self) -> String {
        match self.refusal.content.first() {
            Some(Block::Text(block)) => block.text.clone(),
            _ => String::new(),
        }
    }

    /// Whether a refused call hints that the run may stop.
    #[wasm_bindgen(js_name = refusalTerminates)]
    pub fn refusal_terminates(&self) -> bool {
        self.refusal.terminate
    }

    fn event(&mut self, event: Event, about: About) -> Next {
        match event {
            Event::AgentStart => Next::AgentStart,
            Event::TurnStart => Next::TurnStart,
            Event::MessageStart { message } => self.message(&message, about, true),
            Event::MessageEnd { message } => self.message(&message, about, false),
            Event::ToolExecutionStart { .. } => self.call(about, Next::CallStart),
            Event::ToolExecutionEnd { result, .. } => {
                let is_refused = matches!(about, About::Call { is_refused: true, .. });
                if is_refused {
                    self.refusal = result;
                }
                self.call(about, if is_refused { Next::CallRefused } else { Next::CallEnd })
            }
            Event::TurnEnd { .. } => Next::TurnEnd,
            Event::AgentEnd { .. } => Next::AgentEnd,
            // The driver tells these itself: nothing is decided by them.
            Event::MessageUpdate { .. } | Event::ToolExecutionUpdate { .. } => self.poll(),
        }
    }

    fn message(&mut self, message: &Message, about: About, is_start: bool) -> Next {
        let pick = |start, end| if is_start { start } else { end };
        match (message, about) {
            (Message::System(system), About::Declaration) => {
                self.index = skeleton::handle(message);
                if is_start {
                    self.declared = system.clone();
                }
                pick(Next::DeclarationStart, Next::DeclarationEnd)
            }
            (Message::Assistant(_), About::Given | About::Response) => pick(Next::AnswerStart, Next::AnswerEnd),
            (Message::ToolResult(_), About::Call { .. }) => self.call(about, pick(Next::ResultStart, Next::ResultEnd)),
            _ => {
                self.index = skeleton::handle(message);
                pick(Next::GivenStart, Next::GivenEnd)
            }
        }
    }

    fn call(&mut self, about: About, next: Next) -> Next {
        if let About::Call { call, .. } = about {
            self.index = u32::try_from(call).unwrap_or_default();
        }
        next
    }

    fn question(&mut self, question: &Output) -> Next {
        let (call, next) = match question {
            Output::Prepare { call, .. } => (*call, Next::Prepare),
            Output::BeforeTool { call, .. } => (*call, Next::BeforeTool),
            Output::Execute { call, .. } => (*call, Next::Execute),
            Output::AfterTool { call, .. } => (*call, Next::AfterTool),
            Output::CallModel(_) => (0, Next::CallModel),
            Output::PollSteering => (0, Next::PollSteering),
            Output::PollFollowUps => (0, Next::PollFollowUps),
            Output::PrepareNextTurn(_) => (0, Next::PrepareNextTurn),
            Output::PrepareRequest { .. } => (0, Next::PrepareRequest),
            Output::TransformContext { .. } => (0, Next::TransformContext),
            Output::FinishTurn(_) => (0, Next::FinishTurn),
            Output::Emit(_) | Output::Trace(_) => (0, Next::Wait),
        };
        self.index = u32::try_from(call).unwrap_or_default();
        next
    }
}

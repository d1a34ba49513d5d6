//! Random inputs.

use serde_json::json;
use vitrine_agent::history::History;
use vitrine_agent::json::Json;
use vitrine_agent::message::{AssistantMessage, Block, Message, SharedMessage, StopReason, SystemMessage, ToolCall};
use vitrine_agent::model::{Facts, ModelEvent};
use vitrine_agent::run::{AfterTool, BeforeTool, Changes, FinishTurn, Input, NextTurn, Output, PrepareError, RunTool};
use vitrine_agent::tool::{ExecutionMode, ToolError, ToolOutput, ToolSpec};

/// A small generator, so that a failure names the seed that makes it again.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn mode(&mut self) -> ExecutionMode {
        if self.one_in(2) { ExecutionMode::Sequential } else { ExecutionMode::Parallel }
    }

    pub fn tools(&mut self) -> Vec<RunTool> {
        let mut tools = vec![tool("read", ExecutionMode::Parallel)];
        if !self.one_in(3) {
            let execution = if self.one_in(3) { ExecutionMode::Sequential } else { ExecutionMode::Parallel };
            tools.push(tool("write", execution));
        }
        tools
    }

    pub fn messages(&mut self) -> Vec<SharedMessage> {
        (0..self.below(3)).map(|_| if self.one_in(4) { system() } else { user("m") }).collect()
    }

    /// An answer that fits the question, good or bad.
    pub fn answer(&mut self, question: &Output) -> Input {
        let fails = self.one_in(6);
        match question {
            Output::Emit(_) | Output::Trace(_) => unreachable!("nothing answers {}", question.kind()),
            Output::CallModel(_) => self.model(),
            Output::Prepare { call, .. } if fails => {
                let text = "unfit".to_owned();
                let error = if self.one_in(2) { PrepareError::Invalid(text) } else { PrepareError::Threw(text) };
                Input::Prepared { call: *call, result: Err(error) }
            }
            Output::Prepare { call, .. } => Input::Prepared { call: *call, result: Ok(json!({})) },
            Output::BeforeTool { call, arguments, .. } => {
                let result = match self.below(8) {
                    0 => Err(threw()),
                    1 => Ok(BeforeTool::Block { reason: None, terminate: self.one_in(2) }),
                    _ => Ok(BeforeTool::Allow(arguments.clone())),
                };
                Input::Admission { call: *call, result }
            }
            Output::Execute { call, .. } if self.one_in(3) => {
                Input::Update { call: *call, output: ToolOutput::text("half") }
            }
            Output::Execute { call, .. } => {
                let output =
                    ToolOutput { terminate: self.one_in(2), is_error: self.one_in(5), ..ToolOutput::text("x") };
                Input::Executed { call: *call, result: if fails { Err(threw()) } else { Ok(output) }, duration_ms: 1 }
            }
            Output::AfterTool { call, .. } => {
                let after = AfterTool { terminate: self.one_in(3).then_some(true), ..AfterTool::default() };
                Input::Finalized { call: *call, result: if fails { Err(threw()) } else { Ok(after) } }
            }
            Output::PollSteering if self.one_in(3) => Input::Steering(self.messages()),
            Output::PollSteering => Input::Steering(Vec::new()),
            Output::PollFollowUps if self.one_in(2) => Input::FollowUps(self.messages()),
            Output::PollFollowUps => Input::FollowUps(Vec::new()),
            Output::PrepareNextTurn(_) => {
                let messages = if self.one_in(4) { self.messages() } else { Vec::new() };
                Input::NextTurn(NextTurn { changes: self.changes(), messages })
            }
            Output::PrepareRequest { .. } => Input::Request(self.changes()),
            Output::TransformContext { .. } => Input::Context(self.one_in(4).then(History::new)),
            Output::FinishTurn(_) => Input::FinishTurn(match self.below(8) {
                0 => FinishTurn::End,
                1 => FinishTurn::Continue,
                _ => FinishTurn::Default,
            }),
        }
    }

    /// Anything, whether something waits for it or not.
    pub fn stray(&mut self) -> Input {
        let call = self.below(4) as usize;
        match self.below(12) {
            0 | 1 => self.model(),
            2 => Input::Prepared { call, result: Ok(json!({})) },
            3 => Input::Admission { call, result: Err(threw()) },
            4 => Input::Update { call, output: ToolOutput::text("half") },
            5 => Input::Executed { call, result: Err(threw()), duration_ms: 1 },
            6 => Input::Finalized { call, result: Err(threw()) },
            7 => Input::Steering(self.messages()),
            8 => Input::FollowUps(self.messages()),
            9 => Input::NextTurn(NextTurn::default()),
            10 => Input::FinishTurn(FinishTurn::End),
            // Nobody may have aborted.
            _ => Input::GraceOver,
        }
    }

    fn changes(&mut self) -> Changes {
        if !self.one_in(5) {
            return Changes::default();
        }
        Changes {
            history: self.one_in(2).then(|| [user("summary")].into_iter().collect()),
            tools: self.one_in(2).then(|| self.tools()),
            model: self.one_in(4).then(Default::default),
            reasoning: self.one_in(3).then(|| "off".to_owned()),
        }
    }

    fn model(&mut self) -> Input {
        match self.below(12) {
            0 => Input::ModelClosed,
            1 => Input::Model(vec![ModelEvent::Start]),
            2 => Input::Model((0..self.below(6)).map(|_| self.model_event()).collect()),
            3 | 4 => Input::Answer(self.whole_answer()),
            _ => Input::Model(self.response()),
        }
    }

    fn name(&mut self) -> String {
        ["read", "write", "read", "nope"][self.below(4) as usize].to_owned()
    }

    fn call(&mut self) -> ToolCall {
        ToolCall {
            // Few ids, so that two calls of a response often share one.
            id: format!("k{}", self.below(3)).into(),
            name: self.name().into(),
            arguments_error: self.one_in(8).then(|| "bad".to_owned()),
            ..ToolCall::default()
        }
    }

    fn stop_reason(&mut self) -> StopReason {
        use StopReason::{Aborted, Deferred, Error, Length, Stop, ToolUse};
        [ToolUse, ToolUse, ToolUse, Stop, Stop, Length, Deferred, Error, Aborted][self.below(9) as usize]
    }

    /// A message made elsewhere; not always one that answers.
    fn whole_answer(&mut self) -> SharedMessage {
        if self.one_in(8) {
            return user("no answer");
        }
        let mut message = AssistantMessage::pending("a", "p", "m", 1);
        message.content = (0..self.below(4)).map(|_| Block::ToolCall(self.call().into())).collect();
        message.stop_reason = self.stop_reason();
        SharedMessage::new(Message::Assistant(message))
    }

    fn response(&mut self) -> Vec<ModelEvent> {
        let mut events = vec![ModelEvent::Start];
        for index in 0..self.below(4) as usize {
            let tool_call = self.call();
            let (id, name) = (tool_call.id.clone(), tool_call.name.clone());
            events.push(ModelEvent::ToolCallStart { index, id, name });
            events.push(ModelEvent::ToolCallEnd { index, tool_call: tool_call.into() });
        }
        let reason = self.stop_reason();
        events.push(ModelEvent::Done { reason });
        events
    }

    fn model_event(&mut self) -> ModelEvent {
        let index = self.below(4) as usize;
        match self.below(14) {
            0 | 1 => ModelEvent::Start,
            2 => ModelEvent::TextStart { index },
            3 => ModelEvent::TextDelta { index, delta: "t".to_owned() },
            4 => ModelEvent::TextEnd { index, signature: None },
            5 => ModelEvent::ThinkingStart { index },
            6 => ModelEvent::ThinkingEnd { index, signature: None, redacted: true },
            7 => ModelEvent::Meta(Box::new(Facts { end_turn: Some(true), ..Facts::default() })),
            8 | 9 => ModelEvent::ToolCallStart { index, id: "k".into(), name: self.name().into() },
            10 | 11 => ModelEvent::ToolCallEnd { index, tool_call: self.call().into() },
            12 => ModelEvent::Error { reason: self.stop_reason(), message: "e".to_owned() },
            _ => ModelEvent::Done { reason: self.stop_reason() },
        }
    }
}

pub fn user(text: &str) -> SharedMessage {
    SharedMessage::new(Message::user(text, 1))
}

fn system() -> SharedMessage {
    SharedMessage::new(Message::System(SystemMessage::default()))
}

fn threw() -> ToolError {
    ToolError("thrown".to_owned())
}

fn tool(name: &str, execution: ExecutionMode) -> RunTool {
    let parameters = Json::empty_object();
    RunTool { spec: ToolSpec { name: name.to_owned(), parameters, ..ToolSpec::default() }, execution }
}

//! Messages and tools as the loop needs them: a role, a handle, what is declared.
//!
//! The objects themselves are JavaScript's. A handle travels as the timestamp, which the loop carries and never reads; a
//! call's id is its place in the batch; a tool's declaration is the number JavaScript gave to its text, so that equal
//! numbers mean equal declarations.

use vitrine_agent::json::Json;
use vitrine_agent::message::{
    AssistantMessage, Block, Message, SharedMessage, StopReason, SystemMessage, ToolCall, ToolName,
};
use vitrine_agent::run::RunTool;
use vitrine_agent::tool::{ExecutionMode, ToolSpec};

/// A message that is neither system nor assistant: the loop takes all of them alike.
pub fn message(handle: u32) -> SharedMessage {
    SharedMessage::new(Message::user("", handle.into()))
}

/// A system message, with the tools it declares.
pub fn system(handle: u32, declares: SystemMessage) -> SharedMessage {
    SharedMessage::new(Message::System(SystemMessage { timestamp: handle.into(), ..declares }))
}

/// A message's handle.
pub fn handle(message: &Message) -> u32 {
    let timestamp = match message {
        Message::System(system) => system.timestamp,
        Message::User(user) => user.timestamp,
        Message::Assistant(_) | Message::ToolResult(_) | Message::Other(_) => 0,
    };
    u32::try_from(timestamp).unwrap_or_default()
}

/// What a tool declares.
pub fn spec(name: String, declaration: u32) -> ToolSpec {
    let parameters = Json::parse(declaration.to_string()).unwrap_or_default();
    ToolSpec { name, parameters, ..ToolSpec::default() }
}

/// The number of a declaration.
pub fn declaration(spec: &ToolSpec) -> u32 {
    spec.parameters.as_str().parse().unwrap_or_default()
}

/// A tool that can be called.
pub fn tool(name: String, declaration: u32, is_sequential: bool) -> RunTool {
    let execution = if is_sequential { ExecutionMode::Sequential } else { ExecutionMode::Parallel };
    RunTool { spec: spec(name, declaration), execution }
}

/// A tool's name, where tools are withdrawn.
pub fn tool_name(name: String) -> ToolName {
    ToolName { name }
}

/// A whole response: why it stopped and the names of the tools it calls, in order.
pub fn answer(stop_reason: StopReason, calls: Vec<String>) -> SharedMessage {
    let calls = calls.into_iter().enumerate().map(|(place, name)| {
        Block::ToolCall(ToolCall { id: place.to_string().into(), name: name.into(), ..ToolCall::default() }.into())
    });
    SharedMessage::new(Message::Assistant(AssistantMessage {
        content: calls.collect(),
        stop_reason,
        ..AssistantMessage::pending("", "", "", 0)
    }))
}

/// A stop reason by pi's name. What the loop has no rule for stops like `stop`.
pub fn stop_reason(name: &str) -> StopReason {
    match name {
        "length" => StopReason::Length,
        "error" => StopReason::Error,
        "aborted" => StopReason::Aborted,
        _ => StopReason::Stop,
    }
}

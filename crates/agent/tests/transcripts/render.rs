//! Events as lines, short enough to read and with everything that a rule is about.

use vitrine_agent::event::{AssistantUpdate, CallTrace, Event};
use vitrine_agent::json::Json;
use vitrine_agent::message::{AssistantMessage, Block, Message, StopReason, ToolCall, join_text};
use vitrine_agent::tool::ToolOutput;

pub fn event(event: &Event) -> String {
    let kind = event.kind();
    match event {
        Event::AgentStart | Event::TurnStart => kind.to_owned(),
        Event::MessageStart { message: shared } | Event::MessageEnd { message: shared } => {
            format!("{kind} {}", message(shared))
        }
        Event::MessageUpdate { update, .. } => format!("{kind} {}", self::update(update)),
        Event::ToolExecutionStart { tool_call_id, tool_name, args } => {
            format!("{kind} {tool_call_id} {tool_name} {args:?}")
        }
        Event::ToolExecutionUpdate { tool_call_id, tool_name, partial_result, .. } => {
            format!("{kind} {tool_call_id} {tool_name} {}", output(partial_result))
        }
        Event::ToolExecutionEnd { tool_call_id, tool_name, result, is_error, duration_ms } => {
            let duration = duration_ms.map(|duration| format!(" {duration}ms")).unwrap_or_default();
            format!("{kind} {tool_call_id} {tool_name} {}{duration} {}", verdict(*is_error), output(result))
        }
        Event::TurnEnd { message: shared, tool_results } => {
            let results: Vec<_> = tool_results.iter().map(|result| message(result)).collect();
            format!("{kind} {} [{}]", message(shared), results.join(", "))
        }
        Event::AgentEnd { messages } => {
            let roles: Vec<_> = messages.iter().map(|message| message.role()).collect();
            format!("{kind} [{}]", roles.join(", "))
        }
    }
}

/// An event in the notation of `# trace:` lines; `None` for those that a trace leaves out.
pub fn short(event: &Event) -> Option<String> {
    Some(match event {
        Event::AgentStart | Event::TurnStart | Event::TurnEnd { .. } | Event::AgentEnd { .. } => {
            event.kind().to_owned()
        }
        Event::MessageStart { .. } | Event::MessageUpdate { .. } => return None,
        Event::MessageEnd { message } => match &**message {
            Message::Assistant(assistant) => match assistant.stop_reason {
                StopReason::Stop | StopReason::ToolUse => "m:assistant".to_owned(),
                reason => format!("m:assistant({})", reason.as_str()),
            },
            Message::ToolResult(result) => format!("m:toolResult({}{})", result.tool_call_id, bang(result.is_error)),
            Message::System(_) | Message::User(_) | Message::Other(_) => format!("m:{}", message.role()),
        },
        Event::ToolExecutionStart { tool_call_id, .. } => format!("start {tool_call_id}"),
        Event::ToolExecutionUpdate { tool_call_id, .. } => format!("update {tool_call_id}"),
        Event::ToolExecutionEnd { tool_call_id, is_error, .. } => format!("end {tool_call_id}{}", bang(*is_error)),
    })
}

fn bang(is_error: bool) -> &'static str {
    if is_error { "!" } else { "" }
}

pub fn json_event(event: &Event) -> String {
    serde_json::to_string(event).unwrap()
}

pub fn trace(trace: &CallTrace) -> String {
    let reason = trace.reason.as_ref().map(|reason| format!(" {reason:?}")).unwrap_or_default();
    format!("trace {} at {} {} {} {}{reason}", trace.seq, trace.at, trace.call_id, trace.name, trace.state.as_str())
}

pub fn message(message: &Message) -> String {
    match message {
        Message::System(system) => {
            let added = system.tools_added.iter().flatten().map(|spec| format!(" +{}", spec.name));
            let removed = system.tools_removed.iter().flatten().map(|tool| format!(" -{}", tool.name));
            format!("system {:?}{}", system.content.text(), added.chain(removed).collect::<String>())
        }
        Message::User(user) => format!("user {:?}", user.content.text()),
        Message::Assistant(assistant) => self::assistant(assistant),
        Message::ToolResult(result) => {
            format!("toolResult {} {} {:?}", result.tool_call_id, verdict(result.is_error), join_text(&result.content))
        }
        Message::Other(other) => other.role.clone(),
    }
}

fn assistant(message: &AssistantMessage) -> String {
    let mut parts = vec![format!("assistant {}", message.stop_reason.as_str())];
    parts.extend(message.content.iter().map(|block| match block {
        Block::Text(text) => format!("{:?}", text.text),
        Block::Thinking(thinking) => format!("thinking {:?}", thinking.thinking),
        Block::ToolCall(call) => self::call(call),
        Block::Image(_) | Block::Other(_) => "block".to_owned(),
    }));
    parts.extend(message.error_message.iter().map(|error| format!("error {error:?}")));
    parts.join(" ")
}

fn call(call: &ToolCall) -> String {
    let error = call.arguments_error.as_ref().map(|error| format!(" refused {error:?}")).unwrap_or_default();
    format!("call {} {} {:?}{error}", call.id, call.name, call.arguments)
}

fn update(update: &AssistantUpdate) -> String {
    match update {
        AssistantUpdate::TextStart { index } => format!("text_start {index}"),
        AssistantUpdate::TextDelta { index, delta } => format!("text_delta {index} {delta:?}"),
        AssistantUpdate::TextEnd { index, content } => format!("text_end {index} {content:?}"),
        AssistantUpdate::ThinkingStart { index } => format!("thinking_start {index}"),
        AssistantUpdate::ThinkingDelta { index, delta } => format!("thinking_delta {index} {delta:?}"),
        AssistantUpdate::ThinkingEnd { index, content } => format!("thinking_end {index} {content:?}"),
        AssistantUpdate::ToolCallStart { index, id, name } => format!("toolcall_start {index} {id} {name}"),
        AssistantUpdate::ToolCallDelta { index, delta } => format!("toolcall_delta {index} {delta:?}"),
        AssistantUpdate::ToolCallEnd { index, tool_call } => format!("toolcall_end {index} {}", call(tool_call)),
    }
}

fn output(output: &ToolOutput) -> String {
    let field = |name: &str, json: &Option<Json>| json.as_ref().map(|json| format!(" {name} {json:?}"));
    let details = field("details", &output.details).unwrap_or_default();
    let structured = field("structured", &output.structured_content).unwrap_or_default();
    let terminate = if output.terminate { " terminate" } else { "" };
    format!("{:?}{details}{structured}{terminate}", join_text(&output.content))
}

fn verdict(is_error: bool) -> &'static str {
    if is_error { "error" } else { "ok" }
}

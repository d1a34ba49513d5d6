//! [`validate_request_body`]: would a strict server take this body?

use std::collections::HashSet;

use serde_json::Value;

/// Checks the rules that servers answer 400 for: roles, contents, and that each call is followed at once by exactly one
/// result. Gives every fault, in words. For tests, and for the request view; it looks at the whole body.
pub fn validate_request_body(body: &str) -> Result<(), Vec<String>> {
    let mut faults = Faults::default();
    match serde_json::from_str::<Value>(body) {
        Ok(body) => faults.body(&body),
        Err(error) => faults.0.push(format!("not JSON: {error}")),
    }
    if faults.0.is_empty() { Ok(()) } else { Err(faults.0) }
}

#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn check(&mut self, is_fine: bool, fault: impl FnOnce() -> String) {
        if !is_fine {
            self.0.push(fault());
        }
    }

    fn body(&mut self, body: &Value) {
        self.check(is_filled(body.get("model")), || "model is missing".to_owned());
        self.check(body.get("stream") == Some(&Value::Bool(true)), || "stream is not true".to_owned());
        let messages = body.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_prompt = |message: &Value| matches!(role(message), "system" | "developer");
        self.check(messages.iter().any(|message| !is_prompt(message)), || "no message but the prompt".to_owned());
        let mut open = HashSet::new();
        for (at, message) in messages.iter().enumerate() {
            if role(message) == "tool" {
                let id = message.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
                self.check(open.remove(id), || format!("messages.{at}: no open call has the id {id:?}"));
                self.check(is_filled(message.get("content")), || format!("messages.{at}: a result without text"));
                continue;
            }
            self.check(open.is_empty(), || format!("messages.{at}: calls before it have no result: {open:?}"));
            open.clear();
            match role(message) {
                "system" | "developer" => {
                    self.check(at == 0, || format!("messages.{at}: a prompt in mid-conversation"));
                    self.check(is_filled(message.get("content")), || format!("messages.{at}: an empty prompt"));
                }
                "user" => self.user(at, message.get("content").unwrap_or(&Value::Null)),
                "assistant" => open = self.assistant(at, message),
                other => self.0.push(format!("messages.{at}: unknown role {other:?}")),
            }
        }
        self.check(open.is_empty(), || format!("the last calls have no result: {open:?}"));
        self.tools(body.get("tools"));
    }

    fn user(&mut self, at: usize, content: &Value) {
        let Some(parts) = content.as_array() else {
            self.check(is_filled(Some(content)), || format!("messages.{at}: an empty user message"));
            return;
        };
        self.check(!parts.is_empty(), || format!("messages.{at}: no parts"));
        for part in parts {
            let is_fine = match part.get("type").and_then(Value::as_str) {
                Some("text") => is_filled(part.get("text")),
                Some("image_url") => is_filled(part.pointer("/image_url/url")),
                _ => false,
            };
            self.check(is_fine, || format!("messages.{at}: an empty or unknown part"));
        }
    }

    /// The ids of its calls.
    fn assistant(&mut self, at: usize, message: &Value) -> HashSet<String> {
        let mut ids = HashSet::new();
        let calls = message.get("tool_calls");
        let content = message.get("content").unwrap_or(&Value::Null);
        self.check(content.is_null() || content.is_string(), || format!("messages.{at}: content is no text"));
        self.check(calls.is_some() || is_filled(Some(content)), || format!("messages.{at}: an empty answer"));
        let Some(calls) = calls else { return ids };
        let calls = calls.as_array().map(Vec::as_slice).unwrap_or_default();
        self.check(!calls.is_empty(), || format!("messages.{at}: an empty list of calls"));
        for call in calls {
            let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
            self.check(!id.trim().is_empty(), || format!("messages.{at}: a call without an id"));
            self.check(ids.insert(id.to_owned()), || format!("messages.{at}: two calls have the id {id:?}"));
            self.check(call.get("type").and_then(Value::as_str) == Some("function"), || format!("messages.{at}: type"));
            let arguments = call.pointer("/function/arguments").and_then(Value::as_str).unwrap_or_default();
            let is_object = serde_json::from_str::<Value>(arguments).is_ok_and(|arguments| arguments.is_object());
            self.check(is_object, || format!("messages.{at}: arguments are not the text of an object"));
        }
        ids
    }

    fn tools(&mut self, tools: Option<&Value>) {
        let Some(tools) = tools else { return };
        let mut names = HashSet::new();
        for tool in tools.as_array().map(Vec::as_slice).unwrap_or_default() {
            let name = tool.pointer("/function/name").and_then(Value::as_str).unwrap_or_default();
            self.check(!name.is_empty() && names.insert(name), || {
                format!("a tool's name is missing or taken: {name:?}")
            });
            let has_schema = tool.pointer("/function/parameters").is_some_and(Value::is_object);
            self.check(has_schema, || format!("tool {name:?} has no schema"));
        }
    }
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

fn is_filled(text: Option<&Value>) -> bool {
    text.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty())
}

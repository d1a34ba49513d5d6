//! The requests to a model: what each was, and what of it the one before did not have.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::visible::one_line;

/// Characters of a label.
const LABEL: usize = 80;

/// One request to a model. Its body is asked for by its number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestInfo {
    /// From 1, through the session's visit.
    pub number: u32,
    /// How many events had been told before it.
    pub event: usize,
    /// The run.
    pub run_id: String,
    /// Its turn, from 1.
    pub turn: u32,
    /// Where it went, or would have gone.
    pub url: String,
    /// `POST`.
    pub method: String,
    /// Names and values; what is secret is masked.
    pub headers: Vec<(String, String)>,
    /// Length of the body.
    pub bytes: usize,
    /// When, in milliseconds since 1970.
    pub started_at: u64,
    /// Whether anything left the page: a script, a person and a fault answer without.
    pub sent: bool,
    /// The body in its parts, in the order of the body.
    pub sections: Vec<Section>,
}

impl RequestInfo {
    /// Tokens of the body, estimated.
    pub fn tokens(&self) -> u64 {
        self.sections.iter().map(|section| section.tokens).sum()
    }

    /// Messages that the request before did not have; `None` where there was none before.
    pub fn new_messages(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(|section| section.kind == SectionKind::Message && !section.same_as_before)
    }
}

/// One part of a request's body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Section {
    /// Which.
    pub kind: SectionKind,
    /// The role of a message, as the wire calls it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub role: Option<String>,
    /// Its bytes in the body.
    pub bytes: usize,
    /// Its tokens, estimated: a quarter of its characters.
    pub tokens: u64,
    /// The start of what it says, on one line.
    pub label: String,
    /// The request before had the same at the same place.
    pub same_as_before: bool,
}

/// Which part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SectionKind {
    /// A system message.
    System,
    /// The tools that are declared.
    Tools,
    /// Any other message.
    Message,
    /// Everything else: model, limits, options.
    Other,
}

/// Takes bodies apart, each compared with the one before.
#[derive(Debug, Default)]
pub struct Weigher {
    messages: Vec<u64>,
    tools: u64,
    other: u64,
}

#[derive(Deserialize)]
struct Head<'a> {
    role: Option<String>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<&'a RawValue>,
}

impl Weigher {
    /// The parts of a Chat Completions body. One that is none has one part. Linear in its length.
    pub fn weigh(&mut self, body: &[u8]) -> Vec<Section> {
        let fields = serde_json::from_slice::<BTreeMap<String, &RawValue>>(body).ok();
        let messages = fields.as_ref().and_then(|fields| match fields.get("messages") {
            Some(raw) => serde_json::from_str::<Vec<&RawValue>>(raw.get()).ok(),
            None => Some(Vec::new()),
        });
        let (Some(fields), Some(messages)) = (fields, messages) else {
            return vec![section(SectionKind::Other, None, &String::from_utf8_lossy(body), String::new(), false)];
        };
        let mut sections = Vec::with_capacity(messages.len() + 2);
        let mut hashes = Vec::with_capacity(messages.len());
        // Once one differs, what follows is at another place even where it reads the same.
        let mut is_same = true;
        for (at, raw) in messages.iter().enumerate() {
            let hash = hash(raw.get());
            is_same = is_same && self.messages.get(at) == Some(&hash);
            hashes.push(hash);
            let head: Option<Head<'_>> = serde_json::from_str(raw.get()).ok();
            let role = head.as_ref().and_then(|head| head.role.clone());
            let kind = match role.as_deref() {
                Some("system" | "developer") => SectionKind::System,
                _ => SectionKind::Message,
            };
            let label = head.map(|head| label(&head)).unwrap_or_default();
            sections.push(section(kind, role, raw.get(), label, is_same));
        }
        let used: usize = messages.iter().map(|raw| raw.get().len()).sum();
        let tools = fields.get("tools").map(|raw| raw.get()).unwrap_or_default();
        if !tools.is_empty() {
            let hash = hash(tools);
            sections.push(section(SectionKind::Tools, None, tools, tool_names(tools), self.tools == hash));
            self.tools = hash;
        }
        let rest = body.len().saturating_sub(used + tools.len());
        let others = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "messages" | "tools"));
        let other = hash(&others.map(|(name, raw)| format!("{name}:{},", raw.get())).collect::<String>());
        sections.push(Section {
            kind: SectionKind::Other,
            role: None,
            bytes: rest,
            tokens: (rest as u64).div_ceil(4),
            label: String::new(),
            same_as_before: self.other == other,
        });
        self.other = other;
        self.messages = hashes;
        sections
    }

    /// Forgets what was before: the next body has nothing to be compared with.
    pub fn reset(&mut self) {
        *self = Self::default();
    }
}

fn section(kind: SectionKind, role: Option<String>, text: &str, label: String, same_as_before: bool) -> Section {
    Section { kind, role, bytes: text.len(), tokens: (text.chars().count() as u64).div_ceil(4), label, same_as_before }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn label(head: &Head<'_>) -> String {
    let text = head.content.map(RawValue::get).unwrap_or_default();
    let words = serde_json::from_str::<String>(text).or_else(|_| block_texts(text)).unwrap_or_else(|_| text.to_owned());
    let words = if words.is_empty() || words == "null" { call_names(head.tool_calls) } else { words };
    one_line(&words, LABEL)
}

/// The texts of a content that is a list of parts; a part of another kind is named by it.
fn block_texts(content: &str) -> Result<String, serde_json::Error> {
    #[derive(Deserialize)]
    struct Part {
        #[serde(rename = "type")]
        kind: String,
        text: Option<String>,
    }
    let parts: Vec<Part> = serde_json::from_str(content)?;
    let words = parts.into_iter().map(|part| part.text.unwrap_or_else(|| format!("({})", part.kind)));
    Ok(words.collect::<Vec<_>>().join(" "))
}

fn call_names(calls: Option<&RawValue>) -> String {
    #[derive(Deserialize)]
    struct Call {
        function: Function,
    }
    #[derive(Deserialize)]
    struct Function {
        #[serde(default)]
        name: String,
        #[serde(default)]
        arguments: String,
    }
    let calls: Vec<Call> = calls.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let names: Vec<String> =
        calls.iter().map(|call| format!("{} {}", call.function.name, call.function.arguments)).collect();
    names.join(", ")
}

fn tool_names(tools: &str) -> String {
    #[derive(Deserialize)]
    struct Tool {
        function: Named,
    }
    #[derive(Deserialize)]
    struct Named {
        #[serde(default)]
        name: String,
    }
    let tools: Vec<Tool> = serde_json::from_str(tools).unwrap_or_default();
    one_line(&tools.iter().map(|tool| tool.function.name.as_str()).collect::<Vec<_>>().join(", "), LABEL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weigh(weigher: &mut Weigher, body: &str) -> Vec<String> {
        let sections = weigher.weigh(body.as_bytes());
        assert_eq!(sections.iter().map(|section| section.bytes).sum::<usize>(), body.len(), "all bytes are in a part");
        let line = |section: &Section| {
            let Section { kind, role, label, same_as_before, .. } = section;
            format!("{kind:?} {} {label:?} {same_as_before}", role.as_deref().unwrap_or("-"))
        };
        sections.iter().map(line).collect()
    }

    #[test]
    fn a_request_has_two_messages_more_than_the_one_before_it() {
        let first = r#"{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"look"}],"tools":[{"type":"function","function":{"name":"read"}},{"type":"function","function":{"name":"ls"}}]}"#;
        let second = r#"{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"look"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},{"role":"tool","tool_call_id":"c","content":"first\nline"}],"tools":[{"type":"function","function":{"name":"read"}},{"type":"function","function":{"name":"ls"}}]}"#;
        let mut weigher = Weigher::default();
        assert_eq!(
            weigh(&mut weigher, first),
            [
                r#"System system "Be brief." false"#,
                r#"Message user "look" false"#,
                r#"Tools - "read, ls" false"#,
                r#"Other - "" false"#,
            ]
        );
        assert_eq!(
            weigh(&mut weigher, second),
            [
                r#"System system "Be brief." true"#,
                r#"Message user "look" true"#,
                r#"Message assistant "read {\"path\":\"a\"}" false"#,
                r#"Message tool "first line" false"#,
                r#"Tools - "read, ls" true"#,
                r#"Other - "" true"#,
            ]
        );
        let parts = r#"{"messages":[{"role":"user","content":[{"type":"text","text":"look"},{"type":"image_url","image_url":{"url":"data:"}}]}]}"#;
        assert_eq!(weigh(&mut Weigher::default(), parts)[0], r#"Message user "look (image_url)" false"#);
        // What follows a message that changed is not the same any more.
        let edited = second.replace("look", "LOOK");
        let lines = weigh(&mut weigher, &edited);
        assert_eq!(
            lines.iter().map(|line| line.ends_with("true")).collect::<Vec<_>>(),
            [true, false, false, false, true, true]
        );
    }

    #[test]
    fn another_model_is_not_the_same_though_its_name_is_as_long() {
        let mut weigher = Weigher::default();
        let of = |model: &str| format!(r#"{{"model":"{model}","messages":[]}}"#);
        let mut is_same = |model| weigh(&mut weigher, &of(model))[0].ends_with("true");
        assert_eq!([is_same("a"), is_same("a"), is_same("b")], [false, true, false]);
    }

    #[test]
    fn what_is_no_such_body_is_one_part() {
        for body in ["", "not JSON", "[1]", "{\"messages\":3}"] {
            let mut weigher = Weigher::default();
            assert_eq!(weigh(&mut weigher, body).len(), 1, "{body}");
        }
        assert_eq!(Weigher::default().weigh(b"{}").len(), 1);
    }

    #[test]
    fn tokens_are_a_quarter_of_the_characters() {
        let body = format!(r#"{{"messages":[{{"role":"user","content":"{}"}}]}}"#, "字".repeat(400));
        let sections = Weigher::default().weigh(body.as_bytes());
        let message = sections.first().expect("a message");
        assert_eq!((message.bytes, message.tokens), (28 + 1200, (28 + 400) / 4));
    }
}

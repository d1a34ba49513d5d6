//! What a branch says to a model: one file of `cases/` a rule.
//!
//! A case is a comment with the rule, the lines of a session, and after `--` what is expected: `model`, `thinking`, the
//! messages of the projection in a session's own roles, and after `-- for a model` those that a model is sent.

use vitrine_agent::message::{Block, Message, SharedMessage, ToolResultMessage, join_text};
use vitrine_session::entry::Payload;
use vitrine_session::ids::EntryId;
use vitrine_session::ledger::{Standing, ledger};
use vitrine_session::log::parse;
use vitrine_session::projection::{for_model, project};
use vitrine_session::settle::{LOST_RESULT, open_calls, pair};
use vitrine_session::tree::Tree;

macro_rules! cases {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            check(stringify!($name), include_str!(concat!("cases/", stringify!($name), ".case")));
        })*
    };
}

cases! {
    a7_compacted a7_branched c02_orphan_call c02_orphan_result failed_response late_results reused_ids
    compaction_keeps_none compaction_twice edits roles tolerant
}

fn check(name: &str, case: &str) {
    let (input, expected) = case.split_once("\n--\n").expect("`--` before what is expected");
    let lines: Vec<_> = input.lines().filter(|line| !line.starts_with('#')).collect();
    let leaf = lines.iter().find_map(|line| line.strip_prefix("leaf "));
    let file: Vec<_> = lines.iter().filter(|line| line.starts_with('{')).copied().collect();
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"","cwd":"/w"}"#;
    let parsed = parse([&[header], &*file].concat().join("\n").as_bytes()).unwrap();
    assert_eq!(parsed.damage.n_bad_lines, 0, "{name}");
    let tree = Tree::new(parsed.entries);
    let path = leaf.map_or_else(|| tree.path(), |leaf| tree.path_to(&EntryId::from(leaf)));
    let context = project(&path);
    let mut actual = String::new();
    if let Some(model) = &context.model {
        actual.push_str(&format!("model {}/{}\n", model.provider, model.model_id));
    }
    actual.push_str(&format!("thinking {}\n", context.thinking_level));
    actual.push_str(&render(&context.messages));
    actual.push_str("-- for a model\n");
    let sent = pair(for_model(&context.messages));
    actual.push_str(&render(&sent));
    assert_eq!(actual, expected, "{name}");

    if leaf.is_none() {
        the_ledger_says_the_same(name, &tree, &context.messages);
    }
    assert_eq!(pair(sent.clone()), sent, "{name}: a second repair finds nothing");
    assert_valid(name, &sent);
}

/// Whatever the ledger says a request carries is in the projection, and nothing else is.
fn the_ledger_says_the_same(name: &str, tree: &Tree, messages: &[SharedMessage]) {
    let lines = ledger(tree);
    assert_eq!(lines.len(), tree.entries().len(), "{name}");
    let n_carried = lines
        .iter()
        .filter(|line| matches!(line.standing, Standing::Whole | Standing::Edited(_) | Standing::FailedAttempt));
    // A compaction brings the prompt of its time with it, beside its summary.
    let compaction = lines.iter().rfind(|line| line.on_branch && line.entry.payload.kind() == "compaction");
    let n_prompts = usize::from(compaction.is_some_and(|line| match &line.entry.payload {
        Payload::Compaction(compaction) => compaction.system_message.is_some(),
        _ => false,
    }));
    // A message of a role that no model is sent stands in the projection for the screen.
    let n_for_screen = messages.len() - for_model(messages).len();
    assert_eq!(n_carried.count() + n_prompts + n_for_screen, messages.len(), "{name}: {lines:#?}");
    for line in &lines {
        assert_eq!(line.on_branch, line.standing != Standing::OffBranch, "{name}");
    }
}

#[test]
fn the_ledger_gives_each_entry_that_is_not_carried_its_reason() {
    let message = |id: &str, parent: &str, message: &str| {
        format!(r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{message}}}"#)
    };
    let user = |text: &str| format!(r#"{{"role":"user","content":"{text}","timestamp":1}}"#);
    let assistant = |text: &str, stop: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}],"api":"a","provider":"p","model":"m","usage":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}},"stopReason":"{stop}","timestamp":1}}"#
        )
    };
    let lines = [
        r#"{"type":"session","version":3,"id":"s","timestamp":"","cwd":"/w"}"#.to_owned(),
        message("00000001", "null", &user("first")),
        message("00000002", "\"00000001\"", &assistant("left", "stop")),
        message("00000003", "\"00000001\"", &assistant("cut off", "error")),
        r#"{"type":"model_change","id":"00000004","parentId":"00000003","provider":"p","modelId":"m"}"#.to_owned(),
        message("00000005", "\"00000004\"", &user("again")),
        message("00000006", "\"00000005\"", &assistant("wrong", "stop")),
        r#"{"type":"context_edit","id":"00000007","parentId":"00000006","targetId":"00000006","replacement":{"content":"right"}}"#.to_owned(),
        r#"{"type":"context_edit","id":"00000008","parentId":"00000007","targetId":"00000005","replacement":null}"#.to_owned(),
    ];
    let tree = Tree::new(parse(lines.join("\n").as_bytes()).unwrap().entries);
    let told: Vec<_> = ledger(&tree).into_iter().map(|line| (line.text, line.on_branch, line.standing)).collect();
    assert_eq!(
        told,
        [
            ("first".to_owned(), true, Standing::Whole),
            ("left".to_owned(), false, Standing::OffBranch),
            ("cut off".to_owned(), true, Standing::FailedAttempt),
            ("p m".to_owned(), true, Standing::ScreenOnly),
            ("again".to_owned(), true, Standing::Omitted),
            ("wrong".to_owned(), true, Standing::Edited("right".to_owned())),
            ("right".to_owned(), true, Standing::ScreenOnly),
            (String::new(), true, Standing::ScreenOnly),
        ]
    );
}

fn render(messages: &[SharedMessage]) -> String {
    let mut text = String::new();
    for message in messages {
        let line = match &**message {
            Message::System(system) => {
                let sections: Vec<_> = system.sections.iter().flatten().map(|(name, _)| name.as_str()).collect();
                let tools = system.tools_added.iter().flatten().map(|tool| tool.name.as_str());
                let words = [vec![system.content.text()], sections.iter().map(ToString::to_string).collect()].concat();
                format!("{} {:?} at {}", words.join(" "), tools.collect::<Vec<_>>(), system.timestamp)
            }
            Message::User(user) => user.content.text(),
            Message::Assistant(assistant) => {
                let calls = assistant.tool_calls().map(|call| format!(" [{} {}]", call.id, call.name));
                format!("{}{}", join_text(&assistant.content), calls.collect::<String>())
            }
            Message::ToolResult(result) => format!(
                "{} {}{} at {}: {}",
                result.tool_call_id,
                result.tool_name,
                if result.is_error { " error" } else { "" },
                result.timestamp,
                join_text(&result.content).replace(LOST_RESULT, "LOST")
            ),
            Message::Other(other) => other.json.as_str().to_owned(),
        };
        text.push_str(&format!("{}: {}\n", message.role(), line.replace('\n', "\\n")));
    }
    text
}

/// What every provider asks of a history: each call of a response that counts has its one result directly after it, and
/// each result its call.
fn assert_valid(name: &str, messages: &[SharedMessage]) {
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        match &**message {
            Message::ToolResult(result) => {
                let at = open.iter().position(|id| *id == &*result.tool_call_id);
                open.remove(at.unwrap_or_else(|| panic!("{name}: {} answers nothing", result.tool_call_id)));
            }
            other => {
                assert!(open.is_empty(), "{name}: {open:?} have no result");
                if let Message::Assistant(assistant) = other
                    && assistant.error_message.is_none()
                {
                    open.extend(assistant.tool_calls().map(|call| &*call.id));
                }
            }
        }
    }
    assert!(open.is_empty(), "{name}: {open:?} have no result");
}

fn result(id: &str, timestamp: u64) -> SharedMessage {
    SharedMessage::new(Message::ToolResult(ToolResultMessage {
        tool_call_id: id.into(),
        tool_name: "bash".into(),
        content: vec![Block::text(LOST_RESULT)],
        is_error: true,
        timestamp,
        ..ToolResultMessage::default()
    }))
}

/// Only calls of the last response are answered in the log, and only while nothing came after it.
#[test]
fn open_calls_are_those_at_the_end() {
    let messages = |json: &str| -> Vec<SharedMessage> { serde_json::from_str(json).unwrap() };
    let call = |id: &str| format!(r#"{{"type":"toolCall","id":"{id}","name":"bash","arguments":{{}}}}"#);
    let answered = |id: &str| format!(r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"bash"}}"#);
    let response = |calls: &[&str]| {
        format!(
            r#"{{"role":"assistant","content":[{}]}}"#,
            calls.iter().map(|id| call(id)).collect::<Vec<_>>().join(",")
        )
    };
    let user = r#"{"role":"user","content":"q"}"#.to_owned();
    let system = r#"{"role":"system","content":"s"}"#.to_owned();
    let failed = response(&["k1"]).replace("\"content\"", "\"stopReason\":\"aborted\",\"content\"");
    for (name, history, expected) in [
        ("empty", vec![], vec![]),
        ("no call", vec![user.clone(), response(&[])], vec![]),
        ("none answered", vec![user.clone(), response(&["k1", "k2"])], vec!["k1", "k2"]),
        ("one answered", vec![user.clone(), response(&["k1", "k2"]), answered("k1")], vec!["k2"]),
        ("the other answered", vec![user.clone(), response(&["k1", "k2"]), answered("k2"), system], vec!["k1"]),
        ("all answered", vec![user.clone(), response(&["k1"]), answered("k1")], vec![]),
        ("one id twice", vec![response(&["k1", "k1"]), answered("k1")], vec!["k1"]),
        ("gone on", vec![response(&["k1"]), user], vec![]),
        ("an earlier response", vec![response(&["k1"]), response(&["k2"])], vec!["k2"]),
        ("aborted", vec![failed], vec![]),
    ] {
        let history = messages(&format!("[{}]", history.join(",")));
        let expected: Vec<_> = expected.into_iter().map(|id| result(id, 9)).collect();
        assert_eq!(open_calls(&history, 9), expected, "{name}");
    }
}

#[test]
fn pairing_is_linear() {
    let mut history: Vec<SharedMessage> = Vec::new();
    let calls: Vec<_> = (0..20_000)
        .map(|i| format!(r#"{{"type":"toolCall","id":"k{}","name":"x","arguments":{{}}}}"#, i % 7))
        .collect();
    let response = format!(r#"{{"role":"assistant","content":[{}]}}"#, calls.join(","));
    history.push(serde_json::from_str(&response).unwrap());
    for i in 0..50_000 {
        let json = format!(r#"{{"role":"toolResult","toolCallId":"k{}","toolName":"x"}}"#, i % 7);
        history.push(serde_json::from_str(&json).unwrap());
    }
    assert_eq!(pair(history).len(), 20_001);
}

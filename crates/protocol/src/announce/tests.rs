use std::sync::Arc;

use vitrine_agent::event::AssistantUpdate;
use vitrine_agent::json::Json;
use vitrine_agent::message::{Block, SharedMessage, Usage};
use vitrine_agent::tool::ToolOutput;

use super::*;
use crate::notification::{Problem, Status};

fn answer(text: &str, stop_reason: StopReason, error: Option<&str>) -> Notification {
    let mut message = AssistantMessage::pending("scripted", "scripted", "m", 0);
    message.content = vec![Block::text(text)];
    message.stop_reason = stop_reason;
    message.error_message = error.map(str::to_owned);
    Notification::Event(Event::MessageEnd { message: SharedMessage::new(Message::Assistant(message)) })
}

fn delta(text: &str) -> Notification {
    let update = AssistantUpdate::TextDelta { index: 0, delta: text.to_owned() };
    Notification::Event(Event::MessageUpdate { usage: Usage::default().into(), update })
}

fn tool(name: &str, is_error: Option<bool>) -> Notification {
    let (tool_call_id, tool_name) = ("1".to_owned(), name.to_owned());
    Notification::Event(match is_error {
        None => Event::ToolExecutionStart {
            tool_call_id: tool_call_id.into(),
            tool_name: tool_name.into(),
            args: Json::empty_object(),
        },
        Some(is_error) => Event::ToolExecutionEnd {
            tool_call_id: tool_call_id.into(),
            tool_name: tool_name.into(),
            result: ToolOutput::default().into(),
            is_error,
            duration_ms: None,
        },
    })
}

fn start() -> Notification {
    Notification::Event(Event::AgentStart)
}

fn end() -> Notification {
    Notification::Event(Event::AgentEnd { messages: Arc::new([]) })
}

fn paused(event: Option<&str>) -> Notification {
    let paused_at = event.map(|event| PausedAt { event: event.to_owned(), call_id: None, answer: false });
    let status = if event.is_some() { Status::Paused } else { Status::Running };
    Notification::State(Box::new(AgentState { status, paused_at, ..AgentState::default() }))
}

/// What is said; assertive texts begin with `!`.
fn heard(language: Language, notifications: &[Notification]) -> Vec<String> {
    let mut announcer = Announcer::new(language);
    let said = notifications.iter().flat_map(|notification| announcer.apply(notification));
    said.map(|said| match said.politeness {
        Politeness::Polite => said.text,
        Politeness::Assertive => format!("!{}", said.text),
    })
    .collect()
}

#[test]
fn f08_a_stream_is_two_texts() {
    let mut run = vec![start()];
    run.extend((0..40).map(|n| delta(&format!("word{n} "))));
    let words: String = (0..40).map(|n| format!("word{n} ")).collect();
    run.extend([answer(&words, StopReason::Stop, None), end(), Notification::Settled { aborted: false }]);
    assert_eq!(heard(Language::English, &run), ["Generating", "Response complete, 40 words"]);
    assert_eq!(heard(Language::Chinese, &run), ["正在生成", "回答完成，共 40 字"]);
}

/// The alert says in words what the status means and then what the server said; the polite region no longer says that an
/// answer is generated, and says it once, whoever tells the end.
#[test]
fn a_failure_is_said_in_words_and_ends_the_polite_text() {
    let cases = [
        (
            "429: rate limit",
            "!The server takes no more requests now: 429: rate limit",
            "!服务器暂时不接受请求：429: rate limit",
        ),
        ("401: bad key", "!The server refused the key: 401: bad key", "!服务器拒绝了密钥：401: bad key"),
        (
            "Connection error. Load failed",
            "!The browser could not reach the server: Connection error. Load failed",
            "!浏览器连不上服务器：Connection error. Load failed",
        ),
        ("500: broken", "!The request failed: 500: broken", "!请求失败：500: broken"),
        ("", "!The request failed", "!请求失败"),
    ];
    for (error, english, chinese) in cases {
        let settled = Notification::Settled { aborted: false };
        let failed = [start(), delta("par"), answer("par", StopReason::Error, Some(error)), end(), settled];
        assert_eq!(heard(Language::English, &failed), ["Generating", english, "The answer failed"]);
        assert_eq!(heard(Language::Chinese, &failed), ["正在生成", chinese, "回答失败"]);
    }
}

#[test]
fn the_boundaries_of_a_run_are_said_and_nothing_else() {
    let run = [
        start(),
        answer("I read it.", StopReason::ToolUse, None),
        tool("read", None),
        paused(Some("tool_execution_end")),
        paused(Some("tool_execution_end")),
        paused(None),
        tool("read", Some(false)),
        tool("bash", None),
        tool("bash", Some(true)),
        answer("Done", StopReason::Stop, None),
        end(),
        Notification::Settled { aborted: false },
        start(),
        answer("", StopReason::Aborted, Some("Request was aborted")),
        Notification::Settled { aborted: true },
        Notification::Problem(Problem::new("x", "No such file: a.", "Check the name.")),
        start(),
        answer("", StopReason::Error, None),
        end(),
        Notification::Ready,
    ];
    let english = [
        "Generating",
        "Tool read started",
        "Paused before tool_execution_end",
        "Tool read finished, no error",
        "Tool bash started",
        "Tool bash failed",
        "Response complete, 1 word",
        "Generating",
        "Stopped",
        "!No such file: a. Check the name.",
        "Generating",
        "!The request failed",
        "The answer failed",
    ];
    assert_eq!(heard(Language::English, &run), english);
    let chinese = [
        "正在生成",
        "工具 read 开始",
        "已暂停，下一步是 tool_execution_end",
        "工具 read 完成，没有错误",
        "工具 bash 开始",
        "工具 bash 失败",
        "回答完成，共 1 字",
        "正在生成",
        "已停止",
        "!No such file: a. Check the name.",
        "正在生成",
        "!请求失败",
        "回答失败",
    ];
    assert_eq!(heard(Language::Chinese, &run), chinese);
}

#[test]
fn texts_that_fall_due_together_become_one() {
    let said = |texts: &[&str]| {
        let of = |text: &&str| match text.strip_prefix('!') {
            Some(text) => assertive(text.to_owned()),
            None => polite((*text).to_owned()),
        };
        texts.iter().map(of).collect::<Vec<_>>()
    };
    let cases: [(&[&str], &[&str]); 4] = [
        (&[], &[]),
        (&["a"], &["a"]),
        (&["a", "b", "a", "!e", "c"], &["!e", "a; b; c"]),
        (&["!e", "!e", "!f"], &["!e", "!f"]),
    ];
    for (due, expected) in cases {
        assert_eq!(coalesce(said(due)), said(expected), "{due:?}");
    }
}

#[test]
fn words_are_counted_as_readers_count() {
    let cases = [
        ("", 0),
        ("one", 1),
        ("  two  words ", 2),
        ("a - b", 2),
        ("don't", 1),
        ("你好，世界", 4),
        ("用 Rust 写的", 4),
        ("v1.2 ok!", 2),
    ];
    assert_eq!(cases.map(|(text, _)| (text, count_words(text))), cases);
}

#[test]
fn the_language_comes_from_the_tag() {
    let cases = [
        ("zh", Language::Chinese),
        ("zh-CN", Language::Chinese),
        ("ZH_tw", Language::Chinese),
        ("en", Language::English),
        ("zha", Language::English),
        ("", Language::English),
    ];
    assert_eq!(cases.map(|(tag, _)| (tag, Language::from_tag(tag))), cases);
}

#[test]
fn a_run_that_is_held_at_an_answer_is_told_as_such() {
    let held = PausedAt { event: "execute".to_owned(), call_id: None, answer: true };
    let state = Notification::State(Box::new(AgentState { paused_at: Some(held), ..AgentState::default() }));
    for (language, words) in
        [(Language::English, "Paused at what came of execute"), (Language::Chinese, "已暂停，execute 的结果尚未采用")]
    {
        let told = Announcer::new(language).apply(&state);
        assert_eq!(told.iter().map(|told| told.text.as_str()).collect::<Vec<_>>(), [words]);
    }
}

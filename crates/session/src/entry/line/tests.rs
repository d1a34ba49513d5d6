//! What each type of entry is read as, field by field.

#![allow(clippy::unwrap_used, reason = "a test")]

use vitrine_agent::json::Json;
use vitrine_agent::message::{SharedMessage, Usage, UserMessage};

use super::super::{
    BranchSummary, Compaction, ContextEdit, Custom, CustomMessage, Label, ModelChange, Replacement,
    ThinkingLevelChange, UsageNote,
};
use super::*;

/// What a body is read as; `None` stands for [`Payload::Other`].
#[test]
fn a_body_is_what_its_type_says_or_kept_whole() {
    let id = |id: &str| EntryId::from(id);
    let json = |text: &str| Json::parse(text).unwrap();
    let text = |text: &str| UserContent::Text(text.into());
    let user = |content: &str| {
        SharedMessage::new(Message::User(UserMessage {
            content: text(content),
            timestamp: 5,
            ..UserMessage::default()
        }))
    };
    let compaction =
        |compaction: Compaction| Some(Payload::Compaction(Compaction { summary: "s".into(), ..compaction }));
    let custom_message = |content, display, details| {
        Some(Payload::CustomMessage(CustomMessage { custom_type: "c".into(), content, display, details }))
    };
    let edit = |replacement| Some(Payload::ContextEdit(ContextEdit { target_id: id("t"), replacement }));
    let usage = Usage { input: 3, ..Usage::default() };
    let cases = [
        (
            r#""type":"message","message":{"role":"user","content":"a","timestamp":5}"#,
            Some(Payload::Message(user("a"))),
        ),
        (
            r#""type":"message","message":{"role":"user","content":"\ud83d","timestamp":5}"#,
            Some(Payload::Message(user("\u{fffd}"))),
        ),
        (r#""type":"message","message":7"#, None),
        (r#""type":"message""#, None),
        (
            r#""type":"model_change","provider":"p","modelId":"m","other":[]"#,
            Some(Payload::ModelChange(ModelChange { provider: "p".into(), model_id: "m".into() })),
        ),
        (r#""type":"model_change","provider":"p","modelId":null"#, None),
        (r#""type":"model_change","provider":"p""#, None),
        (
            r#""type":"thinking_level_change","thinkingLevel":"high""#,
            Some(Payload::ThinkingLevelChange(ThinkingLevelChange { thinking_level: "high".into() })),
        ),
        (r#""type":"thinking_level_change","thinkingLevel":1"#, None),
        (
            r#""type":"usage","kind":"k","provider":"p","model":"m","usage":{"input":3},"note":null"#,
            Some(Payload::Usage(UsageNote {
                kind: "k".into(),
                provider: "p".into(),
                model: "m".into(),
                usage: usage.clone(),
                note: None,
            })),
        ),
        (r#""type":"usage","kind":"k","provider":"p","model":"m","usage":null"#, None),
        (r#""type":"compaction","summary":"s""#, compaction(Compaction::default())),
        (
            r#""type":"compaction","summary":"s","firstKeptEntryId":"k","tokensBefore":12.7,"details":{"b":1,"a":2},"usage":{"input":3},"fromHook":true,"systemMessage":{"role":"user","content":"a","timestamp":5}"#,
            compaction(Compaction {
                first_kept_entry_id: Some(id("k")),
                tokens_before: 12,
                details: Some(json(r#"{"b":1,"a":2}"#)),
                usage: Some(usage.clone()),
                from_hook: Some(true),
                system_message: Some(user("a")),
                ..Compaction::default()
            }),
        ),
        (
            r#""type":"compaction","summary":"s","firstKeptEntryId":null,"tokensBefore":-1,"details":null,"usage":null,"fromHook":null,"systemMessage":null"#,
            compaction(Compaction::default()),
        ),
        (r#""type":"compaction","summary":"s","tokensBefore":null"#, None),
        (r#""type":"compaction","summary":"s","fromHook":"yes""#, None),
        (r#""type":"compaction","tokensBefore":1"#, None),
        (
            r#""type":"branch_summary","fromId":"f","summary":"s","details":[]"#,
            Some(Payload::BranchSummary(BranchSummary {
                from_id: "f".into(),
                summary: "s".into(),
                details: Some(json("[]")),
                ..BranchSummary::default()
            })),
        ),
        (r#""type":"branch_summary","summary":"s""#, None),
        (r#""type":"context_edit","targetId":"t""#, edit(None)),
        (r#""type":"context_edit","targetId":"t","replacement":null"#, edit(None)),
        (
            r#""type":"context_edit","targetId":"t","replacement":{"content":"c"}"#,
            edit(Some(Replacement { content: text("c") })),
        ),
        (
            r#""type":"context_edit","targetId":"t","replacement":{"content":null}"#,
            edit(Some(Replacement { content: UserContent::Blocks(Vec::new()) })),
        ),
        (r#""type":"context_edit","targetId":"t","replacement":{}"#, None),
        (r#""type":"context_edit","replacement":null"#, None),
        (
            r#""type":"custom","customType":"c","data":{"b":1,"a":2}"#,
            Some(Payload::Custom(Custom { custom_type: "c".into(), data: Some(json(r#"{"b":1,"a":2}"#)) })),
        ),
        (r#""type":"custom","data":1"#, None),
        (r#""type":"custom_message","customType":"c","content":"t""#, custom_message(text("t"), false, None)),
        (
            r#""type":"custom_message","customType":"c","content":[{"type":"text","text":"t"}],"display":true,"details":1"#,
            custom_message(UserContent::Blocks(vec![Block::text("t")]), true, Some(json("1"))),
        ),
        (
            r#""type":"custom_message","customType":"c","content":null"#,
            custom_message(UserContent::Blocks(Vec::new()), false, None),
        ),
        (r#""type":"custom_message","customType":"c""#, None),
        (r#""type":"custom_message","customType":"c","content":7"#, None),
        (r#""type":"custom_message","customType":"c","content":"t","display":null"#, None),
        (r#""type":"label","targetId":"t""#, Some(Payload::Label(Label { target_id: id("t"), label: None }))),
        (
            r#""type":"label","targetId":"t","label":"l""#,
            Some(Payload::Label(Label { target_id: id("t"), label: Some("l".into()) })),
        ),
        (r#""type":"label","targetId":"t","label":1"#, None),
        (
            r#""type":"session_info","name":"n""#,
            Some(Payload::SessionInfo(SessionInfoEntry { name: Some("n".into()) })),
        ),
        (r#""type":"session_info""#, Some(Payload::SessionInfo(SessionInfoEntry::default()))),
        (r#""type":"session_info","name":[]"#, None),
        (r#""type":"later","name":[]"#, None),
    ];
    for (body, expected) in cases {
        let line = format!(r#"{{"id":"e","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z",{body}}}"#);
        let entry = Entry::parse(&line).unwrap();
        let kind = body.split('"').nth(3).unwrap().to_owned();
        assert_eq!(entry.payload, expected.unwrap_or(Payload::Other { kind }), "{body}");
        assert_eq!(&*entry.line, line);
    }
}

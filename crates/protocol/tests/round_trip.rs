//! Every command and every notification, as the exact text that crosses: read and written back it is the same.

#![allow(clippy::unwrap_used, reason = "a test")]

use serde::Serialize;
use serde::de::DeserializeOwned;
use vitrine_protocol::changes::{Changed, FileDiff, SnapshotInfo};
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::{ConnectionReport, Damaged, FileInfo, Notification, Opened, RunResult, Storage};

fn check<T: DeserializeOwned + Serialize>(texts: &[&str]) {
    for text in texts {
        let value: Result<T, _> = serde_json::from_str(text);
        let written = value.and_then(|value| serde_json::to_string(&value));
        assert_eq!(written.map_err(|error| error.to_string()), Ok((*text).to_owned()));
    }
}

/// One line for each variant; the match makes a new one fail to compile until it is here.
fn name(command: &Command) -> &'static str {
    match command {
        Command::Open { .. } => "open",
        Command::SetLanguage { .. } => "setLanguage",
        Command::TakeOver {} => "takeOver",
        Command::SetSeen { .. } => "setSeen",
        Command::Prompt { .. } => "prompt",
        Command::PlayLesson { .. } => "playLesson",
        Command::OpenLesson { .. } => "openLesson",
        Command::CloseLesson {} => "closeLesson",
        Command::ListLessons {} => "listLessons",
        Command::AnswerLesson { .. } => "answerLesson",
        Command::HintLesson { .. } => "hintLesson",
        Command::SetToys { .. } => "setToys",
        Command::AnswerToy { .. } => "answerToy",
        Command::Continue {} => "continue",
        Command::Steer { .. } => "steer",
        Command::FollowUp { .. } => "followUp",
        Command::ClearQueue {} => "clearQueue",
        Command::Abort {} => "abort",
        Command::SetModel { .. } => "setModel",
        Command::SetKey { .. } => "setKey",
        Command::ForgetKeys {} => "forgetKeys",
        Command::TestConnection { .. } => "testConnection",
        Command::SetBreakpoints { .. } => "setBreakpoints",
        Command::Pause {} => "pause",
        Command::Step {} => "step",
        Command::StepTurn {} => "stepTurn",
        Command::StepToAnswer {} => "stepToAnswer",
        Command::Resume {} => "resume",
        Command::Edit { .. } => "edit",
        Command::ListRequests {} => "listRequests",
        Command::ReadRequest { .. } => "readRequest",
        Command::ReadLedger {} => "readLedger",
        Command::Fingerprint { .. } => "fingerprint",
        Command::ListRuns {} => "listRuns",
        Command::DiffRuns { .. } => "diffRuns",
        Command::Rewind { .. } => "rewind",
        Command::Fault { .. } => "fault",
        Command::ClearFaults {} => "clearFaults",
        Command::SetPolicy { .. } => "setPolicy",
        Command::Decide { .. } => "decide",
        Command::PlayPart { .. } => "playPart",
        Command::AnswerAsModel { .. } => "answerAsModel",
        Command::AnswerAsHarness { .. } => "answerAsHarness",
        Command::ListFiles { .. } => "listFiles",
        Command::ListTree {} => "listTree",
        Command::Preview { .. } => "preview",
        Command::ReadFile { .. } => "readFile",
        Command::WriteFile { .. } => "writeFile",
        Command::MakeFolder { .. } => "makeFolder",
        Command::RemoveFile { .. } => "removeFile",
        Command::RenameFile { .. } => "renameFile",
        Command::StatFile { .. } => "statFile",
        Command::ListChanges {} => "listChanges",
        Command::DiffChange { .. } => "diffChange",
        Command::UndoChanges { .. } => "undoChanges",
        Command::ReadVersion { .. } => "readVersion",
        Command::Snapshot { .. } => "snapshot",
        Command::ListSnapshots {} => "listSnapshots",
        Command::Restore { .. } => "restore",
        Command::DiffSnapshots { .. } => "diffSnapshots",
        Command::SetTools { .. } => "setTools",
        Command::ImportZip {} => "importZip",
        Command::ExportZip {} => "exportZip",
        Command::OpenFolder { .. } => "openFolder",
        Command::FolderPlan {} => "folderPlan",
        Command::SyncFolder { .. } => "syncFolder",
        Command::ListSessions {} => "listSessions",
        Command::OpenSession { .. } => "openSession",
        Command::CreateSession {} => "createSession",
        Command::RenameSession { .. } => "renameSession",
        Command::RemoveSession { .. } => "removeSession",
        Command::ExportSession { .. } => "exportSession",
        Command::ImportSession {} => "importSession",
    }
}

#[test]
fn every_command_crosses_unchanged() {
    let texts = [
        r#"{"command":"open","workspace":"demo","lang":"zh"}"#,
        r#"{"command":"open","workspace":null,"lang":"en"}"#,
        r#"{"command":"prompt","text":"say \"hi\"\n你好"}"#,
        r#"{"command":"takeOver"}"#,
        r#"{"command":"setSeen","seen":false}"#,
        r#"{"command":"setLanguage","lang":"zh"}"#,
        r#"{"command":"openLesson","url":"only-asks"}"#,
        r#"{"command":"closeLesson"}"#,
        r#"{"command":"listLessons"}"#,
        r#"{"command":"playLesson"}"#,
        r#"{"command":"answerLesson","step":"a","option":1}"#,
        r#"{"command":"hintLesson","step":"a"}"#,
        r#"{"command":"setToys","toys":[{"name":"add","description":"Adds","parameters":{"type":"object"},"code":"return 1","sequential":true}]}"#,
        r#"{"command":"answerToy","call":3,"value":{"a":1}}"#,
        r#"{"command":"continue"}"#,
        r#"{"command":"steer","text":"a","images":[{"data":"QQ==","mimeType":"image/png"}]}"#,
        r#"{"command":"followUp","text":"a"}"#,
        r#"{"command":"clearQueue"}"#,
        r#"{"command":"abort"}"#,
        r#"{"command":"setModel","model":{"api":"openai-completions","id":"m","provider":"p","baseUrl":"http://localhost:1/v1","reasoning":true,"contextWindow":8192,"maxTokens":512,"compat":{"b":1,"a":[12345678901234567890123,2.50]}}}"#,
        r#"{"command":"setKey","key":"k","origin":"https://x.example"}"#,
        r#"{"command":"forgetKeys"}"#,
        r#"{"command":"testConnection","model":{"api":"scripted","id":"m","provider":"p","reasoning":false,"contextWindow":0,"maxTokens":0}}"#,
        r#"{"command":"setBreakpoints","breakpoints":[{},{"event":"tool_execution_start","tool":"read","path":"src/**","stopReason":"toolUse","nth":2}]}"#,
        r#"{"command":"pause"}"#,
        r#"{"command":"step"}"#,
        r#"{"command":"stepTurn"}"#,
        r#"{"command":"stepToAnswer"}"#,
        r#"{"command":"resume"}"#,
        r#"{"command":"edit","edit":{"callId":"c","args":{"b":1,"a":[12345678901234567890123,2.50]}}}"#,
        r#"{"command":"edit","edit":{"callId":"c","result":"a text"}}"#,
        r#"{"command":"edit","edit":{"callId":"c","result":[{"type":"text","text":"t"}],"isError":true}}"#,
        r#"{"command":"edit","edit":{"system":"Be brief."}}"#,
        r#"{"command":"edit","edit":{"request":{"messages":[{"role":"user","content":"x","timestamp":1}]}}}"#,
        r#"{"command":"listRequests"}"#,
        r#"{"command":"readRequest","number":3}"#,
        r#"{"command":"readLedger"}"#,
        r#"{"command":"fingerprint"}"#,
        r#"{"command":"listRuns"}"#,
        r#"{"command":"diffRuns","a":"r1","b":"r2"}"#,
        r#"{"command":"rewind","to":{"event":7}}"#,
        r#"{"command":"rewind","to":{"entryId":"a1b2"}}"#,
        r#"{"command":"fault","fault":{"kind":"unknown-tool"}}"#,
        r#"{"command":"fault","fault":{"kind":"block","reason":"not today"}}"#,
        r#"{"command":"fault","fault":{"kind":"terminate","of":"some","nth":2}}"#,
        r#"{"command":"clearFaults"}"#,
        r#"{"command":"setPolicy","policy":{"mode":"read-only","rules":[{"tool":"edit","path":"src/**","command":"git","decision":"deny","reason":"no"}]}}"#,
        r#"{"command":"decide","decisions":[{"callId":"c","decision":"allow-session"},{"callId":"d","decision":"deny","reason":"no","args":{"x":1}}]}"#,
        r#"{"command":"playPart","part":"harness"}"#,
        r#"{"command":"answerAsModel","content":[{"type":"text","text":"t"},{"type":"toolCall","id":"c","name":"read","arguments":{"path":"a"}}]}"#,
        r#"{"command":"answerAsModel","content":[],"stopReason":"length"}"#,
        r#"{"command":"answerAsHarness","callId":"c","action":"reject","text":"no"}"#,
        r#"{"command":"answerAsHarness","callId":"c","action":"result","text":"t","isError":true}"#,
        r#"{"command":"listFiles","path":""}"#,
        r#"{"command":"listTree"}"#,
        r#"{"command":"preview","path":"a.html"}"#,
        r#"{"command":"readFile","path":"a"}"#,
        r#"{"command":"writeFile","path":"a"}"#,
        r#"{"command":"makeFolder","path":"a"}"#,
        r#"{"command":"removeFile","path":"a"}"#,
        r#"{"command":"renameFile","path":"a","to":"b"}"#,
        r#"{"command":"statFile","path":"a"}"#,
        r#"{"command":"listChanges"}"#,
        r#"{"command":"diffChange","change":9007199254740991}"#,
        r#"{"command":"undoChanges","changes":[3,1]}"#,
        r#"{"command":"readVersion","change":1,"side":"before"}"#,
        r#"{"command":"readVersion","change":1,"side":"after","path":"a"}"#,
        r#"{"command":"snapshot"}"#,
        r#"{"command":"snapshot","name":"before the rewrite"}"#,
        r#"{"command":"listSnapshots"}"#,
        r#"{"command":"restore","snapshot":"start"}"#,
        r#"{"command":"diffSnapshots","from":"start"}"#,
        r#"{"command":"diffSnapshots","from":"start","to":"7"}"#,
        r#"{"command":"setTools","names":["read","grep"]}"#,
        r#"{"command":"importZip"}"#,
        r#"{"command":"exportZip"}"#,
        r#"{"command":"openFolder"}"#,
        r#"{"command":"openFolder","ignored":true}"#,
        r#"{"command":"folderPlan"}"#,
        r#"{"command":"syncFolder","save":true}"#,
        r#"{"command":"syncFolder","remove":true,"read":true,"conflicts":{"a":"mine","b/c":"theirs"}}"#,
        r#"{"command":"listSessions"}"#,
        r#"{"command":"openSession","sessionId":"s"}"#,
        r#"{"command":"createSession"}"#,
        r#"{"command":"renameSession","sessionId":"s","name":"n"}"#,
        r#"{"command":"removeSession","sessionId":"s"}"#,
        r#"{"command":"exportSession","sessionId":"s"}"#,
        r#"{"command":"importSession"}"#,
    ];
    check::<Command>(&texts);
    let mut names: Vec<String> = Vec::new();
    for text in texts {
        let command: Command = serde_json::from_str(text).unwrap();
        assert!(text.starts_with(&format!("{{\"command\":\"{}\"", name(&command))));
        names.push(name(&command).to_owned());
    }
    names.dedup();
    assert_eq!(names.len(), 73, "each variant once");
}

#[test]
fn what_is_not_a_command_is_refused_by_name() {
    let cases = [
        ("{}", "missing field `command`"),
        ("[]", "invalid length 0"),
        (r#"{"command":"nonsense"}"#, "unknown command `nonsense`"),
        (r#"{"command":"prompt"}"#, "missing field `text`"),
        (r#"{"command":"prompt","text":null}"#, "missing field `text`"),
        (r#"{"command":"steer","text":5}"#, "field `text`: invalid type: integer `5`, expected a string"),
        (r#"{"command":"open"}"#, "missing field `lang`"),
        (r#"{"command":"open","workspace":1,"lang":"en"}"#, "field `workspace`: invalid type: integer `1`"),
        (r#"{"command":"setKey","key":"k"}"#, "missing field `origin`"),
        (r#"{"command":"setModel"}"#, "missing field `model`"),
        (r#"{"command":"setModel","model":{"id":[]}}"#, "field `model`: invalid type: sequence"),
        (r#"{"command":"setBreakpoints","breakpoints":[{"nth":-1}]}"#, "field `breakpoints`: invalid value"),
        (r#"{"command":"renameFile","path":"a"}"#, "missing field `to`"),
        (r#"{"command":"readVersion","change":1,"side":"left"}"#, "field `side`: unknown variant `left`"),
        (r#"{"command":"undoChanges","changes":[-1]}"#, "field `changes`: invalid value"),
        (r#"{"command":"setTools","names":"read"}"#, "field `names`: invalid type"),
        (r#"{"command":"restore"}"#, "missing field `snapshot`"),
        (r#"{"command":"edit"}"#, "missing field `edit`"),
        (r#"{"command":"fault","fault":{"kind":"earthquake"}}"#, "field `fault`: unknown variant `earthquake`"),
        (r#"{"command":"setPolicy","policy":{"mode":"yolo"}}"#, "field `policy`: unknown variant `yolo`"),
        (r#"{"command":"answerAsModel"}"#, "missing field `content`"),
        (r#"{"command":"renameSession","name":"n"}"#, "missing field `sessionId`"),
    ];
    for (text, expected) in cases {
        let error = serde_json::from_str::<Command>(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn fields_that_may_be_left_out_cross_where_they_are_given() {
    check::<Command>(&[
        r#"{"command":"openLesson","text":"{}"}"#,
        r#"{"command":"playLesson","fresh":true}"#,
        r#"{"command":"answerToy","call":3,"error":"no"}"#,
        r#"{"command":"fingerprint","trail":true}"#,
    ]);
}

#[test]
fn a_command_takes_no_notice_of_fields_that_are_not_its_own() {
    let command: Command = serde_json::from_str(r#"{"text":1,"command":"abort","new":[{}]}"#).unwrap();
    assert_eq!(command, Command::Abort {});
    let command: Command = serde_json::from_str(r#"{"lang":"en","command":"open"}"#).unwrap();
    assert_eq!(command, Command::Open { workspace: None, lang: "en".into() });
}

#[test]
fn every_notification_crosses_unchanged() {
    let assistant = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"s"},{"type":"text","text":"a\nb"},{"type":"toolCall","id":"c","name":"read","arguments":{"path":"x","n":12345678901234567890123}},{"type":"new","x":[1]}],"api":"s","provider":"s","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0,"output":0.5,"cacheRead":0,"cacheWrite":0,"total":0.5}},"stopReason":"toolUse","timestamp":5}"#;
    let user = r#"{"role":"user","content":"plain","timestamp":1}"#;
    let result = r#"{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":"r"}],"details":{"b":1,"a":2},"isError":false,"durationMs":4,"timestamp":6}"#;
    let usage = r#"{"input":0,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":1,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}"#;
    let session = r#"{"id":"s","name":"n","createdAt":1,"changedAt":2,"nMessages":3,"current":true}"#;
    let event = |event: String| format!(r#"{{"type":"event","event":{event}}}"#);
    let update = |update: &str| {
        event(format!(r#"{{"type":"message_update","usage":{usage},"assistantMessageEvent":{update}}}"#))
    };
    let texts = [
        r#"{"type":"ready"}"#.to_owned(),
        event(r#"{"type":"agent_start"}"#.to_owned()),
        event(r#"{"type":"turn_start"}"#.to_owned()),
        event(format!(r#"{{"type":"message_start","message":{user}}}"#)),
        update(r#"{"type":"text_start","contentIndex":0}"#),
        update(r#"{"type":"text_delta","contentIndex":0,"delta":"d"}"#),
        update(r#"{"type":"text_end","contentIndex":0,"content":"d"}"#),
        update(r#"{"type":"thinking_start","contentIndex":1}"#),
        update(r#"{"type":"thinking_delta","contentIndex":1,"delta":"d"}"#),
        update(r#"{"type":"thinking_end","contentIndex":1,"content":"d"}"#),
        update(r#"{"type":"toolcall_start","contentIndex":2,"id":"c","toolName":"read"}"#),
        update(r#"{"type":"toolcall_delta","contentIndex":2,"delta":"{\"a"}"#),
        update(r#"{"type":"toolcall_end","contentIndex":2,"toolCall":{"type":"toolCall","id":"c","name":"read","arguments":{},"argumentsError":"why"}}"#),
        event(format!(r#"{{"type":"message_end","message":{assistant}}}"#)),
        event(r#"{"type":"tool_execution_start","toolCallId":"c","toolName":"read","args":{"z":1,"a":2}}"#.to_owned()),
        event(r#"{"type":"tool_execution_update","toolCallId":"c","toolName":"read","args":{},"partialResult":{"content":[{"type":"text","text":"p"}]}}"#.to_owned()),
        event(r#"{"type":"tool_execution_end","toolCallId":"c","toolName":"read","result":{"content":[],"details":{},"structuredContent":[1],"isError":true,"terminate":true},"isError":true,"durationMs":3}"#.to_owned()),
        event(r#"{"type":"tool_execution_end","toolCallId":"c","toolName":"read","result":{"content":[]},"isError":false}"#.to_owned()),
        event(format!(r#"{{"type":"turn_end","message":{assistant},"toolResults":[{result}]}}"#)),
        event(format!(r#"{{"type":"agent_end","messages":[{user},{assistant},{result}]}}"#)),
        r#"{"type":"trace","trace":{"seq":1,"at":2.5,"callId":"c","name":"read","state":"not-found","reason":"r"}}"#.to_owned(),
        format!(r#"{{"type":"state","state":{{"status":"paused","runId":"r","turn":1,"model":{{"api":"scripted","id":"m","provider":"p","reasoning":false,"contextWindow":0,"maxTokens":0}},"hasKey":false,"usage":{usage},"requests":1,"contextTokens":2,"contextWindow":3,"steering":["a"],"followUp":["b"],"pausedAt":{{"event":"turn_end","callId":"c"}},"tools":[{{"name":"read","on":true}},{{"name":"grep","on":false}}],"storage":{{"kind":"browser","role":"reader","droppedBytes":3}},"policy":{{"mode":"ask","rules":[]}},"faults":[{{"kind":"slow"}}],"part":"model","modified":true}}}}"#),
        r#"{"type":"edited","edited":{"what":"args","callId":"c","value":{"b":1,"a":2.50}}}"#.to_owned(),
        r#"{"type":"edited","edited":{"what":"system","value":"s"}}"#.to_owned(),
        r#"{"type":"request","request":{"number":1,"event":4,"runId":"r","turn":1,"url":"u","method":"POST","headers":[["a","b"]],"bytes":9,"startedAt":5,"sent":false,"sections":[{"kind":"message","role":"user","bytes":9,"tokens":3,"label":"l","sameAsBefore":true}]}}"#.to_owned(),
        format!(r#"{{"type":"rewound","rewound":{{"events":3,"runId":"r","messages":[{user}]}}}}"#),
        r#"{"type":"rewound","rewound":{"events":0,"messages":[]}}"#.to_owned(),
        r#"{"type":"fault","fault":{"kind":"late-update","callId":"c"}}"#.to_owned(),
        r#"{"type":"fault","fault":{"kind":"overloaded"}}"#.to_owned(),
        r#"{"type":"approval","approval":null}"#.to_owned(),
        r#"{"type":"approval","approval":{"id":1,"calls":[{"callId":"a","tool":"edit","args":{"z":1,"a":2},"effect":{"kind":"diff","path":"x","patch":"--- x\n","added":1,"removed":0},"asked":true,"decision":"allow"},{"callId":"b","tool":"bash","args":{},"effect":{"kind":"command","command":"ls"},"asked":false},{"callId":"c","tool":"edit","args":{},"effect":{"kind":"fails","message":"m"},"asked":false},{"callId":"d","tool":"x","args":{},"effect":{"kind":"call"},"asked":false}]}}"#.to_owned(),
        r#"{"type":"part","part":null}"#.to_owned(),
        r#"{"type":"part","part":{"part":"model","request":2,"tools":[{"name":"t","description":"d","parameters":{"type":"object"}}]}}"#.to_owned(),
        r#"{"type":"part","part":{"part":"harness","callId":"c","tool":"t","args":{"b":1,"a":2.50}}}"#.to_owned(),
        format!(r#"{{"type":"sessionOpened","session":{session},"messages":[{user},{assistant},{{"role":"custom","x":{{"b":1,"a":2}}}}]}}"#),
        format!(r#"{{"type":"sessions","sessions":[{session}]}}"#),
        r#"{"type":"file","file":{"path":"a","change":"written","callId":"c","id":7}}"#.to_owned(),
        r#"{"type":"settled","aborted":true}"#.to_owned(),
        r#"{"type":"problem","problem":{"code":"c","message":"m","help":"h"}}"#.to_owned(),
        r#"{"type":"reply","reply":{"id":3,"ok":{"b":[1,2.0],"a":null}}}"#.to_owned(),
        r#"{"type":"reply","reply":{"id":3,"problem":{"code":"c","message":"m","help":"h"}}}"#.to_owned(),
        r#"{"type":"reply","reply":{"id":3}}"#.to_owned(),
    ];
    check::<Notification>(&texts.each_ref().map(String::as_str));
}

#[test]
fn every_reply_value_crosses_unchanged() {
    check::<RunResult>(&[
        r#"{"runId":"r","stopReason":"error","errorMessage":"e","text":"t","turns":2,"aborted":false}"#,
        r#"{"runId":"r","stopReason":"stop","text":"","turns":1,"aborted":true}"#,
    ]);
    check::<FileInfo>(&[
        r#"{"path":"a/b","name":"b","kind":"file","size":3}"#,
        r#"{"path":"a","name":"a","kind":"folder","size":0}"#,
    ]);
    check::<Changed>(&[
        r#"{"id":7,"path":"a","to":"b","change":"renamed","paths":1,"by":"tool","callId":"c","runId":"r","turn":2,"atMs":5,"undone":false,"canUndo":true}"#,
        r#"{"id":8,"path":"","change":"restored","paths":3,"by":"other-tab","atMs":0,"undone":true,"canUndo":false}"#,
    ]);
    check::<FileDiff>(&[
        r#"{"path":"b","from":"a","change":"renamed","binary":false,"patch":"--- a\n","bytesBefore":1,"bytesAfter":2}"#,
        r#"{"path":"a","change":"removed","binary":true,"bytesBefore":1,"tooLarge":true}"#,
    ]);
    check::<SnapshotInfo>(&[r#"{"id":"start","atMs":5}"#, r#"{"id":"3","name":"n","atMs":5}"#]);
    let text = r#"{"kind":"browser","role":"writer","droppedBytes":9,"damages":[{"path":"b","bytes":5,"madeGood":false},{"bytes":4,"madeGood":true}]}"#;
    check::<Storage>(&[text]);
    let damaged = |path: &str, made_good| Damaged { path: Some(path.into()), bytes: 1, made_good };
    let lost = |paths: &[(&str, bool)]| {
        let damages = paths.iter().map(|(path, made_good)| damaged(path, *made_good)).collect();
        Storage { damages, ..Storage::default() }.lost_files()
    };
    assert_eq!(lost(&[]), "");
    assert_eq!(lost(&[("b", false), ("good", true), ("b", false), ("a/c", false)]), "b, a/c");
    assert_eq!(lost(&["1", "2", "3", "4", "5", "6"].map(|path| (path, false))), "1, 2, 3, 4, 5, …");
    check::<ConnectionReport>(&[
        r#"{"ok":false,"verdict":"cors","status":403,"detail":"d","causes":[{"code":"cors","answer":"yes","fix":"OLLAMA_ORIGINS=x"},{"code":"csp","answer":"no"}],"models":["m"]}"#,
    ]);
    for (kind, reason) in [("browser", ""), ("memory", ""), ("unavailable", r#","reason":"no OPFS""#)] {
        let text = format!(
            r#"{{"storage":{{"kind":"{kind}","role":"writer"{reason},"droppedBytes":0}},"sessions":[],"state":{{"status":"idle","turn":0,"model":{{"api":"","id":"","provider":"","reasoning":false,"contextWindow":0,"maxTokens":0}},"hasKey":true,"usage":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}},"requests":0,"contextTokens":0,"contextWindow":0,"steering":[],"followUp":[],"tools":[],"storage":{{"kind":"memory","role":"writer","droppedBytes":0}},"policy":{{"mode":"auto","rules":[]}},"faults":[],"part":"none","modified":false}},"session":{{"id":"","name":"","createdAt":0,"changedAt":0,"nMessages":0,"current":false}}}}"#
        );
        check::<Opened>(&[&text]);
    }
}

#[test]
fn what_is_not_a_notification_is_refused() {
    for text in [r#"{"type":"nonsense"}"#, r#"{"type":"event"}"#, r#"{"type":"reply"}"#, "{}", "[]", "1"] {
        assert!(serde_json::from_str::<Notification>(text).is_err(), "{text}");
    }
}

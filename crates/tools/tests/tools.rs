//! Every tool, case by case: files, one call, and the whole of what comes back.
//!
//! A file's contents and an expected text are written as a string or as a list of pieces: a string, `{"times": n, "text":
//! t}`, `{"lines": [a, b]}` for `line a` to `line b` joined by line feeds, or `{"base64": t}`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test that panics has failed")]

use std::rc::Rc;

use data_encoding::BASE64;
use futures_util::FutureExt as _;
use serde_json::{Map, Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, Tool, ToolError, ToolOutput};
use vitrine_tools::{ALL, DEFAULT, Paths, Registry, RegistryError, Switch, Tables};
use vitrine_vfs::{Workspace, WorkspacePath};

fn bytes(contents: &Value) -> Vec<u8> {
    match contents {
        Value::String(text) => text.clone().into_bytes(),
        Value::Array(pieces) => pieces.iter().flat_map(bytes).collect(),
        piece if piece.get("lines").is_some() => {
            let (from, to) = (piece["lines"][0].as_u64().unwrap(), piece["lines"][1].as_u64().unwrap());
            (from..=to).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n").into_bytes()
        }
        piece if piece.get("times").is_some() => {
            piece["text"].as_str().unwrap().repeat(piece["times"].as_u64().unwrap() as usize).into_bytes()
        }
        piece => BASE64.decode(piece["base64"].as_str().unwrap().as_bytes()).unwrap(),
    }
}

fn text(contents: &Value) -> String {
    String::from_utf8(bytes(contents)).unwrap()
}

/// Details as written in a case, with the pieces of `content` put together.
fn details(details: &Value) -> Value {
    match details {
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, value)| {
                    let value = if key == "content" { json!(text(value)) } else { self::details(value) };
                    (key.clone(), value)
                })
                .collect(),
        ),
        other => other.clone(),
    }
}

fn workspace(files: Option<&Value>) -> Workspace {
    let workspace = Workspace::in_memory();
    for (path, contents) in files.and_then(Value::as_object).into_iter().flatten() {
        let place = WorkspacePath::parse(path).unwrap();
        if path.ends_with('/') {
            workspace.mkdir(&place).unwrap();
        } else {
            workspace.write(&place, bytes(contents)).unwrap();
        }
    }
    workspace
}

fn call(tool: &Rc<dyn Tool>, arguments: Value, signal: AbortSignal) -> Result<ToolOutput, ToolError> {
    let invocation = Invocation { call_id: "c1".into(), arguments, signal, on_update: Box::new(|_| {}) };
    tool.execute(invocation).now_or_never().unwrap_or_else(|| panic!("nothing here has to wait"))
}

fn check(tool: &str, case: &Value) {
    let about = case["about"].as_str().unwrap();
    let workspace = workspace(case.get("files"));
    let paths = match case.get("at") {
        Some(at) => Paths::new(at[0].as_str().unwrap(), at[1].as_str().unwrap(), &Tables),
        None => Paths::default(),
    };
    let registry = Registry::new(&workspace, &paths, ALL).unwrap().with_search(&workspace, &paths).unwrap();
    registry.switch("grep", Switch::On).and_then(|()| registry.switch("find", Switch::On)).unwrap();
    let tool = registry.get(tool).unwrap();
    let prepared = tool.prepare(&Json::from_value(&case["args"]));
    if let Some(refused) = case.get("refused") {
        assert_eq!(prepared.unwrap_err(), refused.as_str().unwrap(), "{about}");
        return;
    }
    let signal = AbortSignal::new();
    if case.get("aborted").is_some() {
        signal.abort();
    }
    let found = call(&tool, prepared.unwrap(), signal);
    if let Some(error) = case.get("error") {
        assert_eq!(found.unwrap_err().0, text(error), "{about}");
    } else {
        let expected_content = match case.get("content") {
            Some(content) => content.clone(),
            None => json!([{"type": "text", "text": text(&case["text"])}]),
        };
        let mut expected = Map::new();
        expected.insert("content".to_owned(), expected_content);
        if let Some(found) = case.get("details") {
            expected.insert("details".to_owned(), details(found));
        }
        match case.get("structured") {
            Some(structured) => drop(expected.insert("structuredContent".to_owned(), structured.clone())),
            None if tool.spec().name == "read" => {
                drop(expected.insert("structuredContent".to_owned(), json!(text(&case["text"]))));
            }
            None => {}
        }
        assert_eq!(serde_json::to_value(found.unwrap()).unwrap(), Value::Object(expected), "{about}");
    }
    for (path, contents) in case.get("after").and_then(Value::as_object).into_iter().flatten() {
        let place = WorkspacePath::parse(path).unwrap();
        let found = workspace.read(&place).ok().map(|bytes| bytes.to_vec());
        let expected = (!contents.is_null()).then(|| bytes(contents));
        assert_eq!(found, expected, "{about}: {path}");
    }
}

fn run(tool: &str, cases: &str) {
    for case in serde_json::Deserializer::from_str(cases).into_iter::<Value>() {
        check(tool, &case.unwrap());
    }
}

#[test]
fn read() {
    run("read", include_str!("cases/read.jsonl"));
}

#[test]
fn write() {
    run("write", include_str!("cases/write.jsonl"));
}

#[test]
fn edit() {
    run("edit", include_str!("cases/edit.jsonl"));
}

#[test]
fn grep() {
    run("grep", include_str!("cases/grep.jsonl"));
}

#[test]
fn find() {
    run("find", include_str!("cases/find.jsonl"));
}

#[test]
fn ls() {
    run("ls", include_str!("cases/ls.jsonl"));
}

#[test]
fn paths() {
    for case in serde_json::Deserializer::from_str(include_str!("cases/paths.jsonl")).into_iter::<Value>() {
        let case = case.unwrap();
        let paths = Paths::new(case["root"].as_str().unwrap(), case["cwd"].as_str().unwrap(), &Tables);
        for (raw, expected) in case["paths"].as_object().unwrap() {
            let found = match paths.resolve(raw) {
                Ok(resolved) => json!([resolved.path.as_str(), resolved.shown]),
                Err(message) => json!(message),
            };
            assert_eq!(found, *expected, "{raw:?}");
        }
    }
}

#[test]
fn the_registry_has_the_tools_in_their_order_and_by_exact_name() {
    let workspace = Workspace::in_memory();
    let paths = Paths::default();
    let registry = |names: &[&str]| Registry::new(&workspace, &paths, names);
    let names = |registry: &Registry| registry.specs().into_iter().map(|spec| spec.name).collect::<Vec<_>>();
    assert_eq!(names(&registry(ALL).unwrap()), ["read", "edit", "write", "ls"]);
    assert_eq!(names(&registry(&["ls", "read", "ls"]).unwrap()), ["read", "ls"]);
    assert_eq!(registry(&["read", "cat"]).unwrap_err(), RegistryError::Unknown { name: "cat".to_owned() });
    let few = registry(DEFAULT).unwrap().with_search(&workspace, &paths).unwrap();
    let shared = few.clone();
    assert_eq!(names(&few), ["read", "edit", "write"]);
    assert!(few.get("grep").is_none(), "one that is off is not there");
    few.switch("grep", Switch::On).unwrap();
    few.switch("read", Switch::Off).unwrap();
    assert_eq!(
        (names(&shared), shared.get("read").is_some()),
        (vec!["edit".into(), "write".into(), "grep".into()], false)
    );
    assert_eq!(few.switch("cat", Switch::On), Err(RegistryError::Unknown { name: "cat".to_owned() }));
    let all = registry(ALL).unwrap().with_search(&workspace, &paths).unwrap();
    for name in ["grep", "find"] {
        all.switch(name, Switch::On).unwrap();
    }
    assert_eq!(names(&all), ["read", "edit", "write", "grep", "find", "ls"], "the order is pi's");
    for name in ["Read", "read ", "functions.read", ""] {
        assert!(all.get(name).is_none(), "{name:?}");
    }
    for spec in all.specs() {
        let parameters = spec.parameters.to_value();
        assert_eq!(parameters["type"], "object", "{}", spec.name);
        assert!(parameters.get("additionalProperties").is_none(), "extra arguments are tolerated");
        let strict = json!({"type": "json_schema", "strict": "prefer"});
        let is_held = matches!(&*spec.name, "read" | "edit" | "write");
        assert_eq!(spec.constrained_sampling.as_ref().map(Json::to_value), is_held.then_some(strict), "{}", spec.name);
    }

    // All at once: those named are on, the others off, for every clone; a call that is under way finds its tool.
    let clone = all.clone();
    let wanted = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(all.switch_to(&wanted(&["ls", "read"])), Ok(()));
    assert_eq!(names(&clone), ["read", "ls"]);
    let unknown = RegistryError::Unknown { name: "cat".to_owned() };
    assert_eq!(all.switch_to(&wanted(&["write", "cat"])), Err(unknown));
    assert_eq!(names(&clone), ["read", "ls"], "an unknown name switches nothing");
    assert!(clone.get("write").is_none() && clone.named("write").is_some() && clone.named("cat").is_none());
    let switches = all.switches().into_iter().map(|(name, switch)| (name, switch == Switch::On));
    let expected = [("read", true), ("edit", false), ("write", false), ("grep", false), ("find", false), ("ls", true)];
    assert_eq!(switches.collect::<Vec<_>>(), expected.map(|(name, on)| (name.to_owned(), on)));
    assert_eq!(all.switch_to(&[]), Ok(()));
    assert_eq!(names(&clone), [""; 0]);
}

#[test]
fn writes_to_one_file_keep_the_order_in_which_they_were_asked_for() {
    let workspace = Workspace::in_memory();
    let registry = Registry::new(&workspace, &Paths::default(), ALL).unwrap();
    let tool = registry.get("write").unwrap();
    let asked = |path: &str, content: &str| {
        tool.execute(Invocation {
            call_id: "c".into(),
            arguments: json!({"path": path, "content": content}),
            signal: AbortSignal::new(),
            on_update: Box::new(|_| {}),
        })
    };
    let (mut first, mut second, other) = (asked("a", "1"), asked("./a", "2"), asked("b", "3"));
    assert!((&mut second).now_or_never().is_none(), "the first has not run");
    assert!(other.now_or_never().is_some(), "another file does not wait");
    assert!((&mut first).now_or_never().is_some());
    drop(first);
    assert!(second.now_or_never().is_some());
    assert_eq!(&*workspace.read(&WorkspacePath::parse("a").unwrap()).unwrap(), b"2");
    // The same line for every tool that changes files.
    let edit = registry.get("edit").unwrap();
    let arguments = json!({"path": "a", "edits": [{"oldText": "5", "newText": "6"}]});
    let (signal, on_update) = (AbortSignal::new(), Box::new(|_| {}));
    let before = asked("a", "5");
    let mut edited = edit.execute(Invocation { call_id: "e".into(), arguments, signal, on_update });
    assert!((&mut edited).now_or_never().is_none(), "the write before it has not run");
    assert!(before.now_or_never().is_some());
    assert!(edited.now_or_never().unwrap().is_ok());
    assert_eq!(&*workspace.read(&WorkspacePath::parse("a").unwrap()).unwrap(), b"6");
    // A call that is dropped before it ran gives its turn on.
    let (dropped, next) = (asked("a", "3"), asked("a", "4"));
    drop(dropped);
    assert!(next.now_or_never().is_some());
    assert_eq!(&*workspace.read(&WorkspacePath::parse("a").unwrap()).unwrap(), b"4");
}

#[test]
fn a_large_file_is_read_in_pages_of_its_own_size() {
    let line = "0123456789012345678901234567890123456789012345678\n";
    let workspace = Workspace::in_memory();
    workspace.write(&WorkspacePath::parse("big").unwrap(), line.repeat(1 << 20).into_bytes()).unwrap();
    let registry = Registry::new(&workspace, &Paths::default(), ALL).unwrap();
    let output = call(&registry.get("read").unwrap(), json!({"path": "big", "offset": 1_048_000}), AbortSignal::new());
    let expected = line.repeat(577);
    assert_eq!(output.unwrap().structured_content, Some(Json::from_value(&json!(expected))));
}

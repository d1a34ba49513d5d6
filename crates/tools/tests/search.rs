//! `grep` and `find` give what pi gives, which asks ripgrep and fd, on trees made at random; recorded from pi 1.6.
//!
//! Where they do otherwise: `?` in a glob is a character, where fd's is a byte; a regular expression that is none, or that finds
//! nothing, is searched for as a text; and the order is that of the names, where theirs is of chance.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test that panics has failed")]

use data_encoding::BASE64;
use futures_util::FutureExt as _;
use serde_json::{Value, json};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, ToolOutput};
use vitrine_tools::{ALL, Paths, Registry, Switch};
use vitrine_vfs::{Workspace, WorkspacePath};

fn workspace(files: &Value) -> Workspace {
    let workspace = Workspace::in_memory();
    for (path, contents) in files.as_object().unwrap() {
        let bytes = match contents {
            Value::String(text) => text.clone().into_bytes(),
            other => BASE64.decode(other["base64"].as_str().unwrap().as_bytes()).unwrap(),
        };
        workspace.write(&WorkspacePath::parse(path).unwrap(), bytes).unwrap();
    }
    workspace
}

fn call(workspace: &Workspace, tool: &str, arguments: &Value) -> Result<ToolOutput, String> {
    let paths = Paths::default();
    let registry = Registry::new(workspace, &paths, ALL).unwrap().with_search(workspace, &paths).unwrap();
    registry.switch(tool, Switch::On).unwrap();
    let tool = registry.get(tool).unwrap();
    let (arguments, on_update) = (arguments.clone(), Box::new(|_| {}));
    let invocation = Invocation { call_id: "c".into(), arguments, signal: AbortSignal::new(), on_update };
    tool.execute(invocation).now_or_never().unwrap().map_err(|error| error.0)
}

fn shown(output: &ToolOutput) -> String {
    let content = serde_json::to_value(&output.content).unwrap();
    content[0]["text"].as_str().unwrap().to_owned()
}

/// The lines of each file together and in order, files in the order of their names.
fn sorted(text: &str, paths: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let file = |line: &String| paths.iter().find(|path| line.starts_with(path.as_str())).cloned().unwrap_or_default();
    lines.sort_by_cached_key(file);
    lines
}

#[test]
fn what_pi_does() {
    let mut n_same = 0;
    for (n, line) in include_str!("cases/search_recorded.jsonl").lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let about = format!("line {}: {} {} in {}", n + 1, case["tool"], case["args"], case["files"]);
        let output = call(&workspace(&case["files"]), case["tool"].as_str().unwrap(), &case["args"]);
        if let Some(error) = case["error"].as_str() {
            assert!(error.contains("regex parse error") || output == Err(error.to_owned()), "{about}: {output:?}");
            continue;
        }
        let output = output.unwrap_or_else(|error| panic!("{about}: {error}"));
        let expected = case["text"].as_str().unwrap();
        let text = shown(&output);
        if expected == "No matches found" && text != expected {
            assert!(text.contains("[The pattern matches nothing as a regular expression;"), "{about}: {text}");
            continue;
        }
        let mut paths: Vec<String> = case["files"].as_object().unwrap().keys().cloned().collect();
        paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
        if case["args"]["pattern"] == "?.ts" && text.contains("é.ts") {
            continue;
        }
        if case["tool"] == "find" {
            let sorted = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            // The recording had a repository.
            assert_eq!(sorted(&text), sorted(&expected.replace(".git/\n", "")), "{about}");
        } else {
            assert_eq!(sorted(&text, &paths), sorted(expected, &paths), "{about}");
        }
        assert_eq!(json!(output.details), case.get("details").cloned().unwrap_or_default(), "{about}");
        n_same += 1;
    }
    assert!(n_same > 600, "{n_same}");
}

//! `bash` over a shell that does as it is told: the texts, details and data of its results, and what becomes of changes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect should stop"
)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_util::FutureExt as _;
use futures_util::future::{LocalBoxFuture, pending, ready};
use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::message::join_text;
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, Tool as _, ToolError, ToolOutput};
use vitrine_shell::Change;
use vitrine_tools::bash::{Bash, End, Finished, Mirror, Shell, ShellCommand, apply};
use vitrine_tools::mutation_queue::MutationQueue;
use vitrine_tools::{Paths, Registry};
use vitrine_vfs::{Author, Limits, Workspace, WorkspacePath};

/// Prints its pieces at once and ends as it should.
struct Scripted {
    pieces: Vec<Vec<u8>>,
    finished: Finished,
    timeouts: RefCell<Vec<Option<u32>>>,
    pauses: Cell<u32>,
}

impl Shell for Scripted {
    fn run(&self, mut command: ShellCommand) -> LocalBoxFuture<'static, Finished> {
        self.timeouts.borrow_mut().push(command.timeout_ms);
        self.pieces.iter().for_each(|piece| (command.on_output)(piece));
        ready(self.finished.clone()).boxed_local()
    }
    fn now_ms(&self) -> f64 {
        0.0
    }
    fn sleep(&self, _: u32) -> LocalBoxFuture<'static, ()> {
        self.pauses.set(self.pauses.get() + 1);
        pending().boxed_local()
    }
}

struct Ran {
    result: Result<ToolOutput, ToolError>,
    updates: Vec<ToolOutput>,
    workspace: Workspace,
    timeouts: Vec<Option<u32>>,
}

fn run(arguments: Value, printed: &[u8], end: End, notes: &[&str]) -> Ran {
    let workspace = Workspace::in_memory();
    let notes = notes.iter().map(|note| (*note).to_owned()).collect();
    let shell = Rc::new(Scripted {
        pieces: vec![printed.to_vec()],
        finished: Finished { end, notes },
        timeouts: RefCell::default(),
        pauses: Cell::default(),
    });
    let tool = Bash::new(workspace.clone(), Paths::default(), shell.clone(), MutationQueue::default()).unwrap();
    let updates = Rc::new(RefCell::new(Vec::new()));
    let telling = updates.clone();
    let invocation = Invocation {
        call_id: "c".into(),
        arguments,
        signal: AbortSignal::new(),
        on_update: Box::new(move |update| telling.borrow_mut().push(update)),
    };
    let result = tool.execute(invocation).now_or_never().unwrap();
    let (updates, timeouts) = (updates.take(), shell.timeouts.take());
    Ran { result, updates, workspace, timeouts }
}

fn text(output: &ToolOutput) -> String {
    join_text(&output.content)
}

#[test]
fn short_results_read_as_pis() {
    let command = || json!({"command": "x"});
    let exited = |printed: &[u8], code| {
        let output = run(command(), printed, End::Exited(code), &[]).result.unwrap();
        (text(&output), output.is_error, output.details)
    };
    assert_eq!(exited(b"hi\n", 0), ("hi\n".into(), false, None));
    assert_eq!(exited(b"", 0), ("(no output)".into(), false, None));
    assert_eq!(exited(b"oh\n", 3), ("oh\n\n\nCommand exited with code 3".into(), true, None));
    assert_eq!(exited(b"", 1), ("(no output)\n\nCommand exited with code 1".into(), true, None));
    assert_eq!(exited(b" 1%\r100%\ndone\r\n", 0), ("100%\ndone\n".into(), false, None));

    let thrown = |arguments, printed: &[u8], end| run(arguments, printed, end, &[]).result.unwrap_err().0;
    assert_eq!(thrown(command(), b"", End::Aborted), "Command aborted");
    assert_eq!(thrown(command(), b"so far", End::Aborted), "so far\n\nCommand aborted");
    let limited = json!({"command": "x", "timeout": 1.5});
    assert_eq!(thrown(limited, b"a", End::TimedOut), "a\n\nCommand timed out after 1.5 seconds");
    assert_eq!(thrown(command(), b"", End::Refused("no".into())), "no");
    let noted = run(command(), b"a", End::Exited(0), &["Not saved"]).result.unwrap();
    assert_eq!(text(&noted), "a\n\n[Not saved]");
}

#[test]
fn timeouts_are_checked() {
    let limit = |timeout: Value| {
        let ran = run(json!({"command": "x", "timeout": timeout}), b"", End::Exited(0), &[]);
        ran.result.map(|_| ran.timeouts[0]).map_err(|error| error.0)
    };
    assert_eq!(limit(json!(0.25)), Ok(Some(250)));
    assert_eq!(limit(json!(0)), Ok(None));
    assert_eq!(limit(json!(2_147_483.647)), Ok(Some(2_147_483_647)));
    assert_eq!(limit(json!(2_147_483.648)), Err("Invalid timeout: maximum is 2147483.647 seconds".into()));
    assert_eq!(limit(Value::Null), Ok(None));
    assert_eq!(run(json!({"command": "x"}), b"", End::Exited(0), &[]).timeouts, [None]);
}

#[test]
fn the_first_update_is_empty() {
    let ran = run(json!({"command": "x"}), b"a", End::Exited(0), &[]);
    assert_eq!(ran.updates, [ToolOutput::default()]);
}

#[test]
fn long_output_is_cut_and_kept() {
    let lines: String = (1..=2500).map(|line| format!("{line}\n")).collect();
    let ran = run(json!({"command": "x"}), lines.as_bytes(), End::Exited(0), &[]);
    let output = ran.result.unwrap();
    let shown: String = (501..=2500).map(|line| format!("{line}\n")).collect();
    let notice = "[Showing lines 501-2500 of 2500. Full output: /workspace/.vitrine/output/bash-1.txt]";
    assert_eq!(text(&output), format!("{}\n\n{notice}", shown.trim_end()));
    let kept = ran.workspace.read(&WorkspacePath::parse(".vitrine/output/bash-1.txt").unwrap()).unwrap();
    assert_eq!(&*kept, lines.as_bytes());
    let details = output.details.unwrap().to_value();
    assert_eq!(details["fullOutputPath"], "/workspace/.vitrine/output/bash-1.txt");
    assert_eq!(details["truncation"]["truncatedBy"], "lines");
    let data = output.structured_content.unwrap().to_value();
    let wanted = json!({
        "output": lines, "truncated": false, "full_output_path": "/workspace/.vitrine/output/bash-1.txt",
        "exit_code": 0, "wall_time_seconds": 0.0,
    });
    assert_eq!(data, wanted);

    let line = format!("{}\n", "é".repeat(40_000));
    let output = run(json!({"command": "x"}), line.as_bytes(), End::Exited(0), &[]).result.unwrap();
    let notice = "[Showing last 50.0KB of line 1 (line is 78.1KB). Full output: /workspace/.vitrine/output/bash-1.txt]";
    assert_eq!(text(&output), format!("{}\n\n{notice}", "é".repeat(25_600)));

    let wide: String = (0..1000).map(|_| format!("{}\n", "x".repeat(99))).collect();
    let output = run(json!({"command": "x"}), wide.as_bytes(), End::Exited(0), &[]).result.unwrap();
    let notice = "[Showing lines 489-1000 of 1000 (50.0KB limit). Full output: /workspace/.vitrine/output/bash-1.txt]";
    assert!(text(&output).ends_with(notice), "{}", &text(&output)[text(&output).len() - 150..]);
}

#[test]
fn the_schema_is_pis() {
    let ran = Bash::new(Workspace::in_memory(), Paths::default(), Rc::new(silent()), MutationQueue::default()).unwrap();
    let parameters = ran.spec().parameters.to_value();
    assert_eq!(parameters["required"], json!(["command"]));
    assert_eq!(parameters["properties"]["timeout"]["type"], "number");
    assert!(
        ran.prepare(&Json::from_value(&json!({"command": "x", "timeout": "5"}))).is_ok_and(|it| it["timeout"] == 5)
    );
    assert!(ran.prepare(&Json::from_value(&json!({}))).is_err());
}

fn silent() -> Scripted {
    let finished = Finished { end: End::Exited(0), notes: Vec::new() };
    Scripted { pieces: Vec::new(), finished, timeouts: RefCell::default(), pauses: Cell::default() }
}

fn write(path: &str, text: &str) -> Change {
    Change::Write { path: path.into(), bytes: text.into() }
}

fn append(path: &str, text: &str) -> Change {
    Change::Append { path: path.into(), bytes: text.into() }
}

fn all(workspace: &Workspace) -> Vec<(String, String)> {
    let files = workspace.files(&WorkspacePath::root()).unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    files.into_iter().map(|(path, bytes)| (path.to_string(), text(&bytes))).collect()
}

#[test]
fn changes_of_the_shell_come_into_the_workspace_in_order() {
    let workspace = Workspace::in_memory();
    let problems = apply(
        &workspace,
        vec![
            write("a", "1"),
            append("a", "2"),
            append("b/c", "x"),
            Change::Folder { path: "d".into() },
            write("old", "o"),
            Change::Rename { from: "a".into(), to: "old".into() },
            Change::Rename { from: "b".into(), to: "d".into() },
            write("gone", ""),
            Change::Remove { path: "gone".into() },
            Change::Remove { path: "never".into() },
        ],
    );
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(all(&workspace), [("d/c".to_owned(), "x".to_owned()), ("old".into(), "12".into())]);
}

#[test]
fn what_does_not_fit_is_said_and_the_rest_is_there() {
    let workspace = Workspace::in_memory_with(Limits { file_bytes: 4, ..Limits::default() });
    let problems = apply(&workspace, vec![write("a", "1"), write("big", "12345"), write("b", "2")]);
    assert!(problems.len() == 1 && problems[0].contains("big"), "{problems:?}");
    assert_eq!(all(&workspace), [("a".to_owned(), "1".to_owned()), ("b".into(), "2".into())]);
}

#[test]
fn a_thousand_lines_are_one_change_and_a_later_writer_wins() {
    let workspace = Workspace::in_memory();
    let mut mirror = Mirror::new(workspace.clone());
    mirror.take(write("log", ""));
    (0..1000).for_each(|_| mirror.take(append("log", "x\n")));
    mirror.take(write("other", "o"));
    mirror.overtaken(&WorkspacePath::parse("other").unwrap());
    assert_eq!(mirror.settle(), [write("log", &"x\n".repeat(1000))]);
    assert!(mirror.is_settled());
    apply(&workspace, vec![write("a/b", "1")]);
    workspace.mkdir(&WorkspacePath::parse("e").unwrap()).unwrap();
    let everything = [
        Change::Remove { path: String::new() },
        Change::Folder { path: "a".into() },
        Change::Folder { path: "e".into() },
        write("a/b", "1"),
    ];
    assert_eq!(mirror.everything(), everything);
    assert_eq!(mirror.echo(&write("a/b", "other")), [write("a/b", "1")]);
    assert_eq!(mirror.echo(&write("a", "other")), [Change::Folder { path: "a".into() }]);
}

/// Prints everything, sleeps never, and writes a file when it is let go.
struct Slow {
    workspace: Workspace,
    pieces: Vec<Vec<u8>>,
    go: RefCell<Option<AbortSignal>>,
}

impl Shell for Slow {
    fn run(&self, mut command: ShellCommand) -> LocalBoxFuture<'static, Finished> {
        self.pieces.iter().for_each(|piece| (command.on_output)(piece));
        let (workspace, go) = (self.workspace.by(Author::Shell(Some(command.call_id))), self.go.take());
        async move {
            if let Some(go) = go {
                go.aborted().await;
            }
            let path = WorkspacePath::parse("a.txt").unwrap();
            let so_far = workspace.read(&path).map(|bytes| bytes.to_vec()).unwrap_or_default();
            workspace.write(&path, [so_far.as_slice(), b" shell"].concat()).unwrap();
            Finished { end: End::Exited(0), notes: Vec::new() }
        }
        .boxed_local()
    }
    fn now_ms(&self) -> f64 {
        0.0
    }
    fn sleep(&self, _: u32) -> LocalBoxFuture<'static, ()> {
        ready(()).boxed_local()
    }
}

fn call(id: &str, arguments: Value, signal: &AbortSignal) -> Invocation {
    Invocation { call_id: id.into(), arguments, signal: signal.clone(), on_update: Box::new(|_| ()) }
}

#[test]
fn a_command_and_the_changes_of_other_tools_happen_in_the_order_of_their_calls_and_are_signed() {
    let workspace = Workspace::in_memory();
    let let_go = AbortSignal::new();
    let slow = Slow { workspace: workspace.clone(), pieces: Vec::new(), go: RefCell::new(Some(let_go.clone())) };
    let tools = Registry::new(&workspace, &Paths::default(), &["write", "edit"]).unwrap();
    let bash = Bash::new(workspace.clone(), Paths::default(), Rc::new(slow), tools.queue().clone()).unwrap();
    let tools = tools.with(Rc::new(bash));
    let authors: Rc<RefCell<Vec<Author>>> = Rc::default();
    let heard = authors.clone();
    workspace.observe(Rc::new(move |change| heard.borrow_mut().push(change.author.clone())));

    let signal = AbortSignal::new();
    let begin = |name: &str, id: &str, arguments: Value| {
        tools.get(name).unwrap().execute(call(id, arguments, &signal)).shared()
    };
    let first = begin("write", "1", json!({"path": "a.txt", "content": "one"}));
    let second = begin("bash", "2", json!({"command": "x"}));
    let edits = json!({"path": "a.txt", "edits": [{"oldText": "one shell", "newText": "edited"}]});
    let third = begin("edit", "3", edits);
    let fourth = begin("bash", "4", json!({"command": "x"}));
    // Whoever is asked first does not matter.
    assert!(fourth.clone().now_or_never().is_none() && third.clone().now_or_never().is_none());
    assert!(second.clone().now_or_never().is_none());
    assert!(first.now_or_never().unwrap().is_ok());
    assert!(second.clone().now_or_never().is_none() && third.clone().now_or_never().is_none());
    let_go.abort();
    assert!(second.now_or_never().unwrap().is_ok());
    assert!(fourth.clone().now_or_never().is_none());
    assert!(third.now_or_never().unwrap().is_ok());
    assert!(fourth.now_or_never().unwrap().is_ok());
    assert_eq!(all(&workspace), [("a.txt".to_owned(), "edited shell".to_owned())]);
    let expected = [
        Author::ToolCall("1".into()),
        Author::Shell(Some("2".into())),
        Author::ToolCall("3".into()),
        Author::Shell(Some("4".into())),
    ];
    assert_eq!(*authors.borrow(), expected);
}

#[test]
fn a_command_that_is_aborted_while_it_waits_never_begins() {
    let workspace = Workspace::in_memory();
    let queue = MutationQueue::default();
    let slow = Slow { workspace: workspace.clone(), pieces: Vec::new(), go: RefCell::default() };
    let bash = Bash::new(workspace.clone(), Paths::default(), Rc::new(slow), queue.clone()).unwrap();
    let before = queue.ticket(&WorkspacePath::parse("other").unwrap());
    let signal = AbortSignal::new();
    let waiting = bash.execute(call("1", json!({"command": "x"}), &signal)).shared();
    assert!(waiting.clone().now_or_never().is_none());
    signal.abort();
    assert_eq!(waiting.now_or_never().unwrap().unwrap_err().0, "Command aborted");
    drop(before);
    assert_eq!(all(&workspace), []);
}

#[test]
fn an_update_that_is_cut_names_the_file_that_the_result_names() {
    let workspace = Workspace::in_memory();
    let let_go = AbortSignal::new();
    let lines: String = (1..=2500).map(|line| format!("{line}\n")).collect();
    let slow = Slow {
        workspace: workspace.clone(),
        pieces: vec![lines.clone().into()],
        go: RefCell::new(Some(let_go.clone())),
    };
    let bash = Bash::new(workspace.clone(), Paths::default(), Rc::new(slow), MutationQueue::default()).unwrap();
    let updates: Rc<RefCell<Vec<ToolOutput>>> = Rc::default();
    let telling = updates.clone();
    let signal = AbortSignal::new();
    let mut invocation = call("1", json!({"command": "x"}), &signal);
    invocation.on_update = Box::new(move |update| telling.borrow_mut().push(update));
    let running = bash.execute(invocation).shared();
    assert!(running.clone().now_or_never().is_none());
    let details = updates.borrow().last().unwrap().details.as_ref().unwrap().to_value();
    assert_eq!(details["fullOutputPath"], "/workspace/.vitrine/output/bash-1.txt");
    assert_eq!(all(&workspace), [(".vitrine/output/bash-1.txt".to_owned(), lines.clone())]);
    let_go.abort();
    let output = running.now_or_never().unwrap().unwrap();
    assert_eq!(output.details.unwrap().to_value()["fullOutputPath"], "/workspace/.vitrine/output/bash-1.txt");
    assert_eq!(all(&workspace)[0], (".vitrine/output/bash-1.txt".to_owned(), lines));
}

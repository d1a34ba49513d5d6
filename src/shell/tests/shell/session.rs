//! What lives from command to command, what is told meanwhile, and what is refused.

use std::sync::Arc;

use vitrine_shell::Change;
use vitrine_shell_module::{Jq, JqDone, JqError, JqJob, Stream};

use crate::world::World;

fn write(path: &str, text: &str) -> Change {
    Change::Write { path: path.to_owned(), bytes: text.as_bytes().to_vec() }
}

#[test]
fn folder_variables_and_functions_live_on() {
    let mut world = World::new(&[("src/a.txt", "1\n")]);
    assert_eq!(world.says("cd src; x=5; export Y=7; f() { echo \"f:$1:$x:$Y\"; }; alias ll=ls"), (String::new(), 0));
    assert_eq!(world.says("f $(cat a.txt); pwd"), ("f:1:5:7\n/workspace/src\n".to_owned(), 0));
    let state = world.session().state();
    let mut next = World::after(state.as_deref(), &[("src/a.txt", "2\n")]);
    assert_eq!(next.says("f $(cat a.txt); pwd"), ("f:2:5:7\n/workspace/src\n".to_owned(), 0));
}

#[test]
fn a_state_that_cannot_be_read_is_none() {
    let mut world = World::after(Some("{\"cwd\":7}"), &[]);
    assert_eq!(world.says("pwd"), ("/workspace\n".to_owned(), 0));
}

#[test]
fn changes_are_told_in_order_and_only_those_of_the_workspace() {
    let mut world = World::new(&[("old.txt", "o\n")]);
    world.run("echo a > n.txt; echo b >> n.txt; mkdir d; mv old.txt d/new.txt; cp d/new.txt e; rm n.txt; echo t > /tmp/t; cat /tmp/t > f");
    let append = Change::Append { path: "n.txt".into(), bytes: b"b\n".to_vec() };
    let told = [
        write("n.txt", "a\n"),
        append,
        Change::Folder { path: "d".into() },
        Change::Rename { from: "old.txt".into(), to: "d/new.txt".into() },
        write("e", "o\n"),
        Change::Remove { path: "n.txt".into() },
        write("f", "t\n"),
    ];
    let changes: Vec<_> = world.changes().into_iter().filter(|change| !is_empty_write(change)).collect();
    assert_eq!(changes, told);
}

/// A redirection makes its file before the command writes to it.
fn is_empty_write(change: &Change) -> bool {
    matches!(change, Change::Write { bytes, .. } if bytes.is_empty())
}

#[test]
fn changes_from_elsewhere_are_seen_and_not_told() {
    let mut world = World::new(&[("a/b/c.txt", "1")]);
    for change in [
        write("a/b/c.txt", "2"),
        Change::Append { path: "a/b/c.txt".into(), bytes: b"3\n".to_vec() },
        Change::Folder { path: "x/y".into() },
        Change::Rename { from: "a/b".into(), to: "x/z".into() },
    ] {
        world.session().apply(change);
    }
    assert_eq!(
        world.says("cat x/z/c.txt; find . | sort"),
        ("23\n.\n./a\n./x\n./x/y\n./x/z\n./x/z/c.txt\n".to_owned(), 0)
    );
    world.session().apply(Change::Remove { path: String::new() });
    assert_eq!(world.says("find . -mindepth 1"), (String::new(), 0));
    assert_eq!(world.changes(), []);
}

#[test]
fn output_is_told_while_the_command_runs() {
    let mut world = World::new(&[]);
    world.run("for i in 1 2 3; do echo $i; done; echo e >&2; seq 2");
    assert_eq!(world.pieces(), ["1\n", "2\n", "3\n", "e\n", "1\n2\n"]);
    assert_eq!(
        (world.printed_to(Stream::Out), world.printed_to(Stream::Err)),
        ("1\n2\n3\n1\n2\n".into(), "e\n".into())
    );
}

#[test]
fn a_folder_that_went_away_is_said_once() {
    let mut world = World::new(&[("d/f", "")]);
    world.run("cd d");
    world.session().apply(Change::Remove { path: "d".into() });
    let (ended, _) = world.run("pwd");
    let text = "Working directory does not exist: /workspace/d\nCannot execute bash commands.\nThe next command starts in /workspace.";
    assert_eq!(ended.refused.as_deref(), Some(text));
    assert_eq!(world.says("pwd"), ("/workspace\n".to_owned(), 0));
}

#[test]
fn what_is_not_there_says_what_to_use() {
    let mut world = World::new(&[("a", "x")]);
    for (command, word) in [
        ("curl https://example.org", "no network"),
        ("git status", "no version control"),
        ("python3 -c 'print(1)'", "awk, sed, sort"),
        ("node x.js", "preview"),
        ("sudo ls", "without it"),
        ("apt-get install jq", "nothing can be installed"),
        ("ps aux", "no processes"),
        ("vim a", "read tool"),
        ("ln -s a b", "no links"),
    ] {
        let (printed, code) = world.says(command);
        let name = command.split(' ').next().unwrap();
        assert!(
            printed.starts_with(&format!("bash: {name}: not available: ")) && printed.contains(word),
            "{command}: {printed}"
        );
        assert_eq!(code, 127, "{command}");
    }
    let (printed, code) = world.says("nosuchcommand");
    assert!(printed.contains("command not found") && code == 127, "{printed} {code}");
}

/// d17: nothing leads out, and a link is an error, never a file.
#[test]
fn links_are_refused_and_nothing_leads_out() {
    let mut world = World::new(&[("a", "x")]);
    let said = "bash: ln: not available: there are no links in the workspace; copy a file with `cp`, or give it another name with `mv`\n";
    for command in ["ln -s / l", "ln a l", "ln -sf / a", "ln -s / /tmp/l"] {
        assert_eq!(world.says(command), (said.to_owned(), 127), "{command}");
    }
    assert_eq!(world.says("test -e l; echo $?; test -L l; echo $?"), ("1\n1\n".to_owned(), 0));
    let (_, code) = world.says("echo x > l/etc/new/../pw");
    assert_ne!(code, 0);
    let (_, code) = world.says("cat ../../w2/secret");
    assert_ne!(code, 0);
    assert_ne!(world.says("rm -r /workspace").1, 0);
    // -f says nothing of what it could not remove.
    world.says("rm -rf /workspace; rm -rf /");
    assert_ne!(world.says("mv /workspace /tmp/w").1, 0);
    assert_eq!(world.changes(), []);
    assert_eq!(world.says("cat a"), ("x".to_owned(), 0));
}

/// d25: each name once and whole.
#[test]
fn names_with_blanks_and_quotes_stay_whole() {
    let mut world = World::new(&[("a b.txt", ""), ("it's.txt", ""), ("-n", "")]);
    let sorted = world.says("find . -type f -print0 | sort -z | xargs -0 -n1 sh -c 'printf \"<%s>\" \"$0\"'");
    assert_eq!(sorted, ("<./-n><./a b.txt><./it's.txt>".to_owned(), 0));
    let (globbed, _) = world.says("for f in *; do printf '[%s]' \"$f\"; done");
    assert_eq!(globbed, "[-n][a b.txt][it's.txt]");
    let (printed, code) = world.says("echo \"it's.txt\" | xargs echo");
    assert!(printed.contains("unmatched") && code != 0, "{printed} {code}");
}

/// The interpreter takes no control characters in names: it says so, and the other files are found.
#[test]
fn a_name_with_a_line_feed_is_said() {
    let mut world = World::new(&[("a", ""), ("x\ny", "")]);
    let (printed, _) = world.says("find . -type f");
    assert!(printed.starts_with("./a\n") && printed.contains("unsafe character U+000A"), "{printed}");
    assert_eq!(world.says("for f in *; do printf '[%s]' \"$f\"; done").0, "[a][x\ny]");
}

#[test]
fn limits_end_a_command_and_the_shell_lives_on() {
    let mut world = World::new(&[]);
    let (printed, code) = world.says("f() { f; }; f");
    assert!(code != 0 && !printed.is_empty(), "{code} {printed}");
    let (_, code) = world.says(&format!("{}true{}", "(".repeat(5000), ")".repeat(5000)));
    assert_ne!(code, 0);
    let (printed, code) = world.says("echo $(");
    assert!(printed.starts_with("bash: ") && printed.contains("syntax error") && code == 2, "{code} {printed}");
    assert_eq!(world.says("head -c 20000000 /dev/zero | tr '\\0' a > /tmp/x; echo after").1, 0);
    assert_eq!(world.says("echo still here"), ("still here\n".to_owned(), 0));
}

#[test]
fn a_long_loop_is_no_limit() {
    let mut world = World::new(&[]);
    assert_eq!(world.says("i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo $i"), ("30000\n".to_owned(), 0));
}

/// A jq that cannot be had, or does not come back.
struct Lost(JqError);

#[async_trait::async_trait]
impl Jq for Lost {
    async fn wanted(&self, _: &[String]) -> Result<Vec<String>, JqError> {
        match &self.0 {
            JqError::Absent(_) => Err(self.0.clone()),
            JqError::Stopped(_) => Ok(Vec::new()),
        }
    }

    async fn run(&self, _: JqJob) -> Result<JqDone, JqError> {
        Err(self.0.clone())
    }
}

#[test]
fn a_jq_that_is_lost_says_what_to_use() {
    let mut world = World::with_jq(Arc::new(Lost(JqError::Absent("offline".into()))), None, &[]);
    let absent = "bash: jq: not available (offline): use `json get .path.to.0`, `json keys` and `json length`, which read standard \
                  input, for JSON, or grep, sed and awk; there is no python or node either\n";
    assert_eq!(world.says("echo 1 | jq ."), (absent.to_owned(), 127));
    let mut world = World::with_jq(Arc::new(Lost(JqError::Stopped("unreachable".into()))), None, &[]);
    let stopped =
        "jq: error: the program was stopped: it took more memory or went deeper than there is (unreachable)\n";
    assert_eq!(world.says("echo 1 | jq .; echo $?"), (format!("{stopped}5\n"), 0));
}

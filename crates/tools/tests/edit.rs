//! `edit` does what pi does on inputs made at random, whose results were recorded from pi 1.6; and what it does on others keeps
//! its promises.
//!
//! Where it does otherwise: a file whose lines end differently keeps the ending of each line, and what a tolerant match
//! did not touch keeps its characters.
//!
//! The random part runs for a moment; `VITRINE_FUZZ_SECONDS` makes it go on with new seeds for as long. A failure names its
//! seed; the seed goes into `SEEDS`, which always run.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test that panics has failed")]

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, Tool as _, ToolOutput};
use vitrine_tools::mutation_queue::MutationQueue;
use vitrine_tools::{Edit, Paths, Tables, Unicode as _};
use vitrine_vfs::{Workspace, WorkspacePath};

/// Seeds that once failed.
const SEEDS: &[u64] = &[];

/// What one call gives back, and the file after it.
fn edit(file: &str, edits: &Value) -> (Result<ToolOutput, String>, String) {
    let workspace = Workspace::in_memory();
    let path = WorkspacePath::parse("f.txt").unwrap();
    workspace.write(&path, file.as_bytes().to_vec()).unwrap();
    let tool = Edit::new(workspace.clone(), Paths::default(), MutationQueue::default()).unwrap();
    let arguments = json!({"path": "f.txt", "edits": edits});
    let (signal, on_update) = (AbortSignal::new(), Box::new(|_| {}));
    let invocation = Invocation { call_id: "c".into(), arguments, signal, on_update };
    let output = tool.execute(invocation).now_or_never().unwrap().map_err(|error| error.0);
    (output, String::from_utf8(workspace.read(&path).unwrap().to_vec()).unwrap())
}

fn line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Two texts that tolerant matching takes for one have the same form.
fn tolerant(text: &str) -> String {
    let text = line_feeds(text.strip_prefix('\u{feff}').unwrap_or(text));
    let plain = |character| match character {
        '‘'..='‛' => '\'',
        '“'..='‟' => '"',
        '‐'..='―' | '\u{2212}' => '-',
        other => other,
    };
    let lines = text.split('\n').map(|line| Tables.compatible(line).trim_end().chars().map(plain).collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}

fn endings(text: &str) -> usize {
    let pairs = text.matches("\r\n").count();
    let (carriage_returns, feeds) = (text.matches('\r').count() - pairs, text.matches('\n').count() - pairs);
    [pairs, carriage_returns, feeds].iter().filter(|count| **count > 0).count()
}

#[test]
fn what_pi_does() {
    let (mut exact, mut tolerated, mut refused) = (0, 0, 0);
    for (n, line) in include_str!("cases/edit_recorded.jsonl").lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let file = case["file"].as_str().unwrap();
        let about = format!("line {}: {file:?} {}", n + 1, case["edits"]);
        let (output, after) = edit(file, &case["edits"]);
        if let Some(error) = case["error"].as_str() {
            assert_eq!(output.unwrap_err(), error, "{about}");
            assert_eq!(after, file, "{about}");
            refused += 1;
            continue;
        }
        let expected = case["after"].as_str().unwrap();
        // Where pi writes the plain form of a line in which nothing else changed, there is nothing to do.
        if matches!(&output, Err(error) if error.starts_with("No changes made")) {
            assert_eq!((tolerant(file), after.as_str()), (tolerant(expected), file), "{about}");
            continue;
        }
        let output = output.unwrap_or_else(|error| panic!("{about}: {error}"));
        let body = line_feeds(file.strip_prefix('\u{feff}').unwrap_or(file));
        let in_the_file = |edit: &Value| body.contains(&line_feeds(edit["oldText"].as_str().unwrap()));
        if case["edits"].as_array().unwrap().iter().all(in_the_file) {
            exact += 1;
            let found = serde_json::to_value(&output).unwrap();
            let content = json!([{"type": "text", "text": case["text"]}]);
            assert_eq!(found, json!({"content": content, "details": case["details"]}), "{about}");
            assert_eq!(line_feeds(&after), line_feeds(expected), "{about}");
            if endings(file) <= 1 {
                assert_eq!(after, expected, "{about}");
            }
        } else {
            tolerated += 1;
            // Blanks at the end of a line that a match begins or ends with stay.
            let without_blanks = |text: &str| tolerant(text).replace([' ', '\t'], "");
            assert_eq!(without_blanks(&after), without_blanks(expected), "{about}");
        }
    }
    assert!(exact > 100 && tolerated > 50 && refused > 100, "{exact} {tolerated} {refused}");
}

/// Repeatable choices.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }

    fn text(&mut self, longest: usize) -> String {
        const PIECES: [&str; 18] = [
            "a", "b", "\n", "\n", "\r\n", "\r", " ", "“", "\"", "ﬁ", "e\u{301}", "—", "-", "\u{a0}", "中", "🙂",
            "\u{feff}", "x y",
        ];
        (0..self.below(longest)).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }
}

#[test]
fn a_change_is_the_one_that_was_asked_for() {
    SEEDS.iter().copied().chain(1..3000).for_each(check);
    let Some(seconds): Option<u64> = std::env::var("VITRINE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok())
    else {
        return;
    };
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let begun = now();
    let mut seed = begun << 24;
    while now() < begun + seconds {
        check(seed);
        seed += 1;
    }
}

fn check(seed: u64) {
    let failed = std::panic::catch_unwind(|| one(&mut Random(seed))).is_err();
    assert!(!failed, "seed {seed} failed: add it to SEEDS");
}

fn one(random: &mut Random) {
    let file = random.text(40);
    let characters: Vec<char> = file.chars().collect();
    let edits: Vec<Value> = (0..=random.below(3))
        .map(|_| {
            let start = random.below(characters.len() + 1);
            let old: String = characters[start..].iter().take(1 + random.below(9)).collect();
            let old = match random.below(4) {
                0 => tolerant(&old),
                1 => random.text(4),
                _ => old,
            };
            json!({"oldText": old, "newText": random.text(6)})
        })
        .collect();
    let edits = Value::Array(edits);
    let (output, after) = edit(&file, &edits);
    let Ok(output) = output else {
        assert_eq!(after, file, "nothing changes where nothing could be done");
        return;
    };
    let base = line_feeds(file.strip_prefix('\u{feff}').unwrap_or(&file));
    let mark = if file.starts_with('\u{feff}') { "\u{feff}" } else { "" };
    let body = after.strip_prefix(mark).unwrap_or_else(|| panic!("the mark is lost: {file:?} {after:?}"));
    // The patch leads from the old file to the new one.
    let details = output.details.unwrap().to_value();
    let patched = patched(&base, details["patch"].as_str().unwrap());
    assert_eq!(patched, line_feeds(body), "{file:?} {edits}");
}

/// Applies a unified diff.
fn patched(old: &str, patch: &str) -> String {
    let mut lines = old.split_inclusive('\n');
    let (mut result, mut taken) = (String::new(), 0);
    let mut hunks: Vec<(usize, Vec<(char, String)>)> = Vec::new();
    for line in patch.split_inclusive('\n').skip(2) {
        if let Some(head) = line.strip_prefix("@@ -") {
            let (start, rest) = head.split_once(',').unwrap();
            let count: usize = rest.split_once(' ').unwrap().0.parse().unwrap();
            let start: usize = start.parse().unwrap();
            hunks.push((if count == 0 { start } else { start - 1 }, Vec::new()));
        } else if line.starts_with('\\') {
            let last = hunks.last_mut().unwrap().1.last_mut().unwrap();
            assert_eq!(last.1.pop(), Some('\n'));
        } else {
            hunks.last_mut().unwrap().1.push((line.chars().next().unwrap(), line[1..].to_owned()));
        }
    }
    for (start, body) in hunks {
        while taken < start {
            result.push_str(lines.next().unwrap());
            taken += 1;
        }
        for (sign, line) in body {
            if sign != '+' {
                assert_eq!(lines.next(), Some(line.as_str()));
                taken += 1;
            }
            if sign != '-' {
                result.push_str(&line);
            }
        }
    }
    lines.for_each(|line| result.push_str(line));
    result
}

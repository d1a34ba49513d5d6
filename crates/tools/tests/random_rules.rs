//! What `find` leaves out by `.gitignore`, and what a glob is for, is what ripgrep's own crates say, on trees, rules and globs made at
//! random.
//!
//! Where they do otherwise on purpose: `?` and a class of characters stand for a character, where theirs may stand for a byte;
//! so the names here are ASCII. It runs for a moment; `VITRINE_FUZZ_SECONDS` makes it go on with new seeds for as long. A failure
//! names its seed; the seed goes into `SEEDS`, which always run.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test that panics has failed")]

use std::collections::BTreeSet;

use futures_util::FutureExt as _;
use globset::GlobBuilder;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde_json::{Value, json};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, Tool as _};
use vitrine_tools::{Find, Paths};
use vitrine_vfs::{Workspace, WorkspacePath};

/// Seeds that once failed.
const SEEDS: &[u64] = &[30_133_515_127_361_932, 30_133_536_098_906_139];

/// Repeatable choices.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }

    fn joined(&mut self, pieces: &[&str], longest: usize) -> String {
        (0..1 + self.below(longest)).map(|_| pieces[self.below(pieces.len())]).collect()
    }
}

/// Files, and the list of rules of each folder that has one (the root's name is empty).
struct Tree {
    files: BTreeSet<String>,
    rules: Vec<(String, String)>,
}

fn tree(random: &mut Random) -> Tree {
    const NAMES: [&str; 12] = ["a", "b", "ab", ".a", "a b", "a.b", "B", "[a]", "a-b", "!a", "#b", "{a,b}"];
    let mut files = BTreeSet::new();
    for _ in 0..3 + random.below(12) {
        let path: Vec<&str> = (0..=random.below(4)).map(|_| NAMES[random.below(NAMES.len())]).collect();
        let path = path.join("/");
        // A file is no folder of another one.
        let stands_in_the_way =
            |file: &String| path.starts_with(&format!("{file}/")) || file.starts_with(&format!("{path}/"));
        if !files.iter().any(stands_in_the_way) {
            files.insert(path);
        }
    }
    let folders: Vec<String> = folders(&files).into_iter().collect();
    let mut rules = Vec::new();
    for folder in std::iter::once(String::new()).chain(folders) {
        if random.below(3) == 0 || folder.is_empty() {
            rules.push((folder, (0..1 + random.below(5)).map(|_| rule(random) + "\n").collect()));
        }
    }
    Tree { files, rules }
}

fn folders(files: &BTreeSet<String>) -> BTreeSet<String> {
    let above = |file: &String| file.match_indices('/').map(|(at, _)| file[..at].to_owned()).collect::<Vec<_>>();
    files.iter().flat_map(above).collect()
}

fn rule(random: &mut Random) -> String {
    const PIECES: [&str; 22] = [
        "a", "a", "b", "ab", "*", "*", "**", "/", "/", "?", "[ab]", "[!a]", "[^b]", "[a-b]", ".", "\\*", "\\a",
        "{a,b}", " ", "-", "B", "[]a]",
    ];
    let start = ["", "", "", "!", "/", "#", "\\!", "\\#", "**/"][random.below(9)];
    let end = ["", "", "", "/", " ", "/**", "/*", "\r", "\\ "][random.below(9)];
    format!("{start}{}{end}", random.joined(&PIECES, 4))
}

fn find(tree: &Tree, pattern: &str) -> Result<BTreeSet<String>, String> {
    let workspace = Workspace::in_memory();
    let write = |path: &str, text: &str| {
        workspace.write(&WorkspacePath::parse(path).unwrap(), text.as_bytes().to_vec()).unwrap();
    };
    tree.files.iter().for_each(|file| write(file, ""));
    for (folder, rules) in &tree.rules {
        write(&format!("{folder}/.gitignore"), rules);
    }
    let tool = Find::new(workspace, Paths::default()).unwrap();
    let arguments: Value = json!({"pattern": pattern, "limit": 10_000});
    let invocation =
        Invocation { call_id: "c".into(), arguments, signal: AbortSignal::new(), on_update: Box::new(|_| {}) };
    let output = tool.execute(invocation).now_or_never().unwrap().map_err(|error| error.0)?;
    let content = serde_json::to_value(&output.content).unwrap();
    let text = content[0]["text"].as_str().unwrap();
    let none = text == "No files found matching pattern";
    Ok(text.lines().filter(|line| !none && !line.ends_with(".gitignore")).map(str::to_owned).collect())
}

/// Everything that no list leaves out: folders by `/` at their end.
fn wanted(tree: &Tree) -> BTreeSet<String> {
    let lists: Vec<(&str, Gitignore)> = tree
        .rules
        .iter()
        .map(|(folder, rules)| {
            let mut builder = GitignoreBuilder::new("");
            for line in rules.lines() {
                // A line that is no rule is passed over, by theirs as by ours.
                let _ = builder.add_line(None, line);
            }
            (folder.as_str(), builder.build().unwrap())
        })
        .collect();
    let ignored = |path: &str, is_folder: bool| {
        let mut nearest_first: Vec<_> = lists.iter().filter(|(folder, _)| is_below(path, folder)).collect();
        nearest_first.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.len()));
        for (folder, rules) in nearest_first {
            let below = if folder.is_empty() { path } else { &path[folder.len() + 1..] };
            match rules.matched(below, is_folder) {
                Match::None => {}
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
            }
        }
        false
    };
    // What is in a folder that is left out is left out.
    let hidden = |path: &str, is_folder: bool| {
        ignored(path, is_folder) || path.match_indices('/').any(|(at, _)| ignored(&path[..at], true))
    };
    let files = tree.files.iter().filter(|file| !hidden(file, false)).cloned();
    let folders = folders(&tree.files).into_iter().filter(|folder| !hidden(folder, true)).map(|folder| folder + "/");
    files.chain(folders).collect()
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// As fd reads a glob: for names if it has no `/`, else for paths; without large letters it does not tell them apart.
fn matches(pattern: &str, path: &str) -> Option<bool> {
    let glob = GlobBuilder::new(pattern)
        .literal_separator(true)
        .case_insensitive(pattern.to_lowercase() == pattern)
        .build()
        .ok()?;
    let path = path.trim_end_matches('/');
    let about = if pattern.contains('/') { path } else { path.rsplit('/').next().unwrap() };
    Some(glob.compile_matcher().is_match(about))
}

fn check(seed: u64) -> &'static str {
    let played = std::panic::catch_unwind(|| play(&mut Random(seed)));
    played.unwrap_or_else(|_| panic!("seed {seed} failed: add it to SEEDS"))
}

fn play(random: &mut Random) -> &'static str {
    let tree = tree(random);
    let wanted = wanted(&tree);
    let about = |pattern: &str| format!("{pattern:?} in {:?} by {:?}", tree.files, tree.rules);
    assert_eq!(find(&tree, "*").unwrap(), wanted, "{}", about("*"));
    const PIECES: [&str; 22] = [
        "a",
        "b",
        "*",
        "**",
        "/",
        "?",
        "[ab]",
        "[!a]",
        "{a,b}",
        "{a,{b,ab}}",
        ".",
        "\\*",
        "\\[",
        "B",
        "[a-b]",
        "-",
        "{",
        ",",
        "}",
        "{**/a,b}",
        "{b,**/a}",
        "{a/**,b}",
    ];
    let pattern = random.joined(&PIECES, 5);
    let found = find(&tree, &pattern);
    // An absolute path is of where a workspace is shown, which is not theirs to know.
    if pattern.starts_with('/') || pattern.starts_with("./") {
        return "absolute";
    }
    let expected: BTreeSet<String> =
        wanted.iter().filter(|path| matches(&pattern, path) == Some(true)).cloned().collect();
    match (found, matches(&pattern, "a")) {
        (Ok(found), Some(_)) => {
            assert_eq!(found, expected, "{}", about(&pattern));
            if found.is_empty() { "nothing" } else { "something" }
        }
        (Err(error), None) => {
            assert!(!error.is_empty());
            "no glob"
        }
        (found, known) => panic!("{}: {found:?}, theirs {known:?}", about(&pattern)),
    }
}

#[test]
fn rules_and_globs_are_read_as_ripgrep_reads_them() {
    for seed in SEEDS {
        check(*seed);
    }
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..800 {
        *seen.entry(check(seed)).or_insert(0) += 1;
    }
    for kind in ["something", "nothing"] {
        assert!(seen.get(kind).is_some_and(|n| *n > 80), "too few {kind}: {seen:?}");
    }
    let Some(seconds): Option<u64> = std::env::var("VITRINE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok())
    else {
        return;
    };
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let (begun, start): (u64, u64) = (now(), now() << 24);
    let mut seed = start;
    while now() < begun + seconds {
        check(seed);
        seed += 1;
    }
    println!("{} trees from seed {start}", seed - start);
}

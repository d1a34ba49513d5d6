//! Journals with anything done to them: bits, bytes and stretches changed, cut out, doubled, moved, cut off; other
//! journals beside them.
//!
//! What must hold: opening neither panics nor fails nor invents a file; what it finds is found again, clean, by the next
//! opening; and the workspace goes on. It runs for a moment; `VITRINE_FUZZ_SECONDS` makes it go on with new seeds for as
//! long. A failure names its seed; the seed goes into `seeds`, whose seeds always run.
#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use futures_util::FutureExt;
use vitrine_vfs::{MemoryBackend, Options, Recovery, Snapshot, Workspace, WorkspacePath};

#[test]
fn a_damaged_journal_opens_and_nothing_is_invented() {
    for seed in include_str!("seeds").lines().filter_map(|line| line.parse().ok()) {
        check(seed);
    }
    let mut seen = BTreeMap::new();
    for seed in 0..1_500 {
        *seen.entry(check(seed)).or_insert(0) += 1;
    }
    // The damage reaches what it should: all of it torn off or none of it found would prove nothing.
    for kind in ["clean", "in the middle", "at the end"] {
        assert!(seen.get(kind).is_some_and(|n| *n > 50), "too few {kind}: {seen:?}");
    }
    let Some(seconds): Option<u64> = std::env::var("VITRINE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok())
    else {
        return;
    };
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let (begun, start): (u64, u64) = (now(), now() << 24);
    println!("from seed {start}");
    let mut seed = start;
    while now() < begun + seconds {
        check(seed);
        seed += 1;
    }
    println!("{} journals", seed - start);
}

fn check(seed: u64) -> &'static str {
    let played = std::panic::catch_unwind(|| play(seed));
    played.unwrap_or_else(|_| panic!("seed {seed} failed: add it to crates/vfs/tests/random_journals/seeds"))
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

type Files = Vec<(String, Vec<u8>)>;

fn files(workspace: &Workspace) -> Files {
    let files = workspace.files(&WorkspacePath::root()).unwrap();
    files.into_iter().map(|(path, contents)| (path.to_string(), contents.to_vec())).collect()
}

fn open(backend: &MemoryBackend) -> (Workspace, Recovery) {
    let options = Options { salt: 99, ..Options::default() };
    Workspace::open(Rc::new(backend.clone()), options).now_or_never().unwrap().unwrap()
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

/// A history, and all contents that any file ever had in it.
fn history(random: &mut Random, backend: &MemoryBackend) -> BTreeSet<Vec<u8>> {
    let mut contents = BTreeSet::new();
    let workspace = open(backend).0;
    for number in 0..2 + random.below(30) {
        let place = path(["a", "b", "c/d", "c/e", "f/g/h"][random.below(5)]);
        // A refusal is as good as anything.
        let _ = match random.below(10) {
            0..=3 => workspace.write(&place, number.to_string().into_bytes()),
            4 => workspace.write(&place, vec![number as u8; 600 + random.below(2000)]),
            5 | 6 => match workspace.read(&place) {
                Ok(old) => {
                    let mut new = old.to_vec();
                    new.insert(random.below(new.len()), b'!');
                    workspace.write(&place, new)
                }
                Err(error) => Err(error),
            },
            7 => workspace.remove(&place),
            8 => workspace.rename(&place, &path(["c", "x", "y/z"][random.below(3)])),
            _ => match random.below(4) {
                0 => workspace.compact().now_or_never().unwrap().map(|_| Snapshot(0)),
                1 => workspace.keep(workspace.snapshot(), "kept").map(|()| Snapshot(0)),
                _ => workspace.restore(Snapshot(random.below(number + 1) as u64)),
            },
        };
        contents.extend(files(&workspace).into_iter().map(|(_, contents)| contents));
    }
    contents
}

fn damage(random: &mut Random, bytes: &mut Vec<u8>) {
    for _ in 0..random.below(4) {
        let (from, to) = (random.below(bytes.len()), random.below(bytes.len()));
        let range = from.min(to)..from.max(to).min(from.min(to) + 200);
        match random.below(7) {
            0..=2 if !bytes.is_empty() => bytes[from] ^= 1 << random.below(8),
            3 => bytes[range].fill(0),
            4 => drop(bytes.drain(range)),
            5 => {
                let doubled = bytes[range].to_vec();
                let at = random.below(bytes.len());
                bytes.splice(at..at, doubled);
            }
            _ => bytes.truncate(bytes.len().saturating_sub(random.below(300))),
        }
    }
}

fn play(seed: u64) -> &'static str {
    let mut random = Random(seed);
    let source = MemoryBackend::new();
    let known = history(&mut random, &source);
    let backend = MemoryBackend::new();
    for generation in 1..40 {
        if let Some(mut bytes) = source.bytes(&format!("journal-{generation}")) {
            damage(&mut random, &mut bytes);
            backend.set_bytes(&format!("journal-{}", generation + random.below(2)), bytes);
        }
    }
    if random.below(8) == 0 {
        let noise = (0..random.below(400)).map(|_| random.below(256) as u8).collect();
        backend.set_bytes("journal-50", noise);
    }
    let (workspace, recovery) = open(&backend);
    let found = files(&workspace);
    for (place, contents) in &found {
        assert!(known.contains(contents), "{place} was invented: {contents:?}");
    }
    drop(workspace);
    let (workspace, again) = open(&backend);
    assert_eq!(files(&workspace), found);
    assert!(again.is_clean(), "{again:?} after {recovery:?}");
    workspace.write(&path("goes/on"), *b"!").unwrap();
    let found = files(&workspace);
    drop(workspace);
    assert_eq!(files(&open(&backend).0), found);
    match (recovery.is_clean(), recovery.n_damages) {
        (true, _) => "clean",
        (false, 0) => "at the end",
        (false, _) => "in the middle",
    }
}

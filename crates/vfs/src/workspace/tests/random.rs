//! Any sequence of changes leaves memory, the journal opened again and a plain model equal.

use std::collections::BTreeMap;

use super::{compact, open, path, run, tree};
use crate::{MemoryBackend, Snapshot, Workspace, WorkspacePath};

/// Numbers that look random and are the same every time.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn place(&mut self) -> String {
        let names = ["a", "b", "c", "é", "e\u{301}"];
        let place: Vec<&str> = (0..=self.below(3)).map(|_| names[self.below(names.len())]).collect();
        place.join("/")
    }

    /// A change, as [`run`] reads it. Some are refused.
    pub(super) fn line(&mut self) -> String {
        let place = self.place();
        match self.below(12) {
            0..=2 => format!("write {place} {}", self.below(1000)),
            3 => format!("fill {place} {}", 500 + self.below(1500)),
            4..=6 => format!("edit {place} {} {}", self.below(2000), self.below(1000)),
            7 => format!("mkdir {place}"),
            8 => format!("remove {place}"),
            9 => format!("rename {place} {}", self.place()),
            10 => format!("import {place}=1 {}=2 {}=3", self.place(), self.place()),
            _ => format!("back {} {place}", self.below(6)),
        }
    }
}

/// Paths and what is there, `None` for a folder. The rules once more, as plainly as they can be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Model(BTreeMap<String, Option<Vec<u8>>>);

impl Model {
    fn write(&mut self, place: &str, contents: Option<Vec<u8>>) -> Option<()> {
        for (at, _) in place.match_indices('/') {
            if self.0.entry(place[..at].to_owned()).or_insert(None).is_some() {
                return None;
            }
        }
        match (self.0.get(place), &contents) {
            (Some(None), Some(_)) | (Some(Some(_)), None) => return None,
            _ => drop(self.0.insert(place.to_owned(), contents)),
        }
        Some(())
    }

    fn is_within(place: &str, folder: &str) -> bool {
        place == folder || place.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
    }

    fn take(&mut self, place: &str) -> Option<Vec<(String, Option<Vec<u8>>)>> {
        self.0.get(place)?;
        let taken: Vec<_> = self.0.iter().filter(|(at, _)| Self::is_within(at, place)).collect();
        let taken: Vec<_> = taken.into_iter().map(|(at, what)| (at.clone(), what.clone())).collect();
        taken.iter().for_each(|(at, _)| drop(self.0.remove(at)));
        Some(taken)
    }

    fn run(&mut self, line: &str, snapshots: &[Model]) -> Option<()> {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["write", place, text] => self.write(place, Some(text.as_bytes().to_vec())),
            ["fill", place, n_bytes] => self.write(place, Some(vec![b'x'; n_bytes.parse().unwrap()])),
            ["edit", place, at, text] => {
                let mut contents = self.0.get(*place)?.clone()?;
                let at = at.parse::<usize>().unwrap().min(contents.len());
                contents.splice(at..at, text.bytes());
                self.write(place, Some(contents))
            }
            ["mkdir", place] => self.write(place, None),
            ["remove", place] => self.take(place).map(|_| ()),
            ["rename", from, to] => {
                if from == to {
                    return self.0.get(*from).map(|_| ());
                }
                if Self::is_within(to, from) || self.0.contains_key(*to) {
                    return None;
                }
                for (at, what) in self.take(from)? {
                    self.write(&format!("{to}{}", &at[from.len()..]), what)?;
                }
                Some(())
            }
            ["import", files @ ..] => files.iter().try_for_each(|file| {
                let (place, text) = file.split_once('=').unwrap();
                self.write(place, Some(text.as_bytes().to_vec()))
            }),
            ["back", n_back, place] => {
                let then = snapshots.iter().rev().nth(n_back.parse().unwrap())?;
                self.take(place);
                for (at, what) in then.0.iter().filter(|(at, _)| Self::is_within(at, place)) {
                    self.write(at, what.clone())?;
                }
                Some(())
            }
            _ => panic!("not a change: {line}"),
        }
    }
}

fn found(workspace: &Workspace) -> Model {
    fn walk(workspace: &Workspace, folder: &WorkspacePath, model: &mut Model) {
        for entry in workspace.list(folder).unwrap() {
            let path = folder.join(&entry.name).unwrap();
            let contents = workspace.read(&path).ok().map(|contents| contents.to_vec());
            let is_folder = contents.is_none();
            model.0.insert(path.to_string(), contents);
            if is_folder {
                walk(workspace, &path, model);
            }
        }
    }
    let mut model = Model::default();
    walk(workspace, &WorkspacePath::root(), &mut model);
    model
}

#[test]
fn memory_the_journal_and_a_plain_model_are_equal() {
    let mut n_done = 0;
    for seed in 0..60 {
        let mut random = Random(seed);
        let backend = MemoryBackend::new();
        let (in_memory, mut kept) = (Workspace::in_memory(), open(&backend));
        // By snapshot. Those before a compaction are forgotten when the workspace is closed.
        let mut states = vec![Model::default()];
        let (mut compacted_at, mut oldest) = (0, 0);
        for _ in 0..80 {
            let line = random.line();
            let n_back = line.strip_prefix("back ").and_then(|rest| rest[..1].parse::<usize>().ok());
            if n_back.is_some_and(|n_back| states.len() <= oldest + n_back) {
                continue;
            }
            let before = states.last().unwrap();
            let mut model = before.clone();
            let is_done = model.run(&line, &states).is_some();
            let expected = if is_done { model } else { before.clone() };
            let (first, second) = (run(&in_memory, &line), run(&kept, &line));
            assert_eq!(first, second, "seed {seed}: {line}");
            assert_eq!(first.is_ok(), is_done, "seed {seed}: {line}: {first:?} on {before:?}");
            assert_eq!(found(&in_memory), expected, "seed {seed}: {line}");
            assert_eq!(found(&kept), expected, "seed {seed}: {line}");
            n_done += usize::from(is_done);
            let n_new = kept.snapshot().0 as usize + 1 - states.len();
            assert!(n_new <= 1, "seed {seed}: {line}");
            states.extend(std::iter::repeat_n(expected, n_new));
            match random.below(16) {
                0 => {
                    drop(kept);
                    kept = open(&backend);
                    oldest = compacted_at;
                }
                1 => {
                    assert_eq!(compact(&kept), Ok(true));
                    compacted_at = states.len() - 1;
                }
                _ => continue,
            }
            assert_eq!(&found(&kept), states.last().unwrap(), "seed {seed}: {line}");
            assert_eq!(tree(&kept), tree(&in_memory), "seed {seed}: {line}");
        }
        for (number, state) in states.iter().enumerate() {
            in_memory.restore(Snapshot(number as u64)).unwrap();
            assert_eq!(&found(&in_memory), state, "seed {seed}: snapshot {number}");
        }
    }
    assert!(n_done > 1500, "{n_done}");
}

#[test]
fn a_snapshot_opens_from_the_journal_when_memory_has_forgotten_it() {
    let limits = crate::Limits { history_bytes: 0, ..crate::Limits::default() };
    let backend = MemoryBackend::new();
    let options = crate::Options { limits, ..crate::Options::default() };
    let workspace = super::try_open_with(&backend, options).unwrap().0;
    let mut random = Random(1);
    let mut states = vec![found(&workspace)];
    while states.len() < 60 {
        let _ = run(&workspace, &random.line());
        if workspace.snapshot().0 as usize == states.len() {
            states.push(found(&workspace));
        }
    }
    assert_eq!(workspace.usage().history_bytes, 0);
    let file = path("a");
    for (number, state) in states.iter().enumerate() {
        let snapshot = Snapshot(number as u64);
        let contents = workspace.read_at(&file, snapshot).ok().map(|contents| contents.to_vec());
        assert_eq!(contents, state.0.get("a").cloned().flatten(), "{number}");
        workspace.restore(snapshot).unwrap();
        assert_eq!(&found(&workspace), state, "{number}");
    }
}

//! Changes made at random: the workspace over OPFS is the one in memory, also when it is opened again and also when its journal was
//! cut off anywhere. Natively the one in memory is held to a plain model (`crates/vfs/src/workspace/tests/random.rs`).

#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

use std::rc::Rc;

use vitrine::platform::opfs::OpfsBackend;
use vitrine_vfs::{Backend as _, Edit, Kind, Options, Recovery, Workspace, WorkspacePath};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn place(&mut self) -> WorkspacePath {
        let names = ["a", "b", "c", "é", "e\u{301}", "CON", "a\u{200b}b"];
        let place: Vec<&str> = (0..=self.below(3)).map(|_| names[self.below(names.len())]).collect();
        path(&place.join("/"))
    }

    fn change(&mut self) -> Change {
        let contents = |random: &mut Self| vec![b'x'; random.below(3000)];
        match self.below(7) {
            0..=2 => Change::Write(self.place(), contents(self)),
            3 => Change::MakeFolder(self.place()),
            4 => Change::Remove(self.place()),
            5 => Change::Rename(self.place(), self.place()),
            _ => Change::Import((0..=self.below(4)).map(|_| (self.place(), contents(self))).collect()),
        }
    }
}

#[derive(Clone, Debug)]
enum Change {
    Write(WorkspacePath, Vec<u8>),
    MakeFolder(WorkspacePath),
    Remove(WorkspacePath),
    Rename(WorkspacePath, WorkspacePath),
    Import(Vec<(WorkspacePath, Vec<u8>)>),
}

impl Change {
    /// Makes it; what is refused is refused by the same words everywhere.
    fn make(&self, workspace: &Workspace) -> Result<(), String> {
        let done = match self.clone() {
            Self::Write(place, contents) => workspace.write(&place, contents),
            Self::MakeFolder(place) => workspace.mkdir(&place),
            Self::Remove(place) => workspace.remove(&place),
            Self::Rename(from, to) => workspace.rename(&from, &to),
            Self::Import(files) => {
                workspace.change_all(files.into_iter().map(|(place, contents)| Edit::Write(place, contents.into())))
            }
        };
        done.map(|_| ()).map_err(|error| error.to_string())
    }
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::parse(text).unwrap()
}

async fn open(folder: &str) -> (Workspace, Recovery) {
    let backend = OpfsBackend::open(&format!("tests/random/{folder}")).await.unwrap();
    Workspace::open(Rc::new(backend), Options::default()).await.unwrap()
}

/// Every file with its bytes, every folder without.
fn tree(workspace: &Workspace) -> Vec<(String, Option<Vec<u8>>)> {
    let mut tree = Vec::new();
    let mut waiting = vec![WorkspacePath::root()];
    while let Some(folder) = waiting.pop() {
        for entry in workspace.list(&folder).unwrap() {
            let place = folder.join(&entry.name).unwrap();
            let contents = (entry.kind == Kind::File).then(|| workspace.read(&place).unwrap().to_vec());
            if contents.is_none() {
                waiting.push(place.clone());
            }
            tree.push((place.to_string(), contents));
        }
    }
    tree
}

#[wasm_bindgen_test]
async fn any_changes_leave_opfs_and_memory_equal() {
    let (mut n_made, mut n_refused) = (0, 0);
    for seed in 0..8 {
        let mut random = Random(seed);
        let folder = format!("equal-{seed}");
        let memory = Workspace::in_memory();
        let mut workspace = open(&folder).await.0;
        for n in 0..120 {
            let change = random.change();
            let (expected, found) = (change.make(&memory), change.make(&workspace));
            assert_eq!(found, expected, "seed {seed}, change {n}: {change:?}");
            if expected.is_ok() {
                n_made += 1;
            } else {
                n_refused += 1;
            }
            if n % 40 == 20 {
                workspace.compact().await.unwrap();
            }
            if n % 30 == 29 {
                drop(workspace);
                let (again, recovery) = open(&folder).await;
                assert_eq!((recovery.dropped_bytes, recovery.damages.len()), (0, 0), "seed {seed}, change {n}");
                workspace = again;
            }
            assert_eq!(tree(&workspace), tree(&memory), "seed {seed}, after change {n}: {change:?}");
        }
    }
    assert!(n_made > 300 && n_refused > 100, "{n_made} {n_refused}");
}

#[wasm_bindgen_test]
async fn a_journal_cut_anywhere_opens_to_what_was_acknowledged_before() {
    let mut random = Random(7);
    let workspace = open("cut").await.0;
    let mut states = vec![(0, tree(&workspace))];
    for _ in 0..150 {
        let _ = random.change().make(&workspace);
        states.push((workspace.usage().journal_bytes, tree(&workspace)));
    }
    drop(workspace);
    let mut cut = states.last().unwrap().0;
    let mut n_torn = 0;
    while cut > 0 {
        // At the end of a record now and then, else wherever it falls.
        cut -= 1 + random.below(400) as u64;
        let backend = OpfsBackend::open("tests/random/cut").await.unwrap();
        backend.open("journal-1").await.unwrap().truncate(cut).unwrap();
        let (workspace, recovery) = open("cut").await;
        let (length, expected) = states.iter().rev().find(|(length, _)| *length <= cut).unwrap();
        assert_eq!(tree(&workspace), *expected, "cut at {cut}");
        assert_eq!(recovery.dropped_bytes, cut - length, "cut at {cut}");
        n_torn += usize::from(recovery.dropped_bytes > 0);
        cut = cut.min(*length);
        if cut < 1000 {
            break;
        }
    }
    assert!(n_torn > 30, "{n_torn}");
}

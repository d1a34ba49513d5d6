//! A folder of the reader's own: walked, compared and written, as `vitrine_folder` decides.

use std::cell::RefCell;
use std::collections::BTreeMap;

use vitrine::platform::folder::{Folder, Found, FoundFile, Looking};
use vitrine::platform::js_error::JsError;
use vitrine_folder::{Base, Choices, Here, Item, Judge, Left, Limits, Plan, Print, Refusal, Seen, Step, Steps, There};

/// How much of what was read for a comparison is kept, so that it need not be read again to be taken in.
const FRESH_BYTES: usize = 32 << 20;

/// Why nothing came of it.
#[derive(Debug)]
pub enum FolderError {
    /// It is too much.
    Refused(Refusal),
    /// The browser did not let it happen.
    Failed(JsError),
    /// One side is not as it was when the plan was made.
    Changed,
}

impl From<JsError> for FolderError {
    fn from(error: JsError) -> Self {
        Self::Failed(error)
    }
}

impl From<Refusal> for FolderError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl FolderError {
    /// A name for programs, what happened, and what to do.
    pub fn texts(&self) -> [String; 3] {
        let (code, message, help) = match self {
            Self::Refused(refusal) => {
                ("folder-too-large", refusal.to_string(), "open a smaller folder, or a folder inside it")
            }
            Self::Failed(JsError { name, message }) if name == "NotAllowedError" => (
                "folder-refused",
                format!("the browser did not allow it: {message}"),
                "open the folder again and allow the page to change it",
            ),
            Self::Failed(error) => (
                "folder-failed",
                format!("the folder could not be read or written: {error}"),
                "look whether it is still there and not full, and open it again",
            ),
            Self::Changed => (
                "changed-meanwhile",
                "it was changed after the comparison".to_owned(),
                "compare again and look at what it is now",
            ),
        };
        [code.to_owned(), message, help.to_owned()]
    }
}

/// A folder that is kept in step with the workspace, as far as the reader wants.
pub struct LocalFolder {
    root: Folder,
    limits: Limits,
    with_ignored: bool,
    state: RefCell<State>,
}

/// What is known of both. One command at a time changes it.
#[derive(Default)]
struct State {
    base: Base,
    here: BTreeMap<String, Here>,
    left: Vec<Left>,
    plan: Plan,
    steps: Steps,
    fresh: BTreeMap<String, Vec<u8>>,
}

impl LocalFolder {
    /// Of which nothing is known yet.
    pub fn new(root: Folder, limits: Limits, with_ignored: bool) -> Self {
        Self { root, limits, with_ignored, state: RefCell::default() }
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.root.name()
    }

    /// Forgets what was told of the workspace.
    pub fn begin(&self) {
        self.state.borrow_mut().here.clear();
    }

    /// A file of the workspace.
    pub fn here(&self, path: &str, contents: &[u8]) {
        self.state.borrow_mut().here.insert(path.to_owned(), Here { print: Print::of(contents) });
    }

    /// Looks at the folder, reads what is not known of it, and compares.
    pub async fn compare(&self) -> Result<(), FolderError> {
        let mut judge = Judge::new(self.limits, self.with_ignored);
        let found = self.walk(&mut judge).await?;
        let (mut there, mut fresh, mut n_fresh) = (BTreeMap::new(), BTreeMap::new(), 0);
        for (path, file) in found {
            let seen = seen(&file);
            let known = self.state.borrow().base.unread(&path, seen);
            let print = match known {
                Some(print) => print,
                None => {
                    let contents = file.read().await?;
                    let print = Print::of(&contents);
                    n_fresh += contents.len();
                    if n_fresh <= FRESH_BYTES {
                        fresh.insert(path.clone(), contents);
                    }
                    print
                }
            };
            there.insert(path, There { seen, print });
        }
        let state = &mut *self.state.borrow_mut();
        let mut here = BTreeMap::new();
        for (path, file) in state.here.iter().filter(|(path, _)| judge.minds(path)) {
            here.insert(path.clone(), *file);
        }
        state.left = judge.into_left();
        state.plan = Plan::new(&state.base, &here, &there, &state.left);
        state.plan.settle(&mut state.base);
        state.fresh = fresh;
        state.steps = Steps::default();
        Ok(())
    }

    /// Every file that counts.
    async fn walk(&self, judge: &mut Judge) -> Result<Vec<(String, FoundFile)>, FolderError> {
        let mut files = Vec::new();
        let mut waiting = vec![(String::new(), self.root.clone())];
        while let Some((folder, handle)) = waiting.pop() {
            let mut paths = Vec::new();
            let entries = handle
                .entries(|name| -> Result<bool, FolderError> {
                    let path = judge.enter(&folder, name)?;
                    let counts = path.is_some();
                    paths.extend(path);
                    Ok(counts)
                })
                .await?;
            let mut looking: Vec<(String, Looking)> = Vec::new();
            for (path, (_, entry)) in paths.into_iter().zip(entries) {
                match entry {
                    Found::Folder(handle) => waiting.push((path, handle)),
                    Found::File(file) => looking.push((path, file)),
                }
            }
            for (path, file) in looking {
                // What has gone meanwhile is gone; what cannot be looked at ends the walk, or it would pass for removed.
                if let Some(file) = file.found().await?
                    && judge.weigh(&path, file.bytes())?
                {
                    files.push((path, file));
                }
            }
        }
        Ok(files)
    }

    /// What differs.
    pub fn items(&self) -> Vec<Item> {
        self.state.borrow().plan.items().to_vec()
    }

    /// What is left alone.
    pub fn left(&self) -> Vec<Left> {
        self.state.borrow().left.clone()
    }

    /// Plans the steps for what was chosen.
    pub fn choose(&self, choices: &Choices) -> Steps {
        let state = &mut *self.state.borrow_mut();
        state.steps = state.plan.steps(choices);
        state.steps.clone()
    }

    /// Whether the workspace's file is what it was when the step was planned.
    pub fn is_here(&self, index: usize, contents: Option<&[u8]>) -> bool {
        self.step(index).is_some_and(|step| step.here.map(|here| here.print) == contents.map(Print::of))
    }

    /// Does a step on the folder: writes these contents, or removes the file.
    pub async fn write(&self, index: usize, contents: Option<&[u8]>) -> Result<(), FolderError> {
        let step = self.step(index).filter(|_| self.is_here(index, contents)).ok_or(FolderError::Changed)?;
        self.still_there(&step).await?;
        match contents {
            Some(contents) => {
                self.root.write(&step.path, contents).await?;
                let file = self.root.file(&step.path).await?.ok_or(FolderError::Changed)?;
                let now = There { seen: seen(&file), print: Print::of(contents) };
                self.state.borrow_mut().base.settle(&step.path, Some(now));
            }
            None => {
                self.root.remove(&step.path).await?;
                self.state.borrow_mut().base.settle(&step.path, None);
            }
        }
        Ok(())
    }

    /// The folder's file of a step, for the workspace; `None` where it has none.
    pub async fn read(&self, index: usize) -> Result<Option<Vec<u8>>, FolderError> {
        let step = self.step(index).ok_or(FolderError::Changed)?;
        let file = self.still_there(&step).await?;
        let fresh = self.state.borrow_mut().fresh.remove(&step.path);
        let contents = match (file, fresh) {
            (None, _) => return Ok(None),
            (Some(_), Some(contents)) => contents,
            (Some(file), None) => file.read().await?,
        };
        let is_it = step.there.is_some_and(|there| there.print == Print::of(&contents));
        if is_it { Ok(Some(contents)) } else { Err(FolderError::Changed) }
    }

    /// When the folder's file of a step was changed.
    pub fn modified_ms(&self, index: usize) -> u64 {
        self.step(index).and_then(|step| step.there).map_or(0, |there| there.seen.modified_ms)
    }

    /// The workspace has taken what was read for a step.
    pub fn taken(&self, index: usize) {
        if let Some(step) = self.step(index) {
            self.state.borrow_mut().base.settle(&step.path, step.there);
        }
    }

    fn step(&self, index: usize) -> Option<Step> {
        self.state.borrow().steps.take.get(index).cloned()
    }

    async fn still_there(&self, step: &Step) -> Result<Option<FoundFile>, FolderError> {
        let file = self.root.file(&step.path).await?;
        let is_it = file.as_ref().map(seen) == step.there.map(|there| there.seen);
        if is_it { Ok(file) } else { Err(FolderError::Changed) }
    }
}

fn seen(file: &FoundFile) -> Seen {
    Seen { bytes: file.bytes(), modified_ms: file.modified_ms() }
}

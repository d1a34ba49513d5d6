//! The worker's side of a folder that the reader has picked; the other side is the transfer module's.

use js_sys::{Promise, Uint8Array};
use vitrine_protocol::folder::{FolderChoice, FolderItem, FolderSide, FolderWay};
use vitrine_protocol::notification::{LeftOut, Problem};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::transfer_link::{Room, Transfer, problem};
use super::worker_port::Attached;

#[wasm_bindgen]
extern "C" {
    /// What the module is for folders.
    type Folders;

    #[wasm_bindgen(method, catch)]
    fn folder(
        this: &Folders,
        handle: &JsValue,
        entries: f64,
        file_bytes: f64,
        total_bytes: f64,
        with_ignored: bool,
    ) -> Result<Option<JsFolder>, JsValue>;

    type JsFolder;

    #[wasm_bindgen(method, catch)]
    fn name(this: &JsFolder) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn begin(this: &JsFolder) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn here(this: &JsFolder, path: &str, contents: &[u8]) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn compare(this: &JsFolder) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn items(this: &JsFolder) -> Result<Vec<String>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn left(this: &JsFolder) -> Result<Vec<String>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn choose(
        this: &JsFolder,
        save: bool,
        remove: bool,
        read: bool,
        mine: Vec<String>,
        theirs: Vec<String>,
    ) -> Result<Vec<String>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn matches(this: &JsFolder, index: usize, contents: Option<&[u8]>) -> Result<bool, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn write(this: &JsFolder, index: usize, contents: Option<&[u8]>) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn read(this: &JsFolder, index: usize) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn modified(this: &JsFolder, index: usize) -> Result<f64, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn taken(this: &JsFolder, index: usize) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn free(this: &JsFolder) -> Result<(), JsValue>;
}

/// A folder in the module's memory, until it is dropped.
pub struct FolderLink(JsFolder);

/// What one step does, to which file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Which.
    pub path: String,
    /// What.
    pub act: Act,
}

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Writes it to the folder.
    Write,
    /// Removes it from the folder.
    Remove,
    /// Writes it to the workspace.
    Read,
    /// Removes it from the workspace.
    Drop,
}

/// What the reader has chosen.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// Write to the folder what is new here.
    pub save: bool,
    /// Remove from it what was removed here.
    pub remove: bool,
    /// Bring here what is new there.
    pub read: bool,
    /// Of conflicts, by path.
    pub conflicts: Vec<(String, FolderChoice)>,
}

impl FolderLink {
    /// Over the folder that came with a command; `None` when none came.
    pub fn open(
        Transfer(module): &Transfer,
        Attached(handle): &Attached,
        room: Room,
        with_ignored: bool,
    ) -> Result<Option<Self>, Problem> {
        let Room { entries, file_bytes, total_bytes } = room;
        let module: &Folders = module.unchecked_ref();
        let folder = module.folder(handle, entries as f64, file_bytes as f64, total_bytes as f64, with_ignored);
        Ok(folder.map_err(problem)?.map(Self))
    }

    /// Its name.
    pub fn name(&self) -> Result<String, Problem> {
        self.0.name().map_err(problem)
    }

    /// Tells it of the workspace, before a comparison.
    pub fn tell<'a>(&self, files: impl Iterator<Item = (&'a str, &'a [u8])>) -> Result<(), Problem> {
        self.0.begin().map_err(problem)?;
        for (path, contents) in files {
            self.0.here(path, contents).map_err(problem)?;
        }
        Ok(())
    }

    /// Compares it with what it was told.
    pub async fn compare(&self) -> Result<(), Problem> {
        settled(self.0.compare()).await.map(drop)
    }

    /// What differs.
    pub fn items(&self) -> Result<Vec<FolderItem>, Problem> {
        let mut texts = self.0.items().map_err(problem)?.into_iter();
        let side = |text: String| match text.as_str() {
            "added" => FolderSide::Added,
            "changed" => FolderSide::Changed,
            "removed" => FolderSide::Removed,
            _ => FolderSide::Same,
        };
        let next = || {
            let (path, here, there) = (texts.next()?, side(texts.next()?), side(texts.next()?));
            let way = match texts.next()?.as_str() {
                "out" => FolderWay::Out,
                "in" => FolderWay::In,
                _ => FolderWay::Conflict,
            };
            Some(FolderItem { path, here, there, way })
        };
        Ok(std::iter::from_fn(next).collect())
    }

    /// What is left alone.
    pub fn left(&self) -> Result<Vec<LeftOut>, Problem> {
        Ok(left_out(self.0.left().map_err(problem)?.into_iter()))
    }

    /// Plans what to do: the steps, in this order, and what cannot be done.
    pub fn choose(&self, chosen: Chosen) -> Result<(Vec<Step>, Vec<LeftOut>), Problem> {
        let Chosen { save, remove, read, conflicts } = chosen;
        let of = |wanted| conflicts.iter().filter(move |(_, choice)| *choice == wanted).map(|(path, _)| path.clone());
        let (mine, theirs) = (of(FolderChoice::Mine).collect(), of(FolderChoice::Theirs).collect());
        let texts = self.0.choose(save, remove, read, mine, theirs).map_err(problem)?;
        let mut texts = texts.into_iter();
        let mut steps = Vec::new();
        // An empty path ends them.
        while let Some(path) = texts.next().filter(|path| !path.is_empty()) {
            let act = match texts.next().as_deref() {
                Some("write") => Act::Write,
                Some("remove") => Act::Remove,
                Some("read") => Act::Read,
                _ => Act::Drop,
            };
            steps.push(Step { path, act });
        }
        Ok((steps, left_out(texts)))
    }

    /// Whether the workspace's file is what it was when the step was planned.
    pub fn matches(&self, index: usize, contents: Option<&[u8]>) -> Result<bool, Problem> {
        self.0.matches(index, contents).map_err(problem)
    }

    /// Does a step in the folder.
    pub async fn write(&self, index: usize, contents: Option<&[u8]>) -> Result<(), Problem> {
        settled(self.0.write(index, contents)).await.map(drop)
    }

    /// The folder's file of a step, and when it was changed; `None` where it has none.
    pub async fn read(&self, index: usize) -> Result<Option<(Vec<u8>, u64)>, Problem> {
        let contents = settled(self.0.read(index)).await?;
        let modified_ms = self.0.modified(index).map_err(problem)? as u64;
        Ok(contents.dyn_ref::<Uint8Array>().map(|contents| (contents.to_vec(), modified_ms)))
    }

    /// The workspace has taken what was read for a step.
    pub fn taken(&self, index: usize) -> Result<(), Problem> {
        self.0.taken(index).map_err(problem)
    }
}

impl Drop for FolderLink {
    fn drop(&mut self) {
        // One whose module stopped cannot be freed; its memory is lost with it.
        let _ = self.0.free();
    }
}

impl std::fmt::Debug for FolderLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FolderLink")
    }
}

fn left_out(mut texts: impl Iterator<Item = String>) -> Vec<LeftOut> {
    let next = || Some(LeftOut { path: texts.next()?, code: texts.next()?, reason: texts.next()? });
    std::iter::from_fn(next).collect()
}

async fn settled(called: Result<Promise, JsValue>) -> Result<JsValue, Problem> {
    JsFuture::from(called.map_err(problem)?).await.map_err(problem)
}

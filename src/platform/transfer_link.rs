//! The worker's side of the line to the transfer module, which is loaded when something first goes in or out.

use std::cell::RefCell;

use js_sys::{Array, Promise};
use vitrine_protocol::notification::Problem;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::js_error::JsError;
use super::worker_port::{Attached, OutgoingBlob};

#[wasm_bindgen]
extern "C" {
    /// A module beside the worker's, started; each call makes an instance. From `worker_loader.js`.
    #[wasm_bindgen(catch, js_name = vitrineModule)]
    fn start(name: &str) -> Result<Promise, JsValue>;

    #[derive(Clone)]
    pub(super) type Module;

    #[wasm_bindgen(method, catch)]
    fn open(
        this: &Module,
        source: &JsValue,
        entries: f64,
        file_bytes: f64,
        total_bytes: f64,
        lang: &str,
    ) -> Result<JsArchive, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn pack(this: &Module) -> Result<JsPacker, JsValue>;

    type JsArchive;

    #[wasm_bindgen(method, catch)]
    fn count(this: &JsArchive) -> Result<usize, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn path(this: &JsArchive, index: usize) -> Result<Option<String>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn modified(this: &JsArchive, index: usize) -> Result<Option<f64>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn content(this: &JsArchive, index: usize) -> Result<Vec<u8>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn skipped(this: &JsArchive) -> Result<Vec<String>, JsValue>;

    #[wasm_bindgen(method, catch, js_name = free)]
    fn free_archive(this: &JsArchive) -> Result<(), JsValue>;

    type JsPacker;

    #[wasm_bindgen(method, catch)]
    fn folder(this: &JsPacker, path: &str, modified_ms: f64) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn file(this: &JsPacker, path: &str, content: &[u8], modified_ms: f64) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn finish(this: &JsPacker) -> Result<Blob, JsValue>;

    #[wasm_bindgen(method, catch, js_name = free)]
    fn free_packer(this: &JsPacker) -> Result<(), JsValue>;
}

thread_local! {
    static MODULE: RefCell<Option<Module>> = const { RefCell::new(None) };
}

/// The transfer module.
pub struct Transfer(pub(super) Module);

/// What may come of an archive.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// Entries.
    pub entries: u64,
    /// Bytes of one file.
    pub file_bytes: u64,
    /// Bytes of all files.
    pub total_bytes: u64,
}

impl Transfer {
    /// Loads the module, or takes the one that is there. A load that failed may be tried again.
    pub async fn load() -> Result<Self, Problem> {
        if let Some(module) = MODULE.with_borrow(Clone::clone) {
            return Ok(Self(module));
        }
        let module: Module = started().await.map_err(|error| {
            Problem::new(
                "module-missing",
                format!(
                    "the part that reads and writes archives and folders could not be loaded: {}",
                    JsError::from(error)
                ),
                "look whether you are online and try again; transfer.js and transfer_bg.wasm belong beside worker.js",
            )
        })?;
        MODULE.set(Some(module.clone()));
        Ok(Self(module))
    }

    /// Reads the list of the archive that came with a command, and judges it. `lang` is the reader's language.
    pub fn open(&self, Attached(source): &Attached, room: Room, lang: &str) -> Result<Archive, Problem> {
        let Room { entries, file_bytes, total_bytes } = room;
        let opened = self.0.open(source, entries as f64, file_bytes as f64, total_bytes as f64, lang);
        opened.map(Archive).map_err(problem)
    }

    /// Begins an archive.
    pub fn pack(&self) -> Result<Packer, Problem> {
        self.0.pack().map(Packer).map_err(problem)
    }
}

/// Not `async` at the import itself: its glue would wait for the result of the call even when the call threw.
async fn started() -> Result<Module, JsValue> {
    Ok(JsFuture::from(start("transfer")?).await?.unchecked_into())
}

impl std::fmt::Debug for Transfer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Transfer")
    }
}

/// An entry of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its path, relative, with `/` between its parts.
    pub path: String,
    /// When a file was changed; a folder has no such time.
    pub modified_ms: Option<u64>,
}

/// An archive in the module's memory, until it is dropped.
pub struct Archive(JsArchive);

impl Archive {
    /// Its entries, in the order of its list.
    pub fn entries(&self) -> Result<Vec<Entry>, Problem> {
        let entry = |index| {
            let modified_ms = self.0.modified(index)?.map(|ms| ms as u64);
            Ok(Entry { path: self.0.path(index)?.unwrap_or_default(), modified_ms })
        };
        let entries = || -> Result<_, JsValue> { (0..self.0.count()?).map(entry).collect() };
        entries().map_err(problem)
    }

    /// Unpacks the file at this place of [`entries`](Self::entries).
    pub fn content(&self, index: usize) -> Result<Vec<u8>, Problem> {
        self.0.content(index).map_err(problem)
    }

    /// What is left out: path, code, and why.
    pub fn skipped(&self) -> Result<Vec<[String; 3]>, Problem> {
        let mut texts = self.0.skipped().map_err(problem)?.into_iter();
        let next = || Some([texts.next()?, texts.next()?, texts.next()?]);
        Ok(std::iter::from_fn(next).collect())
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        // One whose module stopped cannot be freed; its memory is lost with it.
        let _ = self.0.free_archive();
    }
}

impl std::fmt::Debug for Archive {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Archive")
    }
}

/// An archive that is made in the module's memory, until it is dropped.
pub struct Packer(JsPacker);

impl Packer {
    /// Adds a folder.
    pub fn folder(&self, path: &str, modified_ms: u64) -> Result<(), Problem> {
        self.0.folder(path, modified_ms as f64).map_err(problem)
    }

    /// Adds a file.
    pub fn file(&self, path: &str, content: &[u8], modified_ms: u64) -> Result<(), Problem> {
        self.0.file(path, content, modified_ms as f64).map_err(problem)
    }

    /// The archive. There is nothing to do with the packer afterwards.
    pub fn finish(&self) -> Result<OutgoingBlob, Problem> {
        self.0.finish().map(OutgoingBlob).map_err(problem)
    }
}

impl Drop for Packer {
    fn drop(&mut self) {
        // One that was finished, or whose module stopped, cannot be freed.
        let _ = self.0.free_packer();
    }
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Packer")
    }
}

/// What the module threw. It says three texts; anything else is a trap, after which it is not to be trusted.
pub(super) fn problem(error: JsValue) -> Problem {
    let said = error.dyn_ref::<Array>().map(|texts| [0, 1, 2].map(|at| texts.get(at).as_string().unwrap_or_default()));
    if let Some([code, message, help]) = said {
        return Problem::new(code, message, help);
    }
    MODULE.set(None);
    Problem::new(
        "internal",
        format!("what reads and writes archives and folders stopped: {}", JsError::from(error)),
        "try again; if it happens again, report it as a bug",
    )
}

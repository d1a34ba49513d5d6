//! The transfer module's side of the line to the worker: what `transfer.js` exports. What fails is thrown as a list of
//! three texts: code, message, help.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::rc::Rc;

use js_sys::{Array, Promise, Uint8Array};
use vitrine::platform::blob::{BlobSource, BlobWriter};
use vitrine::platform::encoding::Encodings;
use vitrine::platform::folder;
use vitrine_archive::{ArchiveError, Entry, Export, Import, Limits, ReaderAt};
use vitrine_folder::{Act, Choice, Choices, Way};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::future_to_promise;
use web_sys::Blob;

use crate::folder::{FolderError, LocalFolder};

const MEDIA_TYPE: &str = "application/zip";

/// Where an archive's bytes are.
enum Source {
    Blob(BlobSource),
    Bytes(Vec<u8>),
}

impl ReaderAt for Source {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            Self::Blob(blob) => blob.read_at(out, offset),
            Self::Bytes(bytes) => bytes.as_slice().read_at(out, offset),
        }
    }
}

/// An archive whose list has been judged. Whoever opened it frees it.
#[wasm_bindgen]
#[expect(missing_debug_implementations, reason = "an exported class; nothing in Rust prints it")]
pub struct Archive(Import<Source>);

/// Reads the list of an archive, a `Blob` or a `Uint8Array`, and judges it. `lang` tells what encoding old names are in.
#[wasm_bindgen]
pub fn open(source: JsValue, entries: f64, file_bytes: f64, total_bytes: f64, lang: &str) -> Result<Archive, JsValue> {
    let limits = Limits { entries: entries as u64, file_bytes: file_bytes as u64, total_bytes: total_bytes as u64 };
    let (source, length) = match source.dyn_into::<Blob>() {
        Ok(blob) => {
            let blob = BlobSource::new(blob).map_err(|error| thrown(&error.into()))?;
            let length = blob.length();
            (Source::Blob(blob), length)
        }
        Err(bytes) => {
            // Of what is neither, no bytes: that is no archive.
            let bytes = bytes.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec).unwrap_or_default();
            let length = bytes.len() as u64;
            (Source::Bytes(bytes), length)
        }
    };
    Import::open(source, length, &limits, &Encodings::of([lang])).map(Archive).map_err(|error| thrown(&error))
}

#[wasm_bindgen]
impl Archive {
    /// Its entries.
    pub fn count(&self) -> usize {
        self.0.entries().len()
    }

    /// An entry's path. None beyond the last.
    pub fn path(&self, index: usize) -> Option<String> {
        self.0.entries().get(index).map(|entry| entry.path().to_owned())
    }

    /// When a file was changed, in milliseconds since 1970; `undefined` is a folder.
    pub fn modified(&self, index: usize) -> Option<f64> {
        match self.0.entries().get(index)? {
            Entry::Folder { .. } => None,
            Entry::File { modified_ms, .. } => Some(*modified_ms as f64),
        }
    }

    /// A file, unpacked.
    pub fn content(&self, index: usize) -> Result<Vec<u8>, JsValue> {
        self.0.read(index).map_err(|error| thrown(&error))
    }

    /// What is left out: path, code and reason of each, one after the other.
    pub fn skipped(&self) -> Vec<String> {
        let skipped = self.0.skipped().iter();
        skipped.flat_map(|left| [left.path.clone(), left.reason.code().to_owned(), left.reason.to_string()]).collect()
    }
}

/// An archive that is made. Whoever began it finishes or frees it.
#[wasm_bindgen]
#[expect(missing_debug_implementations, reason = "an exported class; nothing in Rust prints it")]
pub struct Packer(Export<BlobWriter>);

/// An archive without entries.
#[wasm_bindgen]
pub fn pack() -> Packer {
    Packer(Export::new(BlobWriter::default()))
}

#[wasm_bindgen]
impl Packer {
    /// Adds a folder.
    pub fn folder(&mut self, path: &str, modified_ms: f64) -> Result<(), JsValue> {
        self.0.folder(path, modified_ms as u64).map_err(|error| thrown(&error))
    }

    /// Adds a file.
    pub fn file(&mut self, path: &str, content: &[u8], modified_ms: f64) -> Result<(), JsValue> {
        self.0.file(path, content, modified_ms as u64).map_err(|error| thrown(&error))
    }

    /// The archive.
    pub fn finish(self) -> Result<Blob, JsValue> {
        let packed = self.0.finish().and_then(|writer| Ok(writer.finish(MEDIA_TYPE)?));
        packed.map_err(|error| thrown(&error))
    }
}

/// A folder that the reader has picked. Whoever opened it frees it. What takes time gives a promise, one at a time.
#[wasm_bindgen]
#[expect(missing_debug_implementations, reason = "an exported class; nothing in Rust prints it")]
pub struct Folder(Rc<LocalFolder>);

/// A folder, if that is what it is.
#[wasm_bindgen]
pub fn folder(handle: JsValue, entries: f64, file_bytes: f64, total_bytes: f64, with_ignored: bool) -> Option<Folder> {
    let (entries, file_bytes, total_bytes) = (entries as u64, file_bytes as u64, total_bytes as u64);
    let limits = vitrine_folder::Limits { entries, file_bytes, total_bytes };
    let root = folder::Folder::of(handle)?;
    Some(Folder(Rc::new(LocalFolder::new(root, limits, with_ignored))))
}

#[wasm_bindgen]
impl Folder {
    /// Its name.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Forgets what was told of the workspace, to be told anew.
    pub fn begin(&self) {
        self.0.begin();
    }

    /// A file of the workspace.
    pub fn here(&self, path: &str, contents: &[u8]) {
        self.0.here(path, contents);
    }

    /// Compares the two.
    pub fn compare(&self) -> Promise {
        let folder = self.0.clone();
        promise(async move { folder.compare().await.map(|()| JsValue::UNDEFINED) })
    }

    /// What differs: path, what happened here and there, and the way of each, one after the other.
    pub fn items(&self) -> Vec<String> {
        let items = self.0.items().into_iter();
        let texts = items.flat_map(|item| {
            let way = match item.way() {
                Way::Out => "out",
                Way::In => "in",
                Way::Conflict => "conflict",
            };
            [item.path, item.here.code().to_owned(), item.there.code().to_owned(), way.to_owned()]
        });
        texts.collect()
    }

    /// What is left alone: path, code and reason of each.
    pub fn left(&self) -> Vec<String> {
        let left = self.0.left().into_iter();
        left.flat_map(|left| [left.path, left.why.code().to_owned(), left.why.reason().to_owned()]).collect()
    }

    /// Plans what to do: which kinds of changes, and of conflicts the paths that are to be as here and as there. Gives path
    /// and act of each step (`write`, `remove`: in the folder; `read`, `drop`: in the workspace), then what cannot be done: its
    /// path, code and reason; the two are parted by an empty text.
    pub fn choose(&self, save: bool, remove: bool, read: bool, mine: Vec<String>, theirs: Vec<String>) -> Vec<String> {
        let theirs = theirs.into_iter().map(|path| (path, Choice::Theirs));
        let mut conflicts = BTreeMap::new();
        for (path, choice) in mine.into_iter().map(|path| (path, Choice::Mine)).chain(theirs) {
            conflicts.insert(path, choice);
        }
        let steps = self.0.choose(&Choices { save, remove, read, conflicts });
        let taken = steps.take.into_iter().flat_map(|step| {
            let act = match step.act {
                Act::WriteThere => "write",
                Act::RemoveThere => "remove",
                Act::WriteHere => "read",
                Act::RemoveHere => "drop",
            };
            [step.path, act.to_owned()]
        });
        let held = steps.held.into_iter();
        let held = held.flat_map(|held| [held.path, held.why.code().to_owned(), held.why.reason().to_owned()]);
        taken.chain([String::new()]).chain(held).collect()
    }

    /// Whether the workspace's file is what it was when the step was planned.
    #[expect(clippy::needless_pass_by_value, reason = "an exported function takes no slice that may be missing")]
    pub fn matches(&self, index: usize, contents: Option<Vec<u8>>) -> bool {
        self.0.is_here(index, contents.as_deref())
    }

    /// Does a step in the folder: writes the contents, or removes the file.
    pub fn write(&self, index: usize, contents: Option<Vec<u8>>) -> Promise {
        let folder = self.0.clone();
        promise(async move { folder.write(index, contents.as_deref()).await.map(|()| JsValue::UNDEFINED) })
    }

    /// The folder's file of a step; `undefined` where it has none.
    pub fn read(&self, index: usize) -> Promise {
        let folder = self.0.clone();
        promise(async move {
            let contents = folder.read(index).await?;
            Ok(contents.map_or(JsValue::UNDEFINED, |contents| Uint8Array::from(contents.as_slice()).into()))
        })
    }

    /// When the folder's file of a step was changed.
    pub fn modified(&self, index: usize) -> f64 {
        self.0.modified_ms(index) as f64
    }

    /// The workspace has taken what was read for a step.
    pub fn taken(&self, index: usize) {
        self.0.taken(index);
    }
}

fn promise(work: impl Future<Output = Result<JsValue, FolderError>> + 'static) -> Promise {
    future_to_promise(async move {
        work.await.map_err(|error| {
            let [code, message, help] = error.texts();
            Array::of3(&code.into(), &message.into(), &help.into()).into()
        })
    })
}

fn thrown(error: &ArchiveError) -> JsValue {
    let text = |text: &str| JsValue::from_str(text);
    Array::of3(&text(error.code()), &text(&error.to_string()), &text(error.help())).into()
}

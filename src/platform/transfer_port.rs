//! The transfer module's side of the line to the worker: what `transfer.js` exports. What fails is thrown as a list of
//! three texts: code, message, help.

use std::io;

use js_sys::{Array, Uint8Array};
use vitrine::platform::blob::{BlobSource, BlobWriter};
use vitrine::platform::encoding::Encodings;
use vitrine_archive::{ArchiveError, Entry, Export, Import, Limits, ReaderAt};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::Blob;

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

fn thrown(error: &ArchiveError) -> JsValue {
    let text = |text: &str| JsValue::from_str(text);
    Array::of3(&text(error.code()), &text(&error.to_string()), &text(error.help())).into()
}

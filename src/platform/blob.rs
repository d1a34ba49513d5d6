//! Blobs in a worker: one that comes is read piece by piece, one that goes is collected piece by piece, so that a large
//! archive never stands in the module's memory.

use std::io;

use js_sys::{Array, Uint8Array};
use vitrine_archive::ReaderAt;
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag, FileReaderSync};

use super::js_error::JsError;

/// A blob that is read where one asks, in the worker's own time.
#[derive(Debug)]
pub struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
}

impl BlobSource {
    /// Over a blob. Fails where there is no synchronous reader, which is everywhere but in a worker.
    pub fn new(blob: Blob) -> io::Result<Self> {
        let reader = FileReaderSync::new().map_err(failed)?;
        Ok(Self { blob, reader })
    }

    /// Its bytes.
    pub fn length(&self) -> u64 {
        // A blob's size is a whole number below 2^53.
        self.blob.size() as u64
    }
}

impl ReaderAt for BlobSource {
    fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<usize> {
        let end = offset.saturating_add(out.len() as u64).min(self.length());
        if offset >= end {
            return Ok(0);
        }
        let piece = self.blob.slice_with_f64_and_f64(offset as f64, end as f64).map_err(failed)?;
        let piece = Uint8Array::new(&self.reader.read_as_array_buffer(&piece).map_err(failed)?.into());
        let n_read = (piece.length() as usize).min(out.len());
        if let Some(out) = out.get_mut(..n_read) {
            piece.subarray(0, n_read as u32).copy_to(out);
        }
        Ok(n_read)
    }
}

/// A blob that is written front to back.
#[derive(Debug, Default)]
pub struct BlobWriter {
    parts: Array,
    /// What is too little for a part of its own.
    rest: Vec<u8>,
}

/// How many bytes a part of a blob has at the least.
const PART_BYTES: usize = 256 << 10;

impl BlobWriter {
    /// The blob, of a media type.
    pub fn finish(mut self, media_type: &str) -> io::Result<Blob> {
        self.part();
        let options = BlobPropertyBag::new();
        options.set_type(media_type);
        Blob::new_with_u8_array_sequence_and_options(&self.parts, &options).map_err(failed)
    }

    fn part(&mut self) {
        if !self.rest.is_empty() {
            self.parts.push(&Uint8Array::from(self.rest.as_slice()));
            self.rest.clear();
        }
    }
}

impl io::Write for BlobWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        if self.rest.len() >= PART_BYTES {
            self.part();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn failed(error: JsValue) -> io::Error {
    io::Error::other(JsError::from(error))
}

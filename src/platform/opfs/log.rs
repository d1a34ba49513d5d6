//! One open file.

use vitrine_vfs::{BackendError, Log};
use web_sys::{FileSystemReadWriteOptions, FileSystemSyncAccessHandle};

use crate::platform::js_error::JsError;

/// A log over a sync handle, closed when it is dropped.
#[derive(Debug)]
pub struct OpfsLog {
    handle: FileSystemSyncAccessHandle,
    /// Nobody else can change the file, so its length need not be asked for.
    length: u64,
}

impl OpfsLog {
    /// Takes over a handle; nobody else may use it any more.
    pub fn new(handle: FileSystemSyncAccessHandle) -> Result<Self, BackendError> {
        let mut log = Self { handle, length: 0 };
        log.measure()?;
        Ok(log)
    }

    fn measure(&mut self) -> Result<(), BackendError> {
        self.length = self.handle.get_size().map_err(|error| failed(&error.into(), 0))? as u64;
        Ok(())
    }
}

impl Log for OpfsLog {
    fn len(&self) -> Result<u64, BackendError> {
        Ok(self.length)
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> Result<usize, BackendError> {
        let mut n_read = 0;
        while let Some(rest) = buffer.get_mut(n_read..).filter(|rest| !rest.is_empty()) {
            let options = position(at.saturating_add(n_read as u64));
            let n_more = self.handle.read_with_u8_array_and_options(rest, &options);
            match n_more.map_err(|error| failed(&error.into(), 0))? as usize {
                0 => break,
                n_more => n_read += n_more,
            }
        }
        Ok(n_read)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), BackendError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let needed = rest.len() as u64;
            // The browser may take a part and say so; that is no error.
            let written = self.handle.write_with_u8_array_and_options(rest, &position(self.length));
            let n_written = match written {
                Ok(n_written) if n_written >= 1.0 => n_written as u64,
                refused => {
                    // How much of it was added is known to the file alone. If it does not say, the caller's truncation
                    // is what puts the length right.
                    let _ = self.measure();
                    return Err(match refused {
                        Ok(_) => BackendError::Io("the browser took none of the bytes".into()),
                        Err(error) => failed(&error.into(), needed),
                    });
                }
            };
            self.length += n_written;
            rest = usize::try_from(n_written).ok().and_then(|n_written| rest.get(n_written..)).unwrap_or_default();
        }
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> Result<(), BackendError> {
        if length < self.length {
            self.handle.truncate_with_f64(length as f64).map_err(|error| failed(&error.into(), 0))?;
            self.length = length;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BackendError> {
        self.handle.flush().map_err(|error| failed(&error.into(), 0))
    }
}

impl Drop for OpfsLog {
    fn drop(&mut self) {
        self.handle.close();
    }
}

fn position(at: u64) -> FileSystemReadWriteOptions {
    let options = FileSystemReadWriteOptions::new();
    options.set_at(at as f64);
    options
}

fn failed(error: &JsError, needed: u64) -> BackendError {
    match error.name.as_str() {
        "QuotaExceededError" => BackendError::QuotaExceeded { needed },
        _ => BackendError::Io(error.to_string()),
    }
}

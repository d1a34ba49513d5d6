//! Storage in the origin's private file system: a folder of OPFS, each log a file with a sync handle.
//!
//! Sync handles exist in dedicated workers only. Opening one costs about a millisecond and everything through it costs
//! microseconds, so a log is opened once and kept. A handle is exclusive in the whole browser, which is what makes a
//! log its opener's alone.

mod bindings;
mod log;
mod name;

use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use js_sys::{Function, Reflect};
use vitrine_vfs::{Backend, BackendError, Log};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::FileSystemSyncAccessHandle;

use self::bindings::{DirectoryHandle, FileHandle, Missing};
use super::js_error::JsError;

pub use self::log::OpfsLog;

/// A folder of OPFS. Only for a dedicated worker; anywhere else opening it says `NotSupported`.
#[derive(Debug)]
pub struct OpfsBackend {
    folder: DirectoryHandle,
    moving: Moving,
}

/// How a file gets another name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moving {
    /// By the browser's own `move`, and by copying where it has none.
    Native,
    /// By copying.
    Copy,
}

impl OpfsBackend {
    /// Opens a folder, named by a path with `/`, and makes it if it is missing.
    ///
    /// Fails with `NotSupported` where the browser has no OPFS, refuses it (private windows) or only seems to have it:
    /// bytes are written and read back through a second handle before anything of the reader's is trusted to it.
    pub async fn open(folder: &str) -> Result<Self, BackendError> {
        Self::open_with(folder, Moving::Native).await
    }

    /// Opens a folder, and says how to move files in it.
    pub async fn open_with(folder: &str, moving: Moving) -> Result<Self, BackendError> {
        // Engines refuse with errors of many names here; none of them gets better by asking again.
        let mut handle = bindings::root().await.map_err(|_| BackendError::NotSupported)?;
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            handle = handle.folder(name).await.map_err(|error| sort(&error, name))?;
        }
        let backend = Self { folder: handle, moving };
        backend.prove().await?;
        backend.finish_replacements().await?;
        Ok(backend)
    }

    /// Writes a few bytes, closes, reads them back. The name is random, because another tab may do the same now.
    async fn prove(&self) -> Result<(), BackendError> {
        const BYTES: &[u8; 10] = b"0123456789";
        let name = name::proof(js_sys::Math::random());
        let mut log = self.open_file(&name, Missing::Create).await?;
        log.append(BYTES)?;
        log.flush()?;
        drop(log);
        let log = self.open_file(&name, Missing::Create).await?;
        let mut found = [0; BYTES.len()];
        let n_read = log.read(0, &mut found)?;
        drop(log);
        self.remove_file(&name).await?;
        if n_read == BYTES.len() && found == *BYTES { Ok(()) } else { Err(BackendError::NotSupported) }
    }

    /// Copies that a crash cut short. A mark is written before the copy and removed after it, so while it is there `to`
    /// may be anything and `from` is whole, or gone because all was done.
    async fn finish_replacements(&self) -> Result<(), BackendError> {
        for mark in self.file_names().await?.iter().filter(|file| name::is_mark(file)) {
            let log = self.open_file(mark, Missing::Create).await?;
            let mut bytes = vec![0; usize::try_from(log.len()?).unwrap_or(0).min(name::N_MARK_BYTES)];
            log.read(0, &mut bytes)?;
            drop(log);
            // A mark that is not whole was never acted on.
            if let Some((from, to)) = name::read_mark(mark, &bytes) {
                match self.copy_file(&from, &to).await {
                    Ok(()) | Err(BackendError::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            self.remove_file(mark).await?;
        }
        Ok(())
    }

    async fn replace_file(&self, from: &str, to: &str) -> Result<(), BackendError> {
        let handle = self.folder.file(from, Missing::Fail).await.map_err(|error| sort(&error, from))?;
        // Not every engine looks whether the file in the way is open.
        match self.open_file(to, Missing::Fail).await {
            Ok(_) | Err(BackendError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        if self.moving == Moving::Native
            && let Some(moved) = move_file(&handle, to).await
        {
            match moved.map_err(|error| sort(&error, from)) {
                Ok(()) => return Ok(()),
                Err(error @ BackendError::LockedElsewhere { .. }) => return Err(error),
                // An engine may have `move` and yet not over another file.
                Err(_) => {}
            }
        }
        let mark = name::mark(to);
        let mut log = self.open_file(&mark, Missing::Create).await?;
        log.truncate(0)?;
        log.append(&name::mark_bytes(from))?;
        log.flush()?;
        drop(log);
        self.copy_file(from, to).await?;
        self.remove_file(&mark).await
    }

    /// Copies a file over another and removes it; both are closed again before that. May be done again as long as `from` is there.
    async fn copy_file(&self, from: &str, to: &str) -> Result<(), BackendError> {
        let source = self.open_file(from, Missing::Fail).await?;
        let mut target = self.open_file(to, Missing::Create).await?;
        target.truncate(0)?;
        let mut buffer = vec![0; 1 << 20];
        let mut at = 0;
        loop {
            let n_read = source.read(at, &mut buffer)?;
            if n_read == 0 {
                break;
            }
            target.append(buffer.get(..n_read).unwrap_or_default())?;
            at += n_read as u64;
        }
        target.flush()?;
        drop(source);
        drop(target);
        self.remove_file(from).await
    }

    async fn open_file(&self, file: &str, missing: Missing) -> Result<OpfsLog, BackendError> {
        let handle = self.folder.file(file, missing).await.map_err(|error| sort(&error, file))?;
        // The browser opens the file even if nobody waits for it any more; then it has to be closed again, which
        // dropping the unwanted log does.
        let (sender, opened) = oneshot::channel();
        wasm_bindgen_futures::spawn_local(async move {
            let opened = bindings::settled::<FileSystemSyncAccessHandle>(handle.create_sync_access_handle()).await;
            let log = opened.map(OpfsLog::new);
            drop(sender.send(log));
        });
        match opened.await {
            Ok(Ok(log)) => log,
            Ok(Err(error)) => Err(sort(&error, file)),
            Err(oneshot::Canceled) => Err(BackendError::Io("opening was given up".into())),
        }
    }

    async fn remove_file(&self, file: &str) -> Result<(), BackendError> {
        match bindings::settled::<JsValue>(self.folder.remove_entry(file)).await.map_err(|error| sort(&error, file)) {
            Err(BackendError::NotFound { .. }) => Ok(()),
            result => result.map(|_| ()),
        }
    }

    async fn file_names(&self) -> Result<Vec<String>, BackendError> {
        self.folder.names().await.map_err(|error| sort(&error, ""))
    }
}

impl Backend for OpfsBackend {
    fn list(&self) -> LocalBoxFuture<'_, Result<Vec<String>, BackendError>> {
        async move {
            let files = self.file_names().await?;
            let mut names: Vec<String> = files.iter().filter_map(|file| name::decode(file)).collect();
            names.sort_unstable();
            Ok(names)
        }
        .boxed_local()
    }

    fn open<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<Box<dyn Log>, BackendError>> {
        async move {
            let log = self.open_file(&name::encode(name)?, Missing::Create).await;
            log.map(|log| Box::new(log) as Box<dyn Log>).map_err(|error| named(error, name))
        }
        .boxed_local()
    }

    fn remove<'a>(&'a self, name: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        async move { self.remove_file(&name::encode(name)?).await.map_err(|error| named(error, name)) }.boxed_local()
    }

    fn replace<'a>(&'a self, from: &'a str, to: &'a str) -> LocalBoxFuture<'a, Result<(), BackendError>> {
        async move {
            let (from, to) = (name::encode(from)?, name::encode(to)?);
            self.replace_file(&from, &to).await.map_err(|error| match error {
                BackendError::LockedElsewhere { name } => BackendError::LockedElsewhere { name: name::shown(name) },
                BackendError::NotFound { name } => BackendError::NotFound { name: name::shown(name) },
                error => error,
            })
        }
        .boxed_local()
    }

    fn room(&self) -> LocalBoxFuture<'_, Option<u64>> {
        // A browser that does not say refuses what does not fit when it is written.
        async { bindings::room().await.ok().flatten() }.boxed_local()
    }
}

/// `None` where files have no `move`.
async fn move_file(file: &FileHandle, to: &str) -> Option<Result<(), JsError>> {
    let method = Reflect::get(file, &"move".into()).ok()?.dyn_into::<Function>().ok()?;
    let moved = match method.call1(file, &to.into()) {
        Ok(promise) => JsFuture::from(js_sys::Promise::resolve(&promise)).await,
        Err(error) => Err(error),
    };
    Some(moved.map(|_| ()).map_err(JsError::from))
}

/// What the browser's error means; `file` is what it was about.
fn sort(error: &JsError, file: &str) -> BackendError {
    match error.name.as_str() {
        // WebKit calls a file that is open already an invalid state.
        "NoModificationAllowedError" | "InvalidStateError" => BackendError::LockedElsewhere { name: file.to_owned() },
        // Here no bytes were written, but a file takes some room of its own.
        "QuotaExceededError" => BackendError::QuotaExceeded { needed: 1 },
        "NotFoundError" => BackendError::NotFound { name: file.to_owned() },
        "SecurityError" | "NotSupportedError" => BackendError::NotSupported,
        // Both a name that is refused and a missing function; the function is missing for good.
        "TypeError" if error.message.contains("not a function") => BackendError::NotSupported,
        "TypeError" => BackendError::NameRefused { name: file.to_owned() },
        _ => BackendError::Io(error.to_string()),
    }
}

/// The caller knows the log's name, not the file's.
fn named(error: BackendError, name: &str) -> BackendError {
    match error {
        BackendError::LockedElsewhere { .. } => BackendError::LockedElsewhere { name: name.to_owned() },
        BackendError::NameRefused { .. } => BackendError::NameRefused { name: name.to_owned() },
        BackendError::NotFound { .. } => BackendError::NotFound { name: name.to_owned() },
        error @ (BackendError::NotSupported | BackendError::QuotaExceeded { .. } | BackendError::Io(_)) => error,
    }
}

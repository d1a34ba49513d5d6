//! A folder that the reader has picked, by way of the File System Access API, where there is one.

use std::pin::Pin;

use js_sys::{Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::js_error::JsError;

// Not `web-sys`: every call may be missing or throw at once, which it takes for granted.
#[wasm_bindgen]
extern "C" {
    #[derive(Clone, Debug)]
    type Handle;

    #[wasm_bindgen(method, catch, getter)]
    fn kind(this: &Handle) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch, getter)]
    fn name(this: &Handle) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn values(this: &Handle) -> Result<Values, JsValue>;

    #[wasm_bindgen(method, catch, js_name = "getDirectoryHandle")]
    fn get_folder(this: &Handle, name: &str, options: &Object) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = "getFileHandle")]
    fn get_file_handle(this: &Handle, name: &str, options: &Object) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = "removeEntry")]
    fn remove_entry(this: &Handle, name: &str) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = "getFile")]
    fn get_file(this: &Handle) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = "createWritable")]
    fn create_writable(this: &Handle) -> Result<Promise, JsValue>;

    type Values;

    #[wasm_bindgen(method, catch)]
    fn next(this: &Values) -> Result<Promise, JsValue>;

    type Writable;

    #[wasm_bindgen(method, catch)]
    fn write(this: &Writable, bytes: &Uint8Array) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn close(this: &Writable) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn abort(this: &Writable) -> Result<Promise, JsValue>;
}

/// A folder.
#[derive(Clone, Debug)]
pub struct Folder(Handle);

/// A file that is not read yet, as it was when it was looked at.
#[derive(Clone, Debug)]
pub struct FoundFile {
    file: web_sys::File,
}

/// What is in a folder.
#[derive(Debug)]
pub enum Found {
    /// A folder.
    Folder(Folder),
    /// A file, to be looked at.
    File(Looking),
}

/// A file that is being looked at. Many are looked at side by side: that is a wait each.
pub struct Looking(Pin<Box<JsFuture>>);

impl std::fmt::Debug for Looking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Looking")
    }
}

impl Looking {
    /// The file; `None` when it has gone meanwhile.
    pub async fn found(self) -> Result<Option<FoundFile>, JsError> {
        gone(self.0.await.map_err(JsError::from)).map(|file| file.map(|file| FoundFile { file: file.unchecked_into() }))
    }
}

impl FoundFile {
    /// Its size.
    pub fn bytes(&self) -> u64 {
        // A file's size is a whole number below 2^53.
        self.file.size() as u64
    }

    /// When it was changed, in milliseconds since 1970.
    pub fn modified_ms(&self) -> u64 {
        self.file.last_modified() as u64
    }

    /// What is in it. Fails when it has changed since it was looked at.
    pub async fn read(&self) -> Result<Vec<u8>, JsError> {
        let buffer = JsFuture::from(self.file.array_buffer()).await?;
        Ok(Uint8Array::new(&buffer).to_vec())
    }
}

impl Folder {
    /// Of what came from the page; `None` when it is no folder.
    pub fn of(value: JsValue) -> Option<Self> {
        // A value that is no object has no properties to ask for.
        let handle: Handle = Some(value).filter(JsValue::is_object)?.unchecked_into();
        (handle.kind().ok()? == "directory").then_some(Self(handle))
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.0.name().unwrap_or_default()
    }

    /// Calls `take` with each entry's name; what it gives `true` for is among the answer.
    pub async fn entries<E: From<JsError>>(
        &self,
        mut take: impl FnMut(&str) -> Result<bool, E>,
    ) -> Result<Vec<(String, Found)>, E> {
        let values = self.0.values().map_err(JsError::from)?;
        let mut found = Vec::new();
        loop {
            let item: JsValue = settled(values.next()).await?;
            let get = |key: &str| Reflect::get(&item, &key.into()).map_err(JsError::from);
            if get("done")?.is_truthy() {
                return Ok(found);
            }
            let handle: Handle = get("value")?.unchecked_into();
            let name = handle.name().map_err(JsError::from)?;
            if !take(&name)? {
                continue;
            }
            let is_folder = handle.kind().map_err(JsError::from)? == "directory";
            let entry = if is_folder { Found::Folder(Self(handle)) } else { Found::File(look(&handle)?) };
            found.push((name, entry));
        }
    }

    /// The file at a path as it is now, if there is one.
    pub async fn file(&self, path: &str) -> Result<Option<FoundFile>, JsError> {
        let Some((folder, name)) = gone(self.parent(path, false).await)? else { return Ok(None) };
        let handle: Result<Handle, _> = settled(folder.0.get_file_handle(name, &create(false)?)).await;
        match gone(handle)? {
            Some(handle) => look(&handle)?.found().await,
            None => Ok(None),
        }
    }

    /// Writes a file, with the folders that it needs. It is whole or as it was before.
    pub async fn write(&self, path: &str, contents: &[u8]) -> Result<(), JsError> {
        let (folder, name) = self.parent(path, true).await?;
        let handle: Handle = settled(folder.0.get_file_handle(name, &create(true)?)).await?;
        let writable: Writable = settled(handle.create_writable()).await?;
        let written = settled::<JsValue>(writable.write(&Uint8Array::from(contents))).await;
        if let Err(error) = written {
            // What was written so far is in a file of the browser's own.
            let _ = settled::<JsValue>(writable.abort()).await;
            return Err(error);
        }
        settled::<JsValue>(writable.close()).await.map(drop)
    }

    /// Removes a file, and the folders that it was the last in.
    pub async fn remove(&self, path: &str) -> Result<(), JsError> {
        let Some((mut folder, mut name)) = gone(self.parent(path, false).await)? else { return Ok(()) };
        gone(settled::<JsValue>(folder.0.remove_entry(name)).await)?;
        let mut rest = path;
        while let Some((above, _)) = rest.rsplit_once('/') {
            rest = above;
            (folder, name) = self.parent(rest, false).await?;
            // A folder that is not empty refuses, and that is all right.
            if settled::<JsValue>(folder.0.remove_entry(name)).await.is_err() {
                break;
            }
        }
        Ok(())
    }

    /// The folder that a path lies in, and its last name.
    async fn parent<'a>(&self, path: &'a str, is_made: bool) -> Result<(Self, &'a str), JsError> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut folder = self.clone();
        for name in folders.split('/').filter(|name| !name.is_empty()) {
            folder = Self(settled(folder.0.get_folder(name, &create(is_made)?)).await?);
        }
        Ok((folder, name))
    }
}

fn look(handle: &Handle) -> Result<Looking, JsError> {
    Ok(Looking(Box::pin(JsFuture::from(handle.get_file()?))))
}

/// `None` for what is not there, or is a folder where a file was asked for.
fn gone<T>(result: Result<T, JsError>) -> Result<Option<T>, JsError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.name.as_str(), "NotFoundError" | "TypeMismatchError") => Ok(None),
        Err(error) => Err(error),
    }
}

/// Waits for a call that may throw at once; an `async` import would wait for its result even then.
async fn settled<T: JsCast>(called: Result<Promise, JsValue>) -> Result<T, JsError> {
    Ok(JsFuture::from(called?).await?.unchecked_into())
}

fn create(is_made: bool) -> Result<Object, JsError> {
    let options = Object::new();
    Reflect::set(&options, &"create".into(), &is_made.into())?;
    Ok(options)
}

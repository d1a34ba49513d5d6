//! The calls into OPFS that can be missing or throw at once, which `web-sys` takes for granted.

use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use crate::platform::js_error::JsError;

#[wasm_bindgen]
extern "C" {
    type StorageManager;

    #[wasm_bindgen(method, catch, js_name = "getDirectory")]
    fn get_directory(this: &StorageManager) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn estimate(this: &StorageManager) -> Result<Promise, JsValue>;

    /// A folder.
    #[derive(Debug)]
    pub(super) type DirectoryHandle;

    #[wasm_bindgen(method, catch, js_name = "getDirectoryHandle")]
    fn get_directory_handle(this: &DirectoryHandle, name: &str, options: &Object) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = "getFileHandle")]
    fn get_file_handle(this: &DirectoryHandle, name: &str, options: &Object) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch, js_name = "removeEntry")]
    pub(super) fn remove_entry(this: &DirectoryHandle, name: &str) -> Result<Promise, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn keys(this: &DirectoryHandle) -> Result<Names, JsValue>;

    type Names;

    #[wasm_bindgen(method, catch)]
    fn next(this: &Names) -> Result<Promise, JsValue>;

    /// A file, not open.
    pub(super) type FileHandle;

    #[wasm_bindgen(method, catch, js_name = "createSyncAccessHandle")]
    pub(super) fn create_sync_access_handle(this: &FileHandle) -> Result<Promise, JsValue>;
}

/// What to do about a file that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// Make it.
    Create,
    /// Fail with `NotFoundError`.
    Fail,
}

/// The origin's own folder.
pub(super) async fn root() -> Result<DirectoryHandle, JsError> {
    settled(storage()?.get_directory()).await
}

/// The bytes that the origin may still store, as far as the browser says.
pub(super) async fn room() -> Result<Option<u64>, JsError> {
    let estimate = settled::<JsValue>(storage()?.estimate()).await?;
    let number = |name: &str| Reflect::get(&estimate, &name.into()).map(|value| value.as_f64());
    let (quota, usage) = (number("quota")?, number("usage")?);
    Ok(quota.zip(usage).map(|(quota, usage)| (quota - usage) as u64))
}

fn storage() -> Result<StorageManager, JsError> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into())?;
    let storage = Reflect::get(&navigator, &"storage".into())?;
    if storage.is_undefined() {
        // WebKitGTK's workers.
        let message = "navigator.storage is missing".to_owned();
        return Err(JsError { name: "NotSupportedError".to_owned(), message });
    }
    Ok(storage.unchecked_into())
}

/// Waits for a call that may throw at once. The imports above are not `async` themselves: the glue of an async import
/// waits for the result of the call even when the call threw.
pub(super) async fn settled<T: JsCast>(called: Result<Promise, JsValue>) -> Result<T, JsError> {
    Ok(JsFuture::from(called?).await?.unchecked_into())
}

impl DirectoryHandle {
    /// A folder in it, made if it is missing.
    pub(super) async fn folder(&self, name: &str) -> Result<DirectoryHandle, JsError> {
        settled(self.get_directory_handle(name, &create(true)?)).await
    }

    /// A file in it.
    pub(super) async fn file(&self, name: &str, missing: Missing) -> Result<FileHandle, JsError> {
        let options = create(missing == Missing::Create)?;
        settled(self.get_file_handle(name, &options)).await
    }

    /// The names of all that is in it, in the browser's order.
    pub(super) async fn names(&self) -> Result<Vec<String>, JsError> {
        let iterator = self.keys()?;
        let mut names = Vec::new();
        loop {
            let item = JsFuture::from(iterator.next()?).await?;
            if Reflect::get(&item, &"done".into())?.is_truthy() {
                return Ok(names);
            }
            names.extend(Reflect::get(&item, &"value".into())?.as_string());
        }
    }
}

fn create(is_created: bool) -> Result<Object, JsError> {
    let options = Object::new();
    Reflect::set(&options, &"create".into(), &is_created.into())?;
    Ok(options)
}

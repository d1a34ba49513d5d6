//! [`MemoryFiles`]: a workspace in memory, by absolute paths.

use serde_json::{Value, json};
use vitrine_vfs::{Entry, Kind, Workspace, WorkspaceError, WorkspacePath};
use wasm_bindgen::prelude::wasm_bindgen;

/// Files in memory. What changes them answers why it did not; what reads them answers nothing then, and `failure` says why.
#[wasm_bindgen]
#[derive(Debug)]
pub struct MemoryFiles {
    workspace: Workspace,
    failure: String,
}

#[wasm_bindgen]
impl MemoryFiles {
    /// Nothing in it.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default, reason = "a constructor for JavaScript, which knows no default")]
    pub fn new() -> Self {
        Self { workspace: Workspace::in_memory(), failure: String::new() }
    }

    /// Why the last reading gave nothing.
    pub fn failure(&self) -> String {
        self.failure.clone()
    }

    /// The bytes of a file.
    pub fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        let contents = place(path).and_then(|path| self.workspace.read(&path));
        self.answer(contents).map(|contents| contents.to_vec())
    }

    /// What is in a folder, as JSON text: `[name, kind, size]` each.
    pub fn list(&mut self, path: &str) -> Option<String> {
        let entries = place(path).and_then(|path| self.workspace.list(&path));
        self.answer(entries).map(|entries| entries.iter().map(described).collect::<Value>().to_string())
    }

    /// What a path names, likewise.
    pub fn stat(&mut self, path: &str) -> Option<String> {
        let entry = place(path).and_then(|path| self.workspace.stat(&path));
        self.answer(entry).map(|entry| described(&entry).to_string())
    }

    /// Makes or replaces a file, and the folders on the way.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Option<String> {
        failure_of(place(path).and_then(|path| self.workspace.write(&path, bytes)))
    }

    /// Makes a folder, and those on the way.
    pub fn mkdir(&self, path: &str) -> Option<String> {
        failure_of(place(path).and_then(|path| self.workspace.mkdir(&path)))
    }

    /// Removes a file, or a folder with all in it.
    pub fn remove(&self, path: &str) -> Option<String> {
        failure_of(place(path).and_then(|path| self.workspace.remove(&path)))
    }

    /// Moves a file, or a folder with all in it.
    pub fn rename(&self, from: &str, to: &str) -> Option<String> {
        failure_of(place(from).and_then(|from| self.workspace.rename(&from, &place(to)?)))
    }
}

impl MemoryFiles {
    /// The workspace itself, for tools.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    fn answer<T>(&mut self, result: Result<T, WorkspaceError>) -> Option<T> {
        result.map_err(|error| self.failure = error.to_string()).ok()
    }
}

fn place(path: &str) -> Result<WorkspacePath, WorkspaceError> {
    Ok(WorkspacePath::parse(path)?)
}

fn failure_of<T>(result: Result<T, WorkspaceError>) -> Option<String> {
    result.err().map(|error| error.to_string())
}

fn described(entry: &Entry) -> Value {
    let kind = match entry.kind {
        Kind::File => "file",
        Kind::Folder => "folder",
    };
    json!([entry.name, kind, entry.size])
}

//! A workspace in the browser's private file system, opened as the worker opens it.

use std::rc::Rc;

use vitrine::platform::clock;
use vitrine::platform::opfs::OpfsBackend;
use vitrine_vfs::{Contents, Options, Workspace, WorkspacePath};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::search::SearchBench;

/// A workspace and its tools, for a dedicated worker.
#[wasm_bindgen]
#[derive(Debug)]
pub struct StorageBench {
    workspace: Workspace,
    tools: SearchBench,
    n_written: usize,
}

#[wasm_bindgen]
impl StorageBench {
    /// Opens a folder of OPFS, or begins a workspace there.
    pub async fn open(folder: String) -> Result<Self, JsError> {
        let backend = Rc::new(OpfsBackend::open(&folder).await?);
        let (workspace, _) = Workspace::open(backend, Options { salt: 1, ..Options::default() }).await?;
        workspace.set_clock(Rc::new(clock::wall_ms));
        Ok(Self { tools: SearchBench::over(workspace.clone())?, workspace, n_written: 0 })
    }

    /// How many lines a search for a text finds.
    pub fn grep(&self, text: &str) -> Result<usize, JsError> {
        let arguments = serde_json::json!({ "pattern": text, "literal": true, "limit": 1_000_000 });
        let result = self.tools.call("grep", &arguments.to_string())?;
        Ok(result.first().map_or(0, |text| text.lines().count()))
    }

    /// Writes `count` new files of `size` bytes, `group` of them in a change. Each change is flushed.
    pub fn write(&mut self, count: usize, group: usize, size: usize) -> Result<(), JsError> {
        let end = self.n_written + count;
        while self.n_written < end {
            let first = self.n_written;
            self.n_written = end.min(first + group.max(1));
            let files = (first..self.n_written).map(|number| {
                let path = WorkspacePath::parse(&format!("folder_{}/file_{number}", number / 100))?;
                Ok((path, Contents::from(vec![b'a'; size])))
            });
            self.workspace.write_all(files.collect::<Result<Vec<_>, JsError>>()?)?;
        }
        Ok(())
    }
}

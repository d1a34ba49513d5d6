//! [`FileTools`]: the built-in tools over files in memory.

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, ToolOutput, ToolSpec};
use vitrine_tools::{ALL, Paths, Registry, Unicode};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::files::MemoryFiles;

/// The tools of one workspace.
#[wasm_bindgen]
#[derive(Debug)]
pub struct FileTools(Result<Registry, String>);

#[wasm_bindgen]
impl FileTools {
    /// The tools named in a JSON list, or all of them; `cwd` is the folder relative paths begin at.
    #[wasm_bindgen(constructor)]
    pub fn new(files: &MemoryFiles, cwd: &str, names: Option<String>) -> Self {
        let names = names.map(|names| serde_json::from_str::<Vec<String>>(&names).unwrap_or_default());
        let names: Vec<&str> = match &names {
            Some(names) => names.iter().map(String::as_str).collect(),
            None => ALL.to_vec(),
        };
        let paths = Paths::new("/", cwd, &Host);
        Self(Registry::new(files.workspace(), &paths, &names).map_err(|error| error.to_string()))
    }

    /// Why there are none.
    pub fn failure(&self) -> Option<String> {
        self.0.as_ref().err().map(|error| format!("{error}; there are {}", ALL.join(", ")))
    }

    /// What a model is told of them: a list as JSON text.
    pub fn specs(&self) -> String {
        let specs: Vec<ToolSpec> = self.0.as_ref().map(Registry::specs).unwrap_or_default();
        serde_json::to_string(&specs).unwrap_or_default()
    }

    /// Runs a tool on the JSON text of its arguments. The result as JSON text, or `{"error": text}`.
    pub fn run(&self, name: &str, call_id: String, arguments: String, is_aborted: bool) -> String {
        match self.result(name, call_id, arguments, is_aborted) {
            Ok(output) => shown(&output),
            Err(error) => json!({ "error": error }),
        }
        .to_string()
    }

    fn result(&self, name: &str, call_id: String, arguments: String, is_aborted: bool) -> Result<ToolOutput, String> {
        let registry = self.0.as_ref().map_err(Clone::clone)?;
        let tool = registry.get(name).ok_or_else(|| format!("Tool {name} not found"))?;
        let arguments = Json::parse(arguments).map_err(|error| error.to_string())?;
        let arguments = tool.prepare(&arguments)?;
        let signal = AbortSignal::new();
        if is_aborted {
            signal.abort();
        }
        let invocation = Invocation { call_id: call_id.into(), arguments, signal, on_update: Box::new(|_| {}) };
        // Memory answers at once, and no call is under way while another one runs.
        let result = tool.execute(invocation).now_or_never();
        result.unwrap_or_else(|| Ok(ToolOutput::error("The tool waits for what cannot come."))).map_err(|error| error.0)
    }
}

fn shown(output: &ToolOutput) -> Value {
    json!({
        "content": output.content,
        "details": output.details,
        "structuredContent": output.structured_content,
        "isError": output.is_error,
        "terminate": output.terminate,
    })
}

#[wasm_bindgen(raw_module = "./unicode.js")]
extern "C" {
    #[wasm_bindgen(js_name = composed)]
    fn composed(text: &str) -> String;
    #[wasm_bindgen(js_name = compatible)]
    fn compatible(text: &str) -> String;
    #[wasm_bindgen(js_name = letters)]
    fn letters(text: &str) -> String;
    #[wasm_bindgen(js_name = marks)]
    fn marks(text: &str) -> String;
}

/// The host's Unicode tables.
#[derive(Clone, Copy, Debug)]
struct Host;

impl Unicode for Host {
    fn composed(&self, text: &str) -> String {
        composed(text)
    }

    fn compatible(&self, text: &str) -> String {
        compatible(text)
    }

    fn without_marks(&self, text: &str) -> (String, String) {
        (letters(text), marks(text))
    }
}

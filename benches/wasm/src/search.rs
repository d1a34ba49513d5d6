//! The tools that search, over files in memory.

use futures_util::FutureExt as _;
use vitrine::platform::unicode::Browser;
use vitrine_agent::json::Json;
use vitrine_agent::message::join_text;
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::Invocation;
use vitrine_tools::{ALL, Paths, Registry, Switch};
use vitrine_vfs::{Workspace, WorkspacePath};
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// A workspace and its tools.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SearchBench {
    workspace: Workspace,
    tools: Registry,
}

#[wasm_bindgen]
impl SearchBench {
    /// An empty one that is nowhere stored.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Result<Self, JsError> {
        Self::over(Workspace::in_memory())
    }

    /// Adds a file.
    pub fn add(&self, path: &str, text: String) -> Result<(), JsError> {
        self.workspace.write(&WorkspacePath::parse(path)?, text.into_bytes())?;
        Ok(())
    }

    /// Calls a tool as a model does, with arguments as JSON. Gives the text of the result and its details, as JSON.
    pub fn call(&self, tool: &str, arguments: &str) -> Result<Vec<String>, JsError> {
        let tool = self.tools.get(tool).ok_or_else(|| JsError::new("there is no such tool"))?;
        let arguments = tool.prepare(&Json::parse(arguments.to_owned())?).map_err(|error| JsError::new(&error))?;
        let invocation = Invocation {
            call_id: "call_1".into(),
            arguments,
            signal: AbortSignal::default(),
            on_update: Box::new(|_| {}),
        };
        // Whatever only reads is done when it has begun.
        let result = tool.execute(invocation).now_or_never().ok_or_else(|| JsError::new("the tool waits"))?;
        let output = result.map_err(|error| JsError::new(&error.0))?;
        let details = output.details.map_or_else(String::new, |details| details.as_str().to_owned());
        Ok(vec![join_text(&output.content), details])
    }
}

impl SearchBench {
    /// The tools over a workspace, all of them on.
    pub fn over(workspace: Workspace) -> Result<Self, JsError> {
        let paths = Paths::new("/workspace", "/workspace", &Browser);
        let tools = Registry::new(&workspace, &paths, ALL)?.with_search(&workspace, &paths)?;
        tools.switch("grep", Switch::On)?;
        tools.switch("find", Switch::On)?;
        Ok(Self { workspace, tools })
    }
}

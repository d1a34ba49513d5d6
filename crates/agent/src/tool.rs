//! The tool port: what the loop sees of a tool. The loop knows no JSON Schema; `prepare` is answered by whoever does.

use std::sync::Arc;

use futures_core::future::LocalBoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::Json;
use crate::message::{Block, Usage};
use crate::signal::AbortSignal;

/// What the model is told of a tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSpec {
    /// The exact name.
    pub name: String,
    /// When and how to use it.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Json,
    /// How a server may be made to keep to the schema, as pi's tools say it; `false` forbids it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub constrained_sampling: Option<Json>,
}

/// Whether a batch may run its calls together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExecutionMode {
    /// One after another, in source order.
    Sequential,
    /// Together, once all of them are prepared.
    #[default]
    Parallel,
}

/// What a tool gave back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    /// What the model reads.
    pub content: Vec<Block>,
    /// What a person may look at.
    pub details: Option<Json>,
    /// The result as data, for events; never in the message.
    pub structured_content: Option<Json>,
    /// Tokens the tool used itself.
    pub usage: Option<Arc<Usage>>,
    /// The tool failed in its own terms.
    pub is_error: bool,
    /// A hint that the run may stop here; it counts only if the whole batch gives it.
    pub terminate: bool,
}

impl ToolOutput {
    /// One text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Block::text(text)], ..Self::default() }
    }

    /// A failure the model reads: one text block, empty details.
    pub fn error(text: impl Into<String>) -> Self {
        Self { details: Some(Json::empty_object()), is_error: true, ..Self::text(text) }
    }
}

/// A failure that a tool throws; its text becomes the error result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(pub String);

/// One execution of a tool.
pub struct Invocation {
    /// The model's id of the call.
    pub call_id: Arc<str>,
    /// Validated arguments.
    pub arguments: Value,
    /// The run's signal. A tool stops when it fires, as soon as stopping is safe.
    pub signal: AbortSignal,
    /// Shows progress. Harmless after the tool has settled.
    pub on_update: Box<dyn Fn(ToolOutput)>,
}

impl std::fmt::Debug for Invocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invocation").field("call_id", &self.call_id).field("arguments", &self.arguments).finish()
    }
}

/// A tool. One instance serves all calls, also at the same time.
pub trait Tool {
    /// What the model is told. The same at every call.
    fn spec(&self) -> &ToolSpec;

    /// `Sequential` makes every batch with a call of this tool sequential.
    fn execution_mode(&self) -> ExecutionMode {
        ExecutionMode::Parallel
    }

    /// Shim and validation: raw arguments to what `execute` gets, or the whole error text that the model reads.
    /// Pure; may be called for a call that never runs.
    fn prepare(&self, arguments: &Json) -> Result<Value, String>;

    /// Runs. May be dropped before it is ready, when the run is aborted.
    fn execute(&self, invocation: Invocation) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>>;
}

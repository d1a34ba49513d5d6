//! `write`: makes or overwrites one file.

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::tool::{Invocation, Tool, ToolError, ToolOutput, ToolSpec};
use vitrine_schema::SchemaError;
use vitrine_vfs::{Author, Workspace, WorkspaceError};

use crate::definition::{Definition, text, unless_aborted};
use crate::mutation_queue::MutationQueue;
use crate::paths::{self, Paths, Resolved};

/// The tool.
#[derive(Debug)]
pub struct Write {
    definition: Definition,
    workspace: Workspace,
    paths: Paths,
    queue: MutationQueue,
}

impl Write {
    /// The tool over a workspace. `queue` is the one of all tools that change its files.
    pub fn new(workspace: Workspace, paths: Paths, queue: MutationQueue) -> Result<Self, SchemaError> {
        let description = "Write a file: makes it if it is not there and replaces all that is in it otherwise. Folders \
                           on the way are made as needed.";
        let parameters = json!({
            "type": "object",
            "required": ["path", "content"],
            "properties": {
                "path": {"type": "string", "description": "The file to write, as a relative or absolute path"},
                "content": {"type": "string", "description": "The whole new content of the file"},
            },
        });
        Ok(Self { definition: Definition::new("write", description, &parameters)?.strict(), workspace, paths, queue })
    }
}

impl Tool for Write {
    fn spec(&self) -> &ToolSpec {
        &self.definition.spec
    }

    fn prepare(&self, arguments: &Json) -> Result<Value, String> {
        self.definition.prepare(arguments)
    }

    /// The file is in storage when this is ready, and as it was before if it fails.
    fn execute(&self, mut invocation: Invocation) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        let resolved = match self.paths.resolve(text(&invocation.arguments, "path")) {
            Ok(resolved) => resolved,
            Err(message) => return futures_util::future::ready(Err(ToolError(message))).boxed_local(),
        };
        // A name that is there, composed in another way, is the file that is meant: not a second one that looks the same.
        let resolved = Resolved { path: self.paths.composed(&self.workspace, &resolved.path), ..resolved };
        let ticket = self.queue.ticket(&resolved.path);
        let (workspace, paths) = (self.workspace.clone(), self.paths.clone());
        async move {
            ticket.turn().await;
            // Not looked at while waiting: the turn must come before this one gives it on.
            unless_aborted(&invocation)?;
            let content = match invocation.arguments.get_mut("content").map(Value::take) {
                Some(Value::String(content)) => content.into_bytes(),
                _ => Vec::new(),
            };
            workspace
                .by(Author::ToolCall(invocation.call_id.clone()))
                .write(&resolved.path, content)
                .map_err(|error| ToolError(write_error(&workspace, &paths, &resolved, &error)))?;
            Ok(ToolOutput::text(format!("Successfully wrote to {}", text(&invocation.arguments, "path"))))
        }
        .boxed_local()
    }
}

/// Why a file cannot be written, as the model knows such errors.
pub fn write_error(workspace: &Workspace, paths: &Paths, resolved: &Resolved, error: &WorkspaceError) -> String {
    let shown = &resolved.shown;
    if let Some(file) = paths::above_is_a_file(workspace, &resolved.path) {
        let parent = resolved.path.parent().unwrap_or_default();
        let folder = paths.shown(&parent);
        return if file == parent {
            format!("EEXIST: file already exists, mkdir '{folder}'")
        } else {
            format!("ENOTDIR: not a directory, mkdir '{folder}'")
        };
    }
    match error {
        WorkspaceError::NotAFile(_) => format!("EISDIR: illegal operation on a directory, open '{shown}'"),
        WorkspaceError::ReadOnly => format!("EROFS: read-only file system, open '{shown}'"),
        WorkspaceError::TooLarge { size, limit, unit, .. } => {
            format!("EFBIG: file too large, open '{shown}': {size} {unit} are more than the limit of {limit}")
        }
        other => format!("Cannot write {shown}: {other}"),
    }
}

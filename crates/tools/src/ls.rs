//! `ls`: the names in one folder.

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::tool::{Invocation, Tool, ToolError, ToolOutput, ToolSpec};
use vitrine_schema::SchemaError;
use vitrine_vfs::{Kind, Workspace};

use crate::definition::{Definition, at_once, count, text};
use crate::listing::{Listing, Notes};
use crate::order;
use crate::paths::Paths;
use crate::truncate;

/// Entries shown unless the model says otherwise.
const DEFAULT_LIMIT: usize = 500;

/// The tool.
#[derive(Debug)]
pub struct Ls {
    definition: Definition,
    workspace: Workspace,
    paths: Paths,
}

impl Ls {
    /// The tool over a workspace.
    pub fn new(workspace: Workspace, paths: Paths) -> Result<Self, SchemaError> {
        let description = format!(
            "List what is in a folder, sorted by name, names with a leading dot included; folders end with '/'. The list \
             is cut off after {DEFAULT_LIMIT} entries or {}KB, whichever comes first.",
            truncate::MAX_BYTES / 1024
        );
        let parameters = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "The folder to list; the current one if left out"},
                "limit": {"type": "number", "description": format!("How many entries to list at most ({DEFAULT_LIMIT})")},
            },
        });
        Ok(Self { definition: Definition::new("ls", &description, &parameters)?, workspace, paths })
    }

    fn list(&self, arguments: &Value) -> Result<ToolOutput, ToolError> {
        let resolved = self.paths.resolve(text(arguments, "path")).map_err(ToolError)?;
        let shown = &resolved.shown;
        let path = self
            .paths
            .find(&self.workspace, &resolved.path)
            .ok_or_else(|| ToolError(format!("Path not found: {shown}")))?;
        let kind = self.workspace.stat(&path).map(|entry| entry.kind);
        if kind == Ok(Kind::File) {
            return Err(ToolError(format!("Not a directory: {shown}")));
        }
        let mut entries =
            self.workspace.list(&path).map_err(|error| ToolError(format!("Cannot read directory: {error}")))?;
        if entries.is_empty() {
            return Ok(ToolOutput::text("(empty directory)"));
        }
        entries.sort_by_cached_key(|entry| order::key(&entry.name, self.paths.unicode()));
        let limit = count(arguments, "limit").unwrap_or(DEFAULT_LIMIT).max(1);
        let mut listing = Listing::default();
        for entry in entries.iter().take(limit) {
            match entry.kind {
                Kind::Folder => listing.push(&format!("{}/", entry.name)),
                Kind::File => listing.push(&entry.name),
            }
        }
        let (text, truncation) = listing.finish();
        let mut notes = Notes::default();
        if entries.len() > limit {
            let sentence = format!("{limit} entries limit reached. Use limit={} for more", limit.saturating_mul(2));
            notes.add(sentence, "entryLimitReached", json!(limit));
        }
        notes.truncation(&truncation);
        Ok(notes.output(text))
    }
}

impl Tool for Ls {
    fn spec(&self) -> &ToolSpec {
        &self.definition.spec
    }

    fn prepare(&self, arguments: &Json) -> Result<Value, String> {
        self.definition.prepare(arguments)
    }

    fn execute(&self, invocation: Invocation) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        at_once(&invocation, |arguments| self.list(arguments))
    }
}

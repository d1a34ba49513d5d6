//! `edit`: exact texts of one file replaced by others.
//!
//! What a model remembers of a file may have other quotes, dashes or blanks than the file. So a text that is not there to the
//! letter is looked for in a tolerant [`view`]; but the file itself is what is changed, and only where a text was found.

mod arguments;
mod diff;
mod lines;
mod matching;
mod show;
mod view;

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::message::Block;
use vitrine_agent::tool::{Invocation, Tool, ToolError, ToolOutput, ToolSpec};
use vitrine_schema::SchemaError;
use vitrine_vfs::{Author, Workspace, WorkspaceError};

use crate::definition::{Definition, text, unless_aborted};
use crate::edit::matching::{Edit as Pair, replacements};
use crate::mutation_queue::MutationQueue;
use crate::paths::{self, Paths, Resolved};
use crate::write::write_error;

pub use show::patch;

/// The tool.
#[derive(Clone, Debug)]
pub struct Edit {
    definition: std::rc::Rc<Definition>,
    workspace: Workspace,
    paths: Paths,
    queue: MutationQueue,
}

impl Edit {
    /// The tool over a workspace. `queue` is the one of all tools that change its files.
    pub fn new(workspace: Workspace, paths: Paths, queue: MutationQueue) -> Result<Self, SchemaError> {
        let description = "Change one file by replacing exact pieces of its text. Each edits[].oldText must be in the file \
                           exactly once, and no two of them may share characters: if two changes touch the same block or \
                           lines next to each other, make them one edit. Keep oldText short; do not take in long stretches \
                           that stay as they are to join changes far apart.";
        let parameters = json!({
            "type": "object",
            "required": ["path", "edits"],
            "properties": {
                "path": {"type": "string", "description": "The file to change, as a relative or absolute path"},
                "edits": {
                    "type": "array",
                    "description": "One or more replacements. Each is looked for in the file as it was before the call, not \
                                    as the ones before it left it.",
                    "items": {
                        "type": "object",
                        "required": ["oldText", "newText"],
                        "properties": {
                            "oldText": {
                                "type": "string",
                                "description": "The exact text to replace. It has to be unique in the file and apart from \
                                                every other oldText of the call.",
                            },
                            "newText": {"type": "string", "description": "What to put in its place"},
                        },
                    },
                },
            },
        });
        let definition = std::rc::Rc::new(Definition::new("edit", description, &parameters)?.strict());
        Ok(Self { definition, workspace, paths, queue })
    }

    fn edit(&self, arguments: &Value, resolved: Resolved, author: Author) -> Result<ToolOutput, ToolError> {
        let given = text(arguments, "path");
        let edits = edits(arguments);
        let Planned { place, contents, base, replacements } =
            plan(&self.workspace, &self.paths, given, &edits, resolved)?;
        let changed = lines::apply(&base, &replacements);
        let details = Json::from_serialize(&show::shown(given, &base, &changed, &replacements))
            .map_err(|error| ToolError(error.to_string()))?;
        self.workspace
            .by(author)
            .write(&place.path, contents.into_bytes())
            .map_err(|error| ToolError(write_error(&self.workspace, &self.paths, &place, &error)))?;
        let text = format!("Successfully replaced {} block(s) in {given}.", edits.len());
        Ok(ToolOutput { content: vec![Block::text(text)], details: Some(details), ..ToolOutput::default() })
    }
}

/// What an edit would leave.
pub(crate) struct Planned {
    /// The file.
    pub(crate) place: Resolved,
    /// All of it.
    pub(crate) contents: String,
    /// What was there, with line feeds and without a byte order mark.
    base: String,
    replacements: Vec<lines::Replacement>,
}

/// Finds out what an edit of the file `given` would leave, and changes nothing.
pub(crate) fn plan(
    workspace: &Workspace,
    paths: &Paths,
    given: &str,
    edits: &[Pair],
    resolved: Resolved,
) -> Result<Planned, ToolError> {
    if edits.is_empty() {
        let message = "Edit tool input is invalid. edits must contain at least one replacement.";
        return Err(ToolError(message.to_owned()));
    }
    let path = paths.find(workspace, &resolved.path).unwrap_or_else(|| resolved.path.clone());
    let bytes = workspace.read(&path).map_err(|error| ToolError(open_error(workspace, given, &resolved, &error)))?;
    let file = std::str::from_utf8(&bytes).map_err(|_| {
        ToolError(format!("Could not edit file: {given}. It is not valid UTF-8, and an edit would damage it."))
    })?;
    // A model does not see a byte order mark, so it has none in its texts.
    let (mark, file) = file.strip_prefix('\u{feff}').map_or(("", file), |rest| ("\u{feff}", rest));
    let base = lines::with_line_feeds(file);
    let replacements =
        replacements(&base, edits, paths.unicode()).map_err(|error| ToolError(error.text(given, edits.len())))?;
    let contents = [mark, &lines::apply_to_file(file, &replacements)].concat();
    Ok(Planned { place: Resolved { path, ..resolved }, contents, base, replacements })
}

impl Tool for Edit {
    fn spec(&self) -> &ToolSpec {
        &self.definition.spec
    }

    fn prepare(&self, arguments: &Json) -> Result<Value, String> {
        self.definition.prepare_value(&arguments::normal(arguments.to_value()))
    }

    /// The file is in storage when this is ready, and as it was before if it fails.
    fn execute(&self, invocation: Invocation) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        let resolved = match self.paths.resolve(text(&invocation.arguments, "path")) {
            Ok(resolved) => resolved,
            Err(message) => return futures_util::future::ready(Err(ToolError(message))).boxed_local(),
        };
        // The file that is meant is the one in whose line to wait.
        let path = self.paths.find(&self.workspace, &resolved.path).unwrap_or_else(|| resolved.path.clone());
        let ticket = self.queue.ticket(&path);
        let tool = self.clone();
        async move {
            ticket.turn().await;
            // Not looked at while waiting: the turn must come before this one gives it on.
            unless_aborted(&invocation)?;
            tool.edit(&invocation.arguments, resolved, Author::ToolCall(invocation.call_id.clone()))
        }
        .boxed_local()
    }
}

pub(crate) fn edits(arguments: &Value) -> Vec<Pair> {
    let list = arguments.get("edits").and_then(Value::as_array);
    let pair = |edit| Pair { old: text(edit, "oldText").to_owned(), new: text(edit, "newText").to_owned() };
    list.into_iter().flatten().map(pair).collect()
}

fn open_error(workspace: &Workspace, given: &str, resolved: &Resolved, error: &WorkspaceError) -> String {
    match error {
        WorkspaceError::NotFound(_) | WorkspaceError::NotAFolder(_) => {
            let code = match paths::above_is_a_file(workspace, &resolved.path) {
                Some(_) => "ENOTDIR",
                None => "ENOENT",
            };
            format!("Could not edit file: {given}. Error code: {code}.")
        }
        other => paths::open_error(workspace, resolved, other),
    }
}

//! `find`: the files and folders with names of a form.

use futures_util::future::LocalBoxFuture;
use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::tool::{Invocation, Tool, ToolError, ToolOutput, ToolSpec};
use vitrine_schema::SchemaError;
use vitrine_vfs::{Kind, Workspace};

use crate::definition::{Definition, at_once, count, text};
use crate::listing::{Listing, Notes};
use crate::paths::Paths;
use crate::search::{Case, Found, Globs, Walk};
use crate::truncate;

/// Results shown unless the model says otherwise.
const DEFAULT_LIMIT: usize = 1000;

/// The tool.
#[derive(Debug)]
pub struct Find {
    definition: Definition,
    workspace: Workspace,
    paths: Paths,
}

impl Find {
    /// The tool over a workspace.
    pub fn new(workspace: Workspace, paths: Paths) -> Result<Self, SchemaError> {
        let description = format!(
            "Find files and folders by a glob. Gives paths relative to the folder that is searched, folders with '/' at the \
             end, and leaves out what .gitignore says. The result is cut off after {DEFAULT_LIMIT} paths or {}KB, whichever \
             comes first.",
            truncate::MAX_BYTES / 1024
        );
        let parameters = json!({
            "type": "object",
            "required": ["pattern"],
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "A glob. Without '/', as '*.ts', it is for names at any depth; with it, as 'src/**/*.ts', \
                                    for paths from the folder that is searched",
                },
                "path": {"type": "string", "description": "The folder to search; the current one if left out"},
                "limit": {"type": "number", "description": format!("How many paths to show at most ({DEFAULT_LIMIT})")},
            },
        });
        Ok(Self { definition: Definition::new("find", &description, &parameters)?, workspace, paths })
    }

    fn find(&self, arguments: &Value) -> Result<ToolOutput, ToolError> {
        let place = self.paths.resolve(text(arguments, "path")).map_err(ToolError)?;
        let shown = &place.shown;
        let path = self
            .paths
            .find(&self.workspace, &place.path)
            .ok_or_else(|| ToolError(format!("Path not found: {shown}")))?;
        if self.workspace.stat(&path).is_ok_and(|entry| entry.kind == Kind::File) {
            return Err(ToolError(format!("Not a directory: {shown}")));
        }
        let wanted = Wanted::new(text(arguments, "pattern")).map_err(ToolError)?;
        let limit = count(arguments, "limit").unwrap_or(DEFAULT_LIMIT).max(1);
        let mut listing = Listing::default();
        let mut walk = Walk::new(&self.workspace, &path, ".fdignore", None)
            .filter(|found| wanted.is_match(found, &|found| self.paths.shown(&found.path)));
        let mut n_found = 0;
        for found in walk.by_ref().take(limit) {
            n_found += 1;
            listing.push(&match found.kind {
                Kind::Folder => format!("{}/", found.relative),
                Kind::File => found.relative,
            });
        }
        if n_found == 0 {
            return Ok(ToolOutput::text("No files found matching pattern"));
        }
        let (text, truncation) = listing.finish();
        let mut notes = Notes::default();
        if walk.next().is_some() {
            let more = limit.saturating_mul(2);
            let sentence = format!("{limit} results limit reached. Use limit={more} for more, or refine pattern");
            notes.add(sentence, "resultLimitReached", json!(limit));
        }
        notes.truncation(&truncation);
        Ok(notes.output(text))
    }
}

impl Tool for Find {
    fn spec(&self) -> &ToolSpec {
        &self.definition.spec
    }

    fn prepare(&self, arguments: &Json) -> Result<Value, String> {
        self.definition.prepare(arguments)
    }

    fn execute(&self, invocation: Invocation) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        at_once(&invocation, |arguments| self.find(arguments))
    }
}

/// A glob, and of what it speaks.
struct Wanted {
    globs: Globs,
    of: Of,
}

enum Of {
    Name,
    PathFromFolder,
    AbsolutePath,
}

impl Wanted {
    /// A pattern without large letters does not tell them from small ones.
    fn new(pattern: &str) -> Result<Self, String> {
        let mut pattern = pattern;
        while let Some(rest) = pattern.strip_prefix("./") {
            pattern = rest;
        }
        let of = match (pattern.starts_with('/'), pattern.contains('/')) {
            (true, _) => Of::AbsolutePath,
            (false, true) => Of::PathFromFolder,
            (false, false) => Of::Name,
        };
        let case = if pattern.to_lowercase() == pattern { Case::Insensitive } else { Case::Sensitive };
        let (globs, error) = Globs::new([pattern], case);
        error.map_or(Ok(Self { globs, of }), Err)
    }

    fn is_match(&self, found: &Found, absolute: &dyn Fn(&Found) -> String) -> bool {
        let matches = |path: &str| self.globs.last_match(path, |_| true).is_some();
        match self.of {
            Of::Name => matches(found.path.name().unwrap_or_default()),
            Of::PathFromFolder => matches(&found.relative),
            Of::AbsolutePath => matches(&absolute(found)),
        }
    }
}

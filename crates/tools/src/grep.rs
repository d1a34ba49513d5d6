//! `grep`: lines of files that have a pattern in them.

use std::borrow::Cow;

use futures_util::future::LocalBoxFuture;
use memchr::{memchr_iter, memrchr};
use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::tool::{Invocation, Tool, ToolError, ToolOutput, ToolSpec};
use vitrine_schema::SchemaError;
use vitrine_vfs::{Kind, Workspace, WorkspacePath};

use crate::definition::{Definition, at_once, count, text};
use crate::listing::{Listing, Notes};
use crate::paths::Paths;
use crate::search::{Case, Contents, LinePattern, Named, PatternError, Rules, Walk, Work};
use crate::truncate::{self, MAX_LINE_UNITS};

/// Matches shown unless the model says otherwise.
const DEFAULT_LIMIT: usize = 100;

/// The tool.
#[derive(Debug)]
pub struct Grep {
    definition: Definition,
    workspace: Workspace,
    paths: Paths,
}

impl Grep {
    /// The tool over a workspace.
    pub fn new(workspace: Workspace, paths: Paths) -> Result<Self, SchemaError> {
        let description = format!(
            "Search the contents of files for a pattern. Gives the matching lines with file and line number, and leaves out \
             what .gitignore says. The result is cut off after {DEFAULT_LIMIT} matches or {}KB, whichever comes first; lines \
             longer than {MAX_LINE_UNITS} characters are cut.",
            truncate::MAX_BYTES / 1024
        );
        let parameters = json!({
            "type": "object",
            "required": ["pattern"],
            "properties": {
                "pattern": {"type": "string", "description": "What to search for: a regular expression, or a text with literal"},
                "path": {"type": "string", "description": "The file or folder to search; the current folder if left out"},
                "glob": {
                    "type": "string",
                    "description": "Which files to search, relative to path, such as 'src/**/*.ts'. Without '/', as '*.ts', it \
                                    is for names at any depth; with '!' before it, it says which not to search",
                },
                "ignoreCase": {"type": "boolean", "description": "Take large and small letters for the same (false)"},
                "literal": {"type": "boolean", "description": "Take the pattern as a text, not a regular expression (false)"},
                "context": {"type": "number", "description": "How many lines to show before and after each match (0)"},
                "limit": {"type": "number", "description": format!("How many matches to show at most ({DEFAULT_LIMIT})")},
            },
        });
        Ok(Self { definition: Definition::new("grep", &description, &parameters)?, workspace, paths })
    }

    fn grep(&self, arguments: &Value) -> Result<ToolOutput, ToolError> {
        let place = self.paths.resolve(text(arguments, "path")).map_err(ToolError)?;
        let path = self
            .paths
            .find(&self.workspace, &place.path)
            .ok_or_else(|| ToolError(format!("Path not found: {}", place.shown)))?;
        let files = self.files(&path, text(arguments, "glob"))?;
        let pattern = text(arguments, "pattern");
        let case = if is_set(arguments, "ignoreCase") { Case::Insensitive } else { Case::Sensitive };
        let search = Search {
            workspace: &self.workspace,
            files: &files,
            context: count(arguments, "context").unwrap_or(0),
            limit: count(arguments, "limit").unwrap_or(DEFAULT_LIMIT).max(1),
        };
        let mut work = Work::default();
        let wrong = |error: PatternError| ToolError(error.to_string());
        if is_set(arguments, "literal") {
            let pattern = LinePattern::text(pattern, case).map_err(wrong)?;
            return search.run(pattern, &mut work).map_err(wrong).map(Lines::output);
        }
        // Models search for pieces of code, which are often no regular expressions, or ones that do not match themselves.
        let syntax_error = match LinePattern::regex(pattern, case) {
            Ok(regex) => {
                let lines = search.run(regex, &mut work).map_err(wrong)?;
                let is_text = !pattern.chars().any(regex_syntax::is_meta_character);
                if lines.n_matches > 0 || is_text {
                    return Ok(lines.output());
                }
                None
            }
            Err(PatternError::Syntax(reason)) => Some(reason),
            Err(error) => return Err(wrong(error)),
        };
        let literal = LinePattern::text(pattern, case).map_err(wrong)?;
        let mut lines = search.run(literal, &mut work).map_err(wrong)?;
        lines.note = match syntax_error {
            Some(reason) => {
                Some(format!("The pattern is not a regular expression ({reason}); it was searched for as a text"))
            }
            None => (lines.n_matches > 0).then(|| {
                "The pattern matches nothing as a regular expression; these lines have it as a text".to_owned()
            }),
        };
        Ok(lines.output())
    }

    fn files(&self, path: &WorkspacePath, glob: &str) -> Result<Files, ToolError> {
        if self.workspace.stat(path).is_ok_and(|entry| entry.kind == Kind::File) {
            let name = path.name().unwrap_or_default().to_owned();
            return Ok(Files { named: Named::Itself, files: vec![(path.clone(), name)] });
        }
        let choice = if glob.is_empty() { None } else { Some(choice(glob).map_err(ToolError)?) };
        let walk = Walk::new(&self.workspace, path, ".rgignore", choice);
        let files = walk.filter(|found| found.kind == Kind::File).map(|found| (found.path, found.relative)).collect();
        Ok(Files { named: Named::InFolder, files })
    }
}

/// The files that a call's `glob` wants; `./` before it means nothing.
fn choice(glob: &str) -> Result<Rules, String> {
    let (not, mut glob) = glob.strip_prefix('!').map_or(("", glob), |rest| ("!", rest));
    while let Some(rest) = glob.strip_prefix("./") {
        glob = rest;
    }
    Rules::of_argument(&format!("{not}{glob}"))
}

fn is_set(arguments: &Value, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool).unwrap_or(false)
}

impl Tool for Grep {
    fn spec(&self) -> &ToolSpec {
        &self.definition.spec
    }

    fn prepare(&self, arguments: &Json) -> Result<Value, String> {
        self.definition.prepare(arguments)
    }

    fn execute(&self, invocation: Invocation) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        at_once(&invocation, |arguments| self.grep(arguments))
    }
}

/// What is searched: files, and how each is shown.
struct Files {
    named: Named,
    files: Vec<(WorkspacePath, String)>,
}

struct Search<'a> {
    workspace: &'a Workspace,
    files: &'a Files,
    context: usize,
    limit: usize,
}

impl Search<'_> {
    fn run(&self, mut pattern: LinePattern, work: &mut Work) -> Result<Lines, PatternError> {
        let mut lines = Lines::new(self.limit, self.context);
        for (path, shown) in &self.files.files {
            let Ok(bytes) = self.workspace.read(path) else { continue };
            let contents = Contents::new(&bytes, self.files.named);
            lines.begin_file();
            self.file(&contents, shown, &mut pattern, work, &mut lines)?;
            if lines.is_done {
                break;
            }
        }
        Ok(lines)
    }

    fn file(
        &self,
        contents: &Contents<'_>,
        shown: &str,
        pattern: &mut LinePattern,
        work: &mut Work,
        lines: &mut Lines,
    ) -> Result<(), PatternError> {
        let text = contents.bytes();
        let mut cursor = Cursor { text, position: 0, number: 1 };
        let mut from = 0;
        // Lines that may still be shown behind the last match.
        let mut trailing = 0;
        while let Some((start, end)) = pattern.next_line(text, from, work)? {
            if from == 0 && !contents.is_text() {
                return Ok(());
            }
            cursor.show(trailing, start, shown, lines);
            if lines.is_done {
                return Ok(());
            }
            let mut before = start;
            for _ in 0..self.context {
                if before <= cursor.position {
                    break;
                }
                before = memrchr(b'\n', text.get(..before - 1).unwrap_or_default()).map_or(0, |feed| feed + 1);
            }
            cursor.skip_to(before.max(cursor.position));
            cursor.show(usize::MAX, start, shown, lines);
            lines.push(shown, cursor.number, text.get(start..end).unwrap_or_default(), Role::Match);
            if lines.is_done {
                return Ok(());
            }
            cursor.position = text.len().min(end + 1);
            cursor.number += 1;
            (from, trailing) = (end + 1, self.context);
        }
        cursor.show(trailing, text.len(), shown, lines);
        Ok(())
    }
}

/// A line of a file, and its number.
struct Cursor<'a> {
    text: &'a [u8],
    position: usize,
    number: usize,
}

impl Cursor<'_> {
    fn skip_to(&mut self, position: usize) {
        self.number += memchr_iter(b'\n', self.text.get(self.position..position).unwrap_or_default()).count();
        self.position = position;
    }

    /// Shows up to `count` lines before `end` as context.
    fn show(&mut self, mut count: usize, end: usize, shown: &str, lines: &mut Lines) {
        while count > 0 && self.position < end && !lines.is_done {
            let rest = self.text.get(self.position..).unwrap_or_default();
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            lines.push(shown, self.number, rest.get(..length).unwrap_or_default(), Role::Context);
            self.position = self.text.len().min(self.position + length + 1);
            self.number += 1;
            count -= 1;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Match,
    Context,
}

/// The lines of the result.
struct Lines {
    listing: Listing,
    limit: usize,
    context: usize,
    /// What became of a pattern that is no regular expression, or matched nothing as one.
    note: Option<String>,
    n_matches: usize,
    /// The last line that is shown of the file in which the limit was reached; `None` before that, and 0 in files after it.
    last: Option<usize>,
    /// There is a match beyond the limit.
    is_over: bool,
    is_line_cut: bool,
    is_done: bool,
}

impl Lines {
    fn new(limit: usize, context: usize) -> Self {
        let listing = Listing::default();
        Self {
            listing,
            limit,
            context,
            note: None,
            n_matches: 0,
            last: None,
            is_over: false,
            is_line_cut: false,
            is_done: false,
        }
    }

    fn begin_file(&mut self) {
        if let Some(last) = &mut self.last {
            *last = 0;
        }
    }

    /// Takes a line. Only one more match shows that the limit has cut anything off; until it comes, and while the context of the
    /// last match lasts, a match that is met is context.
    fn push(&mut self, shown: &str, number: usize, line: &[u8], role: Role) {
        let Some(last) = self.last else {
            self.show(shown, number, line, role);
            if role == Role::Match {
                self.n_matches += 1;
                if self.n_matches == self.limit {
                    self.last = Some(number.saturating_add(self.context));
                }
            }
            return;
        };
        if number <= last {
            self.show(shown, number, line, Role::Context);
        }
        self.is_over |= role == Role::Match;
        self.is_done = self.is_over && number >= last;
    }

    fn show(&mut self, shown: &str, number: usize, line: &[u8], role: Role) {
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
        let line = truncate::line(&line, MAX_LINE_UNITS);
        self.is_line_cut |= matches!(line, Cow::Owned(_));
        self.listing.push(&match role {
            Role::Match => format!("{shown}:{number}: {line}"),
            Role::Context => format!("{shown}-{number}- {line}"),
        });
    }

    fn output(self) -> ToolOutput {
        let mut notes = Notes::default();
        if let Some(note) = self.note {
            notes.say(note);
        }
        if self.n_matches == 0 {
            return notes.output("No matches found".to_owned());
        }
        let (text, truncation) = self.listing.finish();
        if self.is_over {
            let (limit, more) = (self.limit, self.limit.saturating_mul(2));
            let sentence = format!("{limit} matches limit reached. Use limit={more} for more, or refine pattern");
            notes.add(sentence, "matchLimitReached", json!(limit));
        }
        notes.truncation(&truncation);
        if self.is_line_cut {
            let sentence = format!("Some lines truncated to {MAX_LINE_UNITS} chars. Use read tool to see full lines");
            notes.add(sentence, "linesTruncated", json!(true));
        }
        notes.output(text)
    }
}

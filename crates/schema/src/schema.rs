//! [`Schema`]: a compiled JSON Schema and the way from raw arguments to those a tool gets.

use std::cell::OnceCell;
use std::collections::HashMap;

use jsonschema::{Draft, Validator, ValidatorMap};
use serde_json::{Value, json};

use crate::coerce::{Coercion, Judge};
use crate::compile::{self, Compiled};
use crate::explain;
use crate::js;
use crate::pointer::Targets;

/// Levels of arguments. Whatever recurses over them is bounded by it; no tool needs a tenth.
pub const MAX_ARGUMENT_LEVELS: usize = 100;

/// A JSON Schema, compiled. Its draft is the one `$schema` names; without one it is 2020-12, or draft-07 if it is only
/// a schema of that.
#[derive(Debug)]
pub struct Schema {
    source: Value,
    targets: Targets,
    draft: Draft,
    validator: Validator,
    /// A validator for each place, made when coercion first asks for one: most schemas never do.
    places: OnceCell<Option<ValidatorMap>>,
    patterns: HashMap<String, Validator>,
}

/// Why a schema cannot be used at all. A reference that leads nowhere is not among these: it rejects values at its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// Nested deeper than a validator can follow on a small stack.
    #[error("schema is nested deeper than {limit} levels")]
    TooDeep {
        /// Levels allowed.
        limit: usize,
    },
    /// More nodes than a tool can reasonably have, counted once for each way in which they meet one value.
    #[error("schema has more than {limit} nodes")]
    TooLarge {
        /// Nodes allowed.
        limit: usize,
    },
    /// More than a plain schema may have: [`PlainSchema`](crate::PlainSchema) was asked for, and [`Schema`] may do.
    #[error("schema is more than plain at {path:?}")]
    NotPlain {
        /// JSON Pointer into the schema.
        path: String,
    },
    /// A reference that leads to itself without taking the value apart, so that no value could ever be judged.
    #[error("schema refers to itself without end at {path:?}")]
    Endless {
        /// JSON Pointer into the schema.
        path: String,
    },
    /// Not a schema of its draft.
    #[error("schema is invalid at {path:?}: {message}")]
    Invalid {
        /// JSON Pointer into the schema.
        path: String,
        /// The validator's words.
        message: String,
    },
}

impl Schema {
    /// Compiles once for many calls. Nothing is fetched: a reference outside the schema counts as unresolved.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        let Compiled { source, targets, draft, validator } = compile::compile(schema)?;
        let patterns = compile::patterns(&source, draft);
        Ok(Self { source, targets, draft, validator, places: OnceCell::new(), patterns })
    }

    /// What the tool gets, or the whole error text that the model reads.
    pub fn prepare(&self, tool_name: &str, raw: &Value) -> Result<Value, String> {
        self.coerce(tool_name, raw).map(|coerced| coerced.unwrap_or_else(|| raw.clone()))
    }

    /// Coerces a copy of `raw` and validates it: the copy, `None` if it fits as it stands, or the whole error text that the
    /// model reads.
    pub fn coerce(&self, tool_name: &str, raw: &Value) -> Result<Option<Value>, String> {
        let n_nodes = n_nodes(raw, MAX_ARGUMENT_LEVELS).ok_or_else(|| too_deep(tool_name))?;
        let mut value = raw.clone();
        Coercion::new(&self.source, &self.targets, self, n_nodes).run(&mut value);
        let lines = explain::lines(&self.source, &self.targets, &value, self.validator.iter_errors(&value));
        if lines.is_empty() { Ok((value != *raw).then_some(value)) } else { Err(refusal(tool_name, lines, raw)) }
    }

    /// What of a value does not fit as it stands, without coercion: `path: message`, a line each.
    pub fn explain(&self, value: &Value) -> Vec<String> {
        if n_nodes(value, MAX_ARGUMENT_LEVELS).is_none() {
            return vec![format!("root: nested deeper than {MAX_ARGUMENT_LEVELS} levels")];
        }
        explain::lines(&self.source, &self.targets, value, self.validator.iter_errors(value))
    }

    /// Whether a value fits as it stands, without coercion.
    pub fn is_valid(&self, value: &Value) -> bool {
        n_nodes(value, MAX_ARGUMENT_LEVELS).is_some() && self.validator.is_valid(value)
    }
}

impl Judge for Schema {
    fn accepts(&self, pointer: &str, value: &Value) -> bool {
        let places = self.places.get_or_init(|| compile::options(self.draft).build_map(&self.source).ok());
        let place = places.as_ref().and_then(|places| places.get(&format!("#{pointer}")));
        place.is_some_and(|validator| validator.is_valid(value))
    }

    fn matches(&self, pattern: &str, name: &str) -> bool {
        self.patterns.get(pattern).is_some_and(|validator| validator.is_valid(&json!(name)))
    }
}

/// What the model reads of arguments that do not fit.
pub fn refusal(tool_name: &str, lines: Vec<String>, raw: &Value) -> String {
    let lines: Vec<String> = lines.into_iter().map(|line| format!("  - {line}")).collect();
    let (lines, received) = (lines.join("\n"), js::stringify(raw, Some(2)));
    format!("Validation failed for tool \"{tool_name}\":\n{lines}\n\nReceived arguments:\n{received}")
}

/// What it reads of arguments that are too deep to be looked at.
pub fn too_deep(tool_name: &str) -> String {
    format!("Validation failed for tool \"{tool_name}\":\n  - root: nested deeper than {MAX_ARGUMENT_LEVELS} levels")
}

/// How many values there are in a value, itself counted; `None` if it is nested deeper than the limit.
pub fn n_nodes(value: &Value, limit: usize) -> Option<usize> {
    let mut n_nodes: usize = 0;
    let mut stack = vec![(value, 0)];
    while let Some((value, level)) = stack.pop() {
        if level > limit {
            return None;
        }
        n_nodes += 1;
        match value {
            Value::Array(items) => stack.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(map) => stack.extend(map.values().map(|item| (item, level + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Some(n_nodes)
}

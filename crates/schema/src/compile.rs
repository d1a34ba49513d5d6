//! From a JSON Schema of anyone's to one that the validator can be given: bounded, without endless references, its
//! dangling references marked, its draft known.

use std::collections::{HashMap, HashSet};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, Keyword, PatternOptions, ValidationError, ValidationOptions, Validator};
use serde_json::{Map, Value};

use crate::mend::mend;
use crate::pointer::{Targets, join};
use crate::schema::SchemaError;

/// JSON levels of a schema. The validator recurses over them, on the small stack of a worker.
const MAX_LEVELS: usize = 64;
/// Schemas on one path, references followed.
const MAX_DEPTH: usize = 32;
/// Objects, arrays and values of a schema.
const MAX_NODES: usize = 20_000;
/// Schemas that apply to one and the same value, references followed: two branches that both refer to the next pair
/// double the work at each step.
const MAX_IN_PLACE: usize = 10_000;
/// Backtracking steps of one pattern on one text.
const MAX_BACKTRACKING: usize = 100_000;
/// The keyword that stands in for a reference to nowhere.
pub const UNRESOLVED: &str = "x-vitrine-unresolved-ref";

/// A schema ready for use.
pub struct Compiled {
    pub source: Value,
    pub targets: Targets,
    pub draft: Draft,
    pub validator: Validator,
}

/// Bounds, repairs and compiles.
pub fn compile(schema: &Value) -> Result<Compiled, SchemaError> {
    bound(schema)?;
    let named = schema.get("$schema").and_then(Value::as_str).and_then(known_draft);
    let mut source = schema.clone();
    let pointers: Vec<String> = nodes(&source).into_iter().map(|(pointer, _)| pointer).collect();
    for pointer in pointers {
        if let Some(node) = source.pointer_mut(&pointer).and_then(Value::as_object_mut) {
            mend(node, named == Some(Draft::Draft4));
        }
    }
    let nodes = nodes(&source);
    let targets = Targets::new(&source, nodes.iter().map(|(pointer, node)| (pointer.as_str(), *node)));
    Graph { root: &source, targets: &targets }.check(&nodes)?;
    drop(nodes);

    if named.is_none()
        && let Some(object) = source.as_object_mut()
    {
        // A dialect nobody knows would be fetched; the vocabulary is what 2020-12 and draft-07 share.
        object.shift_remove("$schema");
    }
    let drafts: &[Draft] = match &named {
        Some(draft) => std::slice::from_ref(draft),
        // Tools rarely name their draft. `items: [..]` is what tells the older one.
        None => &[Draft::Draft202012, Draft::Draft7],
    };
    let mut failure = None;
    for &draft in drafts {
        match options(draft).build(&source) {
            Ok(validator) => return Ok(Compiled { source, targets, draft, validator }),
            Err(error) if matches!(error.kind(), ValidationErrorKind::Referencing(_)) => {
                mark_unresolved(&mut source, &targets);
                match options(draft).build(&source) {
                    Ok(validator) => return Ok(Compiled { source, targets, draft, validator }),
                    Err(error) => failure = failure.or(Some(error)),
                }
            }
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    let (path, message) =
        failure.map(|error| (error.instance_path().to_string(), excerpt(&error.to_string()))).unwrap_or_default();
    Err(SchemaError::Invalid { path, message })
}

/// The options every validator of ours is built with. Nothing is fetched, whatever features the crate was built with.
pub fn options(draft: Draft) -> ValidationOptions<'static> {
    jsonschema::options()
        .with_draft(draft)
        .offline()
        .should_validate_formats(true)
        .with_format("url", is_url)
        .without_content_media_type_support("application/json")
        .without_content_encoding_support("base64")
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKING))
        .with_keyword(UNRESOLVED, |_, reference, _| {
            Ok(Box::new(Unresolved(format!("unresolved reference {}", reference.as_str().unwrap_or_default()))))
        })
}

/// A validator for each pattern of `patternProperties`: the engine and its reading of ECMAScript stay in one place.
pub fn patterns(source: &Value, draft: Draft) -> HashMap<String, Validator> {
    let mut patterns = HashMap::new();
    for (_, node) in nodes(source) {
        for pattern in node.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::keys) {
            if let Ok(validator) = options(draft).build(&serde_json::json!({ "pattern": pattern })) {
                patterns.insert(pattern.clone(), validator);
            }
        }
    }
    patterns
}

/// Rejects every value, and says which reference led nowhere.
struct Unresolved(String);

impl<'i> Keyword<'i> for Unresolved {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        Err(ValidationError::custom(self.0.clone()))
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        false
    }
}

/// Whether it is absolute: a scheme, and a host where the web's schemes need one.
fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.trim().split_once(':') else { return false };
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
    if !scheme.starts_with(|first: char| first.is_ascii_alphabetic()) || !scheme.chars().all(is_name) {
        return false;
    }
    let needs_host = ["ftp", "http", "https", "ws", "wss"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let authority = rest.trim_start_matches(['/', '\\']).split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let forbidden = |letter: char| letter.is_whitespace() || letter.is_control() || "<>^|%".contains(letter);
    !needs_host || !(host.is_empty() || host.starts_with(':') || host.contains(forbidden))
}

fn known_draft(uri: &str) -> Option<Draft> {
    let name = uri.trim_end_matches('#').split_once("://").map_or(uri, |(_, name)| name);
    match name {
        "json-schema.org/draft-04/schema" => Some(Draft::Draft4),
        "json-schema.org/draft-06/schema" => Some(Draft::Draft6),
        "json-schema.org/draft-07/schema" => Some(Draft::Draft7),
        "json-schema.org/draft/2019-09/schema" => Some(Draft::Draft201909),
        "json-schema.org/draft/2020-12/schema" => Some(Draft::Draft202012),
        _ => None,
    }
}

fn excerpt(text: &str) -> String {
    const SHOWN: usize = 300;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Counts levels and nodes without recursion.
fn bound(schema: &Value) -> Result<(), SchemaError> {
    let mut stack = vec![(schema, 0)];
    let mut count = 0;
    while let Some((node, level)) = stack.pop() {
        count += 1;
        if level > MAX_LEVELS {
            return Err(SchemaError::TooDeep { limit: MAX_LEVELS });
        }
        if count > MAX_NODES {
            return Err(SchemaError::TooLarge { limit: MAX_NODES });
        }
        match node {
            Value::Array(items) => stack.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(map) => stack.extend(map.values().map(|item| (item, level + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Ok(())
}

/// How the value of a keyword is to be read.
#[derive(Clone, Copy, PartialEq)]
enum Reading {
    /// A schema.
    Schema,
    /// Names to schemas.
    Map,
    /// Data in which nothing is a schema.
    Data,
}

fn reading(parent: Reading, key: &str) -> Reading {
    match (parent, key) {
        (Reading::Map, _) => Reading::Schema,
        (Reading::Data, _) | (_, "const" | "enum" | "default" | "examples") => Reading::Data,
        (
            Reading::Schema,
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies",
        ) => Reading::Map,
        (Reading::Schema, _) => Reading::Schema,
    }
}

/// Every object that is a schema, with its pointer.
fn nodes(schema: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    let mut stack = vec![(String::new(), schema, Reading::Schema)];
    while let Some((pointer, node, as_what)) = stack.pop() {
        match node {
            Value::Object(map) => {
                for (key, value) in map {
                    match reading(as_what, key) {
                        Reading::Data => {}
                        as_what => stack.push((join(&pointer, key), value, as_what)),
                    }
                }
                if as_what == Reading::Schema {
                    found.push((pointer, node));
                }
            }
            Value::Array(items) => {
                stack.extend(
                    items.iter().enumerate().map(|(index, item)| (format!("{pointer}/{index}"), item, Reading::Schema)),
                );
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}

/// Replaces each reference to nowhere by a keyword that rejects, so that only values at its place are refused.
fn mark_unresolved(source: &mut Value, targets: &Targets) {
    let dangling: Vec<String> = nodes(source)
        .into_iter()
        .filter(|(_, node)| {
            let reference = node.get("$ref").and_then(Value::as_str);
            reference.is_some_and(|reference| {
                !reference.contains("://json-schema.org/draft") && targets.resolve(source, reference).is_none()
            })
        })
        .map(|(pointer, _)| pointer)
        .collect();
    for pointer in dangling {
        if let Some(node) = source.pointer_mut(&pointer).and_then(Value::as_object_mut)
            && let Some(reference) = node.shift_remove("$ref")
        {
            node.insert(UNRESOLVED.to_owned(), reference);
        }
    }
}

/// The schema with its references as edges.
struct Graph<'a> {
    root: &'a Value,
    targets: &'a Targets,
}

enum Weight {
    Open,
    Known(usize),
}

impl Graph<'_> {
    fn check(&self, nodes: &[(String, &Value)]) -> Result<(), SchemaError> {
        self.depth("", self.root, Reading::Schema, 0, &mut HashSet::new())?;
        let mut weights = HashMap::new();
        for (pointer, node) in nodes {
            self.weigh(pointer, node, 0, &mut weights)?;
        }
        Ok(())
    }

    fn target(&self, node: &Value) -> Option<(String, &Value)> {
        self.targets.resolve(self.root, node.get("$ref")?.as_str()?)
    }

    /// Walks everything once, references too, and refuses a path that is too long to recurse over.
    fn depth(
        &self,
        pointer: &str,
        node: &Value,
        as_what: Reading,
        depth: usize,
        seen: &mut HashSet<String>,
    ) -> Result<(), SchemaError> {
        if depth > MAX_DEPTH * 2 {
            return Err(SchemaError::TooDeep { limit: MAX_DEPTH });
        }
        match node {
            Value::Object(map) => {
                if !seen.insert(pointer.to_owned()) {
                    return Ok(());
                }
                for (key, value) in map {
                    match reading(as_what, key) {
                        Reading::Data => {}
                        as_what => self.depth(&join(pointer, key), value, as_what, depth + 1, seen)?,
                    }
                }
                if let Some((pointer, target)) = self.target(node) {
                    self.depth(&pointer, target, Reading::Schema, depth + 2, seen)?;
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.depth(&format!("{pointer}/{index}"), item, Reading::Schema, depth + 1, seen)?;
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Ok(())
    }

    /// How many schemas one value meets at this node without being taken apart. A node that leads to itself this way
    /// would be asked about the same value for ever.
    fn weigh(
        &self,
        pointer: &str,
        node: &Value,
        depth: usize,
        weights: &mut HashMap<String, Weight>,
    ) -> Result<usize, SchemaError> {
        let Some(map) = node.as_object() else { return Ok(1) };
        match weights.get(pointer) {
            Some(Weight::Open) => return Err(SchemaError::Endless { path: pointer.to_owned() }),
            Some(Weight::Known(weight)) => return Ok(*weight),
            None => {}
        }
        if depth > MAX_DEPTH {
            return Err(SchemaError::TooDeep { limit: MAX_DEPTH });
        }
        weights.insert(pointer.to_owned(), Weight::Open);
        let mut weight: usize = 1;
        for (pointer, child) in self.in_place(pointer, node, map) {
            weight = weight.saturating_add(self.weigh(&pointer, child, depth + 1, weights)?);
        }
        if weight > MAX_IN_PLACE {
            return Err(SchemaError::TooLarge { limit: MAX_IN_PLACE });
        }
        weights.insert(pointer.to_owned(), Weight::Known(weight));
        Ok(weight)
    }

    /// The schemas that apply to the same value as this node.
    fn in_place<'s>(&'s self, pointer: &str, node: &'s Value, map: &'s Map<String, Value>) -> Vec<(String, &'s Value)> {
        let mut found: Vec<(String, &Value)> = self.target(node).into_iter().collect();
        for (key, value) in map {
            match (key.as_str(), value) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                    let branches = branches.iter().enumerate();
                    found.extend(branches.map(|(index, branch)| (format!("{pointer}/{key}/{index}"), branch)));
                }
                ("not" | "if" | "then" | "else", branch) => found.push((format!("{pointer}/{key}"), branch)),
                ("dependentSchemas" | "dependencies", Value::Object(branches)) => {
                    let at = format!("{pointer}/{key}");
                    found.extend(branches.iter().map(|(name, branch)| (join(&at, name), branch)));
                }
                _ => {}
            }
        }
        found
    }
}

//! What the validator found, in the words and the order in which a model reads it.
//!
//! The validator says where in the schema each error arose. That place, keyword by keyword and with the keys in the
//! schema's own order, is what errors are sorted by, so the text does not depend on how the validator happens to walk.

use std::collections::VecDeque;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::Location;
use serde_json::Value;

use crate::js;
use crate::pointer::{Targets, segments};
use crate::union;

/// Errors of one call that are shown. More would say nothing new.
pub const MAX_ERRORS: usize = 1000;
/// Members of an `enum` that are listed.
const MAX_MEMBERS: usize = 20;

/// One line for each thing that is wrong, in order; none only if there is no error.
pub fn lines<'a>(
    root: &Value,
    targets: &Targets,
    instance: &Value,
    errors: impl Iterator<Item = ValidationError<'a>>,
) -> Vec<String> {
    let explainer = Explainer { root, targets, instance };
    let mut findings = Vec::new();
    let mut fits = true;
    for error in errors.take(MAX_ERRORS + 1) {
        fits = false;
        explainer.add(&error, &mut findings);
    }
    let mut lines: Vec<String> =
        ordered(findings).into_iter().map(|finding| format!("{}: {}", shown(&finding.path), finding.message)).collect();
    if lines.is_empty() && !fits {
        // An error that we have no words for must not pass for a fit.
        lines.push("root: does not fit the schema".to_owned());
    }
    bounded(lines)
}

/// No more lines than are shown, and that there are more.
pub fn bounded(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MAX_ERRORS {
        lines.truncate(MAX_ERRORS);
        lines.push("root: more errors than are listed here".to_owned());
    }
    lines
}

/// One thing that is wrong.
#[derive(Debug)]
pub struct Finding {
    key: Vec<(u16, usize)>,
    /// Where in the arguments.
    pub path: Vec<String>,
    message: String,
    weight: Weight,
}

/// What a finding does to others of the same schema and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    /// Silences the others: a value of the wrong type fails them all.
    Only,
    /// Stands beside others.
    Plain,
    /// Is silenced by any other: what a failed branch would have evaluated is not known.
    Faint,
}

/// The schema, the arguments, and how to say what does not fit between them.
pub struct Explainer<'a> {
    /// The schema.
    pub root: &'a Value,
    /// Its references.
    pub targets: &'a Targets,
    /// The arguments.
    pub instance: &'a Value,
}

impl Explainer<'_> {
    /// Adds what one error comes to: a line, several (each unknown field), or those of a union's blamed branch.
    pub fn add(&self, error: &ValidationError<'_>, findings: &mut Vec<Finding>) {
        let path = segments(error.instance_path().as_str());
        let place = self.place(error.evaluation_path(), &path);
        let mut say = |path: Vec<String>, message: String| {
            findings.push(Finding { key: place.key.clone(), path, message, weight: Weight::Plain });
        };
        let below = |name: &str| {
            let mut path = path.clone();
            path.push(name.to_owned());
            path
        };
        let number = |limit: &Value| js::stringify(limit, None);
        let keyword = |name: &str| place.parent.and_then(|parent| parent.get(name));
        match error.kind() {
            ValidationErrorKind::Type { kind } => {
                let message = format!("expected {}, got {}", types(kind, place.node), kind_of(error.instance()));
                findings.push(Finding { key: place.key, path, message, weight: Weight::Only });
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                if error.instance().get(name).is_some() {
                    // jsonschema 0.61.2 says so of a property that is there, when `additionalProperties` is false and
                    // `properties` does not list it. That it is unknown is another error.
                    return;
                }
                match dependency(place.node, name, error.instance()) {
                    Some(present) => say(below(name), format!("required when {present} is present")),
                    None => say(below(name), "missing".to_owned()),
                }
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let position = |name: &String| error.instance().as_object()?.keys().position(|key| key == name);
                for name in unexpected.iter().take(MAX_ERRORS + 1) {
                    let mut key = place.key.clone();
                    key.push((0, position(name).unwrap_or_default()));
                    findings.push(Self::finding(&key, below(name), "unknown field".to_owned()));
                }
            }
            ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                for name in unexpected.iter().take(MAX_ERRORS + 1) {
                    let (key, path) = (place.key.clone(), below(name));
                    findings.push(Finding { key, path, message: "unknown field".to_owned(), weight: Weight::Faint });
                }
            }
            ValidationErrorKind::AdditionalItems { limit } => {
                let count = error.instance().as_array().map_or(0, Vec::len);
                for index in (*limit..count).take(MAX_ERRORS) {
                    say(below(&index.to_string()), "no value is allowed here".to_owned());
                }
            }
            ValidationErrorKind::UnevaluatedItems { unexpected } => {
                // The validator has the items as text and in order, but not their places.
                let mut unexpected = unexpected.iter().take(MAX_ERRORS + 1).peekable();
                for (index, item) in error.instance().as_array().into_iter().flatten().enumerate() {
                    let item = item.to_string();
                    if unexpected.peek() == Some(&&item) {
                        unexpected.next();
                        let (key, path) = (place.key.clone(), below(&index.to_string()));
                        findings.push(Finding {
                            key,
                            path,
                            message: "unexpected item".to_owned(),
                            weight: Weight::Faint,
                        });
                    }
                }
            }
            ValidationErrorKind::PropertyNames { error } => {
                say(below(error.instance().as_str().unwrap_or_default()), "invalid property name".to_owned());
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                union::blame(self, place.node, context, error.instance(), &path, &place.key, findings);
            }
            ValidationErrorKind::OneOfMultipleValid { .. } => say(path, "matches more than one alternative".to_owned()),
            ValidationErrorKind::Enum { options } => {
                say(path, one_of(options.as_array().map(Vec::as_slice).unwrap_or_default()));
            }
            ValidationErrorKind::Constant { expected_value } => {
                say(path, format!("expected {}", number(expected_value)));
            }
            ValidationErrorKind::MinLength { limit } => say(path, format!("expected at least {limit} characters")),
            ValidationErrorKind::MaxLength { limit } => say(path, format!("expected at most {limit} characters")),
            ValidationErrorKind::MinItems { limit } => say(path, format!("expected at least {limit} items")),
            ValidationErrorKind::MaxItems { limit } => say(path, format!("expected at most {limit} items")),
            ValidationErrorKind::MinProperties { limit } => say(path, format!("expected at least {limit} properties")),
            ValidationErrorKind::MaxProperties { limit } => say(path, format!("expected at most {limit} properties")),
            ValidationErrorKind::Minimum { limit } => say(path, format!("expected >= {}", number(limit))),
            ValidationErrorKind::Maximum { limit } => say(path, format!("expected <= {}", number(limit))),
            ValidationErrorKind::ExclusiveMinimum { limit } => say(path, format!("expected > {}", number(limit))),
            ValidationErrorKind::ExclusiveMaximum { limit } => say(path, format!("expected < {}", number(limit))),
            ValidationErrorKind::MultipleOf { multiple_of } => {
                say(path, format!("expected a multiple of {}", js::double_text(*multiple_of)));
            }
            ValidationErrorKind::Pattern { pattern } => say(path, format!("expected to match {pattern}")),
            ValidationErrorKind::BacktrackLimitExceeded { .. } | ValidationErrorKind::RegexEngineFailure { .. } => {
                let pattern = place.node.and_then(Value::as_str).unwrap_or("its pattern");
                say(path, format!("expected to match {pattern}"));
            }
            ValidationErrorKind::Format { format } => say(path, format!("expected format {format}")),
            ValidationErrorKind::UniqueItems => say(path, "expected unique items".to_owned()),
            ValidationErrorKind::Contains => {
                say(path, contains(keyword("minContains"), keyword("maxContains")));
            }
            ValidationErrorKind::Not { .. } => say(path, "must not match the schema in not".to_owned()),
            ValidationErrorKind::FalseSchema => say(path, "no value is allowed here".to_owned()),
            ValidationErrorKind::Custom { message, .. } => say(path, message.clone()),
            ValidationErrorKind::ContentEncoding { .. }
            | ValidationErrorKind::ContentMediaType { .. }
            | ValidationErrorKind::FromUtf8 { .. }
            | ValidationErrorKind::Referencing(_) => say(path, error.to_string()),
        }
    }

    /// A finding of a union's own.
    pub fn finding(key: &[(u16, usize)], path: Vec<String>, message: String) -> Finding {
        Finding { key: key.to_vec(), path, message, weight: Weight::Plain }
    }

    /// Follows an evaluation path through the schema, and beside it the arguments, to a sort key.
    fn place(&self, evaluation: &Location, instance_path: &[String]) -> Place<'_> {
        let mut place = Place { node: Some(self.root), ..Place::default() };
        let mut instance = Some(self.instance);
        let mut inside: VecDeque<&String> = instance_path.iter().collect();
        // Where a schema applies to a part of the value, the part's place in its parent is part of the order.
        let mut enter = |key: &mut Vec<(u16, usize)>| {
            let Some(segment) = inside.pop_front() else { return };
            let index = match instance {
                Some(Value::Object(map)) => map.keys().position(|name| name == segment),
                _ => segment.parse().ok(),
            };
            key.push((0, index.unwrap_or_default()));
            instance = match instance {
                Some(Value::Object(map)) => map.get(segment),
                Some(Value::Array(items)) => index.and_then(|index| items.get(index)),
                _ => None,
            };
        };
        let steps = segments(evaluation.as_str());
        let mut steps = steps.iter().peekable();
        while let Some(keyword) = steps.next() {
            place.parent = place.node;
            place.key.push((rank(keyword), 0));
            if keyword == "$ref" || keyword == "$dynamicRef" || keyword == "$recursiveRef" {
                let reference = place.node.and_then(|node| node.get(keyword)).and_then(Value::as_str);
                let target = reference.and_then(|reference| self.targets.resolve(self.root, reference));
                place.node = target.map(|(_, node)| node);
                continue;
            }
            place.node = place.node.and_then(|node| node.get(keyword));
            match keyword.as_str() {
                "properties" | "dependentSchemas" | "dependentRequired" | "dependencies" => {
                    let Some(name) = steps.next() else { continue };
                    let map = place.node.and_then(Value::as_object);
                    let index = map.and_then(|map| map.keys().position(|key| key == name)).unwrap_or_default();
                    place.key.push((0, index));
                    place.node = map.and_then(|map| map.get(name));
                    if keyword == "properties" {
                        enter(&mut Vec::new());
                    }
                }
                "patternProperties" => {
                    let Some(pattern) = steps.next() else { continue };
                    enter(&mut place.key);
                    let map = place.node.and_then(Value::as_object);
                    let index = map.and_then(|map| map.keys().position(|key| key == pattern)).unwrap_or_default();
                    place.key.push((0, index));
                    place.node = map.and_then(|map| map.get(pattern));
                }
                "additionalProperties" | "unevaluatedProperties" | "additionalItems" | "unevaluatedItems"
                    if steps.peek().is_some() =>
                {
                    enter(&mut place.key);
                }
                "items" | "prefixItems" => {
                    if place.node.is_some_and(Value::is_array) {
                        let index = steps.next().and_then(|step| step.parse::<usize>().ok()).unwrap_or_default();
                        place.node = place.node.and_then(|node| node.get(index));
                    }
                    enter(&mut place.key);
                }
                "allOf" | "anyOf" | "oneOf" => {
                    if let Some(index) = steps.next().and_then(|step| step.parse::<usize>().ok()) {
                        place.key.push((0, index));
                        place.node = place.node.and_then(|node| node.get(index));
                    }
                }
                _ => {}
            }
        }
        place
    }
}

/// Where in the schema an error arose.
#[derive(Default)]
struct Place<'a> {
    /// One entry a step, comparable: the rank of a keyword, or the index of a key or part.
    key: Vec<(u16, usize)>,
    /// What the last keyword holds.
    node: Option<&'a Value>,
    /// The schema that has the last keyword.
    parent: Option<&'a Value>,
}

/// Sorts, and drops what is silenced.
pub fn ordered(mut findings: Vec<Finding>) -> Vec<Finding> {
    fn schema(finding: &Finding) -> &[(u16, usize)] {
        finding.key.get(..finding.key.len().saturating_sub(1)).unwrap_or_default()
    }
    findings.sort_by(|a, b| a.key.cmp(&b.key));
    // In this order all of a schema's findings come together, its type first.
    let mut mistyped: Option<Vec<(u16, usize)>> = None;
    findings.retain(|finding| {
        if mistyped.as_ref().is_some_and(|outer| finding.key.starts_with(outer)) {
            return false;
        }
        if finding.weight == Weight::Only {
            mistyped = Some(schema(finding).to_vec());
        }
        true
    });
    let faint = |finding: &Finding| finding.weight == Weight::Faint;
    if findings.iter().any(faint) {
        let loud: Vec<Vec<(u16, usize)>> =
            findings.iter().filter(|finding| !faint(finding)).map(|finding| finding.key.clone()).collect();
        findings.retain(|finding| {
            // `loud` is sorted: if any starts with this schema's key, the first not below that key does.
            let place = schema(finding);
            let first = loud.partition_point(|key| key.as_slice() < place);
            !(faint(finding) && loud.get(first).is_some_and(|key| key.starts_with(place)))
        });
    }
    findings
}

/// The order in which the keywords of one schema are reported.
fn rank(keyword: &str) -> u16 {
    let keyword = if keyword == "patternProperties" { "additionalProperties" } else { keyword };
    const ORDER: &[&str] = &[
        "type",
        "enum",
        "const",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "required",
        "properties",
        // Also the place of patternProperties: both go by the order of the arguments.
        "additionalProperties",
        "propertyNames",
        "minProperties",
        "maxProperties",
        "dependentRequired",
        "dependencies",
        "dependentSchemas",
        "prefixItems",
        "items",
        "additionalItems",
        "minItems",
        "maxItems",
        "uniqueItems",
        "contains",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "$ref",
    ];
    let position = ORDER.iter().position(|known| *known == keyword).unwrap_or(ORDER.len());
    u16::try_from(position).unwrap_or(u16::MAX)
}

/// A path as the model reads it.
pub fn shown(path: &[String]) -> String {
    if path.is_empty() { "root".to_owned() } else { path.join(".") }
}

/// The types in the schema's order, which the validator does not keep.
fn types(kind: &TypeKind, keyword: Option<&Value>) -> String {
    match (keyword, kind) {
        (Some(Value::Array(names)), _) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or "),
        (_, TypeKind::Single(kind)) => kind.to_string(),
        (_, TypeKind::Multiple(kinds)) => kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or "),
    }
}

/// What a value is, in the words of `type`.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|double| double.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// `expected one of [..]`, the first twenty.
pub fn one_of(members: &[Value]) -> String {
    let shown: Vec<String> = members.iter().take(MAX_MEMBERS).map(|member| js::stringify(member, None)).collect();
    let more = match members.len().saturating_sub(MAX_MEMBERS) {
        0 => String::new(),
        more => format!(", ... and {more} more"),
    };
    format!("expected one of [{}{more}]", shown.join(","))
}

/// The property whose presence requires `name`, when the keyword is one of dependencies and not `required` itself.
fn dependency<'a>(keyword: Option<&'a Value>, name: &str, instance: &Value) -> Option<&'a String> {
    let present = |property: &String| instance.get(property).is_some();
    keyword?.as_object()?.iter().find_map(|(property, names)| {
        let required = names.as_array()?.iter().any(|required| required == name);
        (required && present(property)).then_some(property)
    })
}

fn contains(min: Option<&Value>, max: Option<&Value>) -> String {
    let min = min.and_then(Value::as_f64).unwrap_or(1.0);
    let items = |count: f64| if count == 1.0 { "item" } else { "items" };
    let text = js::double_text;
    match max.and_then(Value::as_f64) {
        None => format!("expected at least {} matching {}", text(min), items(min)),
        Some(max) if min == 0.0 => format!("expected at most {} matching {}", text(max), items(max)),
        Some(max) => format!("expected between {} and {} matching items", text(min), text(max)),
    }
}

//! The three passes that turn what a model wrote into what its schema means, where there is only one way to mean it.
//!
//! 1. [`Coercion::drop_nulls`]: `null` for an optional property that takes none means "not given".
//! 2. [`Coercion::convert`]: one value for another by the first keyword of a node that says how.
//! 3. [`Coercion::settle`]: type lists, and nodes whose second pass stopped at another keyword.
//!
//! Text is never parsed as JSON and structure never becomes text: that would run calls a model did not write.

use std::cell::Cell;

use serde_json::{Map, Value};

use crate::compile::UNRESOLVED;
use crate::js;
use crate::pointer::{Targets, join};

/// Nodes visited for one call before coercion gives up; the value is then validated as it is. A schema may refer to
/// itself in several branches, which would otherwise double the work at each level.
const FUEL: usize = 200_000;
/// And so many more for each node of the arguments: three passes, and some for branches.
const FUEL_PER_NODE: usize = 16;

/// What coercion asks of the validator.
pub trait Judge {
    /// Whether the schema at a pointer takes the value as it is.
    fn accepts(&self, pointer: &str, value: &Value) -> bool;
    /// Whether a property name matches a pattern of `patternProperties`.
    fn matches(&self, pattern: &str, name: &str) -> bool;
}

/// The passes over one value.
pub struct Coercion<'a> {
    root: &'a Value,
    targets: &'a Targets,
    judge: &'a dyn Judge,
    fuel: Cell<usize>,
}

#[derive(Clone, Copy)]
enum Pass {
    DropNulls,
    Convert,
    Settle,
}

impl<'a> Coercion<'a> {
    /// Coercion of a value of `n_nodes` nodes by `root`, whose references lead to `targets`.
    pub fn new(root: &'a Value, targets: &'a Targets, judge: &'a dyn Judge, n_nodes: usize) -> Self {
        Self { root, targets, judge, fuel: Cell::new(n_nodes.saturating_mul(FUEL_PER_NODE).saturating_add(FUEL)) }
    }

    /// All three passes.
    pub fn run(&self, value: &mut Value) {
        for pass in [Pass::DropNulls, Pass::Convert, Pass::Settle] {
            self.pass(pass, self.root, "", value);
        }
    }

    fn pass(&self, pass: Pass, schema: &Value, at: &str, value: &mut Value) {
        match pass {
            Pass::DropNulls => self.drop_nulls(schema, at, value),
            Pass::Convert => self.convert(schema, at, value),
            Pass::Settle => self.settle(schema, at, value),
        }
    }

    fn spend(&self) -> bool {
        let left = self.fuel.get();
        self.fuel.set(left.saturating_sub(1));
        left > 0
    }

    /// Pass 1. A property that is a `$ref` is left alone, and so is what is behind it.
    fn drop_nulls(&self, schema: &Value, at: &str, value: &mut Value) {
        if !self.spend() || is_reference(schema) {
            return;
        }
        if let (Some(object), Some(properties)) = (value.as_object_mut(), properties(schema)) {
            let required = |name: &str| {
                let names = schema.get("required").and_then(Value::as_array);
                names.is_some_and(|names| names.iter().any(|required| required == name))
            };
            let at = join(at, "properties");
            object.retain(|name, value| {
                let Some(property) = properties.get(name).filter(|_| value.is_null()) else { return true };
                required(name) || is_reference(property) || self.judge.accepts(&join(&at, name), &Value::Null)
            });
        }
        self.descend(schema, at, value, Pass::DropNulls);
    }

    /// Pass 2.
    fn convert(&self, schema: &Value, at: &str, value: &mut Value) {
        if !self.spend() {
            return;
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            if let Some((pointer, target)) = self.targets.resolve(self.root, reference) {
                self.convert(target, &pointer, value);
            }
            return;
        }
        if let Some(member) = schema.get("const") {
            return to_member(std::slice::from_ref(member), value, |_| true);
        }
        if let Some(members) = schema.get("enum").and_then(Value::as_array) {
            return to_member(members, value, |member| self.judge.accepts(at, member));
        }
        if self.convert_union(schema, at, value) {
            return;
        }
        if self.all_of(schema, at, value, Pass::Convert) {
            return self.convert_members(schema, at, value);
        }
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| schema.get(keyword).is_some());
        let kind = match schema.get("type") {
            Some(kind) => kind.as_str().unwrap_or_default(),
            None if has(&MEMBERS) => "object",
            None if has(&["items", "prefixItems"]) => "array",
            None => "",
        };
        match kind {
            "array" => {
                let tuple = schema.get("prefixItems").is_some() || schema.get("items").is_some_and(Value::is_array);
                if !value.is_array() && !tuple {
                    *value = Value::Array(vec![value.take()]);
                }
                self.descend(schema, at, value, Pass::Convert);
            }
            "object" => self.descend(schema, at, value, Pass::Convert),
            scalar => replace(value, to_scalar(scalar, value)),
        }
    }

    /// Pass 3. It does not follow references, and takes a value apart only where the schema names its type.
    fn settle(&self, schema: &Value, at: &str, value: &mut Value) {
        if !self.spend() || is_reference(schema) {
            return;
        }
        self.all_of(schema, at, value, Pass::Settle);
        self.settle_union(schema, at, value, "anyOf");
        self.settle_union(schema, at, value, "oneOf");
        let kinds = match schema.get("type") {
            Some(Value::Array(kinds)) => kinds.as_slice(),
            Some(kind) => std::slice::from_ref(kind),
            None => &[],
        };
        let mut kinds = kinds.iter().filter_map(Value::as_str);
        if !kinds.clone().any(|kind| is_kind(kind, value)) {
            replace(value, kinds.clone().find_map(|kind| to_strict_scalar(kind, value)));
        }
        if kinds.any(|kind| matches!(kind, "object" | "array") && is_kind(kind, value)) {
            self.descend(schema, at, value, Pass::Settle);
        }
    }

    /// A union keeps a value that any branch takes; else the first conversion by a branch that the whole node takes is it,
    /// so that a value which fits a later branch counts and one that would fit a `oneOf` twice does not. What the node says
    /// of properties beside its branches is part of each conversion.
    fn convert_union(&self, schema: &Value, at: &str, value: &mut Value) -> bool {
        let Some((keyword, branches)) = union(schema, "anyOf").or_else(|| union(schema, "oneOf")) else { return false };
        let place = |index: usize| format!("{at}/{keyword}/{index}");
        if !(0..branches.len()).any(|index| self.judge.accepts(&place(index), value)) {
            for (index, branch) in branches.iter().enumerate() {
                if !self.spend() {
                    return true;
                }
                let mut candidate = value.clone();
                self.convert(branch, &place(index), &mut candidate);
                self.convert_members(schema, at, &mut candidate);
                if self.judge.accepts(at, &candidate) {
                    *value = candidate;
                    return true;
                }
            }
        }
        self.convert_members(schema, at, value);
        true
    }

    /// The properties that a node with branches declares beside them.
    fn convert_members(&self, schema: &Value, at: &str, value: &mut Value) {
        if value.is_object() && MEMBERS.iter().any(|keyword| schema.get(keyword).is_some()) {
            self.descend(schema, at, value, Pass::Convert);
        }
    }

    /// In the third pass a branch's own word is enough.
    fn settle_union(&self, schema: &Value, at: &str, value: &mut Value, keyword: &str) {
        let Some((_, branches)) = union(schema, keyword) else { return };
        let place = |index: usize| format!("{at}/{keyword}/{index}");
        if (0..branches.len()).any(|index| self.judge.accepts(&place(index), value)) {
            return;
        }
        for (index, branch) in branches.iter().enumerate() {
            if !self.spend() {
                return;
            }
            let mut candidate = value.clone();
            self.settle(branch, &place(index), &mut candidate);
            if self.judge.accepts(&place(index), &candidate) {
                *value = candidate;
                return;
            }
        }
    }

    fn all_of(&self, schema: &Value, at: &str, value: &mut Value, pass: Pass) -> bool {
        let Some(branches) = schema.get("allOf").and_then(Value::as_array) else { return false };
        for (index, branch) in branches.iter().enumerate() {
            self.pass(pass, branch, &format!("{at}/allOf/{index}"), value);
        }
        true
    }

    /// Runs a pass over the properties of an object or the items of an array.
    fn descend(&self, schema: &Value, at: &str, value: &mut Value, pass: Pass) {
        match value {
            Value::Object(object) => self.each_property(schema, at, object, pass),
            Value::Array(items) => {
                let prefix = [("prefixItems", schema.get("prefixItems")), ("items", schema.get("items"))];
                let prefix = prefix.iter().find_map(|(name, items)| Some((*name, items.and_then(Value::as_array)?)));
                let rest = schema.get("items").filter(|items| items.is_object());
                let rest_at = join(at, "items");
                for (index, item) in items.iter_mut().enumerate() {
                    match prefix.and_then(|(name, schemas)| Some((name, schemas.get(index)?))) {
                        Some((name, schema)) => self.pass(pass, schema, &format!("{at}/{name}/{index}"), item),
                        None => {
                            let Some(schema) = rest else { break };
                            self.pass(pass, schema, &rest_at, item);
                        }
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn each_property(&self, schema: &Value, at: &str, object: &mut Map<String, Value>, pass: Pass) {
        let named = properties(schema);
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        for (name, value) in object {
            let mut known = false;
            if let Some(property) = named.and_then(|named| named.get(name)) {
                known = true;
                self.pass(pass, property, &join(&join(at, "properties"), name), value);
            }
            for (pattern, property) in patterns.into_iter().flatten() {
                if self.judge.matches(pattern, name) {
                    known = true;
                    self.pass(pass, property, &join(&join(at, "patternProperties"), pattern), value);
                }
            }
            if let Some(property) = others.filter(|_| !known) {
                self.pass(pass, property, &join(at, "additionalProperties"), value);
            }
        }
    }
}

/// One that leads nowhere is still one.
fn is_reference(schema: &Value) -> bool {
    schema.get("$ref").is_some() || schema.get(UNRESOLVED).is_some()
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

fn replace(value: &mut Value, new: Option<Value>) {
    if let Some(new) = new {
        *value = new;
    }
}

/// Keywords that speak of an object's properties.
const MEMBERS: [&str; 3] = ["properties", "patternProperties", "additionalProperties"];

fn union<'s, 'k>(schema: &'s Value, keyword: &'k str) -> Option<(&'k str, &'s Vec<Value>)> {
    Some((keyword, schema.get(keyword)?.as_array()?))
}

/// The first member that the value converts to exactly and that fits.
fn to_member(members: &[Value], value: &mut Value, fits: impl Fn(&Value) -> bool) {
    if members.iter().any(|member| equal(member, value)) {
        return;
    }
    let member = members.iter().find(|member| {
        let kind = match member {
            Value::String(_) => "string",
            Value::Number(_) => "number",
            Value::Bool(_) => "boolean",
            Value::Null | Value::Array(_) | Value::Object(_) => return false,
        };
        to_scalar(kind, value).is_some_and(|converted| equal(&converted, member)) && fits(member)
    });
    replace(value, member.cloned());
}

/// JSON equality: 1 and 1.0 are one number.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        _ => a == b,
    }
}

/// Whether a value is of a type.
pub fn is_kind(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|double| double.fract() == 0.0),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// Pass 2's conversion to a type; `None` where there is none or the value has the type already.
fn to_scalar(kind: &str, value: &Value) -> Option<Value> {
    if is_kind(kind, value) {
        return None;
    }
    match kind {
        "string" => match value {
            Value::Null => Some("null".into()),
            Value::Bool(_) | Value::Number(_) => Some(js::stringify(value, None).into()),
            Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        },
        "number" => js::number_value(to_double(value)?),
        "integer" => js::number_value(to_double(value)?.trunc()),
        "boolean" => match value {
            Value::Null => Some(false.into()),
            Value::String(text) => match text.to_ascii_lowercase().as_str() {
                "true" | "1" => Some(true.into()),
                "false" | "0" => Some(false.into()),
                _ => None,
            },
            Value::Number(number) => one_or_zero(number.as_f64()?),
            Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        },
        "null" => match value {
            Value::String(text) => matches!(text.as_str(), "null" | "undefined" | "" | "0").then_some(Value::Null),
            Value::Bool(false) => Some(Value::Null),
            Value::Number(number) => (number.as_f64() == Some(0.0)).then_some(Value::Null),
            Value::Null | Value::Bool(true) | Value::Array(_) | Value::Object(_) => None,
        },
        _ => None,
    }
}

fn to_double(value: &Value) -> Option<f64> {
    match value {
        Value::Null | Value::Bool(false) => Some(0.0),
        Value::Bool(true) => Some(1.0),
        Value::Number(number) => number.as_f64(),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(1.0),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(0.0),
        Value::String(text) => js::parse_number(text),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn one_or_zero(double: f64) -> Option<Value> {
    if double == 1.0 {
        return Some(true.into());
    }
    (double == 0.0).then(|| false.into())
}

/// Pass 3's conversion, stricter where a list of types leaves a choice.
fn to_strict_scalar(kind: &str, value: &Value) -> Option<Value> {
    match (kind, value) {
        ("number" | "integer", Value::String(text)) => {
            let double = js::parse_number(text).filter(|_| !text.trim().is_empty())?;
            js::number_value(double).filter(|number| is_kind(kind, number))
        }
        ("number" | "integer", Value::Bool(_) | Value::Null) => js::number_value(to_double(value)?),
        ("boolean", Value::String(text)) => match text.as_str() {
            "true" => Some(true.into()),
            "false" => Some(false.into()),
            _ => None,
        },
        ("boolean", Value::Number(number)) => one_or_zero(number.as_f64()?),
        ("boolean", Value::Null) => Some(false.into()),
        ("string", Value::Number(_) | Value::Bool(_)) => Some(js::stringify(value, None).into()),
        ("string", Value::Null) => Some("".into()),
        ("null", Value::String(text)) => text.is_empty().then_some(Value::Null),
        ("null", Value::Number(number)) => (number.as_f64() == Some(0.0)).then_some(Value::Null),
        ("null", Value::Bool(false)) => Some(Value::Null),
        _ => None,
    }
}

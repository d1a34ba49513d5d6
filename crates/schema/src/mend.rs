//! Keywords whose value is of a kind that they cannot have say nothing: `"description": null` or draft 3's
//! `"required": true` in one tool's schema is no reason to refuse the tool. What is left of such a schema is what pi, too,
//! reads in it. A type that there is not, properties that are a text, or something in the place of a schema that is none,
//! stays: nobody can say what it asks for.

use std::collections::HashSet;

use serde_json::{Map, Number, Value};

/// What a keyword can have.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Boolean,
    List,
    Names,
    /// Names to anything.
    Map,
    /// Names to schemas that are only looked at when something refers to them.
    Definitions,
    Number,
    /// A number that says how many there must be.
    Least,
    /// A number that says how many there may be.
    Most,
}

fn kind(keyword: &str) -> Option<Kind> {
    Some(match keyword {
        "$anchor" | "$comment" | "$dynamicAnchor" | "$dynamicRef" | "$id" | "$ref" | "contentEncoding"
        | "contentMediaType" | "description" | "format" | "id" | "pattern" | "title" => Kind::Text,
        "deprecated" | "readOnly" | "uniqueItems" | "writeOnly" => Kind::Boolean,
        "allOf" | "anyOf" | "enum" | "examples" | "oneOf" | "prefixItems" => Kind::List,
        "required" => Kind::Names,
        "dependencies" | "dependentRequired" | "dependentSchemas" | "patternProperties" | "properties"
        | "$vocabulary" => Kind::Map,
        "$defs" | "definitions" => Kind::Definitions,
        "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" | "multipleOf" => Kind::Number,
        "minContains" | "minItems" | "minLength" | "minProperties" => Kind::Least,
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" => Kind::Most,
        _ => return None,
    })
}

/// Mends one node of a schema. In draft 4 `exclusiveMinimum` is a flag.
pub fn mend(node: &mut Map<String, Value>, is_draft4: bool) {
    let keywords: Vec<String> = node.keys().cloned().collect();
    for keyword in keywords {
        let Some(kind) = kind(&keyword) else { continue };
        let is_flag = is_draft4 && matches!(keyword.as_str(), "exclusiveMaximum" | "exclusiveMinimum");
        let kind = if is_flag { Kind::Boolean } else { kind };
        let Some(value) = node.get_mut(&keyword) else { continue };
        if !mend_value(&keyword, value, kind) {
            node.shift_remove(&keyword);
        }
    }
    if node.get("allOf").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        node.shift_remove("allOf");
    }
    if let Some(Value::Array(types)) = node.get_mut("type") {
        let mut seen = HashSet::new();
        types.retain(|name| seen.insert(name.to_string()));
    }
}

/// Whether the value can stay, as it is then.
fn mend_value(keyword: &str, value: &mut Value, kind: Kind) -> bool {
    match (kind, value) {
        (Kind::Text, Value::String(text)) => match keyword {
            "$id" | "id" => is_uri(text),
            "pattern" => {
                if let Some(plain) = without_identity_escapes(text) {
                    *text = plain;
                }
                true
            }
            _ => true,
        },
        (Kind::Names, Value::Array(names)) => {
            keep_names(names);
            !names.is_empty()
        }
        (Kind::Map, Value::Object(map)) => {
            if keyword == "dependentRequired" {
                map.retain(|_, names| names.is_array());
            }
            if keyword == "dependentRequired" || keyword == "dependencies" {
                map.values_mut().filter_map(Value::as_array_mut).for_each(keep_names);
            }
            true
        }
        // Something else in the place of what a tool is all about is a mistake, and better said than passed over.
        (Kind::Names, value) => !(value.is_null() || value.is_boolean()),
        (Kind::Map, value) => !(value.is_null() || value.as_array().is_some_and(Vec::is_empty)),
        (Kind::Definitions, Value::Object(map)) => {
            map.retain(|_, schema| schema.is_object() || schema.is_boolean());
            true
        }
        (Kind::Least, Value::Number(number)) => at_least(number),
        (Kind::Most, Value::Number(number)) => at_most(number),
        (kind, value) => matches!(
            (kind, value),
            (Kind::Boolean, Value::Bool(_)) | (Kind::List, Value::Array(_)) | (Kind::Number, Value::Number(_))
        ),
    }
}

/// Names, each once.
fn keep_names(names: &mut Vec<Value>) {
    let mut seen = HashSet::new();
    names.retain(|name| name.as_str().is_some_and(|name| seen.insert(name.to_owned())));
}

/// A bound below that is no whole number is the next one; one below nothing is none.
fn at_least(number: &mut Number) -> bool {
    if number.is_u64() {
        return true;
    }
    let Some(least) = number.as_f64().map(f64::ceil) else { return false };
    *number = Number::from(least.max(0.0) as u64);
    least > 0.0
}

/// A bound above that is no whole number is the one before it. One below nothing stays, and is refused.
fn at_most(number: &mut Number) -> bool {
    if let Some(most) = number.as_f64().map(f64::floor)
        && !number.is_u64()
        && most >= 0.0
    {
        *number = Number::from(most as u64);
    }
    true
}

/// Whether it can be read as a reference: no characters that none has, and `%` only before two digits.
fn is_uri(text: &str) -> bool {
    let is_plain = |letter: char| !(letter.is_whitespace() || letter.is_control() || "<>\"{}|\\^`".contains(letter));
    let mut escapes = text.split('%').skip(1);
    text.chars().all(is_plain)
        && escapes.all(|rest| rest.as_bytes().get(..2).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)))
}

/// A pattern in which a backslash stands before a letter that it gives no meaning, as `\Z`: in the older syntax, that is the
/// letter itself.
fn without_identity_escapes(pattern: &str) -> Option<String> {
    let mut plain = String::with_capacity(pattern.len());
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some(escaped) if escaped.is_ascii_alphabetic() && !"bBdDsSwWfnrtvcxukpP".contains(escaped) => {
                plain.push(escaped);
            }
            escaped => {
                plain.push('\\');
                plain.extend(escaped);
            }
        }
    }
    (plain.len() != pattern.len()).then_some(plain)
}

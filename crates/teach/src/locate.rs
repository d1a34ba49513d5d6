//! The line of a text at which a value of its JSON begins.

use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// The line, from 1, of the value at `path`; of the last one on the way that is there.
pub fn line_of(text: &str, path: &[String]) -> usize {
    let mut at = text;
    for segment in path {
        let Some(inner) = inside(at, segment) else { break };
        at = inner;
    }
    // What is read in place begins where it stands in the text.
    let offset = (at.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.get(..offset).unwrap_or_default();
    let leading = at.len() - at.trim_start().len();
    1 + before.matches('\n').count() + at.get(..leading).unwrap_or_default().matches('\n').count()
}

fn inside<'a>(text: &'a str, segment: &str) -> Option<&'a str> {
    if let Ok(mut map) = serde_json::from_str::<HashMap<String, &RawValue>>(text) {
        return map.remove(segment).map(RawValue::get);
    }
    let list: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    list.get(segment.parse::<usize>().ok()?).map(|value| value.get())
}

/// The path of what stands on a line, from 1, of a value that is written prettily.
pub fn path_at(value: &Value, line: usize) -> Vec<String> {
    let mut path = Vec::new();
    find(value, line, &mut 1, &mut path);
    path
}

/// Goes through the lines that a value takes; `at` is the one it begins on, and then the one it ends on. Whether `line` is among
/// them: `path` is then that of the innermost.
fn find(value: &Value, line: usize, at: &mut usize, path: &mut Vec<String>) -> bool {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(list) => list.iter().enumerate().map(|(n, value)| (n.to_string(), value)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    if *at == line {
        return true;
    }
    for (key, child) in &children {
        *at += 1;
        path.push(key.clone());
        if find(child, line, at, path) {
            return true;
        }
        path.pop();
    }
    *at += usize::from(!children.is_empty());
    *at == line
}

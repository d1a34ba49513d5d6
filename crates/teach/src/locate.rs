//! The line of a text at which a value of its JSON begins.

use std::collections::HashMap;

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

//! Texts in more than one language: an object whose keys are languages stands for the one that is wanted.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The languages a lesson can be in. The first is taken where the wanted one is missing.
pub const LANGUAGES: [&str; 2] = ["en", "zh"];

fn is_variants(map: &Map<String, Value>) -> bool {
    !map.is_empty() && map.keys().all(|key| LANGUAGES.contains(&key.as_str()))
}

/// Everything in one language.
pub fn choose(value: Value, lang: &str) -> Value {
    match value {
        Value::Object(mut map) if is_variants(&map) => {
            let chosen = map.remove(lang).or_else(|| LANGUAGES.iter().find_map(|lang| map.remove(*lang)));
            choose(chosen.unwrap_or_default(), lang)
        }
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, choose(value, lang))).collect(),
        Value::Array(values) => values.into_iter().map(|value| choose(value, lang)).collect(),
        other => other,
    }
}

/// The places, as paths, at which a language is missing that another place has.
pub fn missing(value: &Value) -> Vec<(Vec<String>, &'static str)> {
    let mut all = Vec::new();
    gather(value, &mut Vec::new(), &mut all);
    let used: BTreeSet<&str> = all.iter().flat_map(|(_, has)| has.iter().copied()).collect();
    let lacks = |(path, has): (Vec<String>, Vec<&'static str>)| {
        LANGUAGES
            .into_iter()
            .filter(|lang| used.contains(lang) && !has.contains(lang))
            .map(|lang| (path.clone(), lang))
            .collect::<Vec<_>>()
    };
    all.into_iter().flat_map(lacks).collect()
}

/// The languages that a lesson has texts in.
pub fn languages(value: &Value) -> Vec<&'static str> {
    let mut all = Vec::new();
    gather(value, &mut Vec::new(), &mut all);
    LANGUAGES.into_iter().filter(|lang| all.iter().any(|(_, has)| has.contains(lang))).collect()
}

fn gather(value: &Value, path: &mut Vec<String>, all: &mut Vec<(Vec<String>, Vec<&'static str>)>) {
    match value {
        Value::Object(map) => {
            if is_variants(map) {
                let has = LANGUAGES.into_iter().filter(|lang| map.contains_key(*lang)).collect();
                all.push((path.clone(), has));
            }
            for (key, value) in map {
                path.push(key.clone());
                gather(value, path, all);
                path.pop();
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                path.push(at.to_string());
                gather(value, path, all);
                path.pop();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

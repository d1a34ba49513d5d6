//! Which branch of a union is to blame when none fits: the one the model most likely meant.

use jsonschema::ValidationError;
use serde_json::{Map, Value};

use crate::explain::{Explainer, Finding, MAX_ERRORS, one_of, ordered};

/// Adds the findings of the branch to blame: the one whose tag the value carries; else the one that declares most of
/// the value's keys; of equals the one whose first error lies deepest, then the first.
pub fn blame(
    explainer: &Explainer<'_>,
    union: Option<&Value>,
    context: &[Vec<ValidationError<'static>>],
    instance: &Value,
    path: &[String],
    key: &[(u16, usize)],
    findings: &mut Vec<Finding>,
) {
    let branches: Vec<&Value> = union.and_then(Value::as_array).into_iter().flatten().collect();
    let branches: Vec<&Value> = branches.into_iter().map(|branch| followed(explainer, branch)).collect();
    let object = instance.as_object();
    let mut blamed = None;
    if let (Some(object), Some((name, tags))) = (object, tag(&branches)) {
        blamed = object.get(name).and_then(|value| tags.iter().position(|tag| tag == value));
        if blamed.is_none() {
            let mut path = path.to_vec();
            path.push(name.clone());
            findings.push(Explainer::finding(key, path, one_of(&tags)));
            return;
        }
    }
    // Each branch is explained once: asking again on each level of nested unions would double the work each time.
    let explained = |errors: &Vec<ValidationError<'static>>| {
        let mut findings = Vec::new();
        for error in errors.iter().take(MAX_ERRORS + 1) {
            explainer.add(error, &mut findings);
        }
        ordered(findings)
    };
    let best = match blamed {
        Some(index) => context.get(index).map(explained),
        None => {
            let score = |(index, found): &(usize, Vec<Finding>)| {
                let declared = branches.get(*index).and_then(|branch| properties(branch)).zip(object);
                let declared = declared
                    .map_or(0, |(named, object)| object.keys().filter(|name| named.contains_key(*name)).count());
                (declared, found.first().map_or(0, |finding| finding.path.len()))
            };
            // The first of the best: `max_by_key` alone would take the last.
            let explained = context.iter().map(explained).enumerate().rev();
            explained.max_by_key(score).map(|(_, found)| found)
        }
    };
    match best {
        Some(found) => findings.extend(found),
        None => findings.push(Explainer::finding(key, path.to_vec(), "matches no alternative".to_owned())),
    }
}

/// A property that every branch requires with another constant, and the constants.
fn tag<'a>(branches: &[&'a Value]) -> Option<(&'a String, Vec<Value>)> {
    let first = properties(branches.first()?)?;
    first.keys().find_map(|name| {
        let mut tags: Vec<Value> = Vec::new();
        for branch in branches {
            let constant = properties(branch)?.get(name)?.get("const")?;
            let required = branch.get("required").and_then(Value::as_array)?;
            if tags.contains(constant) || !required.iter().any(|required| required == name) {
                return None;
            }
            tags.push(constant.clone());
        }
        Some((name, tags))
    })
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

/// The branch, or what it refers to.
fn followed<'a>(explainer: &Explainer<'a>, branch: &'a Value) -> &'a Value {
    const MAX_HOPS: usize = 16;
    let mut branch = branch;
    for _ in 0..MAX_HOPS {
        let Some(reference) = branch.get("$ref").and_then(Value::as_str) else { break };
        let Some((_, target)) = explainer.targets.resolve(explainer.root, reference) else { break };
        branch = target;
    }
    branch
}

//! Arrays: sorting, grouping and what stands on it. Keys come as an array beside the items, as jq's own library hands them over.

use jaq_core::ValR;
use jaq_core::native::{bome, unary};

use super::{Native, filters, plain, with};
use crate::value::{Value, error};

pub(super) fn natives() -> Vec<Native> {
    filters([
        plain("reverse", |cv| bome(reverse(&cv.1))),
        plain("sort", |cv| {
            bome(items(&cv.1, "sorted").map(|items| {
                let mut items = items.to_vec();
                items.sort();
                Value::array(items)
            }))
        }),
        with("_sort_by", 1, |cv| {
            unary(cv, |value, keys| Ok(keyed(&value, &keys, "sorted")?.into_iter().map(|(_, item)| item).collect()))
        }),
        with("_group_by", 1, |cv| {
            unary(cv, |value, keys| Ok(groups(&value, &keys, "grouped")?.into_iter().map(Value::array).collect()))
        }),
        with("_unique_by", 1, |cv| {
            unary(cv, |value, keys| {
                Ok(groups(&value, &keys, "grouped")?.into_iter().filter_map(|group| group.into_iter().next()).collect())
            })
        }),
        with("_min_by", 1, |cv| {
            unary(cv, |value, keys| {
                Ok(keyed(&value, &keys, "iterated over")?.into_iter().next().map(|(_, item)| item).unwrap_or_default())
            })
        }),
        with("_max_by", 1, |cv| {
            unary(cv, |value, keys| {
                Ok(keyed(&value, &keys, "iterated over")?.pop().map(|(_, item)| item).unwrap_or_default())
            })
        }),
        with("_flatten", 1, |cv| {
            unary(cv, |value, depth| {
                let mut flat = Vec::new();
                flatten(&value, depth.number().unwrap_or_default(), &mut flat)?;
                Ok(Value::array(flat))
            })
        }),
    ])
}

fn items<'v>(value: &'v Value, what: &str) -> ValR<&'v [Value], Value> {
    match value {
        Value::Array(items) => Ok(items),
        other => error(format!("{} cannot be {what}, as it is not an array", other.shown())),
    }
}

fn reverse(value: &Value) -> ValR<Value> {
    match value {
        Value::Array(items) => Ok(items.iter().rev().cloned().collect()),
        Value::Text(text) => Ok(Value::text(text.chars().rev().collect::<String>())),
        Value::Null => Ok(Value::array(Vec::new())),
        other => error(format!("Cannot reverse {}", other.shown())),
    }
}

/// Keys and items, sorted by the keys; what has the same one stays in its order.
fn keyed(value: &Value, keys: &Value, what: &str) -> ValR<Vec<(Value, Value)>, Value> {
    let pairs = items(keys, what)?.iter().cloned().zip(items(value, what)?.iter().cloned());
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
    Ok(pairs)
}

fn groups(value: &Value, keys: &Value, what: &str) -> ValR<Vec<Vec<Value>>, Value> {
    let pairs = keyed(value, keys, what)?;
    let groups = pairs.chunk_by(|(left, _), (right, _)| left.cmp(right).is_eq());
    Ok(groups.map(|group| group.iter().map(|(_, item)| item.clone()).collect()).collect())
}

fn flatten(value: &Value, depth: f64, into: &mut Vec<Value>) -> ValR<(), Value> {
    let items: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        other => return error(format!("Cannot iterate over {}", other.shown())),
    };
    for item in items {
        match item {
            Value::Array(_) if depth > 0.0 => flatten(item, depth - 1.0, into)?,
            other => into.push(other.clone()),
        }
    }
    Ok(())
}

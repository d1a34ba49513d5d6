//! What a value is made of: length, keys, what it contains, paths that are deleted.

use std::rc::Rc;

use jaq_core::native::{bome, unary};
use jaq_core::{ValR, ValT as _};

use super::{Native, filters, plain, with};
use crate::value::{Value, error, place, span};

pub(super) fn natives() -> Vec<Native> {
    filters([
        plain("null", |_| bome(Ok(Value::Null))),
        plain("type", |cv| bome(Ok(Value::text(cv.1.kind())))),
        plain("length", |cv| bome(length(&cv.1))),
        plain("keys", |cv| {
            bome(keys(&cv.1).map(|mut keys| {
                keys.sort();
                Value::array(keys)
            }))
        }),
        plain("keys_unsorted", |cv| bome(keys(&cv.1).map(Value::array))),
        with("has", 1, |cv| unary(cv, |value, key| has(&value, &key))),
        with("contains", 1, |cv| unary(cv, |value, part| contains(&value, &part).map(Value::Bool))),
        with("indices", 1, |cv| unary(cv, |value, part| indices(value, &part))),
        with("delpaths", 1, |cv| {
            unary(cv, |value, paths| {
                let Value::Array(paths) = paths else { return error("Paths must be specified as an array") };
                let mut paths = Rc::unwrap_or_clone(paths);
                paths.sort();
                paths.dedup();
                // The last one first, so that what is deleted moves nothing that is still to be deleted.
                paths.iter().rev().try_fold(value, |value, path| match path {
                    Value::Array(path) => delete(value, path),
                    _ => error("Path must be specified as an array"),
                })
            })
        }),
    ])
}

fn length(value: &Value) -> ValR<Value> {
    Ok(match value {
        Value::Null => Value::Number(0.0),
        Value::Bool(_) => return error(format!("{} has no length", value.shown())),
        Value::Number(number) => Value::Number(number.abs()),
        Value::Literal(literal) => Value::Number(literal.0.abs()),
        Value::Text(text) => text.chars().count().into(),
        Value::Array(items) => items.len().into(),
        Value::Object(members) => members.len().into(),
    })
}

fn keys(value: &Value) -> ValR<Vec<Value>, Value> {
    match value {
        Value::Array(items) => Ok((0..items.len()).map(Value::from).collect()),
        Value::Object(members) => Ok(members.keys().map(|key| Value::text(&**key)).collect()),
        other => error(format!("{} has no keys", other.shown())),
    }
}

fn has(value: &Value, key: &Value) -> ValR<Value> {
    match (value, key) {
        (Value::Object(members), Value::Text(key)) => Ok(members.contains_key(key.as_str()).into()),
        (Value::Array(items), _) if key.number().is_some() => {
            let index = key.number().unwrap_or(f64::NAN);
            Ok((index >= 0.0 && index < items.len() as f64).into())
        }
        _ => error(format!("Cannot check whether {} has a {} key", value.kind(), key.kind())),
    }
}

fn contains(value: &Value, part: &Value) -> ValR<bool, Value> {
    match (value, part) {
        (Value::Object(members), Value::Object(parts)) => {
            for (key, part) in parts.iter() {
                match members.get(key) {
                    Some(member) if member.kind() == part.kind() && contains(member, part)? => {}
                    _ => return Ok(false),
                }
            }
            Ok(true)
        }
        (Value::Array(items), Value::Array(parts)) => Ok(parts.iter().all(|part| {
            items.iter().any(|item| item.kind() == part.kind() && contains(item, part).unwrap_or_default())
        })),
        (Value::Text(text), Value::Text(part)) => Ok(text.contains(part.as_str())),
        _ if value.kind() == part.kind() => Ok(value == part),
        _ => error(format!("{} and {} cannot have their containment checked", value.shown(), part.shown())),
    }
}

fn indices(value: Value, part: &Value) -> ValR<Value> {
    match (&value, part) {
        (Value::Null, _) => Ok(Value::Null),
        (Value::Text(text), Value::Text(part)) => {
            if part.is_empty() {
                return Ok(Value::Null);
            }
            let (mut found, mut characters, mut last) = (Vec::new(), 0, 0);
            let mut from = 0;
            while let Some(at) = text.get(from..).and_then(|rest| rest.find(part.as_str())).map(|at| at + from) {
                characters += text.get(last..at).map_or(0, |between| between.chars().count());
                last = at;
                found.push(characters.into());
                from = at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            }
            Ok(Value::array(found))
        }
        (Value::Array(_), Value::Array(_)) => value.index(part),
        (Value::Array(items), _) => {
            let found = items.iter().enumerate().filter(|(_, item)| *item == part);
            Ok(found.map(|(index, _)| index.into()).collect())
        }
        _ => value.index(part),
    }
}

fn delete(value: Value, path: &[Value]) -> ValR<Value> {
    let Some((key, rest)) = path.split_first() else { return Ok(Value::Null) };
    if matches!(value, Value::Null) {
        return Ok(value);
    }
    if !rest.is_empty() {
        let inner = value.clone().index(key)?;
        if matches!(inner, Value::Null) {
            return Ok(value);
        }
        let inner = delete(inner, rest)?;
        let put = value.map_index(key, jaq_core::path::Opt::Essential, |_| std::iter::once(Ok(inner.clone())));
        return put.map_err(|exception| exception.get_err().unwrap_or_else(|_| jaq_core::Error::new(Value::Null)));
    }
    match (value, key) {
        (Value::Object(mut members), Value::Text(key)) => {
            Rc::make_mut(&mut members).shift_remove(key.as_str());
            Ok(Value::Object(members))
        }
        (Value::Array(mut items), Value::Object(slice)) => {
            let span = span(slice.get("start")..slice.get("end"), items.len())?;
            Rc::make_mut(&mut items).drain(span);
            Ok(Value::Array(items))
        }
        (Value::Array(mut items), key) if key.number().is_some() => {
            if let Some(index) = place(key, items.len()) {
                Rc::make_mut(&mut items).remove(index);
            }
            Ok(Value::Array(items))
        }
        (value, key) => {
            let index = if key.str().is_some() { "object" } else { "array" };
            error(format!("Cannot delete field at {index} index of {}", value.kind()))
        }
    }
}

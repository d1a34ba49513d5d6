//! `+ - * / %` of two values.

use std::ops::{Add, Div, Mul, Neg, Rem, Sub};
use std::rc::Rc;

use indexmap::map::Entry;
use jaq_core::ValR;

use super::{Map, Value, error};

/// Bytes of a string that was repeated.
const REPEATED_BYTES: f64 = (64 << 20) as f64;

impl Add for Value {
    type Output = ValR<Self>;

    fn add(self, other: Self) -> Self::Output {
        Ok(match (self, other) {
            (Self::Null, value) | (value, Self::Null) => value,
            // What nobody else holds grows in place, or a fold over an array would copy what it has at each step.
            (Self::Text(mut left), Self::Text(right)) => {
                Rc::make_mut(&mut left).push_str(&right);
                Self::Text(left)
            }
            (Self::Array(mut left), Self::Array(right)) => {
                Rc::make_mut(&mut left).extend(Rc::unwrap_or_clone(right));
                Self::Array(left)
            }
            (Self::Object(mut left), Self::Object(right)) => {
                Rc::make_mut(&mut left).extend(Rc::unwrap_or_clone(right));
                Self::Object(left)
            }
            (left, right) => match (left.number(), right.number()) {
                (Some(left), Some(right)) => Self::Number(left + right),
                _ => return cannot(&left, &right, "added"),
            },
        })
    }
}

impl Sub for Value {
    type Output = ValR<Self>;

    fn sub(self, other: Self) -> Self::Output {
        match (self, other) {
            (Self::Array(mut left), Self::Array(right)) => {
                let mut gone: Vec<_> = right.iter().collect();
                gone.sort_unstable();
                Rc::make_mut(&mut left).retain(|item| gone.binary_search(&item).is_err());
                Ok(Self::Array(left))
            }
            (left, right) => match (left.number(), right.number()) {
                (Some(left), Some(right)) => Ok(Self::Number(left - right)),
                _ => cannot(&left, &right, "subtracted"),
            },
        }
    }
}

impl Mul for Value {
    type Output = ValR<Self>;

    fn mul(self, other: Self) -> Self::Output {
        match (self, other) {
            (Self::Object(mut left), Self::Object(right)) => {
                merge(Rc::make_mut(&mut left), Rc::unwrap_or_clone(right));
                Ok(Self::Object(left))
            }
            (left, right) => match (left.number(), right.number()) {
                (Some(left), Some(right)) => Ok(Self::Number(left * right)),
                (None, Some(times)) if left.str().is_some() => repeat(left.str().unwrap_or_default(), times),
                (Some(times), None) if right.str().is_some() => repeat(right.str().unwrap_or_default(), times),
                _ => cannot(&left, &right, "multiplied"),
            },
        }
    }
}

impl Div for Value {
    type Output = ValR<Self>;

    fn div(self, other: Self) -> Self::Output {
        match (self.number(), other.number()) {
            (Some(_), Some(0.0)) => cannot(&self, &other, "divided because the divisor is zero"),
            (Some(left), Some(right)) => Ok(Self::Number(left / right)),
            _ => match (self.str(), other.str()) {
                (Some(text), Some(separator)) => Ok(split(text, separator)),
                _ => cannot(&self, &other, "divided"),
            },
        }
    }
}

impl Rem for Value {
    type Output = ValR<Self>;

    fn rem(self, other: Self) -> Self::Output {
        match (self.number(), other.number()) {
            (Some(left), Some(right)) if left.is_nan() || right.is_nan() => Ok(Self::Number(f64::NAN)),
            // Casts saturate, as jq's do.
            (Some(left), Some(right)) => match (left as i64).checked_rem((right as i64).saturating_abs()) {
                Some(rest) => Ok(Self::Number(rest as f64)),
                None => cannot(&self, &other, "divided (remainder) because the divisor is zero"),
            },
            _ => cannot(&self, &other, "divided"),
        }
    }
}

impl Neg for Value {
    type Output = ValR<Self>;

    fn neg(self) -> Self::Output {
        match self.number() {
            Some(number) => Ok(Self::Number(-number)),
            None => error(format!("{} cannot be negated", self.shown())),
        }
    }
}

/// The pieces of a text; its characters where the separator is empty.
pub(crate) fn split(text: &str, separator: &str) -> Value {
    if text.is_empty() {
        return Value::array(Vec::new());
    }
    if separator.is_empty() {
        return text.chars().map(|character| Value::text(character.to_string())).collect();
    }
    text.split(separator).map(Value::text).collect()
}

fn repeat(text: &str, times: f64) -> ValR<Value> {
    if times.is_nan() || times < 0.0 {
        return Ok(Value::Null);
    }
    let times = if times > 0.0 { times.max(1.0).floor() } else { 0.0 };
    if text.len() as f64 * times > REPEATED_BYTES {
        return error("Repeat string result too long");
    }
    Ok(Value::text(text.repeat(times as usize)))
}

fn merge(into: &mut Map, from: Map) {
    for (key, value) in from {
        match into.entry(key) {
            Entry::Occupied(mut member) => match (member.get_mut(), value) {
                (Value::Object(into), Value::Object(from)) => merge(Rc::make_mut(into), Rc::unwrap_or_clone(from)),
                (old, new) => *old = new,
            },
            Entry::Vacant(place) => {
                place.insert(value);
            }
        }
    }
}

fn cannot(left: &Value, right: &Value, what: &str) -> ValR<Value> {
    error(format!("{} and {} cannot be {what}", left.shown(), right.shown()))
}

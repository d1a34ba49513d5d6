//! What is in a value: members, items, slices; reading them and putting others in their place.

use std::ops::Range as Span;
use std::rc::Rc;

use indexmap::map::Entry;
use jaq_core::box_iter::{BoxIter, box_once};
use jaq_core::path::Opt;
use jaq_core::val::Range;
use jaq_core::{ValR, ValT, ValX};

use super::{Value, error};
use crate::read;

/// Items of an array that is made longer by an assignment.
const ITEMS: f64 = (1 << 24) as f64;

impl ValT for Value {
    fn from_num(text: &str) -> ValR<Self> {
        Ok(read::number(text).unwrap_or(Self::Number(f64::NAN)))
    }

    fn from_map<I: IntoIterator<Item = (Self, Self)>>(members: I) -> ValR<Self> {
        let member = |(key, value): (Self, Self)| match key {
            Self::Text(key) => Ok((Rc::<str>::from(key.as_str()), value)),
            key => error(format!("Cannot use {} as object key", key.shown())),
        };
        Ok(Self::Object(Rc::new(members.into_iter().map(member).collect::<Result<_, _>>()?)))
    }

    fn key_values(self) -> BoxIter<'static, ValR<(Self, Self), Self>> {
        match self {
            Self::Array(items) => {
                let items = Rc::unwrap_or_clone(items).into_iter().enumerate();
                Box::new(items.map(|(index, item)| Ok((index.into(), item))))
            }
            Self::Object(members) => {
                let members = Rc::unwrap_or_clone(members).into_iter();
                Box::new(members.map(|(key, value)| Ok((Self::text(&*key), value))))
            }
            other => box_once(not_iterable(&other)),
        }
    }

    fn values(self) -> Box<dyn Iterator<Item = ValR<Self>>> {
        match self {
            Self::Array(items) => Box::new(Rc::unwrap_or_clone(items).into_iter().map(Ok)),
            Self::Object(members) => Box::new(Rc::unwrap_or_clone(members).into_values().map(Ok)),
            other => box_once(not_iterable(&other)),
        }
    }

    fn index(self, key: &Self) -> ValR<Self> {
        if let Self::Object(slice) = key
            && matches!(self, Self::Null | Self::Array(_) | Self::Text(_))
        {
            return self.range(slice.get("start")..slice.get("end"));
        }
        match (&self, key) {
            (Self::Object(members), Self::Text(key)) => Ok(members.get(key.as_str()).cloned().unwrap_or_default()),
            (Self::Null, Self::Text(_) | Self::Null) => Ok(Self::Null),
            (Self::Array(items), Self::Array(wanted)) => Ok(places(items, wanted)),
            (Self::Null | Self::Array(_), _) if key.number().is_some() => {
                let Self::Array(items) = &self else { return Ok(Self::Null) };
                Ok(place(key, items.len()).and_then(|index| items.get(index)).cloned().unwrap_or_default())
            }
            _ => not_indexable(&self, key),
        }
    }

    fn range(self, range: Range<&Self>) -> ValR<Self> {
        match &self {
            Self::Null => Ok(Self::Null),
            Self::Array(items) => {
                Ok(items.get(span(range, items.len())?).unwrap_or_default().iter().cloned().collect())
            }
            Self::Text(text) => {
                let wanted = span(range, text.chars().count())?;
                Ok(Self::text(text.chars().skip(wanted.start).take(wanted.len()).collect::<String>()))
            }
            _ => error(format!("Cannot index {} with object", self.kind())),
        }
    }

    fn map_values<'a, I: Iterator<Item = ValX<'a, Self>>>(self, opt: Opt, f: impl Fn(Self) -> I) -> ValX<'a, Self> {
        match self {
            Self::Array(items) => Rc::unwrap_or_clone(items).into_iter().filter_map(|item| f(item).next()).collect(),
            Self::Object(members) => {
                let members = Rc::unwrap_or_clone(members).into_iter();
                let members = members.filter_map(|(key, value)| Some(f(value).next()?.map(|value| (key, value))));
                Ok(Self::Object(Rc::new(members.collect::<Result<_, _>>()?)))
            }
            other => opt.fail(other, |other| failed(not_iterable::<()>(&other))),
        }
    }

    fn map_index<'a, I: Iterator<Item = ValX<'a, Self>>>(
        mut self,
        key: &Self,
        opt: Opt,
        f: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        if let Self::Object(slice) = key
            && matches!(self, Self::Null | Self::Array(_))
        {
            return self.map_range(slice.get("start")..slice.get("end"), opt, f);
        }
        if matches!(self, Self::Null) {
            match key {
                Self::Text(_) => self = Self::Object(Rc::default()),
                _ if key.number().is_some() => self = Self::Array(Rc::default()),
                _ => {}
            }
        }
        match (&mut self, key) {
            (Self::Object(members), Self::Text(key)) => match Rc::make_mut(members).entry(key.as_str().into()) {
                Entry::Occupied(mut member) => match f(std::mem::take(member.get_mut())).next().transpose()? {
                    Some(value) => *member.get_mut() = value,
                    None => drop(member.shift_remove()),
                },
                Entry::Vacant(place) => {
                    if let Some(value) = f(Self::Null).next().transpose()? {
                        place.insert(value);
                    }
                }
            },
            (Self::Array(items), _) if key.number().is_some() => {
                let index = match place_to_write(key, items.len()) {
                    Ok(index) => index,
                    Err(error) => return opt.fail(self, |_| error.into()),
                };
                let items = Rc::make_mut(items);
                let old = items.get_mut(index).map(std::mem::take);
                let is_there = old.is_some();
                match f(old.unwrap_or_default()).next().transpose()? {
                    Some(value) => {
                        if !is_there {
                            items.resize(index + 1, Self::Null);
                        }
                        if let Some(item) = items.get_mut(index) {
                            *item = value;
                        }
                    }
                    None if is_there => drop(items.remove(index)),
                    None => {}
                }
            }
            _ => return opt.fail(self, |value| failed(not_indexable::<()>(&value, key))),
        }
        Ok(self)
    }

    fn map_range<'a, I: Iterator<Item = ValX<'a, Self>>>(
        self,
        range: Range<&Self>,
        opt: Opt,
        f: impl Fn(Self) -> I,
    ) -> ValX<'a, Self> {
        let mut items = match self {
            Self::Array(items) => Rc::unwrap_or_clone(items),
            Self::Null => Vec::new(),
            other => {
                let words = format!("Cannot update field at object index of {}", other.kind());
                return opt.fail(other, |_| failed(error::<()>(words)));
            }
        };
        let span = match span(range, items.len()) {
            Ok(span) => span,
            Err(error) => return opt.fail(Self::array(items), |_| error.into()),
        };
        let slice = items.get(span.clone()).unwrap_or_default().iter().cloned().collect();
        let new = match f(slice).next().transpose()? {
            Some(Self::Array(new)) => Rc::unwrap_or_clone(new),
            None => Vec::new(),
            Some(_) => return Err(failed(error::<()>("A slice of an array can only be assigned another array"))),
        };
        items.splice(span, new);
        Ok(Self::array(items))
    }

    fn as_bool(&self) -> bool {
        !matches!(self, Self::Null | Self::Bool(false))
    }

    fn into_string(self) -> Self {
        match self {
            Self::Text(_) => self,
            other => Self::text(other.json()),
        }
    }
}

/// Where in an array of this length an index leads. `None` is nowhere.
pub(crate) fn place(index: &Value, length: usize) -> Option<usize> {
    let index = index.number().filter(|index| !index.is_nan())?.floor();
    let index = if index < 0.0 { index + length as f64 } else { index };
    (0.0..length as f64).contains(&index).then_some(index as usize)
}

fn place_to_write(index: &Value, length: usize) -> ValR<usize, Value> {
    let index = index.number().filter(|index| !index.is_nan()).unwrap_or_default().floor();
    let index = if index < 0.0 { index + length as f64 } else { index };
    if index < 0.0 {
        return error("Out of bounds negative array index");
    }
    if index >= ITEMS.max(length as f64) {
        return error("Array index too large");
    }
    Ok(index as usize)
}

/// The items between two bounds, which lie in an array of this length.
pub(crate) fn span(range: Range<&Value>, length: usize) -> ValR<Span<usize>, Value> {
    let bound = |bound: Option<&Value>, absent: f64, round: fn(f64) -> f64| match bound {
        None | Some(Value::Null) => Ok(absent),
        Some(bound) => match bound.number() {
            Some(bound) => {
                let bound = if bound < 0.0 { bound + length as f64 } else { bound };
                Ok(round(bound).clamp(0.0, length as f64))
            }
            None => error("Array/string slice indices must be integers"),
        },
    };
    let start = bound(range.start, 0.0, f64::floor)? as usize;
    let end = bound(range.end, length as f64, f64::ceil)? as usize;
    Ok(start..end.max(start))
}

/// Where the items stand in a row.
fn places(items: &[Value], wanted: &[Value]) -> Value {
    if wanted.is_empty() {
        return Value::Null;
    }
    let found = items.windows(wanted.len()).enumerate().filter(|(_, window)| *window == wanted);
    found.map(|(index, _)| index.into()).collect()
}

fn not_iterable<T>(value: &Value) -> ValR<T, Value> {
    let dump = if matches!(value, Value::Null) { "null (null)".to_owned() } else { value.shown() };
    error(format!("Cannot iterate over {dump}"))
}

fn not_indexable<T>(value: &Value, key: &Value) -> ValR<T, Value> {
    match key.str() {
        Some(key) => error(format!("Cannot index {} with string \"{key}\"", value.kind())),
        None => error(format!("Cannot index {} with {}", value.kind(), key.kind())),
    }
}

/// The error of what can only fail.
fn failed<'a>(result: ValR<(), Value>) -> jaq_core::Exn<'a, Value> {
    match result {
        Err(error) => error.into(),
        Ok(()) => jaq_core::Error::new(Value::Null).into(),
    }
}

//! [`Json`]: a JSON value kept as its text, so that key order and large numbers survive and a clone costs a pointer.

use std::fmt;
use std::sync::{Arc, LazyLock};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

mod read;
pub(crate) mod write;

pub use read::read;

/// One JSON value as text, known to be well formed.
///
/// The loop never looks inside a tool's `details` or a model's arguments, so it carries them as the bytes they came as;
/// whoever needs the value asks for [`Json::to_value`]. Serialises only through `serde_json`.
#[derive(Clone)]
pub struct Json(Arc<RawValue>);

impl Json {
    /// Takes text that claims to be JSON. Fails with serde's message when it is not.
    pub fn parse(text: impl Into<String>) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text.into()).map(|raw| Self(raw.into()))
    }

    /// The text of a value. Fails only for a type whose `Serialize` fails.
    pub fn from_serialize<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(|raw| Self(raw.into()))
    }

    /// `{}`.
    pub fn empty_object() -> Self {
        static EMPTY: LazyLock<Json> = LazyLock::new(|| {
            // Parsed, not made of an empty `Value`: writing a `Value` brings a float's decimal tables with it, 10 KB that
            // the page needs for nothing else.
            Json::parse("{}").unwrap_or_else(|_| Json::null())
        });
        EMPTY.clone()
    }

    fn null() -> Self {
        Self(RawValue::NULL.to_owned().into())
    }

    /// The text of a [`Value`], which cannot fail: its keys are strings.
    pub fn from_value(value: &Value) -> Self {
        match Self::parse(value.to_string()) {
            Ok(json) => json,
            Err(_) => Self::null(),
        }
    }

    /// The value, parsed anew at each call.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.as_str()).unwrap_or(Value::Null)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

impl Default for Json {
    fn default() -> Self {
        Self::empty_object()
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Reads a field that is there: `null` is a value, and another than none.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// Equal text: two spellings of one value are different here.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer).map_err(D::Error::custom)?;
        Ok(Self(raw.into()))
    }
}

//! [`read`]: serde_json with the half of every derived reader left out that nothing sends.
//!
//! serde_json takes an array where a struct is asked for, so each derived struct is compiled twice: once for its fields
//! by name, once for them in order. Here a struct is an object and nothing else, which takes a good part off a module
//! that reads many. All other values go to serde_json as they are.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Reads JSON text as [`serde_json::from_str`] does, except that a struct is never read from an array.
pub fn read<'de, T: Deserialize<'de>>(text: &'de str) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = T::deserialize(Objects(&mut reader))?;
    reader.end()?;
    Ok(value)
}

/// Round a deserializer: its structs are objects. Round all that serde hands on from it (visitor, access, seed): what
/// they hand on is wrapped again, so the rule holds at every depth.
struct Objects<T>(T);

/// Passes a call on with its visitor as it is: what it reads has no struct inside.
macro_rules! pass_on {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method(visitor)
        })*
    };
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<D> {
    type Error = D::Error;

    pass_on! {
        deserialize_any deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64 deserialize_char deserialize_str
        deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_identifier
        deserialize_ignored_any
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_option(Objects(visitor))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_seq(Objects(visitor))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Objects(visitor))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Objects(visitor))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, n_elements: usize, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple(n_elements, visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        n_elements: usize,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_tuple_struct(name, n_elements, visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_unit_struct(name, visitor)
    }

    /// Also how serde_json hands out raw text, which is why the visitor stays as it is.
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Objects<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Objects(inner))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Objects(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Objects(fields))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Objects(seed))
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Objects<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Objects(seed))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Objects<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Objects(inner))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::read;
    use crate::json::Json;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        number: f64,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Outer {
        one: Inner,
        some: Option<Inner>,
        none: Option<Inner>,
        many: Vec<Inner>,
        named: BTreeMap<String, Inner>,
        raw: Json,
    }

    #[test]
    fn reads_what_serde_json_reads() {
        let text = r#" {"one":{"number":1.5,"more":[{}]},"some":{"number":2},"none":null,"many":[{"number":3}],
            "named":{"a":{"number":4}},"raw":{ "kept": [1,  2] }} "#;
        assert_eq!(read::<Outer>(text).unwrap(), serde_json::from_str::<Outer>(text).unwrap());
    }

    #[test]
    fn a_struct_is_no_array_at_any_depth() {
        let rest = r#""many":[],"named":{},"raw":0}"#;
        let texts = [
            "[1]".to_owned(),
            format!(r#"{{"one":[1],{rest}"#),
            format!(r#"{{"one":{{"number":1}},"some":[1],{rest}"#),
            r#"{"one":{"number":1},"many":[[1]],"named":{},"raw":0}"#.to_owned(),
            r#"{"one":{"number":1},"many":[],"named":{"a":[1]},"raw":0}"#.to_owned(),
        ];
        assert!(read::<Inner>(&texts[0]).is_err());
        for text in &texts[1..] {
            assert!(serde_json::from_str::<Outer>(text).is_ok() && read::<Outer>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_follows_the_value_is_an_error() {
        assert!(read::<Inner>(r#"{"number":1} {}"#).is_err());
    }
}

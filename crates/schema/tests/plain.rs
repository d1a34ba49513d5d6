//! A plain schema says what the whole validator says of the same schema: of random schemas and arguments, to the letter.
//!
//! It runs for a moment; `VITRINE_FUZZ_SECONDS` makes it go on with new seeds for as long. A failure names its seed; the seed
//! goes into `SEEDS`, which always run.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that panics has failed")]

use serde_json::{Map, Value, json};
use vitrine_schema::{PlainSchema, Schema, SchemaError};

/// Seeds that once failed.
const SEEDS: &[u64] = &[];

/// Repeatable choices.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }

    fn names(&mut self) -> Vec<&'static str> {
        ["a", "b", "c/~", "__proto__", "type", "0"].into_iter().filter(|_| self.below(2) == 0).collect()
    }

    fn schema(&mut self, depth: usize) -> Value {
        let kind = match depth {
            0 => "object",
            3.. => ["boolean", "integer", "number", "string"][self.below(4)],
            _ => ["array", "boolean", "integer", "number", "object", "string"][self.below(6)],
        };
        let mut schema = json!({"type": kind});
        if self.below(4) == 0 {
            schema["description"] = json!("what it is for");
        }
        if kind == "object" && self.below(5) > 0 {
            let properties = self.names().into_iter().map(|name| (name.to_owned(), self.schema(depth + 1)));
            schema["properties"] = Value::Object(properties.collect::<Vec<_>>().into_iter().collect::<Map<_, _>>());
            schema["required"] = json!(self.names());
        }
        if kind == "array" && self.below(5) > 0 {
            schema["items"] = self.schema(depth + 1);
        }
        schema
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth < 4 { 9 } else { 7 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 => json!(self.below(3)),
            3 => json!(self.below(9) as f64 / 2.0),
            4 | 5 => json!(["", "5", "-1.5", "true", "0", "null", "x", " 7 ", "1e3", "0x10"][self.below(10)]),
            6 => json!([]),
            7 => Value::Array((0..self.below(4)).map(|_| self.value(depth + 1)).collect()),
            _ => {
                let entries = self.names().into_iter().map(|name| (name.to_owned(), self.value(depth + 1)));
                Value::Object(entries.collect::<Vec<_>>().into_iter().collect())
            }
        }
    }

    /// Mostly what the schema wants, or nearly.
    fn near(&mut self, schema: &Value, depth: usize) -> Value {
        if self.below(6) == 0 {
            return self.value(depth);
        }
        match schema["type"].as_str().unwrap() {
            "object" => {
                let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
                let kept =
                    properties.iter().filter(|_| self.below(5) > 0).map(|(name, property)| (name.clone(), property));
                let kept: Vec<_> = kept.collect();
                let entries = kept.into_iter().map(|(name, property)| (name, self.near(property, depth + 1)));
                Value::Object(entries.collect::<Vec<_>>().into_iter().collect())
            }
            "array" => match schema.get("items") {
                Some(items) => Value::Array((0..self.below(4)).map(|_| self.near(items, depth + 1)).collect()),
                None => json!([]),
            },
            "string" => json!("text"),
            "boolean" => json!(true),
            _ => json!(self.below(100)),
        }
    }
}

fn check(seed: u64) -> bool {
    let played = std::panic::catch_unwind(|| {
        let mut random = Random(seed);
        let schema = random.schema(0);
        let (plain, whole) = (PlainSchema::new(&schema).unwrap(), Schema::compile(&schema).unwrap());
        let mut fits = false;
        for _ in 0..6 {
            let raw = random.near(&schema, 0);
            let said = plain.prepare("t", &raw);
            assert_eq!(said, whole.prepare("t", &raw), "{schema} {raw}");
            fits |= said.is_ok();
        }
        fits
    });
    played.unwrap_or_else(|_| panic!("seed {seed} failed: add it to SEEDS"))
}

#[test]
fn it_says_what_the_whole_validator_says() {
    for seed in SEEDS {
        check(*seed);
    }
    let n_fitting = (0..1500).filter(|seed| check(*seed)).count();
    assert!((300..1400).contains(&n_fitting), "{n_fitting}");
    let Some(seconds): Option<u64> = std::env::var("VITRINE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok())
    else {
        return;
    };
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let begun = now();
    let mut seed = begun << 24;
    while now() < begun + seconds {
        check(seed);
        seed += 1;
    }
}

#[test]
fn many_errors_and_deep_arguments_are_told_alike() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number"}}}});
    let (plain, whole) = (PlainSchema::new(&schema).unwrap(), Schema::compile(&schema).unwrap());
    let mut deep = json!(1);
    for _ in 0..150 {
        deep = json!([deep]);
    }
    for raw in [json!({"a": vec!["x"; 3000]}), json!({"a": deep}), json!(null), json!([]), json!("{}")] {
        assert_eq!(plain.prepare("t", &raw), whole.prepare("t", &raw));
    }
}

#[test]
fn what_is_more_than_plain_is_refused_by_its_place() {
    let cases = [
        (json!(true), ""),
        (json!({}), ""),
        (json!({"type": ["string", "null"]}), ""),
        (json!({"type": "null"}), ""),
        (json!({"type": "object", "additionalProperties": false}), ""),
        (json!({"type": "object", "properties": {"a/b": {"type": "string", "minLength": 1}}}), "/properties/a~1b"),
        (json!({"type": "array", "items": {"type": "object", "properties": {"a": {}}}}), "/items/properties/a"),
        (json!({"type": "array", "items": [{"type": "string"}]}), ""),
        (json!({"type": "object", "required": [1]}), ""),
        (json!({"type": "object", "$ref": "#"}), ""),
    ];
    for (schema, path) in cases {
        let refused = PlainSchema::new(&schema).map(|_| ()).unwrap_err();
        assert_eq!(refused, SchemaError::NotPlain { path: path.to_owned() }, "{schema}");
    }
    let mut deep = json!({"type": "string"});
    for _ in 0..40 {
        deep = json!({"type": "array", "items": deep});
    }
    assert!(PlainSchema::new(&deep).is_err());
}

//! Random schemas and arguments: nothing panics, and what is handed to a tool fits its schema.
//!
//! It runs for a moment; `VITRINE_FUZZ_SECONDS` makes it go on with new seeds for as long. A failure names its seed; the seed
//! goes into `SEEDS`, which always run.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that panics has failed")]

use serde_json::{Map, Value, json};
use vitrine_schema::Schema;

/// Seeds that once failed.
const SEEDS: &[u64] = &[];

/// Repeatable choices.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }

    fn one_of(&mut self, values: &[Value]) -> Value {
        values[self.below(values.len())].clone()
    }
}

#[test]
fn what_is_handed_over_fits_and_stays_as_it_is() {
    SEEDS.iter().copied().chain(1..400).for_each(check);
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

fn check(seed: u64) {
    let failed = std::panic::catch_unwind(|| one(&mut Random(seed))).is_err();
    assert!(!failed, "seed {seed} failed: add it to SEEDS");
}

fn one(random: &mut Random) {
    let properties: Map<String, Value> = names(random).into_iter().map(|name| (name, schema(random, 1))).collect();
    let definitions = json!({"A": schema(random, 2), "B": {"properties": {"a": {"$ref": "#/$defs/B"}}}});
    let schema = json!({"type": "object", "properties": properties, "required": names(random), "$defs": definitions});
    // What is no schema, or refers to itself for ever, is refused with a text.
    let compiled = match Schema::compile(&schema) {
        Ok(compiled) => compiled,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    for _ in 0..8 {
        let raw = Value::Object(names(random).into_iter().map(|name| (name, value(random, 0))).collect());
        match compiled.coerce("t", &raw) {
            Ok(None) => assert!(compiled.is_valid(&raw), "{schema} {raw}"),
            Ok(Some(coerced)) => {
                assert!(compiled.is_valid(&coerced), "{schema} {raw} {coerced}");
                assert_ne!(coerced, raw);
            }
            Err(text) => {
                assert!(text.starts_with("Validation failed for tool \"t\":\n  - "), "{schema} {raw} {text}");
                assert!(text.contains("\n\nReceived arguments:\n{"), "{schema} {raw} {text}");
            }
        }
    }
}

fn names(random: &mut Random) -> Vec<String> {
    ["a", "b", "__proto__", "k/~"].into_iter().filter(|_| random.below(2) == 0).map(str::to_owned).collect()
}

fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth < 3 { 6 } else { 4 }) {
        0..=3 => {
            let scalars =
                json!(["x", "", "5", "3.7", "true", "FALSE", "null", 0, 1, 5, 3.7, -0.0, 1e21, true, false, null]);
            random.one_of(scalars.as_array().unwrap())
        }
        4 => (0..random.below(4)).map(|_| value(random, depth + 1)).collect(),
        _ => Value::Object(names(random).into_iter().map(|name| (name, value(random, depth + 1))).collect()),
    }
}

fn schema(random: &mut Random, depth: usize) -> Value {
    let types = ["string", "number", "integer", "boolean", "null", "array", "object"];
    let mut node = match random.below(if depth < 4 { 8 } else { 3 }) {
        0 => json!({"type": types[random.below(7)]}),
        1 => json!({"type": [types[random.below(3)], types[3 + random.below(4)]]}),
        2 => random.one_of(&[
            json!({"enum": ["x", 5, null, "true"]}),
            json!({"const": "5"}),
            json!({"$ref": "#/$defs/A"}),
            json!({"$ref": "#/$defs/gone"}),
            json!(true),
            json!({}),
            json!({"type": "string", "pattern": "^(x|\\d)*$"}),
            json!({"type": "nonsense"}),
        ]),
        3 => {
            let keyword = ["anyOf", "oneOf", "allOf"][random.below(3)];
            let branches: Vec<Value> = (0..1 + random.below(3)).map(|_| schema(random, depth + 1)).collect();
            json!({keyword: branches})
        }
        4 => json!({"type": "array", "items": schema(random, depth + 1)}),
        5 => json!({"prefixItems": [schema(random, depth + 1)], "items": schema(random, depth + 1)}),
        6 => {
            json!({"not": schema(random, depth + 1), "if": schema(random, depth + 1), "then": schema(random, depth + 1)})
        }
        _ => {
            let properties: Map<String, Value> =
                names(random).into_iter().map(|name| (name, schema(random, depth + 1))).collect();
            json!({"type": "object", "properties": properties, "additionalProperties": schema(random, depth + 1)})
        }
    };
    if let Some(object) = node.as_object_mut().filter(|_| random.below(4) == 0) {
        let (keyword, bound) =
            [("minimum", 1), ("maxLength", 1), ("minItems", 1), ("maxProperties", 1), ("multipleOf", 2)]
                [random.below(5)];
        object.insert(keyword.to_owned(), json!(bound));
    }
    node
}

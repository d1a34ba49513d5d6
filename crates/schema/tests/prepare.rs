//! Coercion and messages, case by case: what goes in, and what the tool gets or the model reads.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics has failed")]

use serde_json::{Value, json};
use vitrine_schema::{Schema, SchemaError, stringify};

/// Checks one case: `out` is the coerced value, `lines` are those of the error text, the rest of which is derived.
fn check(schema: &Value, case: &Value) {
    let args = &case["args"];
    let expected = match case.get("lines") {
        Some(lines) => {
            let lines: String =
                lines.as_array().unwrap().iter().map(|line| format!("  - {}\n", line.as_str().unwrap())).collect();
            let args = stringify(args, Some(2));
            Err(format!("Validation failed for tool \"t\":\n{lines}\nReceived arguments:\n{args}"))
        }
        None => Ok(case["out"].clone()),
    };
    let before = args.clone();
    assert_eq!(Schema::compile(schema).unwrap().prepare("t", args), expected, "{schema} {args}");
    assert_eq!(*args, before, "the raw arguments stay as they were");
}

/// The cases of a file: JSON values one after another. One with nothing but `about` says what the next ones show.
fn cases(text: &str) -> Vec<Value> {
    let cases: Vec<Value> = serde_json::Deserializer::from_str(text).into_iter().map(Result::unwrap).collect();
    assert!(cases[0]["about"].is_string());
    cases.into_iter().filter(|case| case.get("about").is_none()).collect()
}

#[test]
fn basics() {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "number"},
            "n": {"type": "integer"},
            "b": {"type": "boolean"},
            "arr": {
                "type": "array",
                "items": {"type": "object", "properties": {"o": {"type": "string"}}, "required": ["o"]},
            },
            "e": {"enum": ["a", "b"]},
            "u": {"type": ["string", "number"]},
        },
        "required": ["path"],
    });
    for case in cases(include_str!("cases/basics.jsonl")) {
        check(&schema, &case);
    }
}

#[test]
fn scalars() {
    for case in cases(include_str!("cases/scalars.jsonl")) {
        let schema = json!({"type": "object", "properties": {"v": {"type": case["type"]}}, "required": ["v"]});
        let args = json!({"v": case["in"]});
        match case.get("message") {
            Some(message) => {
                let line = format!("v: {}", message.as_str().unwrap());
                check(&schema, &json!({"args": args, "lines": [line]}));
            }
            None => check(&schema, &json!({"args": args, "out": {"v": case["out"]}})),
        }
    }
}

#[test]
fn coercion() {
    for case in cases(include_str!("cases/coercion.cases")) {
        check(&case["schema"], &case);
    }
}

#[test]
fn messages() {
    for case in cases(include_str!("cases/messages.cases")) {
        check(&case["schema"], &case);
    }
}

#[test]
fn the_whole_text_is_as_the_model_reads_it() {
    let schema = json!({"type": "object", "properties": {"offset": {"type": "number"}}, "required": ["path"]});
    let args = json!({"offset": "abc", "limit": 3.0, "big": 1e21, "list": [1, []], "none": {}});
    assert_eq!(
        Schema::compile(&schema).unwrap().prepare("read", &args).unwrap_err(),
        "Validation failed for tool \"read\":\n  - path: missing\n  - offset: expected number, got string\n\n\
         Received arguments:\n{\n  \"offset\": \"abc\",\n  \"limit\": 3,\n  \"big\": 1e+21,\n  \"list\": [\n    1,\n    \
         []\n  ],\n  \"none\": {}\n}"
    );
}

#[test]
fn older_drafts_are_known_by_name_or_by_their_tuples() {
    let tuple = json!({"properties": {"a": {"items": [{"type": "integer"}], "additionalItems": false}}});
    let mut named = tuple.clone();
    named["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    let mut unknown = tuple.clone();
    unknown["$schema"] = json!("https://example.com/dialect");
    for schema in [tuple, named, unknown] {
        check(&schema, &json!({"args": {"a": ["1"]}, "out": {"a": [1]}}));
        check(&schema, &json!({"args": {"a": [1, 2]}, "lines": ["a.1: no value is allowed here"]}));
    }
    let draft4 = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "properties": {"a": {"minimum": 5, "exclusiveMinimum": true}},
    });
    check(&draft4, &json!({"args": {"a": 5}, "lines": ["a: expected > 5"]}));
}

#[test]
fn bounds_that_are_no_whole_numbers_count_as_the_next() {
    let schema =
        json!({"properties": {"a": {"type": "string", "minLength": 1.5, "maxLength": 2.5}, "b": {"minItems": -3.5}}});
    check(&schema, &json!({"args": {"a": "x"}, "lines": ["a: expected at least 2 characters"]}));
    check(&schema, &json!({"args": {"a": "xyz"}, "lines": ["a: expected at most 2 characters"]}));
    check(&schema, &json!({"args": {"a": "xy", "b": []}, "out": {"a": "xy", "b": []}}));
    // Less than nothing is not to be had.
    assert!(Schema::compile(&json!({"maxLength": -1})).is_err());
}

#[test]
fn what_is_said_twice_is_complained_of_once() {
    let schema = json!({"properties": {
        "a": {"required": ["x", "x"], "dependentRequired": {"y": ["z", "z"]}},
        "b": {"type": ["string", "string", "null"]},
    }});
    check(&schema, &json!({"args": {"a": {}}, "lines": ["a.x: missing"]}));
    check(&schema, &json!({"args": {"a": {"x": 1, "y": 1}}, "lines": ["a.z: required when y is present"]}));
    check(&schema, &json!({"args": {"b": []}, "lines": ["b: expected string or null, got array"]}));
}

#[test]
fn a_flag_of_draft_4_is_one_only_there() {
    let schema = json!({"properties": {"a": {"type": "number", "minimum": 1, "exclusiveMinimum": true}}});
    check(&schema, &json!({"args": {"a": 1}, "out": {"a": 1}}));
}

#[test]
fn a_schema_that_is_none_is_refused_with_its_place() {
    let error = Schema::compile(&json!({"properties": {"a": {"type": "text"}}})).unwrap_err();
    assert!(matches!(&error, SchemaError::Invalid { path, .. } if path == "/properties/a/type"), "{error}");
    let error = Schema::compile(&json!({"properties": {"a": null}})).unwrap_err();
    assert!(matches!(&error, SchemaError::Invalid { path, .. } if path == "/properties/a"), "{error}");
    let error = Schema::compile(&json!({"properties": {"a": {"pattern": "("}}})).unwrap_err();
    assert!(matches!(&error, SchemaError::Invalid { path, .. } if path == "/properties/a/pattern"), "{error}");
}

/// `depth` objects, each the only property of the one around it.
fn nested_schema(depth: usize) -> Value {
    (0..depth).fold(json!({"type": "string"}), |inner, _| wrap("properties", wrap("p", inner)))
}

fn nested_value(depth: usize) -> Value {
    (0..depth).fold(json!(5), |inner, _| wrap("p", inner))
}

/// `{key: inner}`, without the copy that `json!` makes.
fn wrap(key: &str, inner: Value) -> Value {
    Value::Object([(key.to_owned(), inner)].into_iter().collect())
}

#[test]
fn deep_and_huge_schemas_are_refused_before_they_are_followed() {
    let compile = |schema: Value| Schema::compile(&schema).err();
    assert_eq!(Schema::compile(&nested_schema(30)).unwrap().prepare("t", &nested_value(30)).map(|_| ()), Ok(()));
    assert_eq!(compile(nested_schema(1000)), Some(SchemaError::TooDeep { limit: 64 }));
    let wide: Vec<Value> = (0..30_000).map(|n| json!(n)).collect();
    assert_eq!(compile(json!({"enum": wide})), Some(SchemaError::TooLarge { limit: 20_000 }));
    let definitions = |count: usize, definition: &dyn Fn(usize) -> Value| {
        let all: serde_json::Map<_, _> = (0..count).map(|n| (format!("d{n}"), definition(n))).collect();
        json!({"$ref": "#/$defs/d0", "$defs": all})
    };
    let next = |n: usize| json!({"$ref": format!("#/$defs/d{}", n + 1)});
    let chain = definitions(3000, &|n| json!({"properties": {"p": next(n)}}));
    assert_eq!(compile(chain), Some(SchemaError::TooDeep { limit: 32 }));
    let branching = definitions(10, &|n| json!({"anyOf": vec![next(n); 4]}));
    assert_eq!(compile(branching), Some(SchemaError::TooLarge { limit: 10_000 }));
    let endless = json!({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}]}}});
    assert!(matches!(compile(endless), Some(SchemaError::Endless { .. })));
}

#[test]
fn deep_arguments_are_refused() {
    let schema = Schema::compile(&json!({"properties": {"p": {"$ref": "#"}}})).unwrap();
    assert_eq!(schema.prepare("t", &nested_value(100)), Ok(nested_value(100)));
    assert_eq!(
        schema.prepare("t", &nested_value(200)),
        Err("Validation failed for tool \"t\":\n  - root: nested deeper than 100 levels".to_owned())
    );
    assert!(!schema.is_valid(&nested_value(200)));
}

#[test]
fn arguments_of_any_depth_or_size_have_an_answer() {
    let schema =
        Schema::compile(&json!({"properties": {"p": {"$ref": "#"}, "s": {"type": "string", "maxLength": 5}}})).unwrap();
    let deep = nested_value(10_000);
    assert!(schema.prepare("t", &deep).unwrap_err().ends_with("nested deeper than 100 levels"));
    // Such a value is freed by recursion too, which is not what this test is about.
    std::mem::forget(deep);
    let fields: serde_json::Map<_, _> = (0..20_000).map(|n| (format!("field{n}"), json!([n, "x"]))).collect();
    assert_eq!(schema.coerce("t", &json!(fields)), Ok(None));
    let numbers = Schema::compile(&json!({"properties": {"l": {"items": {"type": "number"}}}})).unwrap();
    assert_eq!(numbers.coerce("t", &json!({"l": vec!["12"; 120_000]})), Ok(Some(json!({"l": vec![12; 120_000]}))));
    let long = "y".repeat(2_000_000);
    let text = schema.prepare("t", &json!({"s": long})).unwrap_err();
    assert!(text.starts_with("Validation failed for tool \"t\":\n  - s: expected at most 5 characters\n"));
    assert!(text.len() > long.len());
}

#[test]
fn what_fits_as_it_stands_is_told_from_what_was_coerced() {
    let schema = Schema::compile(&json!({"properties": {"n": {"type": "integer"}, "o": {"type": "string"}}})).unwrap();
    let cases = [
        (json!({"n": 3, "x": null}), Ok(None)),
        (json!({"n": "3"}), Ok(Some(json!({"n": 3})))),
        (json!({"n": 3, "o": null}), Ok(Some(json!({"n": 3})))),
    ];
    for (raw, coerced) in cases {
        assert_eq!(schema.coerce("t", &raw), coerced, "{raw}");
    }
}

#[test]
fn a_pattern_cannot_hang() {
    let schema = Schema::compile(&json!({"properties": {"a": {"pattern": "^(?=(a+)+$)(a|aa)+$"}}})).unwrap();
    let args = json!({"a": "a".repeat(50_000) + "!"});
    assert!(schema.prepare("t", &args).unwrap_err().contains("a: expected to match ^(?=(a+)+$)(a|aa)+$\n"));
}

#[test]
fn nested_unions_are_explained_once_a_branch() {
    // 18 unions inside of each other: twice the work a level would be a quarter of a million explanations.
    let schema = (0..18).fold(json!({"type": "integer"}), |inner, _| json!({"anyOf": [{"type": "null"}, inner]}));
    let schema = Schema::compile(&json!({"properties": {"v": schema}})).unwrap();
    let text = schema.prepare("t", &json!({"v": {}})).unwrap_err();
    assert!(text.contains("  - v: expected null, got object\n"), "{text}");
}

#[test]
fn many_errors_are_bounded() {
    let integers = json!({"type": "array", "items": {"type": "integer"}});
    let closed = json!({"type": "object", "properties": {}, "additionalProperties": false});
    let fields: serde_json::Map<_, _> = (0..5000).map(|n| (format!("field{n}"), json!(n))).collect();
    let cases = [
        (integers.clone(), json!(vec!["x"; 5000]), "v.0: expected integer, got string"),
        (json!({"anyOf": [{"type": "null"}, integers]}), json!(vec!["x"; 5000]), "v.0: expected integer, got string"),
        (closed.clone(), json!(fields), "v.field0: unknown field"),
        (json!({"oneOf": [closed]}), json!(fields), "v.field0: unknown field"),
    ];
    for (schema, value, first) in cases {
        let schema = Schema::compile(&json!({"properties": {"v": schema}})).unwrap();
        let text = schema.prepare("t", &json!({"v": value})).unwrap_err();
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  - ")).collect();
        assert_eq!((lines.len(), lines[0]), (1001, format!("  - {first}").as_str()));
        assert_eq!(lines[1000], "  - root: more errors than are listed here");
    }
}

//! The form is RFC 8785's: its own examples, its table of numbers, and what it refuses.
#![cfg(test)]

use vitrine_lesson::{CanonicalError, canonicalize_json};

/// The form of a value that is nobody's but a tool's.
fn form(json: &str) -> String {
    let form = canonicalize_json(&format!("[{{\"data\":{json}}}]")).unwrap();
    form.strip_prefix("[{\"data\":").and_then(|rest| rest.strip_suffix("}]")).unwrap().to_owned()
}

/// Section 3.2.2.
#[test]
fn values_are_written_as_ecmascript_writes_them() {
    let json = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let expected = concat!(
        r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#,
        "\"string\":\"\u{20ac}$",
        r#"\u000f\nA'B\"\\\\\"/"}"#
    );
    assert_eq!(form(json), expected);
    assert_eq!(form(r#""\b\t\n\f\r\u0000\u001f\u007f\u2028""#), "\"\\b\\t\\n\\f\\r\\u0000\\u001f\u{7f}\u{2028}\"");
}

/// Section 3.2.3: by UTF-16 code units, in which a character beyond the first plane comes before U+FB33.
#[test]
fn keys_are_in_the_order_of_utf_16() {
    let json = r#"{
        "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let form = form(json);
    let values = ["Carriage Return", "One", "Control", "Latin Small", "Euro Sign", "Emoji", "Hebrew"];
    let places: Vec<_> = values.iter().map(|value| form.find(value).unwrap()).collect();
    assert!(places.is_sorted(), "{form}");
    assert!(form.starts_with(r#"{"\r":"Carriage Return","1":"One","#));
}

/// Appendix B: the bits of a double and how it is written.
#[test]
fn numbers_are_written_as_in_its_table() {
    let table: [(u64, &str); 24] = [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];
    for (bits, expected) in table {
        assert_eq!(form(&format!("{:e}", f64::from_bits(bits))), expected, "{bits:016x}");
    }
}

#[test]
fn what_it_refuses_is_an_error_that_says_what() {
    let cases = [
        (r#"[{"a":1e400}]"#, "a number is out of range: 1e400"),
        (r#"[{"a":"\ud800"}]"#, r#"a string has half of a surrogate pair: "\ud800""#),
        (r#"[{"\udead":1}]"#, r#"a string has half of a surrogate pair: "\udead""#),
        ("{}", "not an array of events"),
        ("3", "not an array of events"),
    ];
    for (json, expected) in cases {
        assert_eq!(canonicalize_json(json).unwrap_err().to_string(), expected, "{json}");
    }
    for json in ["", "[", "[1,]", "[NaN]", "[1] x", "[\"a\nb\"]", "[\"\\q\"]", "[01]", "[{1:2}]"] {
        assert!(matches!(canonicalize_json(json), Err(CanonicalError::NotJson(_))), "{json}");
    }
}

/// As JavaScript reads it: the same text has the same form there.
#[test]
fn what_javascript_reads_alike_has_one_form() {
    for (a, b) in [
        (r#"{"a":1,"b":2,"a":3}"#, r#"{"b":2,"a":3}"#),
        ("9007199254740993", "9007199254740992"),
        ("1.0", "1"),
        ("-0", "0"),
        ("123456789012345678901234567890", "1.2345678901234568e29"),
        ("[ 1 ,\t2\r\n]", "[1,2]"),
        (r#""\u00e9\/""#, "\"\u{e9}/\""),
        (r#"{"":[]}"#, r#"{ "" : [ ] }"#),
    ] {
        assert_eq!(form(a), form(b));
    }
    assert_eq!(form(r#"{"__proto__":{"a":"\\\""}}"#), r#"{"__proto__":{"a":"\\\""}}"#);
}

/// Arguments may be as deep as a model likes: neither reading, writing nor dropping them descends.
#[test]
fn depth_costs_no_stack() {
    let depth = 200_000;
    let json = format!("{}{}", "[{\"a\":".repeat(depth), "1".to_owned() + &"}]".repeat(depth));
    let formed = std::thread::Builder::new().stack_size(128 << 10).spawn(move || form(&json) == json);
    assert!(formed.unwrap().join().unwrap());
}

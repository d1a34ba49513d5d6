//! Patterns and what they match, from `cases/patterns.txt`.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that panics has failed")]

use vitrine_pattern::{GaveUp, Pattern, PatternError};

/// A text of a case, with its escapes read.
fn read(text: &str) -> String {
    const NAMES: [(&str, &str); 9] = [
        ("<n>", "\n"),
        ("<r>", "\r"),
        ("<0>", "\0"),
        ("<1>", "\u{1}"),
        ("<8>", "\u{8}"),
        ("<nbsp>", "\u{a0}"),
        ("<zwsp>", "\u{200b}"),
        ("<sep>", "\u{2028}"),
        ("<bom>", "\u{feff}"),
    ];
    NAMES.iter().fold(text.to_owned(), |text, (name, sign)| text.replace(name, sign))
}

#[test]
fn patterns_match_what_they_should() {
    let mut pattern = None;
    for line in include_str!("cases/patterns.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (verdict, text) = line.split_once('\t').unwrap_or((line, ""));
        match verdict {
            "pattern" => pattern = Some(Pattern::compile(text).unwrap_or_else(|error| panic!("{text}: {error}"))),
            "refused" => {
                let error = Pattern::compile(text).map(|_| ()).unwrap_err().to_string();
                assert!(!error.is_empty(), "{text}");
            }
            "yes" | "no" => {
                let pattern = pattern.as_ref().unwrap();
                assert_eq!(pattern.is_match(&read(text)), Ok(verdict == "yes"), "{} on {text:?}", pattern.as_str());
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let cases = [
        ("(a", PatternError::Unbalanced),
        ("[a", PatternError::Unbalanced),
        ("a**", PatternError::NothingToRepeat),
        ("a{3,2}", PatternError::NothingToRepeat),
        ("(?<a>x)(?<a>y)", PatternError::UnknownGroup),
        ("\\2(a)", PatternError::UnknownGroup),
        ("\\a", PatternError::UnknownEscape),
        ("\\p{Script=Greek}", PatternError::UnknownProperty),
        ("[z-a]", PatternError::WrongRange),
    ];
    for (text, error) in cases {
        assert_eq!(Pattern::compile(text).map(|_| ()), Err(error), "{text}");
    }
}

#[test]
fn a_match_is_bounded() {
    let long = "a".repeat(50_000) + "!";
    // Linear, since no state is tried twice.
    for text in ["^(a+)+$", "^(a|aa)+$", "^(a|a)*$", "(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        let pattern = Pattern::compile(text).unwrap();
        assert_eq!(pattern.is_match(&long[49_000..]), Ok(false), "{text}");
    }
    // Where it cannot be, it is given up: never answered by a guess.
    for text in [r"^(a+)+\1$", "^(?=(a+)+$)(a|aa)+$", "(?<=^(a|aa)+)!!"] {
        let pattern = Pattern::compile(text).unwrap();
        assert_eq!(pattern.is_match(&long), Err(GaveUp), "{text}");
    }
    assert_eq!(Pattern::compile("^[a-z]+!$").unwrap().is_match(&long), Ok(true));
}

#[test]
fn a_pattern_is_bounded() {
    let too_large = [
        "(".repeat(20_000),
        "(".repeat(200) + &")".repeat(200),
        "((a{1000}){1000}){1000}".to_owned(),
        "a{4294967295}".to_owned(),
        "(a{0}){4000000000}".to_owned(),
        "a{0,99999999999999}".to_owned(),
        "a|".repeat(10_000),
    ];
    for text in too_large {
        assert_eq!(Pattern::compile(&text).map(|_| ()), Err(PatternError::TooLarge), "{}", &text[..20.min(text.len())]);
    }
    // Nothing, however often, is nothing.
    for text in ["(?:a{0}){4000000000}", "(?:){4000000000}", "(?:(?:){9}){0,4000000000}"] {
        assert_eq!(Pattern::compile(text).unwrap().is_match("b"), Ok(true), "{text}");
    }
}

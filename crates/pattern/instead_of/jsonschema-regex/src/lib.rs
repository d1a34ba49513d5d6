//! What `jsonschema` asks of `jsonschema-regex`, answered by `vitrine-pattern`, which reads ECMAScript as it is: nothing is
//! translated. The short cuts for simple patterns are never taken, so their types have no values.

use std::borrow::Cow;
use std::convert::Infallible;

use vitrine_pattern::Pattern;

/// The pattern itself, if it is one.
#[allow(clippy::result_unit_err, reason = "the signature is jsonschema's")]
pub fn to_rust_regex(pattern: &str) -> Result<Cow<'_, str>, ()> {
    if is_valid_ecma_regex(pattern) { Ok(Cow::Borrowed(pattern)) } else { Err(()) }
}

/// Whether the text is a pattern.
pub fn is_valid_ecma_regex(pattern: &str) -> bool {
    Pattern::compile(pattern).is_ok()
}

/// Whether the text has a character of `\s`.
pub fn contains_ecma_whitespace(text: &str) -> bool {
    text.chars().any(|sign| sign.is_whitespace() && sign != '\u{85}' || sign == '\u{feff}')
}

/// A pattern that needs no engine.
#[derive(Debug, PartialEq)]
pub enum PatternAnalysis<'a> {
    /// Begins with the text.
    Prefix(Cow<'a, str>),
    /// Is the text.
    Exact(Cow<'a, str>),
    /// Is one of the texts.
    Alternation(Vec<String>),
    /// Has no white space.
    NoWhitespace,
}

/// Never one.
pub fn analyze_pattern(_: &str) -> Option<PatternAnalysis<'_>> {
    None
}

/// Never one.
pub fn pattern_as_prefix(_: &str) -> Option<Cow<'_, str>> {
    None
}

/// Never one.
pub fn pattern_witness(_: &str) -> Option<String> {
    None
}

/// Never any.
pub fn split_leading_lookaheads(_: &str) -> Option<Vec<String>> {
    None
}

/// A pattern that is quicker to search in another form.
#[derive(Debug)]
pub enum Search {
    /// One class, counted.
    RepeatedClass(RepeatedClass),
    /// A simpler pattern.
    Collapsed(String),
}

/// Never one.
pub fn search_form(_: &str, _: &str) -> Option<Search> {
    None
}

/// One class, counted; there is none.
#[derive(Clone, Debug)]
pub struct RepeatedClass(Infallible);

impl RepeatedClass {
    /// Never called.
    pub fn is_match(&self, _: &str) -> bool {
        match self.0 {}
    }
}

/// A pattern matched without an engine; there is none.
#[derive(Clone, Debug)]
pub struct Sequence(Infallible);

impl Sequence {
    /// Never one.
    pub fn compile(_: &str) -> Option<Self> {
        None
    }

    /// Never called.
    pub fn is_match(&self, _: &[u8]) -> Option<bool> {
        match self.0 {}
    }
}

//! What `jsonschema` asks of `regex`, answered by `vitrine-pattern`. A pattern that takes too long matches nothing.

use vitrine_pattern::{Pattern, PatternError};

/// A pattern.
#[derive(Clone, Debug)]
pub struct Regex(Pattern);

impl Regex {
    /// Compiles a pattern.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        Pattern::compile(text).map(Self)
    }

    /// Whether it matches anywhere in the text.
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text).unwrap_or(false)
    }

    /// The pattern's text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// A pattern to be; its limits are the engine's own.
#[derive(Debug)]
pub struct RegexBuilder(String);

impl RegexBuilder {
    /// Takes the text.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Has no effect.
    pub fn size_limit(&mut self, _: usize) -> &mut Self {
        self
    }

    /// Has no effect.
    pub fn dfa_size_limit(&mut self, _: usize) -> &mut Self {
        self
    }

    /// Compiles.
    pub fn build(&self) -> Result<Regex, PatternError> {
        Regex::new(&self.0)
    }
}

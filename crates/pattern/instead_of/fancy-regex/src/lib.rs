//! What `jsonschema` asks of `fancy-regex`, answered by `vitrine-pattern`.

use vitrine_pattern::{GaveUp, Pattern, PatternError};

/// A search that was given up.
pub type Error = GaveUp;

/// A pattern.
#[derive(Clone, Debug)]
pub struct Regex(Pattern);

impl Regex {
    /// Whether it matches anywhere in the text.
    pub fn is_match(&self, text: &str) -> Result<bool, Error> {
        self.0.is_match(text)
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
    pub fn backtrack_limit(&mut self, _: usize) -> &mut Self {
        self
    }

    /// Has no effect.
    pub fn delegate_size_limit(&mut self, _: usize) -> &mut Self {
        self
    }

    /// Has no effect.
    pub fn delegate_dfa_size_limit(&mut self, _: usize) -> &mut Self {
        self
    }

    /// Compiles.
    pub fn build(&self) -> Result<Regex, PatternError> {
        Pattern::compile(&self.0).map(Regex)
    }
}

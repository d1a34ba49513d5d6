//! What our dependencies ask of `regex`, answered by `regex-lite`, which its authors made for where size counts.
//!
//! Nothing of ours is matched by it: schemas are compiled for `fancy-regex`, which `vitrine-pattern` stands for. `jsonschema`
//! names it beside that one, and `leptos_config` reads a manifest with it.

pub use regex_lite::{Error, Match, Regex};

/// A pattern to be.
#[derive(Debug)]
pub struct RegexBuilder(regex_lite::RegexBuilder);

impl RegexBuilder {
    /// Takes the text.
    pub fn new(text: &str) -> Self {
        Self(regex_lite::RegexBuilder::new(text))
    }

    /// Bounds the size of the compiled pattern, in bytes.
    pub fn size_limit(&mut self, limit: usize) -> &mut Self {
        self.0.size_limit(limit);
        self
    }

    /// Has no effect: `regex-lite` makes no lazy DFA.
    pub fn dfa_size_limit(&mut self, _: usize) -> &mut Self {
        self
    }

    /// Compiles.
    pub fn build(&self) -> Result<Regex, Error> {
        self.0.build()
    }
}

//! [`Usage`]: what a response has used, and what that cost.

use serde::{Deserialize, Serialize};

/// Tokens and their price. `input` excludes cached tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Prompt tokens that were not cached.
    pub input: u64,
    /// Answer tokens, reasoning included.
    pub output: u64,
    /// Prompt tokens read from the provider's cache.
    pub cache_read: u64,
    /// Prompt tokens written to it.
    pub cache_write: u64,
    /// The part of `cacheWrite` that is kept for an hour.
    #[serde(rename = "cacheWrite1h", skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<u64>,
    /// The part of `output` that was reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
    /// `input`, `output`, `cacheRead` and `cacheWrite` together.
    pub total_tokens: u64,
    /// US dollars.
    pub cost: Cost,
}

/// US dollars, by kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Cost {
    /// For `input`.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub input: f64,
    /// For `output`.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub output: f64,
    /// For `cacheRead`.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub cache_read: f64,
    /// For `cacheWrite`.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub cache_write: f64,
    /// The sum, or what the provider billed.
    #[serde(serialize_with = "as_javascript_writes_it")]
    pub total: f64,
    /// Whether `total` is what the provider billed, and no estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_from_provider: Option<bool>,
}

/// `0`, not `0.0`: the bytes of an event are part of its contract.
pub(crate) fn as_javascript_writes_it<S: serde::Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT {
        serializer.serialize_i64(*number as i64)
    } else {
        serializer.serialize_f64(*number)
    }
}

//! A provider's failure, sorted once.
//!
//! HTTP statuses, error objects inside a stream and failures of the connection all end here, so that retry, the page and a
//! test ask one question: [`ProviderError::kind`]. The raw status and the server's own words are kept.

mod patterns;
mod redact;
mod response;

use std::borrow::Cow;

pub use redact::redact;
pub use response::{body_message, cap, describe, from_response};
pub(crate) use response::{from_error_value, is_web_page, web_page};

/// What went wrong, as the cases and the page name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The stream ended before the answer did.
    StreamIncomplete,
    /// The stream stayed open and silent.
    StreamStalled,
    /// The server is overloaded or broken for now.
    ProviderOverloaded,
    /// Too many requests.
    RateLimited,
    /// No money or no quota left: waiting does not help.
    QuotaExceeded,
    /// The key is missing, wrong or not allowed.
    Auth,
    /// The context does not fit the model.
    ContextOverflow,
    /// The server refused the request itself.
    InvalidRequest,
    /// The answer is not a model stream: a web page, or text that is no event.
    NotAStream,
    /// A well-formed answer without text and without a call.
    EmptyResponse,
    /// The server could not be reached, or the connection broke.
    Network,
    /// Any other failure that the provider reported.
    ProviderError,
}

impl ErrorKind {
    /// The name in snake case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::StreamIncomplete => "stream_incomplete",
            Self::StreamStalled => "stream_stalled",
            Self::ProviderOverloaded => "provider_overloaded",
            Self::RateLimited => "rate_limited",
            Self::QuotaExceeded => "quota_exceeded",
            Self::Auth => "auth",
            Self::ContextOverflow => "context_overflow",
            Self::InvalidRequest => "invalid_request",
            Self::NotAStream => "not_a_stream",
            Self::EmptyResponse => "empty_response",
            Self::Network => "network",
            Self::ProviderError => "provider_error",
        }
    }
}

/// A failure with its verdict. `Display` is the text that a person reads; it may still hold a key that the server echoed,
/// so whoever shows it passes it through [`redact`] with the keys in use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    /// What went wrong.
    pub kind: ErrorKind,
    /// Whether the same request may succeed later. How often to try is the caller's policy.
    pub retryable: bool,
    /// In words, the server's own where there are any.
    pub message: String,
    /// The HTTP status, or the numeric code of an error object that stands for one.
    pub status: Option<u16>,
}

impl ProviderError {
    /// The stream ended with neither a finish reason nor its end mark.
    pub fn incomplete() -> Self {
        Self::of(ErrorKind::StreamIncomplete, true, "Stream ended without finish_reason")
    }

    /// No bytes for `idle_ms`.
    pub fn stalled(idle_ms: u64) -> Self {
        let silence = if idle_ms < 1000 { format!("{idle_ms} ms") } else { format!("{} s", idle_ms / 1000) };
        let message = format!("Stream stalled: no data for {silence}, timed out");
        Self::of(ErrorKind::StreamStalled, true, message)
    }

    /// The request could not be sent or its body broke off; `text` is the browser's own.
    pub fn network(text: &str) -> Self {
        Self::of(ErrorKind::Network, true, format!("Connection error. {text}"))
    }

    /// A failure whose sort is known.
    pub fn of(kind: ErrorKind, retryable: bool, message: impl Into<String>) -> Self {
        Self { kind, retryable, message: message.into(), status: None }
    }
}

/// Sorts a failure by its status, the provider's code for it and its text. The message is `status: text` where there is a
/// status (§6.10), capped.
///
/// `code` may be a word (`rate_limit_exceeded`) or a number in text (`503`), which then counts as the status if none is
/// given: an error object inside a stream that began with 200 is judged exactly as the status would have been.
pub fn classify(status: Option<u16>, code: &str, text: &str) -> ProviderError {
    let numbers = || code.split_whitespace().filter_map(|word| word.parse().ok());
    let status = status.or_else(|| numbers().find(|status| (400..600).contains(status)));
    let (kind, retryable) = sort(status, code, text);
    ProviderError { kind, retryable, message: describe(None, status, text), status }
}

fn sort(status: Option<u16>, code: &str, text: &str) -> (ErrorKind, bool) {
    let text = format!("{code} {}", cap(text)).to_lowercase();
    if patterns::is_overflow(&text) || (status == Some(413) && !patterns::is_rate_limit(&text)) {
        return (ErrorKind::ContextOverflow, false);
    }
    if patterns::is_final(&text) {
        return (ErrorKind::QuotaExceeded, false);
    }
    match status {
        Some(401 | 403) => (ErrorKind::Auth, false),
        Some(429) => (ErrorKind::RateLimited, true),
        Some(408 | 409) => (ErrorKind::ProviderError, true),
        Some(501 | 505) => (ErrorKind::ProviderError, false),
        Some(500..=599) => (ErrorKind::ProviderOverloaded, true),
        _ if patterns::is_rate_limit(&text) => (ErrorKind::RateLimited, true),
        _ if patterns::is_auth(&text) => (ErrorKind::Auth, false),
        _ if patterns::is_overloaded(&text) => (ErrorKind::ProviderOverloaded, true),
        _ if patterns::is_retryable(&text) => (ErrorKind::ProviderError, true),
        Some(_) => (ErrorKind::InvalidRequest, false),
        None if text.contains("invalid_request") => (ErrorKind::InvalidRequest, false),
        // Without a status the server had already accepted the request: its failure is more likely a passing one.
        None => (ErrorKind::ProviderError, true),
    }
}

/// Whether pi would retry an assistant message that failed with this text (§6.9, Appendix C). For a message that is read
/// back, of which the text is all that is left; a failure at hand says so itself ([`ProviderError::retryable`]).
pub fn is_retryable_text(text: &str) -> bool {
    let text = lower(text);
    !patterns::is_final(&text) && patterns::is_retryable(&text)
}

/// Whether this text says that the context did not fit (§6.9, Appendix C). For a message that is read back, as above.
pub fn is_overflow_text(text: &str) -> bool {
    patterns::is_overflow(&lower(text))
}

fn lower(text: &str) -> String {
    let text: Cow<'_, str> = cap(text);
    text.to_lowercase()
}

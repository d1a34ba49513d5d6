//! Which texts mean what: Appendix C as data, matched without a regular expression engine (it would be the largest part of
//! the module).
//!
//! A pattern matches anywhere in the lower-cased text. In it `?` is any one character or none, `#` is a number (digits with
//! `,` or `.`), `*` is any run of up to 200 characters, `~` is a place where no letter or digit touches; everything else is
//! itself.

const OVERFLOW: &[&str] = &[
    "prompt is too long",
    "prompt too long",
    "prompt exceeds max length",
    "request_too_large",
    "input is too long for requested model",
    "exceeds the context window",
    "exceeds maximum context length",
    "exceeds the maximum context length",
    "exceeds model's maximum context length",
    "exceeds the model's maximum context length",
    "context window exceeded",
    "input token count*exceeds the maximum",
    "maximum prompt length is #",
    "reduce the length of the messages",
    "maximum context length is # tokens",
    "exceeds maximum allowed input length of # tokens",
    "exceeds the maximum allowed input length of # tokens",
    "input (# tokens) is longer than the model's context length (# tokens)",
    "exceeds the limit of #",
    "exceeds the available context size",
    "greater than the context length",
    "context window exceeds limit",
    "exceeded model token limit",
    "too large for model with # maximum context length",
    "prompt has # tokens, but the configured context size is # tokens",
    "model_context_window_exceeded",
    "exceeded context length",
    "exceeded max context length",
    "range of input length should be",
    "context?length?exceeded",
    "too many tokens",
    "token limit exceeded",
    "api error (413):",
];

const RATE_LIMIT: &[&str] = &["rate?limit", "too many requests", "~429~", "resourceexhausted", "throttl"];

const AUTH: &[&str] = &[
    "invalid_api_key",
    "invalid api key",
    "incorrect api key",
    "authentication_error",
    "permission_error",
    "unauthorized",
    "api key not valid",
];

const OVERLOADED: &[&str] = &[
    "overloaded",
    "server_busy",
    "servers are currently busy",
    "currently experiencing high demand",
    "model is at capacity",
    "capacity reached",
    "service unavailable",
    "service is unavailable",
    "service temporarily unavailable",
    "service is temporarily unavailable",
    "server?error",
    "internal?error",
    "~500~",
    "~502~",
    "~503~",
    "~504~",
    "~520~",
    "~524~",
];

const RETRYABLE: &[&str] = &[
    "provider returned error",
    "provider returned an error",
    "exceeded request buffer limit while retrying upstream",
    "unable to forward upstream",
    "upstream request failed",
    "upstream_stream_read_error",
    "stream was interrupted",
    "http/2 stream failed",
    "network?error",
    "connection?error",
    "connection?refused",
    "connection?lost",
    "connection?closed",
    "other side closed",
    "fetch failed",
    // A browser's own words (§6.9, browser note); a refusal by CORS reads the same, see `connection`.
    "failed to fetch",
    "load failed",
    "request to * failed, reason:",
    "getaddrinfo",
    "~econnreset~",
    "~econnaborted~",
    "~econnrefused~",
    "~etimedout~",
    "~epipe~",
    "connection reset by peer",
    "enotfound",
    "eai_again",
    "upstream?connect",
    "reset before headers",
    "socket hang up",
    "socket connection was closed",
    "time out",
    "timed out",
    "timeout",
    "terminated",
    "websocket closed",
    "websocket error",
    "websocket connection limit reached",
    "ended without",
    "stream ended before message_stop",
    "stream ended before a terminal response event",
    "http2 request did not get a response",
    "stream disconnected before completion",
    "cut short after the reply had begun",
    "pending stream has been canceled",
    "retry delay",
    "you can retry your request",
    "try your request again",
    "please retry your request",
    "subscription_sharing_usage_unavailable",
    "subscription_sharing_user_unavailable",
];

const FINAL: &[&str] = &[
    "gousagelimiterror",
    "freeusagelimiterror",
    "monthly usage limit reached",
    "available balance",
    "insufficient_quota",
    "out of budget",
    "quota exceeded",
    "billing",
    "subscription_sharing_usage_limit_exceeded",
    "subscription_sharing_workplace_individual_usage_limit_exceeded",
    "\"code\":1308",
    "\"code\": 1308",
];

/// The context did not fit. Void where the text speaks of a rate limit, or its status does: such texts name token counts
/// too.
pub(super) fn is_overflow(text: &str) -> bool {
    let void = text.contains("rate limit")
        || begins_with(text.trim_start(), "429")
        || text.contains("(429)")
        || text.contains("too many requests")
        || text.trim_start().starts_with("throttling error:")
        || text.trim_start().starts_with("service unavailable:");
    !void && (any(OVERFLOW, text) || begins_with(text.trim_start(), "413"))
}

fn begins_with(text: &str, status: &str) -> bool {
    text.strip_prefix(status).is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()))
}

/// Too many requests.
pub(super) fn is_rate_limit(text: &str) -> bool {
    any(RATE_LIMIT, text)
}

/// The key is the trouble.
pub(super) fn is_auth(text: &str) -> bool {
    any(AUTH, text)
}

/// The server is, for now.
pub(super) fn is_overloaded(text: &str) -> bool {
    any(OVERLOADED, text)
}

/// Any of pi's texts that are worth another try.
pub(super) fn is_retryable(text: &str) -> bool {
    any(RETRYABLE, text) || is_overloaded(text) || is_rate_limit(text)
}

/// Never worth another try, whatever else the text says.
pub(super) fn is_final(text: &str) -> bool {
    any(FINAL, text)
}

fn any(patterns: &[&str], text: &str) -> bool {
    patterns.iter().any(|pattern| find(pattern, text))
}

fn find(pattern: &str, text: &str) -> bool {
    if !pattern.contains(['?', '#', '*', '~']) {
        return text.contains(pattern);
    }
    let mut before = None;
    for (at, next) in text.char_indices() {
        if matches(pattern, before, text.get(at..).unwrap_or_default()) {
            return true;
        }
        before = Some(next);
    }
    false
}

/// Whether `pattern` matches at the beginning of `text`, which `before` precedes. A pattern has at most one `*`, so the
/// cost is bounded by its 200 characters times the pattern.
fn matches(pattern: &str, before: Option<char>, text: &str) -> bool {
    let mut pattern_left = pattern.chars();
    let Some(wanted) = pattern_left.next() else { return true };
    let rest = pattern_left.as_str();
    let mut text_left = text.chars();
    let found = text_left.next();
    match wanted {
        '~' => {
            let touches = |side: Option<char>| side.is_some_and(char::is_alphanumeric);
            !(touches(before) && touches(found)) && matches(rest, before, text)
        }
        '?' => matches(rest, before, text) || (found.is_some() && matches(rest, found, text_left.as_str())),
        '#' => {
            let number = text.trim_start_matches(|digit: char| digit.is_ascii_digit() || digit == ',' || digit == '.');
            text.starts_with(|digit: char| digit.is_ascii_digit()) && matches(rest, Some('0'), number)
        }
        '*' => text.char_indices().take(200).any(|(at, _)| matches(rest, None, text.get(at..).unwrap_or_default())),
        _ => found == Some(wanted) && matches(rest, found, text_left.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::find;

    #[test]
    fn a_pattern_matches_what_its_signs_say() {
        for (pattern, text, expected) in [
            ("rate?limit", "rate limit reached", true),
            ("rate?limit", "ratelimit", true),
            ("rate?limit", "rate  limit", false),
            ("~429~", "429: slow down", true),
            ("~429~", "got 429", true),
            ("~429~", "id 14290", false),
            ("is # tokens", "is 128,000 tokens", true),
            ("is # tokens", "is many tokens", false),
            ("a*z", "a, b and z", true),
            ("a*z", "a only", false),
        ] {
            assert_eq!(find(pattern, text), expected, "{pattern} in {text}");
        }
    }
}

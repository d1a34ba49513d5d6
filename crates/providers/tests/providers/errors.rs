//! Verdicts, texts and redaction (`cases/errors.jsonl`).

use serde_json::{Value, json};
use vitrine_providers::error::{
    ProviderError, body_message, cap, classify, describe, from_response, is_overflow_text, is_retryable_text, redact,
};

fn verdict(error: &ProviderError) -> Value {
    json!([error.kind.as_str(), error.retryable, error.message])
}

#[test]
fn every_failure_has_its_verdict_and_text() {
    for line in include_str!("../cases/errors.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let status = case["status"].as_u64().map(|status| u16::try_from(status).unwrap());
        let found = match (case["body"].as_str(), status) {
            (Some(body), Some(status)) => from_response(status, body.as_bytes()),
            _ => classify(status, case["code"].as_str().unwrap_or_default(), case["text"].as_str().unwrap()),
        };
        assert_eq!(verdict(&found), case["verdict"], "{line}");
    }
}

/// Appendix C, a text for every pattern that the list has.
#[test]
fn the_patterns_know_their_texts() {
    let overflow = [
        "prompt is too long: 1200000 tokens > 1000000 maximum",
        "Prompt too long",
        "prompt exceeds max length",
        "request_too_large",
        "Input is too long for requested model.",
        "Your input exceeds the context window of this model",
        "This model's maximum context length is 8,192 tokens. However, you requested 9000",
        "Context window exceeded",
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
        "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
        "Please reduce the length of the messages or completion.",
        "input (9000 tokens) is longer than the model's context length (8192 tokens)",
        "prompt token count of 9000 exceeds the limit of 8192",
        "the request exceeds the available context size, try increasing it",
        "tokens to keep from the initial prompt is greater than the context length",
        "prompt has 9000 tokens, but the configured context size is 8192 tokens",
        "model_context_window_exceeded",
        "context_length_exceeded",
        "Context length exceeded",
        "too many tokens in the prompt",
        "token limit exceeded",
        "413: Payload Too Large",
        "OpenAI API error (413): x",
    ];
    for text in overflow {
        assert!(is_overflow_text(text), "{text}");
    }
    let none = [
        "rate limit: too many tokens per minute",
        "Too many requests, too many tokens",
        "Throttling error: too many tokens, please wait",
        "429: too many tokens per day",
        "OpenAI API error (429): too many tokens per day",
        "4130 things",
        "the context is fine",
    ];
    for text in none {
        assert!(!is_overflow_text(text), "{text}");
    }
    let retryable = [
        "overloaded_error",
        "429: Too Many Requests",
        "rate_limit_error",
        "503 Service Unavailable",
        "The server is currently overloaded",
        "Internal server error",
        "Connection error.",
        "TypeError: Failed to fetch",
        "Load failed",
        "NetworkError when attempting to fetch resource.",
        "read ECONNRESET",
        "socket hang up",
        "Request timed out.",
        "Stream ended without finish_reason",
        "request to https://h/v1 failed, reason: x",
        "upstream connect error or disconnect/reset before headers",
        "You can retry your request",
    ];
    for text in retryable {
        assert!(is_retryable_text(text), "{text}");
    }
    let final_ones = [
        "429: insufficient_quota",
        "Monthly usage limit reached, rate limit",
        "503: billing is not set up",
        "{\"code\": 1308}, server error",
        "400: bad request",
        "model 5030 not found",
    ];
    for text in final_ones {
        assert!(!is_retryable_text(text), "{text}");
    }
}

/// The texts that this crate makes itself mean to `is_retryable_text` what their kind says.
#[test]
fn own_texts_agree_with_their_verdict() {
    for error in [ProviderError::incomplete(), ProviderError::stalled(1000), ProviderError::network("Load failed")] {
        assert_eq!(is_retryable_text(&error.message), error.retryable, "{error}");
    }
}

#[test]
fn texts_are_described_and_capped() {
    assert_eq!(describe(None, Some(500), " boom "), "500: boom");
    assert_eq!(describe(Some("OpenAI API error"), Some(500), "boom"), "OpenAI API error (500): boom");
    assert_eq!(describe(None, None, "boom"), "boom");
    assert_eq!(describe(None, Some(502), ""), "502 status code (no body)");
    assert_eq!(cap("short"), "short");
    let long = "é".repeat(4100);
    assert_eq!(cap(&long), format!("{}... [truncated 100 chars]", "é".repeat(4000)));
    assert_eq!(body_message("{\"detail\":\"no such model\"}").as_deref(), Some("no such model"));
    assert_eq!(body_message("{\"n\":1}"), None);
}

/// Case g03 and its kind. Left: with the key known; the second pair: without.
#[test]
fn keys_are_taken_out() {
    let g03 = "HTTP 400 for url 'https://g.example/v1beta/models/m:generateContent?key=AIzaFAKEKEY' Authorization: Bearer sk-fake-abc";
    let clean = "HTTP 400 for url 'https://g.example/v1beta/models/m:generateContent?key=[redacted]' Authorization: Bearer [redacted]";
    assert_eq!(redact(g03, &["AIzaFAKEKEY"]), clean);
    assert_eq!(redact(g03, &[]), clean);
    for (text, keys, expected) in [
        ("my key is hunter22!", &["hunter22"][..], "my key is [redacted]!"),
        ("abcd1234 abcd", &["abcd", "abcd1234"], "[redacted] [redacted]"),
        ("a b c", &["a", "", " "], "a b c"),
        ("{\"api_key\":\"secret-123\",\"n\":1}", &[], "{\"api_key\":\"[redacted]\",\"n\":1}"),
        ("x-api-key: abcdefgh", &[], "x-api-key: [redacted]"),
        (
            "https://user:pass@host/v1?a=1&access_token=zzzzzzzz&b=2",
            &[],
            "https://[redacted]@host/v1?a=1&access_token=[redacted]&b=2",
        ),
        (
            "Incorrect API key provided: sk-proj-abcdef123456. See docs",
            &[],
            "Incorrect API key provided: [redacted] See docs",
        ),
        ("BEARER abc.def", &[], "BEARER [redacted]"),
        (
            "the token count is 12, key: value, a sk-learn task-list",
            &[],
            "the token count is 12, key: value, a sk-learn task-list",
        ),
        ("gsk_abcdefgh hf_abcdefgh xai-abcdefgh", &[], "[redacted] [redacted] [redacted]"),
        ("数据 sk-数据数据", &[], "数据 [redacted]"),
        ("", &["key1"], ""),
    ] {
        assert_eq!(redact(text, keys), expected);
    }
}

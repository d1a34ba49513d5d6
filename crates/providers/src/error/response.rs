//! The text of a failure: `status: body`, with the body reduced to what a person can use (§6.10).

use std::borrow::Cow;

use serde_json::Value;

use super::{ErrorKind, ProviderError, classify};

const MAX_CHARS: usize = 4000;

/// Sorts an answer that is not 2xx. `body` may be JSON, a web page, text or empty.
pub fn from_response(status: u16, body: &[u8]) -> ProviderError {
    let text = String::from_utf8_lossy(body);
    let text = text.trim();
    if is_web_page(text) {
        let sorted = classify(Some(status), "", "");
        let message = describe(None, Some(status), web_page_text());
        return ProviderError { message, ..sorted };
    }
    let Ok(json) = serde_json::from_str::<Value>(text) else { return classify(Some(status), "", text) };
    let (code, message) = parts(&json);
    let sorted = classify(Some(status), &code, text);
    ProviderError { message: describe(None, Some(status), message.as_deref().unwrap_or(text)), ..sorted }
}

/// Sorts an error object that came inside a stream, exactly as a status and a body would be (rule 3 of the cases).
pub(crate) fn from_error_value(value: &Value) -> ProviderError {
    let (code, message) = parts(value);
    let text = value.to_string();
    let sorted = classify(None, &code, &text);
    let message = message.unwrap_or(text);
    let message = match sorted.status {
        // The code's word tells the sort to whoever has only the text.
        None if !code.is_empty() && !message.contains(&code) => format!("{code}: {message}"),
        status => describe(None, status, &message),
    };
    ProviderError { message: cap(&message).into_owned(), ..sorted }
}

/// An answer that should have been a model stream and is a web page.
pub(crate) fn web_page() -> ProviderError {
    ProviderError::of(ErrorKind::NotAStream, false, web_page_text())
}

fn web_page_text() -> &'static str {
    "The server answered with a web page, not a model stream. Check the base URL: it usually ends in /v1."
}

/// Whether text that should be JSON or events is HTML.
pub(crate) fn is_web_page(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

/// The message of a JSON error body, wherever the provider put it; `None` if it has none.
pub fn body_message(body: &str) -> Option<String> {
    parts(&serde_json::from_str(body).ok()?).1
}

/// Code and message of an error value: the object under `error`, or the value itself.
fn parts(value: &Value) -> (String, Option<String>) {
    // Some gateways answer with a list of one error.
    let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
    let error = match value.get("error") {
        Some(Value::Null) | None => value,
        Some(error) => error,
    };
    let mut code = String::new();
    for field in ["code", "status", "type"] {
        match error.get(field) {
            Some(Value::String(word)) if word != "error" => code = join(code, word),
            Some(Value::Number(number)) => code = join(code, &number.to_string()),
            _ => {}
        }
    }
    let text = |value: &Value| value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(ToOwned::to_owned);
    let message = text(error)
        .or_else(|| error.get("message").and_then(text))
        .or_else(|| error.get("detail").and_then(text))
        .or_else(|| error.get("error").and_then(text))
        .or_else(|| value.get("message").and_then(text));
    (code, message)
}

fn join(mut code: String, part: &str) -> String {
    if !code.is_empty() {
        code.push(' ');
    }
    code.push_str(part);
    code
}

/// `status: body`, `provider (status): body`, or the body alone; an empty body is said to be missing.
pub fn describe(provider: Option<&str>, status: Option<u16>, body: &str) -> String {
    let body = cap(body.trim());
    match (provider, status) {
        (None, Some(status)) if body.is_empty() => format!("{status} status code (no body)"),
        (None, Some(status)) => format!("{status}: {body}"),
        (Some(provider), Some(status)) => format!("{provider} ({status}): {body}"),
        (_, None) if body.is_empty() => "The provider reported an error without a message".to_owned(),
        (_, None) => body.into_owned(),
    }
}

/// The first 4000 characters, and how many more there were.
pub fn cap(text: &str) -> Cow<'_, str> {
    let Some((at, _)) = text.char_indices().nth(MAX_CHARS) else { return Cow::Borrowed(text) };
    let rest = text.get(at..).unwrap_or_default().chars().count();
    Cow::Owned(format!("{}... [truncated {rest} chars]", text.get(..at).unwrap_or_default()))
}

//! URLs, as the browser itself will read them: a key's origin must never be parsed by other rules than the request's.

/// `scheme://host[:port]` of an absolute http(s) URL; `None` for anything else.
pub fn http_origin(url: &str) -> Option<String> {
    let url = web_sys::Url::new(url.trim()).ok()?;
    matches!(url.protocol().as_str(), "http:" | "https:").then(|| url.origin())
}

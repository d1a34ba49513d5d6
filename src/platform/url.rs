//! URLs, as the browser itself will read them: a key's origin must never be parsed by other rules than the request's.

/// `scheme://host[:port]` of an absolute http(s) URL; `None` for anything else.
pub fn http_origin(url: &str) -> Option<String> {
    let url = web_sys::Url::new(url.trim()).ok()?;
    matches!(url.protocol().as_str(), "http:" | "https:").then(|| url.origin())
}

/// Whether an address has nothing but scheme, host, port and path: what a path can be added to.
pub fn is_plain(url: &str) -> bool {
    web_sys::Url::new(url.trim())
        .is_ok_and(|url| [url.username(), url.password(), url.search(), url.hash()].iter().all(String::is_empty))
}

//! [`HttpRequest`]: what a driver is to send.

use std::fmt;

/// One request, complete. The driver adds nothing but the signal and, where the browser insists, its own headers.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// `POST` or `GET`.
    pub method: &'static str,
    /// Absolute. Never holds a key.
    pub url: String,
    /// Names in lower case. One of them may hold the key: show headers only through [`fmt::Debug`] or
    /// [`crate::error::redact`].
    pub headers: Vec<(String, String)>,
    /// JSON, UTF-8.
    pub body: Vec<u8>,
}

impl fmt::Debug for HttpRequest {
    /// Shows no header value that could be a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<_> = self
            .headers
            .iter()
            .map(|(name, value)| {
                let secret = name == "authorization" || name.contains("key");
                (name.as_str(), if secret { "[redacted]" } else { value.as_str() })
            })
            .collect();
        f.debug_struct("HttpRequest")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &headers)
            .field("body", &String::from_utf8_lossy(&self.body))
            .finish()
    }
}

//! [`request`]: a model request to an HTTP request, at the cost of what is new in the history.

use vitrine_agent::model::{ModelInfo, ModelRequest};

use crate::http::HttpRequest;

/// Encoded messages of earlier requests, kept by the identity of the message. One cache serves one session.
#[derive(Debug, Default)]
pub struct BodyCache {}

/// `POST {base_url}/chat/completions`. Never fails: what cannot be sent is repaired or left out.
pub fn request(_request: &ModelRequest, _key: Option<&str>, _cache: &mut BodyCache) -> HttpRequest {
    HttpRequest { method: "POST", url: String::new(), headers: Vec::new(), body: Vec::new() }
}

/// `GET {base_url}/models`: the cheapest question to ask when a connection is tested.
pub fn models_request(_model: &ModelInfo, _key: Option<&str>) -> HttpRequest {
    HttpRequest { method: "GET", url: String::new(), headers: Vec::new(), body: Vec::new() }
}

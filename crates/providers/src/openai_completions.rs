//! OpenAI Chat Completions, and the many servers that speak something like it.
//!
//! [`request`] builds one request, [`Decoder`] reads its answer. What differs from server to server is data in [`Quirks`].

mod adapt;
mod arguments;
mod calls;
mod decode;
mod encode;
mod messages;
mod options;
mod quirks;
mod reasoning;
mod reasoning_details;
mod request;
mod validate;
mod wire;

pub use adapt::adapt;
pub use decode::{DecodeOptions, Decoder};
pub use messages::BodyCache;
pub use options::{CacheRetention, RequestOptions};
pub use quirks::{IdFormat, MaxTokensField, PromptCacheKeyMode, Quirks, SessionAffinityFormat, ThinkingFormat};
pub use request::{models_request, request, request_with};
pub use validate::validate_request_body;

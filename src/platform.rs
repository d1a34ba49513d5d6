//! The browser, port by port. A `JsValue` lives here and nowhere else; outside there are plain types and typed errors.
//!
//! `page_port` is not in this list: it exports `mount` to JavaScript, and an export of a library would stand in every
//! module that links it. The page's binary takes it in by path.

pub mod clock;
pub mod dom;
pub mod fetch;
pub mod js_error;
pub mod lock;
pub mod node;
pub mod opfs;
pub mod permission;
pub mod random;
pub mod unicode;
pub mod url;
pub mod worker_port;

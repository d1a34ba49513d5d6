//! The browser, port by port. A `JsValue` lives here and nowhere else; outside there are plain types and typed errors.
//!
//! `page_port`, `markdown_link` and `markdown_port` are not in this list: they export to JavaScript, and an export of a
//! library would stand in every module that links it. The page's binary takes the first two in by path, the parser's the
//! third; `transfer_port` is in the transfer module in the same way. `shell_port` is the shell's alone, since it names what
//! only that module has.

pub mod blob;
pub mod channel;
pub mod clock;
pub mod dom;
pub mod encoding;
pub mod fetch;
pub mod folder;
pub mod folder_link;
pub mod images;
pub mod js_error;
pub mod keepsake;
pub mod lock;
pub mod node;
pub mod opfs;
pub mod page_life;
pub mod permission;
pub mod picker;
pub mod random;
pub mod shell_link;
pub mod transfer_link;
pub mod unicode;
pub mod url;
pub mod worker_port;

//! The browser side that page and worker share: one module a thing outside, and the only code that touches `web-sys`.
#[cfg(target_family = "wasm")]
pub mod platform;

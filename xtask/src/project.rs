//! Where things are in this checkout.

use std::env;
use std::path::{Path, PathBuf};

/// The checkout's root.
pub fn root() -> PathBuf {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Cargo's target folder.
pub fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Tools that set-up installed for this checkout alone.
pub fn tools() -> PathBuf {
    target().join("tools")
}

/// What the steps of a site build leave for the next one.
pub fn site() -> PathBuf {
    target().join("site")
}

/// The finished site.
pub fn dist() -> PathBuf {
    root().join("dist")
}

//! A few words that the page keeps in this browser (`localStorage`). Where a browser refuses, nothing is kept.

/// What was kept.
pub fn get(name: &str) -> Option<String> {
    storage()?.get_item(name).ok().flatten()
}

/// Keeps something in place of what was.
pub fn set(name: &str, text: &str) {
    if let Some(storage) = storage() {
        // Full, or refused: what is shown does not depend on it.
        let _ = storage.set_item(name, text);
    }
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}

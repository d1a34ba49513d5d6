//! API keys: in memory, each bound to the one origin it may be sent to.

use std::collections::BTreeMap;

use vitrine::platform::url::http_origin;
use vitrine_protocol::notification::Problem;

/// The keys of this worker. Its `Debug` shows origins only.
#[derive(Default)]
pub struct Keys(BTreeMap<String, String>);

impl Keys {
    /// Keeps a key for an origin, in place of the one before; an empty key removes it.
    pub fn set(&mut self, key: &str, origin: &str) -> Result<(), Problem> {
        let origin = http_origin(origin).ok_or_else(|| {
            Problem::new(
                "invalid-origin",
                format!("a key is bound to one origin, and this is none: {origin}"),
                "give scheme and host, like https://api.example.com",
            )
        })?;
        let key = key.trim();
        if key.is_empty() {
            self.0.remove(&origin);
        } else if key.bytes().all(|byte| (0x21..0x7f).contains(&byte)) {
            self.0.insert(origin, key.to_owned());
        } else {
            return Err(Problem::new(
                "invalid-key",
                "the key has characters that no header can carry",
                "copy it again, without spaces or line breaks",
            ));
        }
        Ok(())
    }

    /// The key for a URL, if its origin has one.
    pub fn for_url(&self, url: &str) -> Option<&str> {
        self.0.get(&http_origin(url)?).map(String::as_str)
    }

    /// All keys, to be kept out of texts.
    pub fn all(&self) -> Vec<String> {
        self.0.values().cloned().collect()
    }

    /// Drops every key.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

//! Characters, as the browser knows them.

use js_sys::{JsString, RegExp};
use vitrine_tools::Unicode;

/// The browser's Unicode tables.
#[derive(Clone, Copy, Debug)]
pub struct Browser;

impl Unicode for Browser {
    fn composed(&self, text: &str) -> String {
        JsString::from(text).normalize("NFC").into()
    }

    fn compatible(&self, text: &str) -> String {
        JsString::from(text).normalize("NFKC").into()
    }

    fn without_marks(&self, text: &str) -> (String, String) {
        let text = JsString::from(text).normalize("NFD");
        let without = |what: &str| String::from(text.replace_by_pattern(&RegExp::new(what, "gu"), ""));
        (without("\\p{M}"), without("\\P{M}"))
    }
}

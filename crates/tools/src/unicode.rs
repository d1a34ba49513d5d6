//! [`Unicode`]: what is known of characters that looking at their numbers does not tell.
//!
//! A browser knows it, and the tables would be among the largest things in a module that is downloaded; so it is a port.
//! What other systems use is [`Tables`].

use std::fmt;

/// Equivalence of characters. All functions are pure, cannot fail, and are asked only about texts that are not ASCII.
pub trait Unicode: fmt::Debug {
    /// The text in normalization form C: each letter one character with its marks, where there is such a character.
    fn composed(&self, text: &str) -> String;
    /// The text in normalization form KC: compatible characters, such as ligatures and wide letters, are the plain ones.
    fn compatible(&self, text: &str) -> String;
    /// The text in normalization form D, taken apart into what is no mark and the marks (general category M), each in
    /// order.
    fn without_marks(&self, text: &str) -> (String, String);
}

/// By tables that are compiled in. Behind the feature `tables`, which is on by default.
#[cfg(feature = "tables")]
#[derive(Clone, Copy, Debug)]
pub struct Tables;

#[cfg(feature = "tables")]
impl Unicode for Tables {
    fn composed(&self, text: &str) -> String {
        unicode_normalization::UnicodeNormalization::nfc(text).collect()
    }

    fn compatible(&self, text: &str) -> String {
        unicode_normalization::UnicodeNormalization::nfkc(text).collect()
    }

    fn without_marks(&self, text: &str) -> (String, String) {
        let is_mark = |character: &char| unicode_normalization::char::is_combining_mark(*character);
        let (marks, letters) = unicode_normalization::UnicodeNormalization::nfd(text).partition(is_mark);
        (letters, marks)
    }
}

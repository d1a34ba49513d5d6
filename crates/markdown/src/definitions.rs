//! Link reference definitions (`[label]: address`), kept after the text they stood in has been parsed and dropped.

use std::collections::BTreeMap;

use unicase::UniCase;

/// Definitions by label; the first of a label wins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definitions(BTreeMap<String, (String, String)>);

impl Definitions {
    /// Keeps one, unless its label is taken.
    pub(crate) fn add(&mut self, label: &str, address: &str, title: &str) {
        self.0.entry(normal(label)).or_insert_with(|| (address.to_owned(), title.to_owned()));
    }

    /// Address and title of a label.
    pub(crate) fn find(&self, label: &str) -> Option<(&str, &str)> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&normal(label)).map(|(address, title)| (address.as_str(), title.as_str()))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Labels match without regard to case and to how much white space is between words. Case is folded by the parser's own
/// tables: the standard library's would be there a second time, and fold by another rule.
fn normal(label: &str) -> String {
    let mut text = String::with_capacity(label.len());
    for word in label.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&UniCase::new(word).to_folded_case());
    }
    text
}

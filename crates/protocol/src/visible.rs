//! Making visible what a name hides: a tool called `\u{202e}daer` would read as `read`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Whether a character changes how its neighbours are shown, or shows nothing itself.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            // Zero-width characters and marks of direction; embeddings and overrides; word joiners and isolates; the byte
            // order mark; tags.
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
            | '\u{ad}' | '\u{61c}' | '\u{180e}')
}

/// The text with every hidden character spelled out, for names, paths and other words a decision hangs on.
///
/// ```
/// assert_eq!(vitrine_protocol::visible::visible("\u{202e}daer"), "⟨U+202E⟩daer");
/// assert_eq!(vitrine_protocol::visible::visible("文件/a b.txt"), "文件/a b.txt");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_hidden(character) {
            // Writing to a String does not fail.
            let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(character));
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// The start of a text as one line, at most `most` characters of it: for lists. It ends in `…` where there is more.
///
/// ```
/// assert_eq!(vitrine_protocol::visible::one_line("first\nsecond", 9), "first sec…");
/// ```
pub fn one_line(text: &str, most: usize) -> String {
    let mut characters = text.chars().map(|character| if character.is_control() { ' ' } else { character });
    let mut line: String = characters.by_ref().take(most).collect();
    if characters.next().is_some() {
        line.push('…');
    }
    line
}

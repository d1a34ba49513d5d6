//! The order in which names are listed: as people sort them, not as computers number their characters.

use crate::unicode::Unicode;

/// A sort key: blanks and signs, then digits, then letters; neither case nor accents count before all letters do.
/// Of names that differ in nothing else, the plainer comes first and a capital before its small letter.
pub fn key(name: &str, unicode: &dyn Unicode) -> Key {
    let (letters, marks) = if name.is_ascii() { (name.to_owned(), String::new()) } else { unicode.without_marks(name) };
    let letters = letters.chars().flat_map(char::to_lowercase);
    let primary = letters.map(|character| (class(character), character)).collect();
    Key { primary, marks, name: name.to_owned() }
}

/// See [`key`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    primary: Vec<(u8, char)>,
    marks: String,
    name: String,
}

/// Signs have the order of the Unicode collation, which is not that of their code points.
fn class(character: char) -> u8 {
    const SIGNS: &str = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
    const OTHER_SIGN: u8 = 100;
    const DIGIT: u8 = 101;
    const LETTER: u8 = 102;
    // Nearly every character of a name, and none of the signs.
    if character.is_ascii_alphanumeric() {
        return if character.is_ascii_digit() { DIGIT } else { LETTER };
    }
    match SIGNS.chars().position(|sign| sign == character) {
        Some(position) => u8::try_from(position).unwrap_or(OTHER_SIGN),
        None if character.is_numeric() => DIGIT,
        None if character.is_alphabetic() => LETTER,
        None => OTHER_SIGN,
    }
}

#[cfg(all(test, feature = "tables"))]
mod tests {
    use super::*;
    use crate::unicode::Tables;

    #[test]
    fn names_sort_as_people_sort_them() {
        let sorted = [
            "_u", "-x", ".dot", "10", "9", "a", "a-b", "a.b", "a1", "Apple", "apple", "B", "bom", "é", "e1", "ea",
            "éa", "f.txt", "sub", "Ünï", "wide", "Zed", "ж", "中文",
        ];
        let mut names = sorted;
        names.reverse();
        names.sort_by_key(|name| key(name, &Tables));
        assert_eq!(names, sorted);
    }
}

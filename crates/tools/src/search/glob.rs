//! One glob as a regular expression.

/// Bytes of one glob.
const MAX_GLOB: usize = 4096;

/// The expression, for a whole path: `*` and `?` stop at `/`, `**` as a whole name stands for any number of folders, `[a-z]`
/// is one of these characters and `[!a-z]` one of the others, `{a,b}` is one or the other, and a backslash takes its meaning
/// from what follows. The error is for the model.
pub fn expression(glob: &str) -> Result<String, String> {
    let wrong = |what: &str| format!("not a glob: {what} in '{glob}'");
    if glob.len() > MAX_GLOB {
        return Err(format!("a glob of {} bytes is longer than {MAX_GLOB}", glob.len()));
    }
    // By ripgrep's reading nothing is left to come behind the folders.
    let glob = if !glob.is_empty() && glob.split("**/").all(str::is_empty) { "**" } else { glob };
    let mut expression = String::from("^");
    let mut rest = glob;
    // Where in the expression the alternative of each open brace begins.
    let mut alternatives: Vec<usize> = Vec::new();
    let mut place = Place::Start;
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..).unwrap_or_default();
        let before = std::mem::replace(&mut place, Place::Inside);
        rest = after;
        match character {
            '*' => {
                let stars = 1 + after.bytes().take_while(|byte| *byte == b'*').count();
                rest = after.get(stars - 1..).unwrap_or_default();
                let is_last = rest.is_empty()
                    || before == Place::Name && !alternatives.is_empty() && rest.starts_with([',', '}']);
                match (before, rest.strip_prefix('/')) {
                    (Place::Start, Some(behind)) if stars == 2 => {
                        expression.push_str("(?s-u:/?|.*/)");
                        (rest, place) = (behind, Place::Name);
                    }
                    (Place::Name, Some(behind)) if stars == 2 => {
                        expression.push_str("(?s-u:(?:.*/)?)");
                        (rest, place) = (behind, Place::Name);
                    }
                    (Place::Start | Place::Name, None) if stars == 2 && is_last => expression.push_str("(?s-u:.)*"),
                    (Place::Start | Place::Name | Place::Inside, _) => expression.push_str("(?-u:[^/])*"),
                }
            }
            '/' => {
                expression.push('/');
                place = Place::Name;
            }
            '?' => expression.push_str("[^/]"),
            '[' => {
                let (class, after) =
                    class(after).ok_or_else(|| wrong("'[' without ']', or a range the wrong way round"))?;
                expression.push_str(&class);
                rest = after;
            }
            '{' => {
                expression.push_str("(?:");
                alternatives.push(expression.len());
                place = Place::Start;
            }
            // By ripgrep's reading an empty alternative is none.
            ',' if let Some(start) = alternatives.last_mut() => {
                if expression.len() > *start {
                    expression.push('|');
                    *start = expression.len();
                }
                place = Place::Start;
            }
            '}' => {
                let start = alternatives.pop().ok_or_else(|| wrong("'}' without '{'"))?;
                if expression.len() > start {
                    expression.push(')');
                } else if expression.ends_with('|') {
                    expression.pop();
                    expression.push(')');
                } else {
                    expression.truncate(start - "(?:".len());
                }
            }
            '\\' => {
                let escaped = after.chars().next().ok_or_else(|| wrong("nothing behind the backslash"))?;
                push(&mut expression, escaped);
                rest = after.get(escaped.len_utf8()..).unwrap_or_default();
            }
            other => push(&mut expression, other),
        }
    }
    if !alternatives.is_empty() {
        return Err(wrong("'{' without '}'"));
    }
    expression.push('$');
    Ok(expression)
}

/// Where in a glob something stands, which makes `**` what it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing is before it, or nothing of its alternative in braces.
    Start,
    /// At the start of a name.
    Name,
    /// Behind something else.
    Inside,
}

/// What is behind a `[`, and what is behind its `]`. A `]` at its head is a character like others.
fn class(text: &str) -> Option<(String, &str)> {
    let (is_negated, text) = text.strip_prefix(['!', '^']).map_or((false, text), |rest| (true, rest));
    let mut class = String::from(if is_negated { "[^/" } else { "[" });
    let mut characters = text.char_indices().peekable();
    let mut is_first = true;
    while let Some((at, first)) = characters.next() {
        if first == ']' && !is_first {
            class.push(']');
            return Some((class, text.get(at + 1..)?));
        }
        is_first = false;
        let mut last = first;
        let mut ahead = characters.clone();
        if matches!(ahead.next(), Some((_, '-')))
            && let Some((_, end)) = ahead.next().filter(|(_, end)| *end != ']')
        {
            last = end;
            characters = ahead;
        }
        if last < first {
            return None;
        }
        class.push_str(&format!("\\x{{{:x}}}-\\x{{{:x}}}", u32::from(first), u32::from(last)));
    }
    None
}

fn push(expression: &mut String, character: char) {
    if regex_syntax::is_meta_character(character) {
        expression.push('\\');
    }
    expression.push(character);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::globs::{Case, Globs};

    #[test]
    fn globs_match_whole_paths() {
        let cases: [(&str, &[&str], &[&str]); 26] = [
            ("*.ts", &["a.ts", ".ts", "é.ts"], &["a/b.ts", "a.tsx", "a_ts"]),
            ("?.ts", &["a.ts", "é.ts"], &[".ts", "ab.ts", "/.ts"]),
            ("src/**", &["src/a", "src/a/b", "src/"], &["src", "a/src/b"]),
            ("**/a", &["a", "b/a", "b/c/a"], &["ba", "a/b"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb"]),
            ("**", &["a", "a/b", ""], &[]),
            ("**/", &["a", "a/b", ""], &[]),
            ("**/**/", &["a", "a/b", ""], &[]),
            ("a**b", &["ab", "axb"], &["a/b"]),
            ("***", &["a"], &["a/b"]),
            ("**/**/a", &["a", "x/y/a"], &["xa"]),
            ("[a-c]x", &["ax", "cx"], &["dx", "-x"]),
            ("[!a-c]x", &["dx", "éx"], &["ax", "/x"]),
            ("[]-]", &["]", "-"], &["a", "[]-]"]),
            ("{a,b{c,d}}.ts", &["a.ts", "bc.ts", "bd.ts"], &["b.ts", "c.ts"]),
            ("{**/x,y}", &["x", "a/x", "y"], &["a/y"]),
            ("{y,**/x}.c", &["x.c", "a/x.c", "y.c"], &["a/y.c"]),
            ("{a/**,b}", &["a/x", "a/x/y", "b"], &["a", "b/x"]),
            ("{a/**,b}/c", &["a/x/c", "b/c"], &["a/c", "x/c"]),
            ("{**,b}", &["a", "b"], &["a/b"]),
            ("x{a,,b,}", &["xa", "xb"], &["x", "xab"]),
            ("x{{,},a}{}{,}", &["xa"], &["x"]),
            ("a,b", &["a,b"], &["a"]),
            ("\\*\\[a", &["*[a"], &["x[a"]),
            ("a.b+(c)|d^$", &["a.b+(c)|d^$"], &["axb"]),
            ("", &[""], &["a"]),
        ];
        for (glob, matching, others) in cases {
            let (globs, error) = Globs::new([glob], Case::Sensitive);
            assert_eq!(error, None, "{glob}");
            for path in matching {
                assert_eq!(globs.last_match(path, |_| true), Some(0), "{glob} {path}");
            }
            for path in others {
                assert_eq!(globs.last_match(path, |_| true), None, "{glob} {path}");
            }
        }
    }

    #[test]
    fn what_is_no_glob_is_refused() {
        for glob in ["[a", "[", "[]", "[z-a]", "{a", "a}", "a\\", "{{a}", &"a".repeat(MAX_GLOB + 1)] {
            assert!(expression(glob).is_err(), "{glob:.20}");
        }
    }
}

//! What of a line that is still being typed may be shown: not what may yet turn out to be markup.

use crate::fence::fence_mark;

/// The text without its last line, if that line is unfinished and may yet become a fence, a rule, a marker, the line below
/// a heading or a table's head, or a link definition. Everything else is shown at once.
pub(crate) fn shown(text: &str) -> &str {
    let start = text.rfind('\n').map_or(0, |end| end + 1);
    let (done, last) = text.split_at(start);
    let hide = match open_fence(done) {
        Some(mark) => {
            let marks = last.trim_matches([' ', '>']);
            !marks.is_empty() && marks.chars().all(|c| c == mark)
        }
        None => may_be_markup(last),
    };
    if hide { done } else { text }
}

/// The character of the fence that is open at the end of these lines, in whatever lists and quotes it stands. Near
/// enough: it decides what is held back, not what is code.
fn open_fence(lines: &str) -> Option<char> {
    let mut open: Option<(char, usize)> = None;
    for line in lines.lines() {
        match (open, fence_mark(without_containers(line))) {
            (None, Some((mark, len, _))) => open = Some((mark, len)),
            (Some((mark, len)), Some((closing, closing_len, after)))
                if closing == mark && closing_len >= len && after.trim().is_empty() =>
            {
                open = None;
            }
            (None, None) | (Some(_), _) => {}
        }
    }
    open.map(|(mark, _)| mark)
}

fn may_be_markup(line: &str) -> bool {
    if line.is_empty() {
        return false;
    }
    let rest = without_containers(line).trim_end();
    let only = |set: &str| rest.chars().all(|c| set.contains(c));
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.is_empty()
        || only("`")
        || fence_mark(rest).is_some()
        || only("~")
        || only("=")
        || only("*- _+")
        || only("|:- ")
        || (only("#") && rest.len() <= 6)
        || (rest.len() - digits.len() <= 3 && matches!(digits, "" | "." | ")"))
        || (rest.starts_with('[') && rest.contains("]:"))
}

/// The line without indentation, quote marks and list markers.
fn without_containers(line: &str) -> &str {
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let after = if let Some(after) = rest.strip_prefix('>') {
            Some(after)
        } else if let Some(after) = rest.strip_prefix(['-', '+', '*']) {
            after.starts_with(' ').then_some(after)
        } else if number.len() < rest.len() {
            number.strip_prefix(['.', ')']).filter(|after| after.starts_with(' '))
        } else {
            None
        };
        match after {
            Some(after) => rest = after,
            None => return rest,
        }
    }
}

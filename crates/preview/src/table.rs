//! Separated values as a table, read as RFC 4180 says, and past it as spreadsheets do.

/// Rows and columns that are shown at most.
const ROWS: usize = 1000;
const COLUMNS: usize = 100;
/// The characters of a cell that are shown.
const CELL: usize = 500;

const STYLE: &str = "html{color-scheme:light dark}body{margin:0;font:13px/20px system-ui,sans-serif}\
    table{border-collapse:collapse}th,td{padding:2px 10px;border:1px solid color-mix(in srgb,currentColor 22%,transparent);\
    text-align:left;vertical-align:top;white-space:pre-wrap;max-width:40ch;overflow-wrap:anywhere}\
    th{position:sticky;top:0;background:Canvas;font-weight:600}td.n{text-align:right;font-variant-numeric:tabular-nums}\
    p{padding:0 10px;opacity:.7}";

/// The document for a table. Its first row is its head.
pub fn compose(text: &str, by_tabs: bool) -> String {
    let separator = if by_tabs { '\t' } else { separator_of(text) };
    let mut out = format!("<!doctype html><meta charset=\"utf-8\"><style>{STYLE}</style><table>");
    let mut rows = Rows { rest: text.strip_prefix('\u{FEFF}').unwrap_or(text), separator };
    for (index, row) in rows.by_ref().take(ROWS).enumerate() {
        out.push_str("<tr>");
        for cell in row.iter().take(COLUMNS) {
            let is_number = cell.trim().parse::<f64>().is_ok();
            out.push_str(match (index, is_number) {
                (0, _) => "<th>",
                (_, true) => "<td class=n>",
                (_, false) => "<td>",
            });
            escape(cell, &mut out);
        }
    }
    out.push_str("</table>");
    if !rows.rest.is_empty() {
        out.push_str("<p>…");
    }
    out
}

/// What stands most often in the first line.
fn separator_of(text: &str) -> char {
    let line = text.lines().next().unwrap_or_default();
    let count = |separator: char| line.chars().filter(|c| *c == separator).count();
    // Of equals the first: commas are what the name says.
    [';', '\t'].into_iter().fold(',', |best, other| if count(other) > count(best) { other } else { best })
}

fn escape(cell: &str, out: &mut String) {
    for c in cell.chars().take(CELL) {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
    if cell.chars().nth(CELL).is_some() {
        out.push('…');
    }
}

struct Rows<'a> {
    rest: &'a str,
    separator: char,
}

impl Iterator for Rows<'_> {
    type Item = Vec<String>;

    fn next(&mut self) -> Option<Vec<String>> {
        if self.rest.is_empty() {
            return None;
        }
        let mut row = Vec::new();
        loop {
            let (cell, ended) = self.cell();
            row.push(cell);
            if ended {
                return Some(row);
            }
        }
    }
}

impl Rows<'_> {
    /// The next cell, and whether its row ends with it.
    fn cell(&mut self) -> (String, bool) {
        let mut cell = String::new();
        // A quote in the middle of a cell is one: only at its beginning it holds the rest together.
        if let Some(mut quoted) = self.rest.strip_prefix('"') {
            loop {
                let Some((inside, after)) = quoted.split_once('"') else {
                    cell.push_str(quoted);
                    quoted = "";
                    break;
                };
                cell.push_str(inside);
                match after.strip_prefix('"') {
                    Some(again) => {
                        cell.push('"');
                        quoted = again;
                    }
                    None => {
                        quoted = after;
                        break;
                    }
                }
            }
            self.rest = quoted;
        }
        let end = self.rest.find([self.separator, '\n']).unwrap_or(self.rest.len());
        let (inside, after) = self.rest.split_at(end);
        let ended = !after.starts_with(self.separator);
        cell.push_str(if ended { inside.strip_suffix('\r').unwrap_or(inside) } else { inside });
        self.rest = after.get(1..).unwrap_or_default();
        (cell, ended)
    }
}

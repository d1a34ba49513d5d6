//! Numbers as the page writes them: short, with their unit, the same in every language.

/// A number of bytes: `84 B`, `6.4 kB`, `5.0 MB`. Decimal, one digit after the point; never rounds up into a unit it has
/// not reached.
pub fn size(n_bytes: usize) -> String {
    match n_bytes {
        0..1_000 => format!("{n_bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", n_bytes / 1_000, n_bytes % 1_000 / 100),
        _ => format!("{}.{} MB", n_bytes / 1_000_000, n_bytes % 1_000_000 / 100_000),
    }
}

/// A number of tokens: `950`, `1.6k`, `8k`, `128k`.
pub fn tokens(number: u64) -> String {
    match (number / 1_000, number % 1_000 / 100) {
        (0, _) => number.to_string(),
        (thousands @ 1..100, tenths @ 1..) => format!("{thousands}.{tenths}k"),
        (thousands, _) => format!("{thousands}k"),
    }
}

/// An amount of US dollars: `$0`, `$0.0042`, `$12.5000`. Below a hundredth of a cent it is `$0.0000`, which says that it was
/// not free. Counted in whole numbers: printing a float would bring its decimal tables into the page.
pub fn dollars(amount: f64) -> String {
    if amount <= 0.0 {
        return "$0".to_owned();
    }
    // Saturates, and NaN is 0: `as` from a float never wraps.
    let units = (amount * 10_000.0).round() as u64;
    format!("${}.{:04}", units / 10_000, units % 10_000)
}

/// The name of the n-th copy of a file: `notes.md`, `notes (2).md`, `notes (3).md`.
pub fn numbered(name: &str, copy: u32) -> String {
    if copy < 2 {
        return name.to_owned();
    }
    // A leading dot belongs to the name: `.env` has no extension.
    match name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()) {
        Some((stem, extension)) => format!("{stem} ({copy}).{extension}"),
        None => format!("{name} ({copy})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_have_four_places() {
        let cases = [(0.0, "$0"), (-1.0, "$0"), (0.000_01, "$0.0000"), (0.004_24, "$0.0042"), (12.5, "$12.5000")];
        assert_eq!(cases.map(|(amount, _)| dollars(amount)), cases.map(|(_, words)| words.to_owned()));
    }

    #[test]
    fn a_copy_keeps_its_extension() {
        let cases = [
            ("a.md", 1, "a.md"),
            ("a.md", 2, "a (2).md"),
            ("a.tar.gz", 3, "a.tar (3).gz"),
            ("文件", 2, "文件 (2)"),
            (".env", 2, ".env (2)"),
            ("", 2, " (2)"),
        ];
        let results = cases.map(|(name, copy, _)| (name, copy, numbered(name, copy)));
        assert_eq!(results, cases.map(|(name, copy, words)| (name, copy, words.to_owned())));
    }

    #[test]
    fn sizes_carry_their_unit() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (6_418, "6.4 kB"),
            (999_999, "999.9 kB"),
            (1_000_000, "1.0 MB"),
            (6_020_000, "6.0 MB"),
        ];
        let results = cases.map(|(n_bytes, _)| (n_bytes, size(n_bytes)));
        assert_eq!(results, cases.map(|(n_bytes, words)| (n_bytes, words.to_owned())));
    }

    #[test]
    fn tokens_are_short() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (1_590, "1.5k"),
            (8_000, "8k"),
            (99_900, "99.9k"),
            (128_500, "128k"),
        ];
        let results = cases.map(|(number, _)| (number, tokens(number)));
        assert_eq!(results, cases.map(|(number, words)| (number, words.to_owned())));
    }
}

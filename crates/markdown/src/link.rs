//! Which addresses may be followed or fetched: the only gate between what a model wrote and an `href`.

/// The address to put into `href`, if it may be a link: `http`, `https`, `mailto`, or `#…` on this page.
///
/// Browsers drop tabs and line ends inside an address and control characters and spaces around it before they look at its
/// scheme, so these are dropped before it is judged, and the judged text is what comes back.
pub fn link_target(address: &str) -> Option<String> {
    let address = cleaned(address);
    let (scheme, rest) = match address.split_once(':') {
        _ if address.starts_with('#') => return Some(address),
        Some(parts) => parts,
        None => return None,
    };
    let ok = match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => has_host(rest),
        "mailto" => !rest.is_empty(),
        _ => false,
    };
    ok.then_some(address)
}

/// The address to fetch an image from once the reader asks, if it may be one: `http` or `https`.
pub fn image_source(address: &str) -> Option<String> {
    let address = cleaned(address);
    let (scheme, rest) = address.split_once(':')?;
    let ok = matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") && has_host(rest);
    ok.then_some(address)
}

/// `//` and something that is not a path: an address without it would be taken as relative to the page.
fn has_host(rest: &str) -> bool {
    rest.strip_prefix("//").is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '\\', '?', '#']))
}

/// Without what no address has: control characters, and the invisible ones that serve only to deceive. Spaces inside are
/// percent-encoded.
fn cleaned(address: &str) -> String {
    let mut text = String::with_capacity(address.len());
    for character in address.trim_matches(|c: char| c.is_whitespace() || c.is_control()).chars() {
        match character {
            ' ' => text.push_str("%20"),
            c if c.is_control() || c.is_whitespace() || is_invisible(c) => {}
            c => text.push(c),
        }
    }
    text
}

/// Zero-width and direction characters: they hide what an address is.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_and_mail_addresses_and_anchors_become_links() {
        let cases = [
            ("https://ok.example/a?b=c#d", Some("https://ok.example/a?b=c#d")),
            ("HTTP://ok.example", Some("HTTP://ok.example")),
            ("mailto:a@b.example", Some("mailto:a@b.example")),
            ("#part", Some("#part")),
            (" \u{1}https://ok.example/a b", Some("https://ok.example/a%20b")),
            ("ht\ntps://ok.ex\u{200b}ample", Some("https://ok.example")),
            ("javascript:alert(1)", None),
            ("JaVa\tScRiPt:alert(1)", None),
            ("\u{1}javascript:alert(1)", None),
            ("java\u{0}script:alert(1)", None),
            ("javascript&colon;alert(1)", None),
            ("data:text/html;base64,PHNjcmlwdD4=", None),
            ("vbscript:x", None),
            ("blob:https://ok.example/1", None),
            ("file:///etc/passwd", None),
            ("//evil.example", None),
            ("\\\\evil.example", None),
            ("/etc/passwd", None),
            ("notes.md", None),
            ("https:evil", None),
            ("https:///evil", None),
            ("mailto:", None),
            ("", None),
        ];
        let results = cases.map(|(address, _)| (address, link_target(address)));
        assert_eq!(results, cases.map(|(address, target)| (address, target.map(str::to_owned))));
    }

    #[test]
    fn only_web_addresses_become_image_sources() {
        let cases = [
            ("https://ok.example/a.png", Some("https://ok.example/a.png")),
            ("data:image/svg+xml,<svg onload=alert(1)>", None),
            ("mailto:a@b.example", None),
            ("#x", None),
            ("a.png", None),
        ];
        let results = cases.map(|(address, _)| (address, image_source(address)));
        assert_eq!(results, cases.map(|(address, source)| (address, source.map(str::to_owned))));
    }
}

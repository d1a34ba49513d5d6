//! [`redact`]: keys out of texts that are shown, logged or exported.

const MARK: &str = "[redacted]";

/// Beginnings of the keys that providers give out.
const KEY_PREFIXES: &[&str] = &[
    "sk-",
    "sk_",
    "pk-",
    "AIza",
    "gsk_",
    "xai-",
    "hf_",
    "ghp_",
    "gho_",
    "github_pat_",
    "nvapi-",
    "r8_",
    "sess-",
    "AKIA",
    "csk-",
    "fw_",
    "pplx-",
    "tvly-",
];

/// Words whose value is a secret, as a query parameter (`?key=…`), a header (`x-api-key: …`) or a JSON field.
const SECRET_NAMES: &[&str] = &[
    "key",
    "api_key",
    "apikey",
    "api-key",
    "x-api-key",
    "x-goog-api-key",
    "access_token",
    "auth_token",
    "token",
    "authorization",
];

/// `text` without the known keys, and without whatever looks like a key: a server may echo one in its 401 text, and a
/// browser puts the whole URL in its errors (case g03).
///
/// Known keys shorter than four characters are left alone: they would tear words apart and protect nothing.
pub fn redact(text: &str, known_keys: &[&str]) -> String {
    let mut text = text.to_owned();
    // Longer first, so that a key that begins with another one does not leave its tail.
    let mut keys: Vec<_> = known_keys.iter().map(|key| key.trim()).filter(|key| key.chars().count() >= 4).collect();
    keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
    for key in keys {
        text = text.replace(key, MARK);
    }
    redact_patterns(&text)
}

fn redact_patterns(text: &str) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(next) = rest.chars().next() {
        // A key or a name begins where no letter or digit stands before it.
        if !before.is_some_and(|before: char| before.is_ascii_alphanumeric())
            && let Some((kept, secret)) = secret_at(rest)
        {
            let (head, tail) = rest.split_at(kept + secret);
            redacted.push_str(head.get(..kept).unwrap_or_default());
            redacted.push_str(MARK);
            before = head.chars().next_back();
            rest = tail;
            continue;
        }
        redacted.push(next);
        before = Some(next);
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
    redacted
}

/// If a secret begins here: how many bytes to keep before it, and how long it is.
fn secret_at(text: &str) -> Option<(usize, usize)> {
    if KEY_PREFIXES.iter().any(|prefix| text.starts_with(prefix)) {
        let length = token_length(text);
        let prefix =
            KEY_PREFIXES.iter().filter(|prefix| text.starts_with(**prefix)).map(|prefix| prefix.len()).min()?;
        if length >= prefix + 6 {
            return Some((0, length));
        }
    }
    if starts_with_ignoring_case(text, "bearer ") {
        return secret_after(text, "bearer ".len());
    }
    // Credentials in a URL.
    if let Some(authority) = text.strip_prefix("//") {
        let end = authority.find(['/', '?', '#', ' ', '"', '\'', '\n']).unwrap_or(authority.len());
        let at = authority.get(..end)?.rfind('@')?;
        return Some((2, at));
    }
    let name =
        SECRET_NAMES.iter().filter(|name| starts_with_ignoring_case(text, name)).max_by_key(|name| name.len())?;
    let after = text.get(name.len()..)?;
    // `key=`, `key: `, `"key":"`; a mere word that ends here is not a field.
    let sign = after.trim_start_matches(['"', '\'', '\\']).trim_start();
    let value = sign.strip_prefix(['=', ':'])?.trim_start_matches([' ', '"', '\'', '\\']);
    let kept = text.len() - value.len();
    if starts_with_ignoring_case(value, "bearer ") || value.starts_with(MARK) {
        return None;
    }
    secret_after(text, kept).filter(|(_, length)| *length >= 6)
}

fn secret_after(text: &str, kept: usize) -> Option<(usize, usize)> {
    let length = token_length(text.get(kept..)?);
    (length > 0).then_some((kept, length))
}

fn token_length(text: &str) -> usize {
    let is_end = |sign: char| {
        sign.is_whitespace()
            || matches!(sign, '&' | '"' | '\'' | '<' | '>' | ')' | '(' | ',' | ';' | '`' | '[' | ']' | '{' | '}' | '\\')
    };
    text.find(is_end).unwrap_or(text.len())
}

fn starts_with_ignoring_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

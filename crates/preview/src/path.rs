//! Addresses in a page, and the files they name.

/// The end of a name, in lower case; empty where there is none.
pub fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).unwrap_or_default()
}

/// The file that `address` names in a document at `base`: a path from the root. `None` for what is no relative address,
/// or leads out of the workspace.
pub fn resolve(base: &str, address: &str) -> Option<String> {
    let address = address.trim();
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let has_scheme = address.split('/').next().is_some_and(|first| first.contains(':'));
    if address.is_empty() || has_scheme || address.starts_with("//") {
        return None;
    }
    let mut parts: Vec<String> = Vec::new();
    if !address.starts_with('/')
        && let Some((folder, _)) = base.rsplit_once('/')
    {
        parts.extend(folder.split('/').map(str::to_owned));
    }
    for part in address.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(unescaped(name)),
        }
    }
    Some(parts.join("/"))
}

/// `%20` and its like as the bytes they stand for; as it is where that is no text.
fn unescaped(name: &str) -> String {
    if !name.contains('%') {
        return name.to_owned();
    }
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

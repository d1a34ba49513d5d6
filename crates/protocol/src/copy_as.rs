//! A request as a command for a terminal and as a call for a browser's console. Keys are masked in what they are made of.

use crate::requests::RequestInfo;

/// As a command of curl, for a POSIX shell.
pub fn curl(request: &RequestInfo, body: &str) -> String {
    let mut command = format!("curl -X {} {}", quoted(&request.method), quoted(&request.url));
    for (name, value) in &request.headers {
        command.push_str(" \\\n  -H ");
        command.push_str(&quoted(&format!("{name}: {value}")));
    }
    command.push_str(" \\\n  --data-raw ");
    command.push_str(&quoted(body));
    command
}

/// As a call of `fetch`.
pub fn fetch(request: &RequestInfo, body: &str) -> String {
    let headers: Vec<String> =
        request.headers.iter().map(|(name, value)| format!("    {}: {},\n", string(name), string(value))).collect();
    format!(
        "await fetch({}, {{\n  method: {},\n  headers: {{\n{}  }},\n  body: {},\n}});",
        string(&request.url),
        string(&request.method),
        headers.concat(),
        string(body)
    )
}

/// In single quotes, between which a shell takes everything as it is.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// As a string of JavaScript: JSON's, which has no line separators since they end lines in old engines.
fn string(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap_or_default();
    json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> RequestInfo {
        RequestInfo {
            number: 1,
            event: 0,
            run_id: "r".to_owned(),
            turn: 1,
            url: "https://a.example/v1/chat?x='1'".to_owned(),
            method: "POST".to_owned(),
            headers: vec![("authorization".to_owned(), "Bearer ••••".to_owned())],
            bytes: 0,
            started_at: 0,
            sent: true,
            sections: Vec::new(),
        }
    }

    #[test]
    fn nothing_of_a_body_leaves_its_quotes() {
        let body = "{\"a\":\"it's $(x) `y` \\\\ \u{2028}\"}\n";
        let expected = "curl -X 'POST' 'https://a.example/v1/chat?x='\\''1'\\''' \\\n  -H 'authorization: Bearer ••••' \\\n  --data-raw '{\"a\":\"it'\\''s $(x) `y` \\\\ \u{2028}\"}\n'";
        assert_eq!(curl(&request(), body), expected);
        let expected = "await fetch(\"https://a.example/v1/chat?x='1'\", {\n  method: \"POST\",\n  headers: {\n    \"authorization\": \"Bearer ••••\",\n  },\n  body: \"{\\\"a\\\":\\\"it's $(x) `y` \\\\\\\\ \\u2028\\\"}\\n\",\n});";
        assert_eq!(fetch(&request(), body), expected);
    }
}

//! What is answered to a request: a file of the site with its type, or why there is none.

use std::fs;
use std::path::{Path, PathBuf};

/// An answer, but for what every answer has.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// The code and its name.
    pub status: &'static str,
    /// Headers of this answer alone.
    pub headers: Vec<(&'static str, String)>,
    /// What follows the headers, unless only they were asked for.
    pub body: Vec<u8>,
}

/// Answers a request for an address of the site under this folder. Nothing outside the folder is ever read.
pub fn answer(site: &Path, method: &str, address: &str) -> Answer {
    if method != "GET" && method != "HEAD" {
        let mut refused = text("405 Method Not Allowed", "GET or HEAD\n");
        refused.headers.push(("Allow", "GET, HEAD".to_owned()));
        return refused;
    }
    let (path, query) = address.split_at(address.find(['?', '#']).unwrap_or(address.len()));
    let not_found = || text("404 Not Found", "not in dist/\n");
    let Some(mut file) = file_of(site, path) else { return not_found() };
    match (file.is_dir(), path.ends_with('/')) {
        (true, true) => file.push("index.html"),
        // The addresses in a page are relative to its folder, which the browser only knows by the slash.
        (true, false) => {
            let name = path.rsplit('/').next().unwrap_or_default();
            let mut moved = text("301 Moved Permanently", "a folder\n");
            moved.headers.push(("Location", format!("./{name}/{query}")));
            return moved;
        }
        (false, true) => return not_found(),
        (false, false) => {}
    }
    match fs::read(&file) {
        Ok(body) => Answer { status: "200 OK", headers: vec![("Content-Type", content_type(&file).to_owned())], body },
        Err(_) => not_found(),
    }
}

fn text(status: &'static str, body: &str) -> Answer {
    Answer { status, headers: vec![("Content-Type", "text/plain; charset=utf-8".to_owned())], body: body.into() }
}

/// The file or folder behind a path; `None` for one outside the site.
fn file_of(site: &Path, path: &str) -> Option<PathBuf> {
    let mut file = site.to_path_buf();
    for part in path.strip_prefix('/')?.split('/').filter(|part| !part.is_empty()) {
        let part = decode(part)?;
        if part == ".." || part == "." || part.contains(['/', '\\', ':', '\0']) {
            return None;
        }
        file.push(part);
    }
    Some(file)
}

fn decode(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            if !digits.iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        // A browser compiles a module while it arrives only under this name.
        "wasm" => "application/wasm",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "ts" | "md" | "txt" | "jsonl" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Answer, answer, content_type, decode, file_of};
    use crate::setup::stand_in::Folder;

    fn site() -> Folder {
        let folder = Folder::new();
        folder.write("secret.txt", "outside");
        folder.write("dist/index.html", "<p>start");
        folder.write("dist/embed/vitrine.js", "import()");
        folder.write("dist/lessons/index.html", "<p>lessons");
        folder.write("dist/a b.wasm", "\0asm");
        folder
    }

    fn found(kind: &str, body: &str) -> Answer {
        Answer { status: "200 OK", headers: vec![("Content-Type", kind.to_owned())], body: body.into() }
    }

    #[test]
    fn files_are_found_under_their_addresses() {
        let folder = site();
        let dist = folder.path("dist");
        for (address, expected) in [
            ("/", found("text/html; charset=utf-8", "<p>start")),
            ("/index.html?lang=zh#top", found("text/html; charset=utf-8", "<p>start")),
            ("/embed/vitrine.js?v=1", found("text/javascript; charset=utf-8", "import()")),
            ("/embed//vitrine.js", found("text/javascript; charset=utf-8", "import()")),
            ("/lessons/", found("text/html; charset=utf-8", "<p>lessons")),
            ("/a%20b.wasm", found("application/wasm", "\0asm")),
        ] {
            assert_eq!(answer(&dist, "GET", address), expected, "{address}");
            assert_eq!(answer(&dist, "HEAD", address), expected, "HEAD {address}");
        }
    }

    #[test]
    fn a_folder_is_asked_for_with_a_slash() {
        let folder = site();
        let moved = answer(&folder.path("dist"), "GET", "/lessons?lang=zh");
        assert_eq!(moved.status, "301 Moved Permanently");
        assert!(moved.headers.contains(&("Location", "./lessons/?lang=zh".to_owned())), "{moved:?}");
    }

    #[test]
    fn what_is_not_in_the_site_is_not_found() {
        let folder = site();
        let dist = folder.path("dist");
        let inside = ["/missing.js", "/embed/", "/index.html/", "/index.html/x", "", "index.html", "http://localhost/"];
        // Each of these would lead to a file that is there.
        let secret = folder.path("secret.txt").display().to_string();
        let twice = format!("/{secret}");
        let outside = [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/embed/../../secret.txt",
            "/embed/%2E%2E/%2E%2E/secret.txt",
            &secret,
            &twice,
        ];
        assert!(folder.path("dist/../secret.txt").is_file());
        for address in inside.into_iter().chain(outside) {
            assert_eq!(answer(&dist, "GET", address).status, "404 Not Found", "{address}");
        }
    }

    #[test]
    fn only_reading_is_answered() {
        let folder = site();
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "get", ""] {
            let refused = answer(&folder.path("dist"), method, "/");
            assert_eq!(refused.status, "405 Method Not Allowed", "{method}");
            assert!(refused.headers.contains(&("Allow", "GET, HEAD".to_owned())), "{method}");
        }
    }

    #[test]
    fn an_address_stays_inside_the_site() {
        let site = Path::new("/nowhere/dist");
        for path in ["/../x", "/a/%2e%2e/x", "/%2e%2e%2fx", "/a\\..\\x", "/c:/x", "/%00", "/%zz", "/%4", "/%+1", "/."] {
            assert_eq!(file_of(site, path), None, "{path}");
        }
        assert_eq!(file_of(site, "/a//b.js"), Some(site.join("a/b.js")));
    }

    #[test]
    fn escapes_are_decoded_once() {
        assert_eq!(decode("a%20b%2525"), Some("a b%25".to_owned()));
        assert_eq!(decode("%ff"), None);
    }

    #[test]
    fn every_kind_of_file_has_the_type_that_browsers_want() {
        for (file, kind) in [
            ("index.html", "text/html; charset=utf-8"),
            ("vitrine.js", "text/javascript; charset=utf-8"),
            ("run.mjs", "text/javascript; charset=utf-8"),
            ("style.css", "text/css; charset=utf-8"),
            ("page_bg.wasm", "application/wasm"),
            ("lesson.json", "application/json"),
            ("icon.svg", "image/svg+xml"),
            ("picture.png", "image/png"),
            ("font.woff2", "font/woff2"),
            ("vitrine.d.ts", "text/plain; charset=utf-8"),
            ("tape.jsonl", "text/plain; charset=utf-8"),
            ("model.gguf", "application/octet-stream"),
            ("LICENSE", "application/octet-stream"),
        ] {
            assert_eq!(content_type(Path::new(file)), kind, "{file}");
        }
    }
}

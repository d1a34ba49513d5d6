//! `serve`: a plain file server for `dist/` on this machine, and with `--dev` a build after each change.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::build::{self, Profile};
use crate::project;
use crate::run::{self, Failure, Outcome, command, say};

/// What `serve` was asked for.
#[derive(Debug)]
pub struct Serve {
    /// Where it listens, on loopback.
    pub port: u16,
    /// Whether a browser is opened.
    pub open: bool,
    /// How the site is built.
    pub profile: Profile,
}

impl Default for Serve {
    fn default() -> Self {
        Self { port: 8787, open: true, profile: Profile::Release }
    }
}

/// How often `--dev` looks at the sources.
const LOOK_EVERY: Duration = Duration::from_millis(700);
/// A connection that says nothing for this long is closed.
const PATIENCE: Duration = Duration::from_secs(10);

/// Builds, then serves until the process is ended.
pub fn serve(options: &Serve) -> Outcome {
    // Before the build: a taken port should not cost the wait.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).map_err(|error| {
        Failure::new(format!("port {} on localhost: {error}", options.port))
            .fixed_by(format!("cargo xtask serve --port {}", options.port.wrapping_add(1)))
    })?;
    for part in build::build(options.profile)?.over_budget {
        say(format_args!("over the size budget: {part}"));
    }
    // `localhost` is ::1 first on many machines. Where there is no IPv6 the first listener is enough.
    if let Ok(other) = TcpListener::bind((Ipv6Addr::LOCALHOST, options.port)) {
        thread::spawn(move || accept(&other));
    }
    let address = format!("http://localhost:{}/", options.port);
    say(format_args!("serving {address} (Ctrl-C stops it)"));
    if options.open {
        open_browser(&address);
    }
    if options.profile == Profile::Dev {
        thread::spawn(rebuild_on_change);
    }
    accept(&listener);
    Ok(())
}

fn rebuild_on_change() {
    let mut seen = build::sources_stamp(Profile::Dev).ok();
    loop {
        thread::sleep(LOOK_EVERY);
        // A file that vanished while it was read is looked at again the next time round.
        let Ok(now) = build::sources_stamp(Profile::Dev) else { continue };
        if seen.as_ref() != Some(&now) {
            match build::build(Profile::Dev) {
                Ok(_) => say("built again; reload the page"),
                Err(failure) => say(failure),
            }
            seen = Some(now);
        }
    }
}

fn accept(listener: &TcpListener) {
    for stream in listener.incoming().flatten() {
        thread::spawn(move || {
            // A reader that went away is no concern of the next one.
            let _ = answer(&stream);
        });
    }
}

fn answer(stream: &TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(io::Read::take(stream, 64 * 1024));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    // The headers do not matter, but a socket closed with unread bytes is reset.
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut out = stream;
    let mut words = request.split_whitespace();
    let (method, address) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if method != "GET" && method != "HEAD" {
        return respond(out, "405 Method Not Allowed", "text/plain", b"GET or HEAD\n", method);
    }
    match file_of(&project::dist(), address).and_then(|file| Some((fs::read(&file).ok()?, file))) {
        Some((body, file)) => respond(&mut out, "200 OK", content_type(&file), &body, method),
        None => respond(out, "404 Not Found", "text/plain", b"not in dist/\n", method),
    }
}

fn respond(mut out: impl Write, status: &str, kind: &str, body: &[u8], method: &str) -> io::Result<()> {
    // No cache: the next build has the same file names.
    write!(
        out,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method != "HEAD" {
        out.write_all(body)?;
    }
    out.flush()
}

/// The file behind an address; `None` for one outside the site.
fn file_of(site: &Path, address: &str) -> Option<PathBuf> {
    let path = address.split(['?', '#']).next()?;
    let mut file = site.to_path_buf();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let part = decode(part)?;
        if part == ".." || part == "." || part.contains(['/', '\\', ':', '\0']) {
            return None;
        }
        file.push(part);
    }
    Some(if file.is_dir() { file.join("index.html") } else { file })
}

fn decode(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
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

fn open_browser(address: &str) {
    let opener = if cfg!(target_os = "macos") {
        Some(("open", vec![address]))
    } else if cfg!(windows) {
        Some(("cmd", vec!["/c", "start", address]))
    } else {
        let screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
        (screen && run::on_path("xdg-open").is_some()).then(|| ("xdg-open", vec![address]))
    };
    if let Some((program, args)) = opener {
        // Its failure costs a click.
        let _ = command(program).args(args).spawn();
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{decode, file_of};

    #[test]
    fn an_address_stays_inside_the_site() {
        let site = Path::new("/nowhere/dist");
        for address in ["/../x", "/a/%2e%2e/x", "/%2e%2e%2fx", "/a\\..\\x", "/c:/x", "/%00", "/%zz", "/%4"] {
            assert_eq!(file_of(site, address), None, "{address}");
        }
        assert_eq!(file_of(site, "/a//b.js?v=../..#../"), Some(site.join("a/b.js")));
    }

    #[test]
    fn escapes_are_decoded_once() {
        assert_eq!(decode("a%20b%25"), Some("a b%".to_owned()));
        assert_eq!(decode("%ff"), None);
    }
}

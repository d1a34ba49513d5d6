//! `serve`: a plain file server for `dist/` on this machine, and with `--dev` a build after each change.

mod site;

use std::io::{self, BufRead as _, BufReader, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::build::{self, Profile};
use crate::machine::Machine;
use crate::project;
use crate::run::{Failure, Outcome, command, say};
use crate::serve::site::Answer;

/// What `serve` was asked for.
#[derive(Debug, PartialEq, Eq)]
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
        Self { port: DEFAULT_PORT, open: true, profile: Profile::Release }
    }
}

const DEFAULT_PORT: u16 = 8787;
/// How often `--dev` looks at the sources.
const LOOK_EVERY: Duration = Duration::from_millis(700);
/// A connection that says nothing for this long is closed.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longer requests are cut off.
const MOST_BYTES: u64 = 64 * 1024;

/// Builds, then serves until the process is ended.
pub fn serve(options: &Serve) -> Outcome {
    // Before the build: a taken port should not cost the wait.
    let listeners = listen(options.port)?;
    for part in build::build(options.profile)?.over_budget {
        say(format_args!("over the size budget: {part}"));
    }
    let port = listeners.first().and_then(|listener| listener.local_addr().ok()).map_or(options.port, |at| at.port());
    let address = format!("http://localhost:{port}/");
    say(format_args!("serving {address} (Ctrl-C stops it)"));
    if options.open {
        open_browser(&address);
    }
    if options.profile == Profile::Dev {
        thread::spawn(rebuild_on_change);
    }
    thread::scope(|scope| {
        for listener in &listeners {
            scope.spawn(|| accept(listener));
        }
    });
    Ok(())
}

/// Takes a port of `localhost`: of both protocols, since `localhost` is `::1` first on many machines, or of IPv4 alone
/// where there is no other.
fn listen(port: u16) -> Outcome<Vec<TcpListener>> {
    let failure = |error: io::Error| {
        let problem = match error.kind() {
            io::ErrorKind::AddrInUse => format!("port {port} on localhost is taken by another program"),
            _ => format!("port {port} on localhost: {error}"),
        };
        let next = port.checked_add(1).unwrap_or(DEFAULT_PORT);
        Failure::new(problem).fixed_by(format!("cargo xtask serve --port {next}"))
    };
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failure)?;
    let same_port = first.local_addr().map_err(failure)?.port();
    match TcpListener::bind((Ipv6Addr::LOCALHOST, same_port)) {
        Ok(second) => Ok(vec![first, second]),
        // Half of the readers would be shown what the other program has.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => Err(failure(error)),
        Err(_) => Ok(vec![first]),
    }
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
            let _ = talk(&stream, &project::dist());
        });
    }
}

/// Reads one request and answers it. A request that is not one is closed without an answer.
fn talk(stream: &TcpStream, site: &Path) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(io::Read::take(stream, MOST_BYTES));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    // The headers do not matter, but a socket closed with unread bytes is reset.
    let mut header = String::new();
    while reader.read_line(&mut header)? > 2 {
        header.clear();
    }
    let mut words = request.split_whitespace();
    let (Some(method), Some(address)) = (words.next(), words.next()) else { return Ok(()) };
    write_answer(stream, method, &site::answer(site, method, address))
}

fn write_answer(mut out: impl Write, method: &str, answer: &Answer) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {}\r\n", answer.status);
    for (name, value) in &answer.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    // No cache: the next build has the same file names.
    let length = answer.body.len();
    head.push_str(&format!("Content-Length: {length}\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n"));
    out.write_all(head.as_bytes())?;
    if method != "HEAD" {
        out.write_all(&answer.body)?;
    }
    out.flush()
}

fn open_browser(address: &str) {
    let opener = if cfg!(target_os = "macos") {
        Some(("open", vec![address]))
    } else if cfg!(windows) {
        Some(("cmd", vec!["/c", "start", address]))
    } else {
        let screen = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
        (screen && Machine::here().on_path("xdg-open").is_some()).then(|| ("xdg-open", vec![address]))
    };
    if let Some((program, args)) = opener {
        // Its failure costs a click.
        let _ = command(program).args(args).spawn();
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, TcpListener, TcpStream};
    use std::thread;

    use super::{listen, talk};
    use crate::setup::stand_in::Folder;

    /// What comes back for these bytes.
    fn exchange(request: &[u8]) -> String {
        let folder = Folder::new();
        folder.write("dist/index.html", "<p>start");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut reader = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (stream, _) = listener.accept().unwrap();
        thread::scope(|scope| {
            let server = scope.spawn(|| {
                let outcome = talk(&stream, &folder.path("dist"));
                stream.shutdown(Shutdown::Both).unwrap();
                outcome
            });
            reader.write_all(request).unwrap();
            reader.shutdown(Shutdown::Write).unwrap();
            let mut answer = String::new();
            reader.read_to_string(&mut answer).unwrap();
            // An error ends one connection and is nothing more.
            let _ = server.join().unwrap();
            answer
        })
    }

    #[test]
    fn a_request_is_answered_and_the_connection_closed() {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 8\r\n\
                    Cache-Control: no-cache\r\nConnection: close\r\n\r\n";
        let request = |method| format!("{method} / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n");
        assert_eq!(exchange(request("GET").as_bytes()), format!("{head}<p>start"));
        assert_eq!(exchange(request("HEAD").as_bytes()), head);
    }

    #[test]
    fn what_is_no_request_gets_no_answer() {
        for bytes in [&b""[..], b"\r\n\r\n", b"GET\r\n\r\n", b"\xff\xfe / HTTP/1.1\r\n\r\n"] {
            assert_eq!(exchange(bytes), "", "{bytes:?}");
        }
    }

    #[test]
    fn a_taken_port_is_named_with_the_command_for_the_next() {
        // Where there is no IPv6 nobody can take a port of it.
        let others =
            [TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).ok(), TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).ok()];
        assert!(others[0].is_some());
        for other in others.iter().flatten() {
            let port = other.local_addr().unwrap().port();
            let failure = listen(port).unwrap_err().to_string();
            let next = port.checked_add(1).unwrap_or(8787);
            let expected = format!(
                "port {port} on localhost is taken by another program\n       to fix it: cargo xtask serve --port {next}"
            );
            assert_eq!(failure, expected);
        }
    }

    #[test]
    fn a_free_port_is_listened_on() {
        let listeners = listen(0).unwrap();
        let ports: Vec<_> = listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect();
        assert!(ports.iter().all(|port| *port == ports[0] && *port != 0), "{ports:?}");
    }
}

//! A shell whose prints and changes are kept.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use vitrine_shell::Change;
use vitrine_shell_module::{Ended, Events, Jq, JqDone, JqError, JqJob, Session, Stream};

/// The pieces that were printed, and where.
type Printed = Arc<Mutex<Vec<(Stream, Vec<u8>)>>>;

/// jq, which is a module of its own in a browser, as it is.
struct Linked;

#[async_trait::async_trait]
impl Jq for Linked {
    async fn wanted(&self, args: &[String]) -> Result<Vec<String>, JqError> {
        Ok(vitrine_jq::wanted(args))
    }

    async fn run(&self, job: JqJob) -> Result<JqDone, JqError> {
        let JqJob { args, files, stdin, env, now_s } = job;
        let done = vitrine_jq::run(vitrine_jq::Job { args, files, stdin, env, now_s });
        Ok(JqDone { stdout: done.stdout, stderr: done.stderr, code: done.code })
    }
}

/// The shell and what it told.
pub struct World {
    session: Session,
    runtime: tokio::runtime::Runtime,
    printed: Printed,
    changes: Arc<Mutex<Vec<Change>>>,
}

impl World {
    /// A shell in `/workspace` with these files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::after(None, files)
    }

    /// A shell that goes on where another one was.
    pub fn after(state: Option<&str>, files: &[(&str, &str)]) -> Self {
        Self::with_jq(Arc::new(Linked), state, files)
    }

    /// The same, with a jq of the test's own.
    pub fn with_jq(jq: Arc<dyn Jq>, state: Option<&str>, files: &[(&str, &str)]) -> Self {
        let (printed, changes) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let (print, change) = (printed.clone(), changes.clone());
        let events = Events {
            on_output: Arc::new(move |stream, bytes: &[u8]| print.lock().unwrap().push((stream, bytes.to_vec()))),
            on_change: Arc::new(move |happened| change.lock().unwrap().push(happened)),
        };
        let session = Session::open("/workspace", state, events, jq);
        for (path, text) in files {
            session.apply(Change::Write { path: (*path).to_owned(), bytes: text.as_bytes().to_vec() });
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Self { session, runtime, printed, changes }
    }

    /// The shell itself.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Runs a command: how it ended, and what it printed to both streams.
    pub fn run(&mut self, command: &str) -> (Ended, String) {
        self.printed.lock().unwrap().clear();
        let ended = self.runtime.block_on(self.session.run(command, &BTreeMap::new()));
        (ended, self.pieces().concat())
    }

    /// The pieces in which the last command printed.
    pub fn pieces(&self) -> Vec<String> {
        self.printed.lock().unwrap().iter().map(|(_, piece)| text(piece)).collect()
    }

    /// What the last command printed to one stream.
    pub fn printed_to(&self, stream: Stream) -> String {
        let printed = self.printed.lock().unwrap();
        let pieces: Vec<_> = printed.iter().filter(|(to, _)| *to == stream).map(|(_, piece)| piece.clone()).collect();
        text(&pieces.concat())
    }

    /// What a command prints, and its exit code.
    pub fn says(&mut self, command: &str) -> (String, i32) {
        let (ended, printed) = self.run(command);
        (printed, ended.code)
    }

    /// The changes since this was last asked.
    pub fn changes(&self) -> Vec<Change> {
        std::mem::take(&mut self.changes.lock().unwrap())
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

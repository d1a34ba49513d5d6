//! [`Recorder`]: writes down what goes into a run, so that [`Recording`] can bring the same run about again.
//!
//! The inputs are the run: given at the same places, with the same times, to a run of the same configuration, they give
//! the same outputs, byte for byte. A recording is lines of JSON. The first is the configuration and what it is; each
//! other is an input, its time, and the [position](Run::position) of the run at which it came. It holds all that was said,
//! so it is as private as the session, and nothing more: no key, no request.

use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::json::Json;
use crate::run::{Input, Now, Run, RunConfig};

mod context;
mod replay;

use context::Piece;
pub use replay::{Recording, RecordingError, Replay};

const KIND: &str = "vitrine-recording";
const VERSION: u32 = 1;

/// Writes a recording, from the first line on.
///
/// Recording changes nothing of the run. It costs the text of each input, but for messages that the run has already.
#[derive(Debug)]
pub struct Recorder {
    text: String,
    failure: Option<serde_json::Error>,
}

impl Recorder {
    /// Begins with what a run is made of. The recording is of the run that [`Run::new`] makes of the same two.
    pub fn new(config: &RunConfig, now: Now) -> Self {
        let mut recorder = Self { text: String::new(), failure: None };
        recorder.line(Parts::of(config).map(|config| Head { kind: KIND.to_owned(), version: VERSION, now, config }));
        recorder
    }

    /// Writes an input down. Call it before the run [handles](Run::handle) the same.
    pub fn record(&mut self, run: &Run, input: &Input, now: Now) {
        let position = run.position();
        if !matches!(input, Input::Context(_) | Input::Request(_) | Input::NextTurn(_)) {
            return self.line(Ok(Line { position, now, input, context: None }));
        }
        let mut input = input.clone();
        let context = context::brought(&mut input).map(|brought| {
            let pieces = context::pieces(brought, run.history());
            *brought = History::new();
            pieces
        });
        self.line(Ok(Line { position, now, input, context }));
    }

    /// The recording as far as it has come: whole lines. Fails when an input could not be written down; without it, the
    /// rest would be of another run.
    pub fn text(&self) -> Result<&str, &serde_json::Error> {
        self.failure.as_ref().map_or(Ok(&self.text), Err)
    }

    fn line(&mut self, line: Result<impl Serialize, serde_json::Error>) {
        match line.and_then(|line| serde_json::to_string(&line)) {
            Ok(line) => {
                self.text.push_str(&line);
                self.text.push('\n');
            }
            Err(failure) => self.failure = self.failure.take().or(Some(failure)),
        }
    }
}

/// The first line.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    #[serde(rename = "type")]
    kind: String,
    version: u32,
    now: Now,
    config: Parts,
}

/// A configuration, each part as the text it is compared by.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Parts {
    start: Json,
    history: Json,
    model: Json,
    reasoning: Json,
    tools: Json,
    execution: Json,
}

impl Parts {
    fn of(config: &RunConfig) -> Result<Self, serde_json::Error> {
        Ok(Self {
            start: Json::from_serialize(&config.start)?,
            history: Json::from_serialize(&config.history)?,
            model: Json::from_serialize(&config.model)?,
            reasoning: Json::from_serialize(&config.reasoning)?,
            tools: Json::from_serialize(&config.tools)?,
            execution: Json::from_serialize(&config.execution)?,
        })
    }

    fn named(&self) -> [(&'static str, &Json); 6] {
        [
            ("start", &self.start),
            ("history", &self.history),
            ("model", &self.model),
            ("reasoning", &self.reasoning),
            ("tools", &self.tools),
            ("execution", &self.execution),
        ]
    }
}

/// Every other line. `I` is `Input` where it is read, a reference where it is written.
#[derive(Debug, Serialize, Deserialize)]
struct Line<I> {
    position: u64,
    now: Now,
    input: I,
    /// The context that the input brings; an empty one stands in its place there.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    context: Option<Vec<Piece>>,
}

//! [`Recording`] and [`Replay`]: the way back, from a text that may be anybody's.

use std::collections::VecDeque;

use serde::de::DeserializeOwned;

use super::{Head, KIND, Line, Parts, VERSION, context};
use crate::run::{Input, Now, Output, Run, RunConfig, StartError};
use crate::signal::AbortSignal;

/// Why a recording cannot be read or replayed.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The text is empty, or begins as something else.
    #[error("not a recording of a run")]
    NotARecording,
    /// Of a format that is not known.
    #[error("a recording of version {0}; this is version {VERSION}")]
    Version(u32),
    /// A line is not what it should be: cut off, or changed.
    #[error("line {line} of the recording: {error}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// The recording is of a run that began otherwise.
    #[error("the recording is of a run with another {0}")]
    OtherConfig(&'static str),
    /// The configuration is one that no run starts from.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It names messages that the run does not have there.
    #[error("line {0} of the recording names messages that the run does not have")]
    UnknownMessages(usize),
    /// The run does not come to where the next input was: lines are missing, or of another run.
    #[error("line {line} of the recording is for position {position}, and the run waits at {reached}")]
    OutOfStep {
        /// From 1.
        line: usize,
        /// Where its input belongs.
        position: u64,
        /// Where the run is.
        reached: u64,
    },
}

/// A recording that was read: every line of it is sound.
#[derive(Debug)]
pub struct Recording {
    now: Now,
    config: Parts,
    lines: VecDeque<(usize, Line<Input>)>,
}

impl Recording {
    /// Reads a recording. One that ends early, at the end of a line, is the recording of a run that still waits.
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let (_, head) = lines.next().ok_or(RecordingError::NotARecording)?;
        if !is_head(head) {
            return Err(RecordingError::NotARecording);
        }
        let head: Head = read(1, head)?;
        if head.version != VERSION {
            return Err(RecordingError::Version(head.version));
        }
        let lines = lines.map(|(line, text)| Ok((line, read(line, text)?))).collect::<Result<_, RecordingError>>()?;
        Ok(Self { now: head.now, config: head.config, lines })
    }

    /// What the run was made of, to make another of it.
    pub fn config(&self, signal: AbortSignal) -> Result<RunConfig, RecordingError> {
        Ok(RunConfig {
            start: read(1, self.config.start.as_str())?,
            history: read(1, self.config.history.as_str())?,
            model: read(1, self.config.model.as_str())?,
            reasoning: read(1, self.config.reasoning.as_str())?,
            tools: read(1, self.config.tools.as_str())?,
            execution: read(1, self.config.execution.as_str())?,
            signal,
        })
    }

    /// A fresh run that will be given what is recorded. The configuration must be the recorded one, but for its signal.
    pub fn replay(self, config: RunConfig) -> Result<Replay, RecordingError> {
        let parts = Parts::of(&config).map_err(|error| RecordingError::Line { line: 1, error })?;
        for ((name, recorded), (_, given)) in self.config.named().into_iter().zip(parts.named()) {
            if recorded != given {
                return Err(RecordingError::OtherConfig(name));
            }
        }
        Ok(Replay { run: Run::new(config, self.now)?, lines: self.lines })
    }
}

/// A text that is cut off in its first line is a recording all the same, and the error says so.
fn is_head(line: &str) -> bool {
    line.starts_with(&format!("{{\"type\":\"{KIND}\""))
}

fn read<T: DeserializeOwned>(line: usize, text: &str) -> Result<T, RecordingError> {
    serde_json::from_str(text).map_err(|error| RecordingError::Line { line, error })
}

/// A run that is given what was recorded.
#[derive(Debug)]
pub struct Replay {
    run: Run,
    lines: VecDeque<(usize, Line<Input>)>,
}

impl Replay {
    /// The next output, with nothing to be done about it. `None` at the end of the recording: the run is done, or waits
    /// for what was not recorded.
    ///
    /// An abort that was recorded fires the run's signal. After an error the run stays where it is.
    pub fn poll_output(&mut self) -> Result<Option<Output>, RecordingError> {
        loop {
            while let Some((number, mut line)) =
                self.lines.pop_front_if(|(_, line)| line.position == self.run.position())
            {
                if let (Some(pieces), Some(brought)) = (line.context, context::brought(&mut line.input)) {
                    let whole = context::whole(pieces, self.run.history());
                    *brought = whole.ok_or(RecordingError::UnknownMessages(number))?;
                }
                if matches!(line.input, Input::Abort) {
                    self.run.signal().abort();
                }
                self.run.handle(line.input, line.now);
            }
            let reached = self.run.position();
            if let Some(output) = self.run.poll_output() {
                return Ok(Some(output));
            }
            match self.lines.front() {
                None => return Ok(None),
                Some((_, next)) if next.position == self.run.position() && next.position > reached => {}
                Some((line, next)) => {
                    return Err(RecordingError::OutOfStep {
                        line: *line,
                        position: next.position,
                        reached: self.run.position(),
                    });
                }
            }
        }
    }

    /// The run, as far as it has come: to go on with it where the recording ends.
    pub fn into_run(self) -> Run {
        self.run
    }

    /// The run, to look at.
    pub fn run(&self) -> &Run {
        &self.run
    }
}

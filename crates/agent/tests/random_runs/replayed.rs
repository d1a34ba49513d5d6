//! What was recorded of a run brings the same run about again.

use vitrine_agent::history::History;
use vitrine_agent::record::{Recording, RecordingError, Replay};
use vitrine_agent::run::{Output, Run, RunConfig};
use vitrine_agent::signal::AbortSignal;

/// A run that was played to its end.
pub struct Played<'a> {
    pub recording: &'a str,
    pub outputs: &'a [String],
    /// How many outputs there were before each line.
    pub places: &'a [usize],
    pub config: &'a RunConfig,
}

/// All that an output says, and whom it is about; an event as the bytes that anyone would see.
pub fn text(output: &Output, run: &Run) -> String {
    let text = match output {
        Output::Emit(event) => serde_json::to_string(event).unwrap(),
        // Without its signal, which is not part of the recording.
        Output::CallModel(request) => {
            format!("{:?} {:?} {}", request.model, request.reasoning, messages(&request.history))
        }
        Output::FinishTurn(turn) | Output::PrepareNextTurn(turn) => {
            format!("{:?} {:?} {}", turn.message, turn.tool_results, messages(&turn.history))
        }
        Output::PrepareRequest { history, model, reasoning } => {
            format!("{model:?} {reasoning:?} {}", messages(history))
        }
        Output::TransformContext { history } => messages(history),
        other => format!("{other:?}"),
    };
    format!("{} {:?} {text}", output.kind(), run.about())
}

fn messages(history: &History) -> String {
    serde_json::to_string(history).unwrap()
}

/// A configuration of the same parts, none of them shared with the run that has been.
fn again(config: &RunConfig) -> RunConfig {
    let history = config.history.messages().iter().cloned().collect();
    RunConfig { history, signal: AbortSignal::new(), ..config.clone() }
}

fn outputs(replay: &mut Replay) -> Result<Vec<String>, RecordingError> {
    let mut outputs = Vec::new();
    while let Some(output) = replay.poll_output()? {
        outputs.push(text(&output, replay.run()));
    }
    Ok(outputs)
}

pub fn check(played: &Played<'_>) {
    let mut replay = Recording::parse(played.recording).unwrap().replay(again(played.config)).unwrap();
    assert_eq!(outputs(&mut replay).unwrap(), played.outputs, "another run");
    assert!(replay.run().is_done());
    cut_after_a_line(played);
}

/// Half of the lines: the same as far as it goes, and then a run to which nothing more happens.
fn cut_after_a_line(played: &Played<'_>) {
    let lines: Vec<_> = played.recording.lines().collect();
    let n_lines = lines.len().div_ceil(2);
    let half = lines[..n_lines].join("\n");
    let recording = Recording::parse(&half).unwrap();
    let config = recording.config(AbortSignal::new()).unwrap();
    let mut replay = recording.replay(config).unwrap();
    let came = outputs(&mut replay).unwrap();
    // The first line is no input.
    let n_same = if n_lines == 1 { 0 } else { played.places[n_lines - 2] };
    assert_eq!(came[..n_same], played.outputs[..n_same], "a recording that was cut off is of another run");
}

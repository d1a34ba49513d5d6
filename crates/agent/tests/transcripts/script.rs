//! Reads a transcript and plays it.
//!
//! ```text
//! # what the case shows
//! # trace: agent_start · …        the events in short, written by hand from the rule; never rewritten
//! tool NAME [sequential]         declares a tool (before a run, or between two)
//! no-tool NAME                   takes it away
//! undeclared                     the history does not begin with a system message that declares the tools
//! history user|assistant TEXT    what was said before; `history json {message}` for any other role
//! sequential                     the configuration forbids parallel batches
//! reasoning LEVEL
//! steering all, follow-ups all   the queue's mode
//! show asks|traces|json          what else is written down; json: each event whole
//! grace                          the host has a grace period, over at `grace over`
//! on KEY: ANSWER                 the answer to the next question KEY (see host.rs); `later` waits for `answer KEY: …`
//! on event KIND [CALL]: DEED     what a listener does when it is told: abort, steer TEXT, follow-up TEXT, fail TEXT
//!
//! prompt TEXT | continue         starts a run; `prompt [messages as JSON]` for any others
//! model ITEM; ITEM; …            one batch of model events (see stream.rs)
//! update CALL TEXT               a running tool shows progress
//! tool CALL: ok TEXT | error TEXT | throw TEXT | {output as JSON}
//! steer TEXT | follow-up TEXT | abort | grace over | wait MS
//! answer KEY: ANSWER
//! break {breakpoint} | pause | step | step-turn | step-to-answer | resume | where
//! replace {input}                an input as JSON, in place of the answer that the run is held at or before
//! ```
//! In a trace, `m:user` is a message (`m:assistant(REASON)` when it is not `stop` or `toolUse`, `m:toolResult(ID)`, with
//! `!` when it is an error), `start ID`, `update ID` and `end ID` are the execution of a call.
//! CALL is a call's id, or `#n` for its place in the batch.

use crate::world::World;

/// What playing a transcript came to.
pub struct Played {
    /// The whole transcript as it should be.
    pub transcript: String,
    /// The events in the short notation of `# trace:` lines.
    pub trace: Vec<String>,
    /// The events whole, a line of JSON each.
    pub payloads: String,
}

/// The trace that a transcript promises, if it does.
pub fn promised_trace(transcript: &str) -> Option<Vec<String>> {
    let lines: Vec<_> = transcript.lines().filter_map(|line| line.strip_prefix("# trace: ")).collect();
    (!lines.is_empty()).then(|| lines.iter().flat_map(|line| line.split(" · ")).map(str::to_owned).collect())
}

/// Plays the margin lines.
pub fn play(transcript: &str) -> Played {
    let mut world = World::new();
    let mut written = String::new();
    for line in transcript.lines() {
        if line.starts_with("    ") {
            continue;
        }
        written.push_str(line);
        written.push('\n');
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        world.act(line);
        for line in world.take_log() {
            written.push_str("    ");
            written.push_str(&line);
            written.push('\n');
        }
    }
    let payloads = world.take_payloads().iter().map(|line| format!("{line}\n")).collect();
    Played { transcript: written, trace: world.take_trace(), payloads }
}

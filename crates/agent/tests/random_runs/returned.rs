//! A run that is brought back to one of its events stands where it stood, and with the same inputs goes on as it did.

use vitrine_agent::past::{Past, PastError, Returned, Standing};
use vitrine_agent::run::{Input, Now, Output, Run};
use vitrine_agent::signal::AbortSignal;

/// What a run was given, and the events it told.
pub struct Kept<'a> {
    pub past: &'a Past,
    pub inputs: &'a [(u64, Input, Now)],
    pub events: &'a [String],
}

pub fn check(kept: &Kept<'_>, at: usize) {
    let Returned { mut run, standing, past } = kept.past.return_to(at, AbortSignal::new()).unwrap();
    let Standing { open, rest, next } = standing;
    let text = |output: &Output| match output {
        Output::Emit(event) => Some(serde_json::to_string(event).unwrap()),
        _ => None,
    };
    assert_eq!(text(&next).as_ref(), kept.events.get(at), "another event is next");
    let is_asked = |kind| open.iter().any(|output| output.kind() == kind);
    assert!(!(rest.is_some() && is_asked("call_model")), "a response that has begun is not asked for anew");
    assert!(!open.iter().any(|output| matches!(output, Output::Emit(_) | Output::Trace(_))));
    // The rest of the inputs, at their places: the same events to the end.
    let mut left = kept.inputs[past.len()..].iter().peekable();
    let mut events = vec![text(&next).unwrap()];
    loop {
        while let Some((_, input, now)) = left.next_if(|(position, ..)| *position == run.position()) {
            run.handle(input.clone(), *now);
        }
        let reached = run.position();
        match run.poll_output() {
            Some(output) => events.extend(text(&output)),
            None if run.is_done() => break,
            None => assert_ne!(run.position(), reached, "the run waits for what had come"),
        }
    }
    assert_eq!(events, kept.events[at..]);
    assert!(left.next().is_none());
    no_such_event(kept);
}

fn no_such_event(kept: &Kept<'_>) {
    let n = kept.events.len();
    let beyond = kept.past.return_to(n, AbortSignal::new());
    assert!(matches!(beyond, Err(PastError::NoSuchEvent(told)) if told == n));
}

/// Keeps what goes in.
pub fn note(past: &mut Past, inputs: &mut Vec<(u64, Input, Now)>, run: &Run, input: &Input, now: Now) {
    past.note(run, input, now);
    inputs.push((run.position(), input.clone(), now));
}

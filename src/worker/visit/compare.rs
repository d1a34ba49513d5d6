//! What the events of a visit come to: fingerprints, trails, and how two runs compare.

use vitrine_agent::event::Event;
use vitrine_agent::json::Json;
use vitrine_agent::message::Message;
use vitrine_protocol::notification::Problem;
use vitrine_protocol::runs::{Divergence, Fingerprint, RunDiff, RunInfo};
use vitrine_protocol::visible::one_line;

use super::{MAX_EVENTS, events_between};
use crate::desk::Desk;
use crate::outbox::Answer;

/// Characters of a prompt.
const SHORT: usize = 80;
/// Characters of each event's own hash in a trail.
pub const STRIDE: usize = 4;

/// What the events so far come to.
pub fn fingerprint(desk: &Desk, with_trail: bool) -> Result<Answer, Problem> {
    let events = so_far(desk)?;
    let hash = hash(&events)?;
    let trail = if with_trail { Some(trail(desk)?) } else { None };
    Answer::json(&Fingerprint { hash, events: events.len(), modified: desk.tamper.is_modified(), trail })
}

fn so_far(desk: &Desk) -> Result<Vec<Event>, Problem> {
    let state = desk.visit.0.borrow();
    if state.is_cut {
        let message = format!("more than {MAX_EVENTS} events: not all of them were kept");
        return Err(Problem::new("too-many", message, "open a new session for a run that is to be compared"));
    }
    Ok(events_between(&state.told, &state.events, 0, state.events.len()))
}

/// The fingerprint of the events so far.
pub fn hash_so_far(desk: &Desk) -> Result<String, Problem> {
    hash(&so_far(desk)?)
}

/// The first characters of each event's own hash, one after the other.
pub fn trail(desk: &Desk) -> Result<String, Problem> {
    let one = |form: Json| {
        let hash = vitrine_lesson::fingerprint_json(&format!("[{}]", form.as_str()), None);
        hash.map(|hash| hash.chars().take(STRIDE).collect::<String>()).map_err(|error| no_form(&error))
    };
    forms(&so_far(desk)?)?.into_iter().map(one).collect()
}

fn hash(events: &[Event]) -> Result<String, Problem> {
    vitrine_lesson::fingerprint(events, None).map_err(|error| no_form(&error))
}

fn no_form(error: &vitrine_lesson::CanonicalError) -> Problem {
    Problem::new(
        "no-fingerprint",
        format!("the events have no canonical form: {error}"),
        "compare the exported events instead",
    )
}

/// The runs of the visit, the left ones first.
pub fn list_runs(desk: &Desk) -> Result<Answer, Problem> {
    let named: Vec<(String, bool)> = {
        let state = desk.visit.0.borrow();
        let left = state.left.iter().map(|run| (run.run_id.clone(), true));
        left.chain(state.runs.iter().map(|run| (run.run_id.clone(), false))).collect()
    };
    let infos = named.into_iter().map(|(run_id, left)| {
        let events = desk.visit.events_of(&run_id)?;
        Ok(RunInfo { run_id, prompt: prompt_of(&events), events: events.len(), hash: hash(&events)?, left })
    });
    Answer::json(&infos.collect::<Result<Vec<_>, Problem>>()?)
}

fn prompt_of(events: &[Event]) -> String {
    let text = events.iter().find_map(|event| match event {
        Event::MessageEnd { message } => match &**message {
            Message::User(user) => Some(user.content.text()),
            _ => None,
        },
        _ => None,
    });
    one_line(&text.unwrap_or_default(), SHORT)
}

/// Compares two runs.
pub fn diff_runs(desk: &Desk, a: &str, b: &str) -> Result<Answer, Problem> {
    let (a, b) = (desk.visit.events_of(a)?, desk.visit.events_of(b)?);
    let (form_a, form_b) = (forms(&a)?, forms(&b)?);
    let same = form_a.iter().zip(&form_b).take_while(|(a, b)| a.as_str() == b.as_str()).count();
    let first = (same < form_a.len().max(form_b.len()))
        .then(|| Divergence { a: form_a.get(same).cloned(), b: form_b.get(same).cloned() });
    Answer::json(&RunDiff { same, first, a: kinds(&a), b: kinds(&b) })
}

/// Each event in the canonical form of the whole run.
fn forms(events: &[Event]) -> Result<Vec<Json>, Problem> {
    let whole = vitrine_lesson::canonicalize(events).map_err(|error| no_form(&error))?;
    serde_json::from_str(&whole)
        .map_err(|error| Problem::new("internal", format!("the canonical form: {error}"), "report this as a bug"))
}

fn kinds(events: &[Event]) -> Vec<String> {
    let mut kinds: Vec<String> = events.iter().map(|event| event.kind().to_owned()).collect();
    kinds.dedup_by(|next, last| next == last && next == "message_update");
    kinds
}

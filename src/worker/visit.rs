//! What has happened in this visit to the session: every event, and at each the files and the entry it stood at. From it comes
//! the fingerprint, how two runs compare, and the way back (`rewind`).

mod compare;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use vitrine_agent::event::{CallTrace, Event};
use vitrine_agent::past::Past;
use vitrine_protocol::notification::Problem;
use vitrine_providers::scripted::Scripted;
use vitrine_session::ids::EntryId;
use vitrine_vfs::Snapshot;

pub use compare::{STRIDE, diff_runs, fingerprint, hash_so_far, list_runs, trail};

/// Inputs that are kept of all runs of a visit, but for the last one.
const MAX_INPUTS: usize = 500_000;
/// Events that are kept of one visit. Beyond, nothing can be compared or gone back to, and that is said.
const MAX_EVENTS: usize = 250_000;
/// Runs on branches that were left whose events are kept.
const MAX_LEFT: usize = 20;

/// The visit.
#[derive(Default)]
pub struct Visit(RefCell<State>);

#[derive(Default)]
struct State {
    told: Vec<Told>,
    /// Where in `told` each event is.
    events: Vec<usize>,
    /// The entry that each message was stored as, by the number of the event that ended it.
    entries: Vec<(usize, EntryId)>,
    /// The files at each entry of the visit, those of branches that were left, too.
    files: HashMap<EntryId, Snapshot>,
    /// The script before each request, by the number of events told before it.
    scripts: Vec<(usize, Scripted)>,
    runs: Vec<RunSpan>,
    left: Vec<LeftRun>,
    is_cut: bool,
}

/// Something the page was told.
#[derive(Clone)]
pub enum Told {
    /// An event, and the files as they were when it was told.
    Event(Event, Snapshot),
    /// A call's state.
    Trace(CallTrace),
}

/// A run of the visit.
struct RunSpan {
    run_id: String,
    /// The number of its first event.
    first: usize,
    /// The last entry before it.
    leaf: Option<EntryId>,
    /// What went into it; none where that was too much beside what later ones took in.
    past: Option<Rc<RefCell<Past>>>,
}

/// A run on a branch that was left.
struct LeftRun {
    run_id: String,
    events: Vec<Event>,
}

/// Where an event lies.
pub struct Place {
    /// What went into its run; none where it is not kept any more.
    pub past: Option<Rc<RefCell<Past>>>,
    /// The number of the run's first event.
    pub first: usize,
    /// The last entry before the run.
    pub run_leaf: Option<EntryId>,
    /// The last entry before the event.
    pub leaf: Option<EntryId>,
    /// The files just before it.
    pub files: Option<Snapshot>,
    /// The script of the next request from there, if another was made since.
    pub script: Option<Scripted>,
    /// What was told of the run before it.
    pub told: Vec<Told>,
}

impl Visit {
    /// Another session, or none of this one is known.
    pub fn reset(&self) {
        self.0.take();
    }

    /// A run begins.
    pub fn begin_run(&self, run_id: &str, leaf: Option<EntryId>, past: Rc<RefCell<Past>>) {
        let mut state = self.0.borrow_mut();
        let first = state.events.len();
        let mut n_inputs = 0;
        for run in state.runs.iter_mut().rev() {
            n_inputs += run.past.as_ref().map_or(0, |past| past.borrow().len());
            run.past.take_if(|_| n_inputs > MAX_INPUTS);
        }
        state.runs.push(RunSpan { run_id: run_id.to_owned(), first, leaf, past: Some(past) });
    }

    /// A run that was brought back goes on, under another id: its events until here are those of the run that was left.
    pub fn resume_run(&self, run_id: &str, first: usize, leaf: Option<EntryId>, past: Rc<RefCell<Past>>) {
        let mut state = self.0.borrow_mut();
        state.runs.retain(|run| run.first != first);
        state.runs.push(RunSpan { run_id: run_id.to_owned(), first, leaf, past: Some(past) });
    }

    /// An event was told. Gives its number.
    pub fn event(&self, event: &Event, files: Snapshot) -> usize {
        let mut state = self.0.borrow_mut();
        if state.events.len() >= MAX_EVENTS {
            state.is_cut = true;
            return state.events.len();
        }
        let at = state.told.len();
        state.told.push(Told::Event(event.clone(), files));
        state.events.push(at);
        state.events.len() - 1
    }

    /// A call's state was told.
    pub fn trace(&self, trace: &CallTrace) {
        let mut state = self.0.borrow_mut();
        if !state.is_cut {
            state.told.push(Told::Trace(trace.clone()));
        }
    }

    /// The message that an event ended was stored.
    pub fn stored(&self, event: usize, entry: EntryId, files: Snapshot) {
        let mut state = self.0.borrow_mut();
        state.files.insert(entry.clone(), files);
        state.entries.push((event, entry));
    }

    /// A request takes its answer from the script.
    pub fn script(&self, script: Scripted) {
        let mut state = self.0.borrow_mut();
        let events = state.events.len();
        state.scripts.push((events, script));
    }

    /// How many events were told.
    pub fn n_events(&self) -> usize {
        self.0.borrow().events.len()
    }

    /// The event that a stored entry is, in this visit's branch.
    pub fn event_of(&self, entry: &EntryId) -> Option<usize> {
        self.0.borrow().entries.iter().find(|(_, id)| id == entry).map(|(event, _)| *event)
    }

    /// The files as they were when an entry was stored, on whatever branch.
    pub fn files_at(&self, entry: &EntryId) -> Option<Snapshot> {
        self.0.borrow().files.get(entry).copied()
    }

    /// Where an event lies; the number after the last one is none.
    pub fn place(&self, event: usize) -> Result<Place, Problem> {
        let at = self.0.borrow().events.get(event).copied();
        self.place_in_run(event, at, event)
    }

    /// The place just after an event, in its run.
    pub fn place_after(&self, event: usize) -> Result<Place, Problem> {
        let at = {
            let state = self.0.borrow();
            state.events.get(event + 1).copied().unwrap_or(state.told.len())
        };
        self.place_in_run(event, Some(at), event + 1)
    }

    /// The place before what was told as the `at`-th, in the run that has `event`, with `n_events` told.
    fn place_in_run(&self, event: usize, at: Option<usize>, n_events: usize) -> Result<Place, Problem> {
        let state = self.0.borrow();
        let run = state.runs.iter().rev().find(|run| run.first <= event);
        let (Some(run), Some(at)) = (run, at) else {
            let message = format!("there is no event {event} to go back to: {} were told", state.events.len());
            return Err(Problem::new("no-such-event", message, "give the index of an event in `events`"));
        };
        let first = state.events.get(run.first).copied().unwrap_or_default();
        let leaf = state.entries.iter().rev().find(|(ended, _)| *ended < n_events).map(|(_, entry)| entry.clone());
        let files = match state.told.get(at) {
            Some(Told::Event(_, files)) => Some(*files),
            Some(Told::Trace(_)) | None => None,
        };
        Ok(Place {
            past: run.past.clone(),
            first: run.first,
            run_leaf: run.leaf.clone(),
            leaf: leaf.or_else(|| state.runs.first().and_then(|run| run.leaf.clone())),
            files,
            script: state.scripts.iter().find(|(before, _)| *before >= n_events).map(|(_, script)| script.clone()),
            told: state.told.get(first..at).unwrap_or_default().to_vec(),
        })
    }

    /// Only this many events stand: what came after is on a branch that was left.
    pub fn cut(&self, n_events: usize) {
        let mut state = self.0.borrow_mut();
        let state = &mut *state;
        for at in (0..state.runs.len()).rev() {
            let end = state.runs.get(at + 1).map_or(state.events.len(), |next| next.first);
            if end <= n_events {
                break;
            }
            if let Some(run) = state.runs.get_mut(at) {
                let events = events_between(&state.told, &state.events, run.first, end);
                state.left.push(LeftRun { run_id: run.run_id.clone(), events });
                // What stands of it is not the run that was.
                run.run_id.push('~');
            }
        }
        let excess = state.left.len().saturating_sub(MAX_LEFT);
        state.left.drain(..excess);
        state.told.truncate(state.events.get(n_events).copied().unwrap_or(state.told.len()));
        state.events.truncate(n_events);
        state.entries.retain(|(event, _)| *event < n_events);
        state.scripts.retain(|(before, _)| *before < n_events);
        state.runs.retain(|run| run.first < n_events);
        // What was not kept is on the branch that is left, unless the place is after it.
        state.is_cut &= state.events.len() >= MAX_EVENTS;
    }

    /// The events of a run, on whatever branch.
    fn events_of(&self, run_id: &str) -> Result<Vec<Event>, Problem> {
        let state = self.0.borrow();
        let at = state.runs.iter().position(|run| run.run_id == run_id);
        let here = at.and_then(|at| {
            let end = state.runs.get(at + 1).map_or(state.events.len(), |next| next.first);
            Some(events_between(&state.told, &state.events, state.runs.get(at)?.first, end))
        });
        here.or_else(|| state.left.iter().find(|run| run.run_id == run_id).map(|run| run.events.clone())).ok_or_else(
            || {
                Problem::new(
                    "no-such-run",
                    format!("this visit knows no run {run_id}"),
                    "see `listRuns` for those it knows",
                )
            },
        )
    }
}

fn events_between(told: &[Told], events: &[usize], first: usize, end: usize) -> Vec<Event> {
    let at = events.get(first..end).unwrap_or_default();
    let event = |at: &usize| match told.get(*at)? {
        Told::Event(event, _) => Some(event.clone()),
        Told::Trace(_) => None,
    };
    at.iter().filter_map(event).collect()
}

//! [`Faults`]: what a person broke on purpose, and what a host does about it at each of its places.
//!
//! A fault that is armed waits for the first call, batch or response that it can act on (or the n-th), acts once and is gone.
//! What it does is what would really happen: the model's own words are other ones, the host refuses, the provider fails. So
//! the loop needs to know nothing of faults, and its events are those of the real thing.

mod response;

use std::collections::HashSet;
use std::sync::Arc;

use vitrine_agent::model::ModelEvent;
use vitrine_protocol::fault::{Fault, FaultActed, FaultKind, FaultOf};

use response::Rewriter;

/// Faults that can be armed at once.
pub const MAX_ARMED: usize = 64;
/// What a tool throws where no text was given.
const THROWN: &str = "The tool failed: this failure was switched on to see what follows from it.";

/// There are too many already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{MAX_ARMED} faults are armed already")]
pub struct TooMany;

/// The faults of one session.
#[derive(Debug, Default)]
pub struct Faults {
    armed: Vec<Armed>,
    /// Bound to a call of the run.
    bound: Vec<Bound>,
    /// Calls whose results are left out of requests.
    dropped: HashSet<Arc<str>>,
    /// The calls of the batch, where its order of completion is reversed.
    reversed: bool,
    rewriter: Rewriter,
    acted: Vec<FaultActed>,
}

/// A fault, and how many more it lets pass.
#[derive(Debug)]
struct Armed {
    fault: Fault,
    passes: u32,
}

/// A fault that has found its call.
#[derive(Debug)]
struct Bound {
    call_id: Arc<str>,
    fault: Fault,
}

/// What becomes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// It is sent.
    Sent,
    /// It is not: the provider refuses, in these words.
    Refused(&'static str),
}

/// What becomes of a call that may run otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// It may.
    Yes,
    /// It may not; the model reads the reason, or the loop's own words.
    Blocked(Option<String>),
}

/// What is different about an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Execution {
    /// It does not run, and throws this.
    pub throws: Option<String>,
    /// It takes longer.
    pub is_slow: bool,
    /// It shows progress when it has settled.
    pub updates_late: bool,
    /// The run is aborted as it begins.
    pub aborts: bool,
    /// It settles after all later ones of its batch that run.
    pub settles_last: bool,
}

impl Faults {
    /// Arms one.
    pub fn arm(&mut self, fault: Fault) -> Result<(), TooMany> {
        if self.armed.len() >= MAX_ARMED {
            return Err(TooMany);
        }
        let passes = fault.nth.unwrap_or(1).saturating_sub(1);
        self.armed.push(Armed { fault, passes });
        Ok(())
    }

    /// Those that have not acted, in the order in which they were armed.
    pub fn armed(&self) -> impl Iterator<Item = &Fault> {
        self.armed.iter().map(|armed| &armed.fault)
    }

    /// Takes back all that have not acted.
    pub fn clear(&mut self) {
        self.armed.clear();
    }

    /// Nothing is broken, and nothing was.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Whether it need not be asked at all.
    pub fn is_idle(&self) -> bool {
        self.armed.is_empty() && self.bound.is_empty() && self.dropped.is_empty() && !self.reversed
    }

    /// Which have acted since the last time this was asked.
    pub fn take_acted(&mut self) -> Vec<FaultActed> {
        std::mem::take(&mut self.acted)
    }

    /// A request is about to be sent.
    pub fn request(&mut self) -> Asked {
        self.rewriter = Rewriter::default();
        for (kind, words) in
            [(FaultKind::Overloaded, response::OVERLOADED), (FaultKind::ContextOverflow, response::TOO_LONG)]
        {
            if self.take(kind).is_some() {
                self.acted.push(FaultActed { kind, call_id: None });
                return Asked::Refused(words);
            }
        }
        self.rewriter.breaks = self.take(FaultKind::MalformedStream).is_some();
        Asked::Sent
    }

    /// Whether what the model says from here on passes through [`Faults::answer`].
    pub fn rewrites(&self) -> bool {
        self.rewriter.breaks || self.armed.iter().any(|armed| response::KINDS.contains(&armed.fault.kind))
    }

    /// Events of the response, as they are to be. After an `Error` the rest of it does not count.
    pub fn answer(&mut self, events: Vec<ModelEvent>) -> Vec<ModelEvent> {
        let mut rewriter = std::mem::take(&mut self.rewriter);
        let rewritten = rewriter.rewrite(events, self);
        self.rewriter = rewriter;
        rewritten
    }

    /// The response is whole; these are its calls.
    pub fn batch(&mut self, calls: &[Arc<str>]) {
        self.bound.clear();
        self.reversed = false;
        if calls.is_empty() {
            return;
        }
        if let Some(fault) = self.take(FaultKind::Terminate) {
            let n_calls = match fault.of {
                Some(FaultOf::Some) => calls.len().saturating_sub(1),
                Some(FaultOf::All) | None => calls.len(),
            };
            for call_id in calls.iter().take(n_calls) {
                self.bound.push(Bound { call_id: call_id.clone(), fault: fault.clone() });
            }
            self.acted.push(FaultActed { kind: FaultKind::Terminate, call_id: None });
        }
        if calls.len() > 1 && self.take(FaultKind::ReverseOrder).is_some() {
            self.reversed = true;
            self.acted.push(FaultActed { kind: FaultKind::ReverseOrder, call_id: None });
        }
    }

    /// A call is valid and may run, as far as others are concerned.
    pub fn admit(&mut self, call_id: &Arc<str>) -> Admitted {
        const OF_A_CALL: [FaultKind; 6] = [
            FaultKind::Block,
            FaultKind::Throw,
            FaultKind::Slow,
            FaultKind::LateUpdate,
            FaultKind::Abort,
            FaultKind::DropResult,
        ];
        let mut blocked = Admitted::Yes;
        for kind in OF_A_CALL {
            let Some(fault) = self.take(kind) else { continue };
            // The others act now; a late update does when it comes, and its host tells.
            if kind != FaultKind::LateUpdate {
                self.acted.push(FaultActed { kind, call_id: Some(call_id.to_string()) });
            }
            match kind {
                FaultKind::DropResult => {
                    self.dropped.insert(call_id.clone());
                }
                FaultKind::Block => blocked = Admitted::Blocked(fault.reason),
                _ => self.bound.push(Bound { call_id: call_id.clone(), fault }),
            }
        }
        blocked
    }

    /// What is different about the execution of a call.
    pub fn execution(&self, call_id: &str) -> Execution {
        let mut execution = Execution { settles_last: self.reversed, ..Execution::default() };
        for bound in self.bound.iter().filter(|bound| *bound.call_id == *call_id) {
            match bound.fault.kind {
                FaultKind::Throw => {
                    execution.throws = Some(bound.fault.reason.clone().unwrap_or_else(|| THROWN.to_owned()));
                }
                FaultKind::Slow => execution.is_slow = true,
                FaultKind::LateUpdate => execution.updates_late = true,
                FaultKind::Abort => execution.aborts = true,
                _ => {}
            }
        }
        execution
    }

    /// Whether a call's result hints that the run may stop.
    pub fn terminates(&self, call_id: &str) -> bool {
        self.bound.iter().any(|bound| bound.fault.kind == FaultKind::Terminate && *bound.call_id == *call_id)
    }

    /// Whether anything is left out of requests.
    pub fn drops_any(&self) -> bool {
        !self.dropped.is_empty()
    }

    /// Whether a call's result is left out of requests.
    pub fn drops(&self, call_id: &str) -> bool {
        self.dropped.contains(call_id)
    }

    /// The session went back to where only these calls had been made.
    pub fn keep_dropped(&mut self, is_there: impl Fn(&str) -> bool) {
        self.dropped.retain(|call_id| is_there(call_id));
        self.bound.clear();
        self.reversed = false;
    }

    /// The first armed fault of a kind, if its turn has come. One place for each kind counts.
    fn take(&mut self, kind: FaultKind) -> Option<Fault> {
        let mut due = None;
        for (at, armed) in self.armed.iter_mut().enumerate().filter(|(_, armed)| armed.fault.kind == kind) {
            if armed.passes > 0 {
                armed.passes -= 1;
            } else if due.is_none() {
                due = Some(at);
            }
        }
        due.map(|at| self.armed.remove(at).fault)
    }

    fn is_armed(&self, kind: FaultKind) -> bool {
        self.armed.iter().any(|armed| armed.fault.kind == kind)
    }
}

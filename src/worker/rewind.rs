//! Going back: to an event of this visit, from where its run goes on, or to an entry, from where another branch may begin. The
//! session loses nothing: what came after stays on its branch.

use std::rc::Rc;

use vitrine::platform::clock;
use vitrine_agent::event::Event;
use vitrine_agent::gate::Gate;
use vitrine_agent::message::Message;
use vitrine_agent::past::PastError;
use vitrine_protocol::notification::{Notification, Problem};
use vitrine_protocol::rewind::{RewindTo, Rewound, WentTo};
use vitrine_protocol::runs::{InRequest, LedgerLine};
use vitrine_session::ids::EntryId;
use vitrine_session::ledger::{Standing, ledger};
use vitrine_teach::Happening;
use vitrine_vfs::Snapshot;

use crate::desk::{Desk, Tally};
use crate::outbox::Answer;
use crate::run::{self, Claim};

use crate::visit::{Place, Told};
use crate::{lesson, sessions};

/// Goes back. A run that goes on is ended first, and what it leaves stays on the branch that is left.
pub async fn rewind(desk: &Rc<Desk>, to: RewindTo) -> Result<Answer, Problem> {
    // Asked before anything is ended: a place that is none changes nothing.
    match &to {
        RewindTo::Event(event) => drop(desk.visit.place(*event)?),
        RewindTo::Entry(entry) => {
            let session = desk.sessions.current.lock().await;
            if session.tree().entry(&EntryId::from(entry.as_str())).is_none() {
                let message = format!("the session has no entry {entry}");
                return Err(Problem::new("entry-not-found", message, "see `sessions.tree()` for those it has"));
            }
        }
    }
    run::abort(desk).await;
    match to {
        RewindTo::Event(event) => to_event(desk, event).await,
        RewindTo::Entry(entry) => to_entry(desk, &EntryId::from(entry.as_str())).await,
    }
}

async fn to_event(desk: &Rc<Desk>, event: usize) -> Result<Answer, Problem> {
    let place = desk.visit.place(event)?;
    let gate = Gate::new();
    gate.set_breakpoints(desk.breakpoints.borrow().clone());
    // Held at the event it stands before.
    gate.pause();
    let claim = Claim::new(desk, gate)?;
    let past = place.past.as_ref().ok_or_else(|| past_problem(&PastError::NotKept))?;
    let returned = past.borrow().return_to(event - place.first, claim.signal().clone());
    let returned = returned.map_err(|error| past_problem(&error))?;
    let files_restored = restore(desk, place.files);
    show(desk, &place, event, Some(claim.run_id().to_owned())).await?;
    let went = WentTo { entry_id: place.leaf.as_ref().map(ToString::to_string), event, files_restored };
    run::go_on(claim, returned, place.first, place.run_leaf.clone());
    Answer::json(&went)
}

/// Moves the session's leaf to before an event, and tells the page what stands.
async fn show(desk: &Desk, place: &Place, event: usize, run_id: Option<String>) -> Result<(), Problem> {
    let before = {
        let mut session = desk.sessions.current.lock().await;
        move_leaf(&mut session, place.run_leaf.as_ref())?;
        let before = session.messages();
        move_leaf(&mut session, place.leaf.as_ref())?;
        desk.tally.replace(Tally::of(&session.messages()));
        before
    };
    desk.visit.cut(event);
    if let Some(script) = &place.script {
        desk.scripts.go_back(script.clone());
    }
    desk.requests.forget_last();
    desk.tamper.went_back(&before);
    let rewound = Rewound { events: place.first, run_id, messages: before };
    desk.outbox.tell(&Notification::Rewound(Box::new(rewound)));
    lesson::happened(desk, &Happening::Rewound);
    let mut n_turns = 0;
    for told in &place.told {
        match told {
            Told::Event(event, _) => {
                n_turns += u32::from(event.kind() == "turn_start");
                desk.outbox.tell_event(event);
                desk.tamper.see_calls(event);
                if let Event::MessageEnd { message } = event
                    && let Message::Assistant(assistant) = &**message
                {
                    desk.approvals.batch(assistant);
                }
            }
            Told::Trace(trace) => desk.outbox.tell(&Notification::Trace(trace.clone())),
        }
    }
    desk.turn.set(n_turns);
    desk.tell_state();
    Ok(())
}

async fn to_entry(desk: &Rc<Desk>, entry: &EntryId) -> Result<Answer, Problem> {
    // No run may begin meanwhile; that nothing runs any more is told when this is dropped.
    let claim = Claim::new(desk, Gate::new())?;
    let files = desk.visit.files_at(entry);
    let files_restored = restore(desk, files);
    let event = match desk.visit.event_of(entry) {
        // On the branch, in this visit: what led there is told anew, with its states.
        Some(event) => {
            let next = event + 1;
            let place = Place { leaf: Some(entry.clone()), ..desk.visit.place_after(event)? };
            show(desk, &place, next, None).await?;
            next
        }
        None => {
            let messages = {
                let mut session = desk.sessions.current.lock().await;
                move_leaf(&mut session, Some(entry))?;
                session.messages()
            };
            desk.tally.replace(Tally::of(&messages));
            desk.visit.cut(0);
            desk.requests.forget_last();
            desk.tamper.went_back(&messages);
            desk.outbox.tell(&Notification::Rewound(Box::new(Rewound { events: 0, run_id: None, messages })));
            lesson::happened(desk, &Happening::Rewound);
            0
        }
    };
    // A call that was cut off where the session stands now has its result, as after a stop.
    let settled = desk.sessions.current.lock().await.settle(clock::wall_ms()).await;
    settled.map_err(|error| sessions::session_problem(&error))?;
    drop(claim);
    Answer::json(&WentTo { entry_id: Some(entry.to_string()), event, files_restored })
}

fn move_leaf(session: &mut vitrine_session::session::Session, leaf: Option<&EntryId>) -> Result<(), Problem> {
    match leaf {
        Some(leaf) => session.branch(leaf).map_err(|error| sessions::session_problem(&error)),
        None => {
            session.reset_leaf();
            Ok(())
        }
    }
}

/// Makes the files what they were. Whether they are.
fn restore(desk: &Desk, files: Option<Snapshot>) -> bool {
    files.is_some_and(|files| files == desk.workspace.snapshot() || desk.workspace.restore(files).is_ok())
}

fn past_problem(error: &PastError) -> Problem {
    Problem::new("cannot-rewind", error.to_string(), "go back to an entry instead")
}

/// Every entry of the session beside what the next request carries of it.
pub async fn read_ledger(desk: &Desk) -> Result<Answer, Problem> {
    let session = desk.sessions.current.lock().await;
    let lines: Vec<LedgerLine> = ledger(session.tree())
        .into_iter()
        .map(|line| {
            let (in_request, instead) = match line.standing {
                Standing::Whole => (InRequest::Whole, None),
                Standing::Edited(text) => (InRequest::Edited, Some(text)),
                Standing::Omitted => (InRequest::Omitted, None),
                Standing::Summarised => (InRequest::Summarised, None),
                Standing::OffBranch => (InRequest::OffBranch, None),
                Standing::ScreenOnly => (InRequest::ScreenOnly, None),
                Standing::FailedAttempt => (InRequest::FailedAttempt, None),
            };
            LedgerLine {
                entry_id: line.entry.id.to_string(),
                parent_id: line.entry.parent_id.as_ref().map(ToString::to_string),
                kind: line.entry.payload.kind().to_owned(),
                role: line.entry.message().map(|message| message.role().to_owned()),
                text: line.text,
                on_branch: line.on_branch,
                in_request,
                instead,
            }
        })
        .collect();
    Answer::json(&lines)
}

//! A context that a host has answered with, in few words: what the run has already is named and not written again.
//!
//! Without this a host that shortens a long context before each request would make a recording that grows with the square
//! of the run.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::history::History;
use crate::message::SharedMessage;
use crate::run::{Changes, Input, NextTurn};

/// A part of a context.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Piece {
    /// Messages of the run's own history: from the first index to before the second. Later pieces name later ones, so that
    /// no text however made can ask for more than there is.
    Kept(usize, usize),
    /// A message that is not there, or not behind those before it.
    Message(SharedMessage),
}

/// The context that an input brings, if it does.
pub(super) fn brought(input: &mut Input) -> Option<&mut History> {
    match input {
        Input::Context(history)
        | Input::Request(Changes { history, .. })
        | Input::NextTurn(NextTurn { changes: Changes { history, .. }, .. }) => history.as_mut(),
        Input::Model(_)
        | Input::Answer(_)
        | Input::ModelClosed
        | Input::Prepared { .. }
        | Input::Admission { .. }
        | Input::Update { .. }
        | Input::Executed { .. }
        | Input::Finalized { .. }
        | Input::Steering(_)
        | Input::FollowUps(_)
        | Input::FinishTurn(_)
        | Input::Abort
        | Input::GraceOver
        | Input::Fail(_) => None,
    }
}

/// Takes a context apart.
pub(super) fn pieces(context: &History, own: &History) -> Vec<Piece> {
    let own = own.messages();
    let places: HashMap<_, _> = own.iter().enumerate().map(|(place, message)| (message.address(), place)).collect();
    let mut pieces = Vec::new();
    let mut next = 0;
    for message in context.messages().iter() {
        match (places.get(&message.address()), pieces.last_mut()) {
            (Some(&place), Some(Piece::Kept(_, end))) if place == *end => *end = place + 1,
            (Some(&place), _) if place >= next => pieces.push(Piece::Kept(place, place + 1)),
            (Some(_) | None, _) => {
                pieces.push(Piece::Message(message.clone()));
                continue;
            }
        }
        next = pieces.last().map_or(next, |piece| if let Piece::Kept(_, end) = piece { *end } else { next });
    }
    pieces
}

/// Puts it together again; `None` when it names what the run does not have.
pub(super) fn whole(pieces: Vec<Piece>, own: &History) -> Option<History> {
    let own = own.messages();
    let mut messages = Vec::new();
    let mut next = 0;
    for piece in pieces {
        match piece {
            Piece::Message(message) => messages.push(message),
            Piece::Kept(from, to) => {
                let kept = own.get(from..to).filter(|_| from >= next)?;
                messages.extend(kept.iter().cloned());
                next = to;
            }
        }
    }
    Some(messages.into_iter().collect())
}

//! The course of a run: the nodes of the rail with the event that each stands for, and the brackets of the runs around
//! them.

use crate::log::Log;
use crate::rail::{Kind, Node, nodes_of};
use crate::transcript::{Part, RowContent, RowId, Transcript};

/// Places of brackets, after all places of a row's own nodes. The row is then the number of the event.
const RUN: usize = usize::MAX - 2;
const ENDED: usize = usize::MAX - 1;
const SETTLED: usize = usize::MAX;

/// A node with its event.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// What happened.
    pub node: Node,
    /// The number of its event; none where it is older than the visit.
    pub event: Option<usize>,
}

/// What happened in `n_rows` rows from row `skip` on, with the runs that begin and end there.
pub fn course(transcript: &Transcript, log: &Log, skip: usize, n_rows: usize) -> Vec<Placed> {
    let end = transcript.rows.get(skip.saturating_add(n_rows)).map(|row| row.id);
    let nodes = nodes_of(transcript, skip, n_rows);
    let last = end.and_then(|row| log.row_event(row)).unwrap_or(usize::MAX);
    let first = transcript.rows.get(skip).and_then(|row| log.row_event(row.id));
    // A run begins before its first row does.
    let since = if skip == 0 { Some(0) } else { first };
    let runs = log.runs().iter().filter(|run| since.is_some_and(|since| run.end.unwrap_or(usize::MAX) >= since));
    let mut brackets = Vec::new();
    for run in runs {
        let mut push = |event: usize, place: usize, kind: Kind| {
            let key = (RowId::try_from(event).unwrap_or(RowId::MAX), place);
            brackets.push(Placed { node: Node { key, kind }, event: Some(event) });
        };
        if skip == 0 || first.is_some_and(|first| run.start >= first.saturating_sub(2)) {
            push(run.start, RUN, Kind::Run);
        }
        if let Some(end) = run.end {
            push(end, ENDED, Kind::Ended);
            if run.settled {
                push(end, SETTLED, Kind::Settled);
            }
        }
    }
    let mut brackets = brackets.into_iter().filter(|placed| placed.event.is_some_and(|event| event < last)).peekable();
    let mut placed = Vec::with_capacity(nodes.len() + 4);
    for node in nodes {
        let began = log.row_event(node.key.0);
        while let Some(bracket) = brackets.next_if(|bracket| began.is_some_and(|began| bracket.event < Some(began))) {
            placed.push(bracket);
        }
        let event = event_of(transcript, log, node.key);
        placed.push(Placed { node, event });
    }
    placed.extend(brackets);
    placed
}

/// The event that a node of a row stands for.
fn event_of(transcript: &Transcript, log: &Log, (row, place): (RowId, usize)) -> Option<usize> {
    let began = log.row_event(row)?;
    let Some(within) = place.checked_sub(10) else { return Some(began) };
    let RowContent::Assistant(answer) = &transcript.row(row)?.content else { return Some(began) };
    let Some(Part::Call(card)) = answer.parts.get(within / 10) else { return Some(began) };
    let call = log.call(&card.id);
    match within % 10 {
        0 => call.asked,
        1 | 2 => call.started,
        _ => call.ended.or(call.recorded),
    }
}

/// The first of `n_rows` rows such that the row of an event is among them, or the last rows without one.
pub fn first_row(transcript: &Transcript, log: &Log, cursor: Option<usize>, n_rows: usize) -> usize {
    let newest = transcript.rows.len().saturating_sub(n_rows);
    let Some(cursor) = cursor else { return newest };
    let Some(id) = log.row_at(cursor) else { return if log.is_empty() { newest } else { 0 } };
    let at = transcript.rows.binary_search_by_key(&id, |row| row.id).unwrap_or(newest);
    if at >= newest { newest } else { at.saturating_sub(n_rows / 2) }
}

#[cfg(test)]
mod tests;

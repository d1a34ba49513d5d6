//! A batch of calls side by side in time: when each was taken up, ran and ended, and in which place it finished. In the
//! order in which the model asked, which is that of the history.

use vitrine_agent::event::CallState;

use crate::transcript::{AssistantRow, CallCard, Part};

/// One call of a batch. Times are milliseconds since the first of the batch was taken up.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// The call.
    pub call_id: String,
    /// Its tool.
    pub name: String,
    /// Where it stands.
    pub state: CallState,
    /// Whether its result says that it failed.
    pub is_error: bool,
    /// From when its tool ran, and until when if that is over.
    pub ran: Option<(f64, Option<f64>)>,
    /// When it had its result, run or not.
    pub ended: Option<f64>,
    /// From 1: how many of the batch ended before it, and itself.
    pub place: Option<usize>,
}

/// The lanes of an answer's calls; none where it has fewer than two, or nothing is known of their times.
pub fn lanes(answer: &AssistantRow) -> Vec<Lane> {
    let calls: Vec<&CallCard> = answer
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Call(card) => Some(card),
            Part::Text(_) | Part::Thinking(_) => None,
        })
        .collect();
    let taken_up = |card: &&CallCard| {
        let at = card.trace.iter().find(|(state, _)| *state != CallState::Requested);
        at.map(|(_, at)| *at)
    };
    let Some(begin) = calls.iter().filter_map(taken_up).min_by(f64::total_cmp) else { return Vec::new() };
    if calls.len() < 2 {
        return Vec::new();
    }
    let mut lanes: Vec<Lane> = calls.into_iter().map(|card| lane(card, begin)).collect();
    let mut ends: Vec<f64> = lanes.iter().filter_map(|lane| lane.ended).collect();
    ends.sort_by(f64::total_cmp);
    // Two that ended at the same time finished in the order of the calls.
    let mut taken = vec![false; ends.len()];
    for lane in &mut lanes {
        let mine = |(at, end): (usize, &f64)| Some(*end) == lane.ended && taken.get(at) == Some(&false);
        if let Some(at) = ends.iter().enumerate().position(mine) {
            if let Some(taken) = taken.get_mut(at) {
                *taken = true;
            }
            lane.place = Some(at + 1);
        }
    }
    lanes
}

fn lane(card: &CallCard, begin: f64) -> Lane {
    let at = |wanted: fn(CallState) -> bool| {
        card.trace.iter().find(|(state, _)| wanted(*state)).map(|(_, at)| (at - begin).max(0.0))
    };
    let ended = at(|state| {
        matches!(
            state,
            CallState::Finalized
                | CallState::NotFound
                | CallState::Invalid
                | CallState::Blocked
                | CallState::Truncated
                | CallState::Aborted
                | CallState::Threw
        )
    });
    Lane {
        call_id: card.id.clone(),
        name: card.name.clone(),
        state: card.state,
        is_error: card.result.as_ref().is_some_and(|result| result.is_error),
        ran: at(|state| state == CallState::Executing).map(|from| (from, ended)),
        ended,
        place: None,
    }
}

/// The time of the whole batch so far; never nothing, so that a share of it can be taken.
pub fn span(lanes: &[Lane]) -> f64 {
    let ends = lanes.iter().flat_map(|lane| [lane.ended, lane.ran.map(|(from, _)| from)]).flatten();
    ends.fold(1.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notification::Notification;
    use crate::transcript::{RowContent, Transcript};

    fn told(traces: &[(&str, &str, u32)]) -> Vec<Lane> {
        let mut transcript = Transcript::new();
        let mut tell = |json: &str| {
            let notification: Notification =
                serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
            transcript.apply(&notification);
        };
        let calls: Vec<String> = ["a", "b", "c"]
            .map(|id| format!(r#"{{"type":"toolCall","id":"{id}","name":"t{id}","arguments":{{}}}}"#))
            .into();
        let message = |content: &str| {
            format!(
                r#"{{"role":"assistant","content":[{content}],"api":"a","provider":"p","model":"m","usage":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}},"stopReason":"toolUse","timestamp":0}}"#
            )
        };
        tell(&format!(r#"{{"type":"event","event":{{"type":"message_start","message":{}}}}}"#, message("")));
        tell(&format!(
            r#"{{"type":"event","event":{{"type":"message_end","message":{}}}}}"#,
            message(&calls.join(","))
        ));
        for (seq, (id, state, at)) in traces.iter().enumerate() {
            tell(&format!(
                r#"{{"type":"trace","trace":{{"seq":{seq},"at":{at},"callId":"{id}","name":"t{id}","state":"{state}"}}}}"#
            ));
        }
        let RowContent::Assistant(answer) = &transcript.rows.last().expect("a row").content else {
            panic!("no answer")
        };
        lanes(answer)
    }

    #[test]
    fn lanes_stand_in_the_order_of_the_calls_and_number_the_order_of_finishing() {
        let lanes = told(&[
            ("a", "requested", 5),
            ("b", "requested", 5),
            ("c", "requested", 5),
            ("a", "found", 10),
            ("a", "admitted", 11),
            ("b", "found", 12),
            ("c", "found", 13),
            ("c", "blocked", 14),
            ("a", "executing", 15),
            ("b", "executing", 15),
            ("b", "finalized", 20),
            ("a", "finalized", 40),
        ]);
        let told: Vec<_> = lanes.iter().map(|lane| (lane.name.as_str(), lane.ran, lane.ended, lane.place)).collect();
        let expected = [
            ("ta", Some((5.0, Some(30.0))), Some(30.0), Some(3)),
            ("tb", Some((5.0, Some(10.0))), Some(10.0), Some(2)),
            ("tc", None, Some(4.0), Some(1)),
        ];
        assert_eq!(told, expected);
        assert_eq!(span(&lanes), 30.0);
    }

    #[test]
    fn what_has_not_ended_has_no_place_and_equals_go_by_their_order() {
        let lanes = told(&[
            ("a", "found", 10),
            ("b", "found", 10),
            ("c", "found", 10),
            ("c", "executing", 12),
            ("b", "not-found", 11),
            ("a", "not-found", 11),
        ]);
        let told: Vec<_> = lanes.iter().map(|lane| (lane.ran, lane.place)).collect();
        assert_eq!(told, [(None, Some(1)), (None, Some(2)), (Some((2.0, None)), None)]);
        assert_eq!(self::told(&[]), [], "nothing is known of their times");
    }
}

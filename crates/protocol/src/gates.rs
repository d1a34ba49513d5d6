//! The four gates of a call: which of them the trace says were passed, which one stopped it; and the four lamps of the
//! evidence that it ran.

use vitrine_agent::event::CallState;

use crate::transcript::{CallCard, Evidence};

/// What a gate did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Let the call through.
    Passed,
    /// Found it wrong: no such tool, arguments that do not fit.
    Failed,
    /// Refused it.
    Blocked,
    /// Was not reached, or not yet.
    NotTried,
}

/// The gates in their order: found, prepared, schema, hook. `None` when nothing is known of them: a call that was read
/// from a session has no trace, unless a duration shows that it ran and so passed all four.
pub fn gates(card: &CallCard) -> Option<[Gate; 4]> {
    let seen = |state: CallState| card.trace.iter().any(|(reached, _)| *reached == state);
    let ran = card.evidence.has_duration;
    if card.trace.is_empty() && card.result.is_some() {
        return ran.then_some([Gate::Passed; 4]);
    }
    let pass = |state: CallState| if ran || seen(state) { Gate::Passed } else { Gate::NotTried };
    let mut gates =
        [pass(CallState::Found), pass(CallState::Prepared), pass(CallState::Valid), pass(CallState::Admitted)];
    let stop = [
        (CallState::NotFound, 0, Gate::Failed),
        (CallState::Invalid, 2, Gate::Failed),
        (CallState::Blocked, 3, Gate::Blocked),
    ];
    for (state, index, verdict) in stop {
        if seen(state)
            && let Some(gate) = gates.get_mut(index)
        {
            *gate = verdict;
        }
    }
    Some(gates)
}

/// What a lamp of the evidence shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lamp {
    /// It was seen.
    Lit,
    /// It was seen, with an error.
    Failed,
    /// It may still come.
    NotYet,
    /// It did not come and will not.
    Never,
}

/// The lamps in their order: start, end, duration, result in the history. What a result came without, it will not get;
/// only the history comes after the result, and so its lamp waits.
pub fn lamps(evidence: Evidence, returned: bool) -> [Lamp; 4] {
    let missing = if returned { Lamp::Never } else { Lamp::NotYet };
    let lit = |seen: bool, missing: Lamp| if seen { Lamp::Lit } else { missing };
    let ended = match evidence.ended {
        Some(true) => Lamp::Lit,
        Some(false) => Lamp::Failed,
        None => missing,
    };
    [lit(evidence.started, missing), ended, lit(evidence.has_duration, missing), lit(evidence.in_history, Lamp::NotYet)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::CallResult;

    use CallState::*;
    use Gate::{Blocked as Stopped, Failed, NotTried as Not, Passed as Pass};

    fn card(trace: &[CallState], duration_ms: Option<u64>, answered: bool) -> CallCard {
        CallCard {
            id: "call_1".into(),
            name: "read".into(),
            arguments: "{}".into(),
            arguments_complete: true,
            subject: None,
            state: trace.last().copied().unwrap_or(Recorded),
            trace: trace.iter().map(|state| (*state, 0.0)).collect(),
            reason: None,
            progress: None,
            result: answered.then(|| CallResult { text: String::new(), is_error: false, duration_ms }),
            evidence: Evidence { has_duration: duration_ms.is_some(), ..Evidence::default() },
        }
    }

    #[test]
    fn the_trace_says_which_gate_did_what() {
        type Case = (&'static str, &'static [CallState], Option<u64>, bool, Option<[Gate; 4]>);
        let cases: [Case; 10] = [
            ("streaming", &[], None, false, Some([Not; 4])),
            ("asked", &[Requested], None, false, Some([Not; 4])),
            ("in the middle", &[Requested, Found, Prepared], None, false, Some([Pass, Pass, Not, Not])),
            ("running", &[Requested, Found, Prepared, Valid, Admitted, Executing], None, false, Some([Pass; 4])),
            ("unknown tool", &[Requested, NotFound, Recorded], None, true, Some([Failed, Not, Not, Not])),
            ("bad arguments", &[Requested, Found, Prepared, Invalid], None, false, Some([Pass, Pass, Failed, Not])),
            ("blocked", &[Requested, Found, Prepared, Valid, Blocked], None, true, Some([Pass, Pass, Pass, Stopped])),
            ("truncated", &[Requested, Truncated, Recorded], None, true, Some([Not; 4])),
            ("read from a session, ran", &[], Some(3), true, Some([Pass; 4])),
            ("read from a session, never ran", &[], None, true, None),
        ];
        for (name, trace, duration_ms, answered, expected) in cases {
            assert_eq!(gates(&card(trace, duration_ms, answered)), expected, "{name}");
        }
    }

    /// As the events of a call come in: `tool_execution_end` has the result, `message_end` puts it into the history.
    #[test]
    fn a_lamp_is_never_lit_only_when_nothing_can_light_it() {
        use Lamp::{Failed as Bad, Lit, Never, NotYet};
        let seen = |started, ended, has_duration, in_history| Evidence { started, ended, has_duration, in_history };
        let cases = [
            ("asked", seen(false, None, false, false), false, [NotYet; 4]),
            ("started", seen(true, None, false, false), false, [Lit, NotYet, NotYet, NotYet]),
            ("ended, before message_end", seen(true, Some(true), true, false), true, [Lit, Lit, Lit, NotYet]),
            ("refused, before message_end", seen(true, Some(false), false, false), true, [Lit, Bad, Never, NotYet]),
            ("recorded", seen(true, Some(true), true, true), true, [Lit; 4]),
            ("refused and recorded", seen(true, Some(false), false, true), true, [Lit, Bad, Never, Lit]),
            ("recorded without events", seen(false, None, false, true), true, [Never, Never, Never, Lit]),
        ];
        for (name, evidence, returned, expected) in cases {
            assert_eq!(lamps(evidence, returned), expected, "{name}");
        }
    }
}

use super::*;
use crate::transcript::Transcript;

/// A session as the page takes it in.
#[derive(Default)]
struct Told {
    transcript: Transcript,
    log: Log,
}

impl Told {
    fn tell(&mut self, json: &str) {
        let notification = serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"));
        let changes = self.transcript.apply(&notification);
        self.log.apply(&notification, &changes);
    }

    fn event(&mut self, json: &str) {
        self.tell(&format!(r#"{{"type":"event","event":{json}}}"#));
    }

    /// A run of one call, as a model server's answer is told: twelve events.
    fn run(&mut self) {
        let answer = |content: &str, stop: &str| {
            format!(
                r#"{{"role":"assistant","content":[{content}],"api":"a","provider":"p","model":"m","usage":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}}},"stopReason":"{stop}","timestamp":0}}"#
            )
        };
        let call = r#"{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"Notes.txt"}}"#;
        let user = r#"{"role":"user","content":"look at it","timestamp":0}"#;
        let result = r#"{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"Ünder way"}],"isError":false,"timestamp":0}"#;
        let whole = answer(call, "toolUse");
        for event in [
            r#"{"type":"agent_start"}"#.to_owned(),
            r#"{"type":"turn_start"}"#.to_owned(),
            format!(r#"{{"type":"message_start","message":{user}}}"#),
            format!(r#"{{"type":"message_end","message":{user}}}"#),
            format!(r#"{{"type":"message_start","message":{}}}"#, answer("", "pending")),
            format!(r#"{{"type":"message_end","message":{whole}}}"#),
            r#"{"type":"tool_execution_start","toolCallId":"c1","toolName":"read","args":{"path":"Notes.txt"}}"#.to_owned(),
            r#"{"type":"tool_execution_end","toolCallId":"c1","toolName":"read","result":{"content":[{"type":"text","text":"Ünder way"}]},"isError":false,"durationMs":3}"#.to_owned(),
            format!(r#"{{"type":"message_start","message":{result}}}"#),
            format!(r#"{{"type":"message_end","message":{result}}}"#),
            format!(r#"{{"type":"turn_end","message":{whole},"toolResults":[{result}]}}"#),
            format!(r#"{{"type":"agent_end","messages":[{user},{whole},{result}]}}"#),
        ] {
            self.event(&event);
        }
    }
}

fn hits(log: &Log, kind: &str, words: &str) -> Vec<usize> {
    let mut hits = Hits::default();
    hits.update(log, &Filter { kind: kind.to_owned(), words: words.to_owned() });
    hits.numbers().to_vec()
}

#[test]
fn an_event_has_the_number_of_its_place_and_its_call_row_and_run_are_known() {
    let mut told = Told::default();
    told.run();
    assert_eq!(told.log.len(), 12);
    let all = CallEvents { asked: Some(5), started: Some(6), ended: Some(7), recorded: Some(9) };
    assert_eq!((told.log.call("c1"), told.log.call("nobody")), (all, CallEvents::default()));
    assert_eq!(told.log.runs(), [Run { start: 0, end: Some(11), settled: false }]);
    told.tell(r#"{"type":"settled","aborted":false}"#);
    assert_eq!(told.log.runs(), [Run { start: 0, end: Some(11), settled: true }]);
    let rows: Vec<_> = told.transcript.rows.iter().map(|row| told.log.row_event(row.id)).collect();
    assert_eq!(rows, [Some(2), Some(4), Some(4)], "the message, the turn and the answer begin with their first event");
    let last = told.transcript.rows.last().map(|row| row.id);
    assert_eq!((told.log.row_at(1), told.log.row_at(11)), (None, last));
}

#[test]
fn a_filter_leaves_what_is_of_its_type_and_says_its_words() {
    let mut told = Told::default();
    told.run();
    let cases: [(&str, &str, &[usize]); 8] = [
        ("", "", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
        ("turn_end", "", &[10]),
        ("-message_start", "", &[0, 1, 3, 5, 6, 7, 9, 10, 11]),
        ("", "notes.TXT", &[5, 6]),
        ("message_end", "notes", &[5]),
        ("", "ünder", &[7, 8, 9]),
        ("", "c1", &[6, 7, 8, 9]),
        ("", "nowhere", &[]),
    ];
    for (kind, words, numbers) in cases {
        assert_eq!(hits(&told.log, kind, words), numbers, "{kind} {words}");
    }
}

#[test]
fn what_is_found_while_the_log_grows_is_what_is_found_afterwards() {
    let mut told = Told::default();
    let filter = Filter { kind: String::new(), words: "read".to_owned() };
    let mut kept = Hits::default();
    for _ in 0..3 {
        told.run();
        kept.update(&told.log, &filter);
        assert_eq!(kept.numbers(), hits(&told.log, "", "read"));
    }
    assert_eq!(kept.place_of(0), None);
    assert_eq!(kept.place_of(12).and_then(|place| kept.numbers().get(place)).copied(), Some(7));
}

#[test]
fn going_back_leaves_the_events_before_and_opening_a_session_none() {
    let mut told = Told::default();
    told.run();
    told.run();
    let mut kept = Hits::default();
    kept.update(&told.log, &Filter::default());
    told.tell(r#"{"type":"rewound","rewound":{"events":7,"messages":[]}}"#);
    kept.update(&told.log, &Filter::default());
    assert_eq!(kept.numbers(), [0, 1, 2, 3, 4, 5, 6]);
    assert_eq!(told.log.runs(), [Run { start: 0, end: None, settled: false }]);
    assert_eq!(told.log.call("c1"), CallEvents::default(), "the second c1 was asked for after that");
    told.tell(r#"{"type":"sessionOpened","session":{"id":"s","name":"","createdAt":0,"changedAt":0,"nMessages":0,"current":true},"messages":[]}"#);
    kept.update(&told.log, &Filter::default());
    assert!(told.log.is_empty() && kept.numbers().is_empty());
}

#[test]
fn lines_are_copied_as_they_were_told() {
    let mut told = Told::default();
    told.run();
    let start = r#"{"type":"tool_execution_start","toolCallId":"c1","toolName":"read","args":{"path":"Notes.txt"}}"#;
    assert_eq!(told.log.json_lines(&[0, 6]), format!("{{\"type\":\"agent_start\"}}\n{start}\n"));
    let line = told.log.line(6);
    let expected = Line {
        number: 6,
        kind: "tool_execution_start",
        call_id: Some("c1".to_owned()),
        detail: r#"read {"path":"Notes.txt"}"#.to_owned(),
        is_error: false,
    };
    assert_eq!(line, Some(expected));
}

#[test]
fn fifty_thousand_events_are_taken_in_and_searched_in_one_go() {
    let mut told = Told::default();
    while told.log.len() < 50_000 {
        told.run();
    }
    let n_runs = told.log.runs().len();
    assert_eq!(hits(&told.log, "agent_end", "").len(), n_runs);
    assert_eq!(hits(&told.log, "", "ünder WAY").len(), 3 * n_runs);
}

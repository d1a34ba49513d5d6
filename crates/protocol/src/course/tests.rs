use super::*;
use crate::transcript::Transcript;

fn told(lines: &[&str]) -> (Transcript, Log) {
    let (mut transcript, mut log) = (Transcript::new(), Log::default());
    for line in lines {
        let notification = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let changes = transcript.apply(&notification);
        log.apply(&notification, &changes);
    }
    (transcript, log)
}

const RUN_START: [&str; 4] = [
    r#"{"type":"event","event":{"type":"agent_start"}}"#,
    r#"{"type":"event","event":{"type":"turn_start"}}"#,
    r#"{"type":"event","event":{"type":"message_start","message":{"role":"user","content":"go","timestamp":0}}}"#,
    r#"{"type":"event","event":{"type":"message_end","message":{"role":"user","content":"go","timestamp":0}}}"#,
];
const END: &str = r#"{"type":"event","event":{"type":"agent_end","messages":[]}}"#;
const SETTLED_LINE: &str = r#"{"type":"settled","aborted":false}"#;

fn drawn(placed: &[Placed]) -> Vec<(String, Option<usize>)> {
    let word = |kind: &Kind| format!("{kind:?}").split([' ', '{']).next().unwrap_or_default().to_owned();
    placed.iter().map(|placed| (word(&placed.node.kind), placed.event)).collect()
}

#[test]
fn a_run_has_its_bracket_and_ended_is_not_settled() {
    let all = [&RUN_START[..], &[END], &RUN_START, &[END, SETTLED_LINE]].concat();
    let (transcript, log) = told(&all);
    let expected = [
        ("Run", Some(0)),
        ("User", Some(2)),
        ("Ended", Some(4)),
        ("Run", Some(5)),
        ("User", Some(7)),
        ("Ended", Some(9)),
        ("Settled", Some(9)),
    ];
    let expected: Vec<_> = expected.map(|(word, event)| (word.to_owned(), event)).into();
    assert_eq!(drawn(&course(&transcript, &log, 0, 40)), expected);
    assert_eq!(drawn(&course(&transcript, &log, 1, 40)), expected[3..], "from the second row on");
    assert_eq!(
        drawn(&course(&transcript, &log, 0, 1)),
        expected[..4],
        "the first row alone, up to where the next begins"
    );
}

#[test]
fn the_rows_drawn_are_those_around_the_cursor() {
    let all: Vec<&str> = std::iter::repeat_n([&RUN_START[..], &[END]].concat(), 100).flatten().collect();
    let (transcript, log) = told(&all);
    assert_eq!((transcript.rows.len(), log.len()), (100, 500));
    let cases = [(None, 60), (Some(499), 60), (Some(252), 30), (Some(0), 0), (Some(2), 0)];
    assert_eq!(cases.map(|(cursor, _)| (cursor, first_row(&transcript, &log, cursor, 40))), cases);
}

//! Server-sent events (`cases/sse.jsonl`): the same events however the bytes are cut, and a bound on what is kept.
//!
//! `a17`, `a23` and `a24` are answers of wires that are not here yet: what is tested is that their events arrive whole.

use serde_json::{Value, json};
use vitrine_providers::sse::{Decoder, Event, Flow, TooLongError};

fn read<'b>(chunks: impl IntoIterator<Item = &'b [u8]>) -> Vec<Value> {
    let mut events = Vec::new();
    let mut decoder = Decoder::new();
    let mut keep = |event: Event<'_>| {
        events.push(json!({"name": event.name, "data": event.data, "terminated": event.is_terminated}));
        Flow::Continue
    };
    for chunk in chunks {
        decoder.push(chunk, &mut keep).unwrap();
    }
    decoder.finish(&mut keep).unwrap();
    events
}

#[test]
fn every_case_gives_its_events_however_it_is_cut() {
    for line in include_str!("../cases/sse.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let body = case["body"].as_str().unwrap().as_bytes();
        let expected = case["events"].as_array().unwrap();
        assert_eq!(&read([body]), expected, "{}", case["id"]);
        for cut in 0..=body.len() {
            let (head, tail) = body.split_at(cut);
            assert_eq!(&read([head, tail]), expected, "{} cut at {cut}", case["id"]);
        }
        for size in [1, 2, 3, 5] {
            assert_eq!(&read(body.chunks(size)), expected, "{} in chunks of {size}", case["id"]);
        }
    }
}

#[test]
fn invalid_utf8_becomes_replacement_characters() {
    let body = b"data: a\xffb\xe2\x82\n\ndata: \xf0\x9f\x98\x80\n\n";
    let expected = [
        json!({"name": "", "data": "a\u{fffd}b\u{fffd}", "terminated": true}),
        json!({"name": "", "data": "\u{1f600}", "terminated": true}),
    ];
    for size in 1..=body.len() {
        assert_eq!(read(body.chunks(size)), expected, "in chunks of {size}");
    }
}

#[test]
fn stop_ends_reading_at_once() {
    let mut seen = 0;
    let flow = Decoder::new().push(b"data: 1\n\ndata: 2\n\n", |_| {
        seen += 1;
        Flow::Stop
    });
    assert_eq!((flow, seen), (Ok(Flow::Stop), 1));
}

#[test]
fn an_event_without_end_is_refused_before_it_fills_the_memory() {
    for line in [&b"x"[..], b"data: x\n", b"data\n", b"event: x"] {
        let mut decoder = Decoder::with_limit(10_000);
        let mut n_bytes = 0;
        let error = loop {
            match decoder.push(line, |_| Flow::Continue) {
                Ok(_) => n_bytes += line.len(),
                Err(error) => break error,
            }
            assert!(n_bytes < 100_000, "{line:?}");
        };
        assert_eq!(error, TooLongError { max_bytes: 10_000 });
    }
}

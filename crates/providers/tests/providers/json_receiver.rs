//! A receiver of `JsonChanges` as its documentation describes it, and what it shows (`cases/json_stream.jsonl` and by hand).

use serde_json::{Value, json};
use vitrine_providers::json_stream::{JsonChanges, JsonStream};

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Item(usize),
}

/// What a guess replaced.
enum Undo {
    Restore(Value),
    Remove,
}

/// Keeps the value by applying changes; knows nothing of how they came about.
pub struct Receiver {
    root: Option<Value>,
    /// The containers entered.
    entered: Vec<Step>,
    /// Depth, since the root container has no step of its own.
    depth: usize,
    last_put: Vec<Step>,
    undo: Option<(Vec<Step>, Undo)>,
}

impl Receiver {
    pub fn new() -> Self {
        Self { root: None, entered: Vec::new(), depth: 0, last_put: Vec::new(), undo: None }
    }

    /// The value, in `JsonStream::to_value`'s terms.
    pub fn value(&self) -> Value {
        self.root.clone().filter(|root| !root.is_null()).unwrap_or_else(|| json!({}))
    }

    pub fn apply(&mut self, changes: &str) {
        if let Some((place, undo)) = self.undo.take() {
            self.undo(&place, undo);
        }
        let list: Vec<Value> = serde_json::from_str(changes).unwrap();
        let mut list = list.into_iter();
        while let Some(code) = list.next() {
            assert!(self.undo.is_none(), "nothing comes after a guess: {changes}");
            match code.as_u64().unwrap() {
                0 => {
                    self.entered.pop();
                    self.depth -= 1;
                }
                code @ (1 | 2) => {
                    let key = list.next().unwrap();
                    let place = self.put(&key, if code == 1 { json!({}) } else { json!([]) }).0;
                    self.entered = place;
                    self.depth += 1;
                }
                3 => {
                    let key = list.next().unwrap();
                    self.last_put = self.put(&key, list.next().unwrap()).0;
                }
                4 => {
                    let more = list.next().unwrap();
                    let place = self.last_put.clone();
                    match self.at(&place) {
                        Value::String(text) => text.push_str(more.as_str().unwrap()),
                        other => panic!("append to {other}"),
                    }
                }
                5 => {
                    let key = list.next().unwrap();
                    self.undo = Some(self.put(&key, list.next().unwrap()));
                }
                code => panic!("code {code} in {changes}"),
            }
        }
    }

    fn at(&mut self, place: &[Step]) -> &mut Value {
        place.iter().fold(self.root.as_mut().unwrap(), |value, step| match step {
            Step::Key(key) => value.get_mut(key).unwrap(),
            Step::Item(index) => value.get_mut(index).unwrap(),
        })
    }

    fn put(&mut self, key: &Value, value: Value) -> (Vec<Step>, Undo) {
        if self.depth == 0 {
            assert!(key.is_null());
            return (Vec::new(), self.root.replace(value).map_or(Undo::Remove, Undo::Restore));
        }
        let mut place = self.entered.clone();
        let (step, undo) = match self.at(&place) {
            Value::Array(items) => {
                assert!(key.is_null());
                items.push(value);
                (Step::Item(items.len() - 1), Undo::Remove)
            }
            Value::Object(map) => {
                let key = key.as_str().unwrap().to_owned();
                let old = map.insert(key.clone(), value);
                (Step::Key(key), old.map_or(Undo::Remove, Undo::Restore))
            }
            other => panic!("{key} in {other}"),
        };
        place.push(step);
        (place, undo)
    }

    fn undo(&mut self, place: &[Step], undo: Undo) {
        match (undo, place.split_last()) {
            (Undo::Restore(old), _) => *self.at(place) = old,
            (Undo::Remove, None) => self.root = None,
            (Undo::Remove, Some((Step::Key(key), parent))) => {
                self.at(parent).as_object_mut().unwrap().shift_remove(key).unwrap();
            }
            (Undo::Remove, Some((Step::Item(index), parent))) => {
                assert_eq!(self.at(parent).as_array().map(Vec::len), Some(index + 1));
                self.at(parent).as_array_mut().unwrap().pop();
            }
        }
    }
}

/// Pushes the pieces to both readers; after each the receiver has what the snapshot shows, keys in the same order.
pub fn same_after_every_piece<'t>(pieces: impl IntoIterator<Item = &'t str>) -> Value {
    let (mut stream, mut changes, mut receiver) = (JsonStream::new(), JsonChanges::new(), Receiver::new());
    for piece in pieces {
        stream.push(piece);
        receiver.apply(&changes.push(piece));
        assert_eq!(receiver.value().to_string(), stream.to_value().to_string(), "after {piece:?}");
        assert_eq!(changes.is_complete(), stream.is_complete());
    }
    receiver.value()
}

#[test]
fn the_receiver_shows_what_the_stream_shows_however_the_text_is_cut() {
    for line in include_str!("../cases/json_stream.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        assert_eq!(same_after_every_piece([text]), case["value"], "{text}");
        for (cut, _) in text.char_indices() {
            assert_eq!(same_after_every_piece([&text[..cut], &text[cut..]]), case["value"], "{text} cut at {cut}");
        }
        let letters = text.char_indices().map(|(at, sign)| &text[at..at + sign.len_utf8()]);
        assert_eq!(same_after_every_piece(letters), case["value"], "{text} letter by letter");
    }
}

#[test]
fn changes_are_as_documented() {
    let cases: &[&[(&str, &str)]] = &[
        &[("", "[]"), (" ", "[]"), ("{", "[1,null]"), ("\"pa", "[]"), ("th\":", "[]"), ("\"a\\", r#"[3,"path","a"]"#)],
        &[("{\"a\":\"", r#"[1,null,3,"a",""]"#), ("x\\u00", r#"[4,"x"]"#), ("e", "[]"), ("9\\n\"", r#"[4,"é\n"]"#)],
        &[("[1", "[2,null,5,null,1]"), ("", "[5,null,1]"), ("2", "[5,null,12]"), (",t", "[3,null,12,5,null,true]")],
        &[("{\"a\":-", "[1,null]"), ("1", r#"[5,"a",-1]"#), ("x\n", r#"[3,"a",-1]"#), ("}", "[0]"), ("{", "[]")],
        &[("{\"a\":tr", r#"[1,null,5,"a",true]"#), ("x", "[]"), (",", "[]")],
        &[("{\"a\":[{}", r#"[1,null,2,"a",1,null,0]"#), ("]}", "[0,0]")],
        &[("{\"__proto__\":{\"x\":1", r#"[1,null,1,"__proto__",5,"x",1]"#)],
        &[("nul", "[5,null,null]"), ("l", "[5,null,null]")],
        &[("{{\"b\":\"c", "[1,null]"), ("\"}\"d\":\"e", r#"[3,"d","e"]"#)],
    ];
    for case in cases {
        let mut changes = JsonChanges::new();
        let found: Vec<(&str, String)> = case.iter().map(|(piece, _)| (*piece, changes.push(piece))).collect();
        let expected: Vec<(&str, String)> = case.iter().map(|(piece, list)| (*piece, (*list).to_owned())).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_number_longer_than_64_characters_waits_for_its_end() {
    let digits = "1".repeat(64);
    let mut changes = JsonChanges::new();
    let mut receiver = Receiver::new();
    let mut show = |piece: &str| {
        receiver.apply(&changes.push(piece));
        receiver.value()
    };
    let whole = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(show("{\"n\":"), json!({}));
    assert_eq!(show(&digits), json!({"n": whole(&digits)}));
    assert_eq!(show("1"), json!({}));
    assert_eq!(show("1"), json!({}));
    assert_eq!(show("}"), json!({"n": whole(&format!("{digits}11"))}));
}

/// What one delta costs must not depend on what came before: the answers together are about as long as the text.
#[test]
fn answers_are_as_long_as_what_changed() {
    let string = format!("{{\"content\":\"{}\"}}", "0123456789\\n".repeat(50_000));
    let objects = format!("{{\"list\":[{}]}}", vec!["{\"a\":1.5e3,\"b\":[true]}"; 20_000].join(","));
    let number = format!("{{\"n\":{}}}", "1".repeat(300_000));
    let keys = format!("{{{}}}", (0..30_000).map(|n| format!("\"k{n}\":null")).collect::<Vec<_>>().join(","));
    for text in [string, objects, number, keys] {
        let mut changes = JsonChanges::new();
        let mut rest = text.as_str();
        let mut n_bytes = 0;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(20));
            let answer = changes.push(piece);
            assert!(answer.len() <= 200, "{answer}");
            n_bytes += answer.len();
            rest = after;
        }
        assert!(changes.is_complete());
        assert!(n_bytes <= 4 * text.len(), "{n_bytes} of {}", text.len());
    }
}

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
    key: String,
    is_in_key: bool,
    last_text: Vec<Step>,
    undo: Option<(Vec<Step>, Undo)>,
}

impl Receiver {
    pub fn new() -> Self {
        Self {
            root: None,
            entered: Vec::new(),
            depth: 0,
            key: String::new(),
            is_in_key: false,
            last_text: Vec::new(),
            undo: None,
        }
    }

    /// The value, in `JsonStream::to_value`'s terms.
    pub fn value(&self) -> Value {
        self.root.clone().filter(|root| !root.is_null()).unwrap_or_else(|| json!({}))
    }

    pub fn apply(&mut self, piece: &str, changes: &[f64]) {
        if let Some((place, undo)) = self.undo.take() {
            self.undo(&place, undo);
        }
        let units: Vec<u16> = piece.encode_utf16().collect();
        let mut list = changes.iter().copied();
        while let Some(code) = list.next().map(whole) {
            assert!(self.undo.is_none(), "nothing comes after a guess: {changes:?}");
            match code {
                0 => {
                    self.entered.pop();
                    self.depth -= 1;
                }
                1 | 2 => {
                    self.entered = self.put(if code == 1 { json!({}) } else { json!([]) }).0;
                    self.depth += 1;
                }
                3 => {
                    self.key.clear();
                    self.is_in_key = true;
                }
                4 => {
                    self.last_text = self.put(json!("")).0;
                    self.is_in_key = false;
                }
                5 => {
                    let (start, end) = (whole(list.next().unwrap()), whole(list.next().unwrap()));
                    assert!(start < end, "an empty run: {changes:?}");
                    self.append(&String::from_utf16(&units[start..end]).unwrap());
                }
                6 => {
                    let code = u32::try_from(whole(list.next().unwrap())).unwrap();
                    self.append(&char::from_u32(code).unwrap().to_string());
                }
                11 => {
                    let code = whole(list.next().unwrap());
                    self.undo = Some(self.put(scalar(code, &mut list)));
                }
                _ => drop(self.put(scalar(code, &mut list))),
            }
        }
    }

    fn append(&mut self, more: &str) {
        if self.is_in_key {
            self.key.push_str(more);
            return;
        }
        let place = self.last_text.clone();
        match self.at(&place) {
            Value::String(text) => text.push_str(more),
            other => panic!("append to {other}"),
        }
    }

    fn at(&mut self, place: &[Step]) -> &mut Value {
        place.iter().fold(self.root.as_mut().unwrap(), |value, step| match step {
            Step::Key(key) => value.get_mut(key).unwrap(),
            Step::Item(index) => value.get_mut(index).unwrap(),
        })
    }

    fn put(&mut self, value: Value) -> (Vec<Step>, Undo) {
        if self.depth == 0 {
            return (Vec::new(), self.root.replace(value).map_or(Undo::Remove, Undo::Restore));
        }
        let mut place = self.entered.clone();
        let key = self.key.clone();
        let (step, undo) = match self.at(&place) {
            Value::Array(items) => {
                items.push(value);
                (Step::Item(items.len() - 1), Undo::Remove)
            }
            Value::Object(map) => {
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

/// A code, a place or a code point.
fn whole(word: f64) -> usize {
    assert!(word >= 0.0 && word.fract() == 0.0, "{word}");
    word as usize
}

fn scalar(code: usize, list: &mut impl Iterator<Item = f64>) -> Value {
    match code {
        7 => double(list.next().unwrap()),
        8 => json!(true),
        9 => json!(false),
        10 => json!(null),
        code => panic!("code {code}"),
    }
}

/// Whole numbers that JavaScript tells apart as such.
fn double(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_991.0 { json!(number as i64) } else { json!(number) }
}

/// A value with every number as JavaScript has it.
fn as_doubles(value: Value) -> Value {
    match value {
        Value::Number(number) => double(number.as_f64().unwrap()),
        Value::Array(items) => items.into_iter().map(as_doubles).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, as_doubles(value))).collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    }
}

/// Pushes the pieces to both readers; after each the receiver has what the snapshot shows, keys in the same order. One that
/// leaves out what it need not read has the same.
pub fn same_after_every_piece<'t>(pieces: impl IntoIterator<Item = &'t str>) -> Value {
    let (mut stream, mut changes, mut receiver) = (JsonStream::new(), JsonChanges::new(), Receiver::new());
    let (mut few_changes, mut lazy) = (JsonChanges::new(), Receiver::new());
    for piece in pieces {
        if few_changes.is_in_text() && !piece.is_empty() && !piece.contains(['"', '\\']) {
            lazy.apply(piece, &[5.0, 0.0, piece.encode_utf16().count() as f64]);
        } else {
            lazy.apply(piece, few_changes.push(piece));
        }
        stream.push(piece);
        receiver.apply(piece, changes.push(piece));
        assert_eq!(receiver.value().to_string(), as_doubles(stream.to_value()).to_string(), "after {piece:?}");
        assert_eq!(lazy.value().to_string(), receiver.value().to_string(), "after {piece:?}, with less reading");
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
    type Pushed = (&'static str, &'static [i32]);
    let cases: &[&[Pushed]] = &[
        &[("", &[]), (" ", &[]), ("{", &[1]), ("\"pa", &[3, 5, 1, 3]), ("th\":", &[5, 0, 2])],
        &[("{\"a\":\"", &[1, 3, 5, 2, 3, 4]), ("x\\u00", &[5, 0, 1]), ("e", &[]), ("9\\n\"", &[6, 233, 6, 10])],
        &[("[1", &[2, 11, 7, 1]), ("", &[11, 7, 1]), ("2", &[11, 7, 12]), (",t", &[7, 12, 11, 8])],
        &[("{\"\":-", &[1, 3]), ("1", &[11, 7, -1]), ("x\n", &[7, -1]), ("}", &[0]), ("{", &[])],
        &[("{\"\":tr", &[1, 3, 11, 8]), ("x", &[]), (",", &[])],
        &[("[[{}", &[2, 2, 1, 0]), ("false]]", &[9, 0, 0])],
        &[("nul", &[11, 10]), ("l", &[11, 10])],
        // What has no place is not told of.
        &[("{{\"b\":\"c", &[1]), ("\"}\"d\":\"e", &[3, 5, 3, 4, 4, 5, 7, 8])],
        // Places are UTF-16 units: two for the emoji, one for the letter.
        &[("[\"😀é\\té", &[2, 4, 5, 2, 5, 6, 9, 5, 7, 8]), ("😀\",\"y", &[5, 0, 2, 4, 5, 5, 6])],
        // No escape after all: it stays as it was written.
        &[("\"\\u0", &[4]), ("z", &[6, 92, 6, 117, 6, 48, 5, 0, 1])],
    ];
    for case in cases {
        let mut changes = JsonChanges::new();
        for (piece, expected) in *case {
            let expected: Vec<f64> = expected.iter().copied().map(f64::from).collect();
            assert_eq!(changes.push(piece), expected, "{piece:?} of {case:?}");
            assert_eq!(changes.last(), expected);
        }
    }
}

#[test]
fn a_number_longer_than_64_characters_waits_for_its_end() {
    let digits = "1".repeat(64);
    let mut changes = JsonChanges::new();
    let mut receiver = Receiver::new();
    let mut show = |piece: &str| {
        receiver.apply(piece, changes.push(piece));
        receiver.value()
    };
    let number = |text: &str| as_doubles(serde_json::from_str(text).unwrap());
    assert_eq!(show("{\"n\":"), json!({}));
    assert_eq!(show(&digits), json!({"n": number(&digits)}));
    assert_eq!(show("1"), json!({}));
    assert_eq!(show("1"), json!({}));
    assert_eq!(show("}"), json!({"n": number(&format!("{digits}11"))}));
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
        let mut n_words = 0;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(20));
            let answer = changes.push(piece);
            assert!(answer.len() <= 80, "{answer:?}");
            n_words += answer.len();
            rest = after;
        }
        assert!(changes.is_complete());
        assert!(n_words <= 2 * text.len(), "{n_words} of {}", text.len());
    }
}

//! Lines that are torn or missing in the middle of a file: nothing that can be read is lost, and what is lost is told.

use vitrine_agent::message::{Message, SharedMessage, join_text};
use vitrine_session::log::{encode, parse};
use vitrine_session::projection::{for_model, project};
use vitrine_session::settle::{LOST_RESULT, fill, pair};
use vitrine_session::tree::Tree;

use crate::backend::{FakeBackend, now};

const HEADER: &str = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-11-30T15:00:00.000Z","cwd":"/w"}"#;

fn entry(id: &str, parent: &str, message: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"","message":{message}}}"#)
}

fn user(id: &str, parent: &str) -> String {
    entry(id, parent, &format!(r#"{{"role":"user","content":"{id}"}}"#))
}

fn answer(id: &str, parent: &str) -> String {
    entry(id, parent, &format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"{id}"}}]}}"#))
}

/// A question, a call `k`, its result, an answer, another question and its answer: `a` to `f`.
fn conversation() -> Vec<String> {
    let call = r#"{"role":"assistant","content":[{"type":"toolCall","id":"k","name":"read","arguments":{}}]}"#;
    let result = r#"{"role":"toolResult","toolCallId":"k","toolName":"read","content":[{"type":"text","text":"c"}]}"#;
    vec![
        user("a", ""),
        entry("b", "a", call),
        entry("c", "b", result),
        answer("d", "c"),
        user("e", "d"),
        answer("f", "e"),
    ]
}

/// The conversation without some of its lines.
fn without(missing: &[usize]) -> Vec<String> {
    let lines = conversation().into_iter().enumerate();
    lines.filter(|(number, _)| !missing.contains(number)).map(|(_, line)| line).collect()
}

/// The conversation with some of its lines cut at 40 characters.
fn torn(cut: &[usize]) -> Vec<String> {
    let lines = conversation().into_iter().enumerate();
    lines.map(|(number, line)| if cut.contains(&number) { line[..40].to_owned() } else { line }).collect()
}

/// A message a word: what it says, or which call it makes.
fn words(messages: &[SharedMessage]) -> String {
    let word = |message: &SharedMessage| match &**message {
        Message::User(user) => user.content.text(),
        Message::Assistant(assistant) => match assistant.tool_calls().next() {
            Some(call) => format!("call:{}", call.id),
            None => join_text(&assistant.content),
        },
        Message::ToolResult(result) => join_text(&result.content).replace(LOST_RESULT, "LOST"),
        Message::System(_) | Message::Other(_) => "?".to_owned(),
    };
    messages.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Lines, what a model is sent, what a reader is told.
type Case = (&'static str, Vec<String>, &'static str, Option<&'static str>);

fn cases() -> Vec<Case> {
    let branching = |orphans: &[String]| [conversation(), vec![user("g", "d")], orphans.to_vec()].concat();
    let joined_1 = "1 entry names one before it that is not in the file and was joined to the line above it";
    let joined_2 = "2 entries name one before them that is not in the file and were joined to the line above";
    let bad_1 = "1 line of the session could not be read; 1 entry names one before it that is not in the file and was \
                 joined to the line above it";
    let bad_2 = "2 lines of the session could not be read; 1 entry names one before it that is not in the file and \
                 was joined to the line above it";
    let bad_apart = "2 lines of the session could not be read; 2 entries name one before them that is not in the file \
                     and were joined to the line above";
    vec![
        ("whole", conversation(), "a call:k c d e f", None),
        ("a torn result", torn(&[2]), "a call:k LOST d e f", Some(bad_1)),
        ("a missing result", without(&[2]), "a call:k LOST d e f", Some(joined_1)),
        ("a torn call", torn(&[1]), "a d e f", Some(bad_1)),
        ("a missing question", without(&[4]), "a call:k c d f", Some(joined_1)),
        ("two missing in a row", without(&[2, 3]), "a call:k LOST e f", Some(joined_1)),
        ("two torn in a row", torn(&[3, 4]), "a call:k c f", Some(bad_2)),
        ("two torn apart", torn(&[2, 4]), "a call:k LOST d f", Some(bad_apart)),
        ("two missing apart", without(&[2, 4]), "a call:k LOST d f", Some(joined_2)),
        ("the first missing", without(&[0]), "call:k c d e f", Some(joined_1)),
        ("the first torn", torn(&[0]), "call:k c d e f", Some(bad_1)),
        ("the last torn", torn(&[5]), "a call:k c d e", Some("1 line of the session could not be read")),
        ("a branch", branching(&[answer("h", "g")]), "a call:k c d g h", None),
        ("a parent that never was", branching(&[answer("h", "x")]), "a call:k c d g h", Some(joined_1)),
        ("siblings of it", branching(&[answer("h", "x"), answer("i", "x")]), "a call:k c d g i", Some(joined_2)),
        ("a later parent", vec![user("a", ""), answer("b", "c"), user("c", "a")], "a c", None),
        ("a circle", vec![user("a", ""), answer("b", "c"), user("c", "b")], "b c", None),
        ("a circle through a lost one", vec![answer("b", "c"), user("c", "x")], "b c", Some(joined_1)),
    ]
}

fn file(lines: &[String]) -> String {
    format!("{HEADER}\n{}\n", lines.join("\n"))
}

#[test]
fn a_branch_goes_on_behind_a_lost_line() {
    for (name, lines, expected, _) in cases() {
        let parsed = parse(file(&lines).as_bytes()).unwrap();
        let tree = Tree::new(parsed.entries);
        let sent = pair(for_model(&project(&tree.path()).messages));
        assert_eq!(words(&sent), expected, "{name}");
        let seen: Vec<_> = tree.path().iter().filter_map(|entry| entry.message().cloned()).collect();
        assert_eq!(words(&pair(fill(&seen))), expected, "{name}: what a person reads");
        assert_eq!(fill(&fill(&seen)), fill(&seen), "{name}: a second time adds nothing");
    }
}

/// Unlike what a model is sent, nothing is left out or moved.
#[test]
fn what_a_person_reads_only_gains_results() {
    let user = r#"{"role":"user","content":"q"}"#;
    let calls = |ids: &[&str], stop: &str| {
        let call = |id: &&str| format!(r#"{{"type":"toolCall","id":"{id}","name":"x","arguments":{{}}}}"#);
        let calls = ids.iter().map(call).collect::<Vec<_>>().join(",");
        format!(r#"{{"role":"assistant","stopReason":"{stop}","content":[{calls}]}}"#)
    };
    let result = |id: &str| {
        let text = format!(r#"[{{"type":"text","text":"={id}"}}]"#);
        format!(r#"{{"role":"toolResult","toolCallId":"{id}","toolName":"x","content":{text}}}"#)
    };
    let (one, two) = (calls(&["k"], "toolUse"), calls(&["k", "l"], "toolUse"));
    for (name, history, expected) in [
        ("no call", vec![user.to_owned()], "q"),
        ("a result of no call stays", vec![result("z"), user.to_owned()], "=z q"),
        ("a late result stays late", vec![one.clone(), user.to_owned(), result("k")], "call:k q =k"),
        ("one of two", vec![two.clone(), result("l"), user.to_owned()], "call:k LOST =l q"),
        ("both", vec![two, user.to_owned()], "call:k LOST LOST q"),
        ("an id again", vec![one.clone(), one.clone(), result("k")], "call:k LOST call:k =k"),
        ("an id twice in one", vec![calls(&["k", "k"], "toolUse"), result("k")], "call:k LOST =k"),
        ("of an aborted response", vec![calls(&["k"], "aborted"), result("k"), user.to_owned()], "call:k =k q"),
        ("an aborted response", vec![calls(&["k"], "aborted"), user.to_owned()], "call:k q"),
    ] {
        let history: Vec<SharedMessage> = serde_json::from_str(&format!("[{}]", history.join(","))).unwrap();
        assert_eq!(words(&fill(&history)), expected, "{name}");
    }
}

/// Also where the session is here already, and the copy is written under another id.
#[test]
fn an_import_keeps_what_can_be_read_and_tells_the_rest() {
    for (name, lines, expected, told) in cases() {
        let file = file(&lines);
        let backend = FakeBackend::default();
        let store = backend.store();
        let first = now(store.import(file.as_bytes(), 5)).unwrap();
        let copy = now(store.import(file.as_bytes(), 5)).unwrap();
        assert_eq!(first.export().unwrap(), file.as_bytes(), "{name}");
        let header = format!("{}\n", copy.header().line);
        let renamed = file.replacen(&format!("{HEADER}\n"), &header, 1);
        assert_eq!(String::from_utf8(copy.export().unwrap()).unwrap(), renamed, "{name}: bad lines are kept too");
        for session in [first, copy] {
            assert_eq!(words(&session.context().messages), expected, "{name}");
            assert_eq!(session.loss().map(|loss| loss.to_string()).as_deref(), told, "{name}");
            let (id, info, loss) = (session.id().clone(), session.info(), session.loss());
            drop(session);
            let again = now(store.open(&id)).unwrap();
            assert_eq!((again.info(), again.loss()), (info, loss), "{name}: opened again");
        }
    }
}

/// Where the header is not the first thing in the file, the copy has only what could be read: it is told all the same.
#[test]
fn a_copy_that_is_written_anew_tells_what_it_left_behind() {
    let file = format!("torn\n{}", file(&torn(&[2])));
    let backend = FakeBackend::default();
    let store = backend.store();
    let first = now(store.import(file.as_bytes(), 5)).unwrap();
    let copy = now(store.import(file.as_bytes(), 5)).unwrap();
    assert_eq!(first.export().unwrap(), file.as_bytes());
    assert_eq!(copy.export().unwrap(), encode(copy.header(), copy.tree().entries()));
    assert_eq!(copy.loss(), first.loss());
    assert_eq!(copy.loss().map(|loss| (loss.n_bad_lines, loss.n_mended)), Some((2, 1)));
    assert_eq!(words(&copy.context().messages), "a call:k LOST d e f");
}

/// What is appended to a mended session follows its leaf, and is there when it is opened again.
#[test]
fn a_mended_session_goes_on() {
    let backend = FakeBackend::default();
    let store = backend.store();
    let mut session = now(store.import(file(&without(&[2])).as_bytes(), 5)).unwrap();
    assert_eq!(now(session.settle(6)).unwrap(), []);
    now(session.append_message(SharedMessage::new(Message::user("g", 6)), 6)).unwrap();
    let (id, loss) = (session.id().clone(), session.loss());
    drop(session);
    let again = now(store.open(&id)).unwrap();
    assert_eq!(words(&again.context().messages), "a call:k LOST d e f g");
    assert_eq!(again.loss(), loss);
}

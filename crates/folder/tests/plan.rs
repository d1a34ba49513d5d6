//! The plan, as a table: what was in step, what each side has now, what is chosen, what is done.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets what it does not expect should stop")]

use std::collections::BTreeMap;

use vitrine_folder::{Act, Base, Choice, Choices, Here, Left, Plan, Print, Seen, There, Why};

/// `"a=1 b/c=2"`: paths and contents.
type Files = BTreeMap<String, String>;

fn files(text: &str) -> Files {
    let pairs = text.split_whitespace().map(|pair| pair.split_once('=').unwrap());
    pairs.map(|(path, contents)| (path.to_owned(), contents.to_owned())).collect()
}

fn there(contents: &str) -> There {
    let seen = Seen { bytes: contents.len() as u64, modified_ms: 0 };
    There { seen, print: Print::of(contents.as_bytes()) }
}

fn base_of(both: &Files) -> Base {
    let mut base = Base::default();
    both.iter().for_each(|(path, contents)| base.settle(path, Some(there(contents))));
    base
}

fn plan(base: &Base, here: &Files, other: &Files, left: &[Left]) -> Plan {
    let here = here.iter().map(|(path, text)| (path.clone(), Here { print: Print::of(text.as_bytes()) })).collect();
    let other = other.iter().map(|(path, text)| (path.clone(), there(text))).collect();
    Plan::new(base, &here, &other, left)
}

/// `"a out changed/same"`, one a path.
fn told(plan: &Plan) -> Vec<String> {
    let tell = |item: &vitrine_folder::Item| {
        format!("{} {:?} {}/{}", item.path, item.way(), item.here.code(), item.there.code()).to_lowercase()
    };
    plan.items().iter().map(tell).collect()
}

#[test]
fn who_changed_what() {
    let cases: [(&str, &str, &str, &[&str]); 14] = [
        ("", "", "", &[]),
        ("a=1", "a=1", "a=1", &[]),
        // Unknown before: what only one has goes to the other, and what differs is for the reader to decide.
        ("", "a=1", "b=2", &["a out added/same", "b in same/added"]),
        ("", "a=1", "a=2", &["a conflict added/added"]),
        ("", "a=1", "a=1", &[]),
        ("a=1", "a=2", "a=1", &["a out changed/same"]),
        ("a=1", "a=1", "a=2", &["a in same/changed"]),
        ("a=1", "", "a=1", &["a out removed/same"]),
        ("a=1", "a=1", "", &["a in same/removed"]),
        ("a=1", "a=2", "a=3", &["a conflict changed/changed"]),
        ("a=1", "", "a=2", &["a conflict removed/changed"]),
        ("a=1", "a=2", "", &["a conflict changed/removed"]),
        // The same change on both sides is none any more.
        ("a=1 b=1", "a=2", "a=2", &[]),
        ("d/a=1", "d/a=1 d/b=1", "d/a=2", &["d/a in same/changed", "d/b out added/same"]),
    ];
    for (base, here, there, expected) in cases {
        let told = told(&plan(&base_of(&files(base)), &files(here), &files(there), &[]));
        assert_eq!(told, expected, "{base} | {here} | {there}");
    }
}

#[test]
fn nothing_below_what_is_left_out_counts_on_either_side() {
    let left = |path: &str, why| Left { path: path.to_owned(), why };
    let left = [left("node_modules", Why::Ignored), left("film", Why::TooLarge)];
    let here = files("node_modules/x=1 film=small node_modules.txt=1 a=1");
    let plan = plan(&base_of(&files("film=old a=1")), &here, &files("a=1"), &left);
    assert_eq!(told(&plan), ["node_modules.txt out added/same"]);
}

/// Base, here, there; what is chosen; steps, and what is held.
#[test]
fn what_is_done_is_what_was_chosen_in_an_order_that_works() {
    let cases: [(&str, &str, &str, &str, &[&str]); 16] = [
        ("a=1 b=1", "a=2 c=1", "a=1 b=1", "", &[]),
        ("a=1 b=1", "a=2 c=1", "a=1 b=1", "save", &["write there a", "write there c"]),
        ("a=1 b=1", "a=2 c=1", "a=1 b=1", "save remove", &["remove there b", "write there a", "write there c"]),
        ("a=1 b=1", "a=2 c=1", "a=1 b=1", "remove", &["remove there b"]),
        ("a=1 b=1", "a=1 b=1", "a=2 c=1", "save remove", &[]),
        ("a=1 b=1", "a=1 b=1", "a=2 c=1", "read", &["remove here b", "write here a", "write here c"]),
        ("a=1", "a=2", "a=3", "save remove read", &[]),
        ("a=1", "a=2", "a=3", "a:mine", &["write there a"]),
        ("a=1", "a=2", "a=3", "a:theirs", &["write here a"]),
        ("a=1", "", "a=3", "a:mine", &["remove there a"]),
        ("a=1", "a=2", "", "a:theirs", &["remove here a"]),
        // Only what is a conflict can be decided.
        ("a=1", "a=2", "a=1", "a:theirs", &[]),
        // A file in the place of a folder needs the folder's files gone.
        ("d/x=1", "d=1", "d/x=1", "save", &["held d in-the-way"]),
        ("d/x=1", "d=1", "d/x=1", "save remove", &["remove there d/x", "write there d"]),
        ("d=1", "d=1", "d/x=1", "read", &["remove here d", "write here d/x"]),
        ("", "d=1", "d/x=1", "save read", &["held d in-the-way", "held d/x in-the-way"]),
    ];
    for (base, here, there, chosen, expected) in cases {
        let (told, _) = steps(base, here, there, chosen);
        assert_eq!(told, expected, "{base} | {here} | {there} | {chosen}");
    }
}

#[test]
fn a_disk_that_takes_no_notice_of_case_loses_nothing() {
    let cases: [(&str, &str, &str, &str, &[&str]); 6] = [
        ("", "A=1", "a=2", "save", &["held A case"]),
        ("", "A=1 a=1", "", "save", &["write there A", "held a case"]),
        ("", "Src/x=1", "src/y=1", "save", &["held Src/x case"]),
        // Where both are, the disk does tell them apart.
        ("A=1 a=1", "A=2 a=2", "A=1 a=1", "save", &["write there A", "write there a"]),
        ("a=1", "A=1", "a=1", "save", &["held A case"]),
        ("a=1", "A=1", "a=1", "save remove", &["remove there a", "write there A"]),
    ];
    for (base, here, there, chosen, expected) in cases {
        let (told, _) = steps(base, here, there, chosen);
        assert_eq!(told, expected, "{base} | {here} | {there} | {chosen}");
    }
}

fn steps(base: &str, here: &str, there: &str, chosen: &str) -> (Vec<String>, Choices) {
    let mut choices = Choices::default();
    for word in chosen.split_whitespace() {
        match word.split_once(':') {
            Some((path, "mine")) => drop(choices.conflicts.insert(path.to_owned(), Choice::Mine)),
            Some((path, "theirs")) => drop(choices.conflicts.insert(path.to_owned(), Choice::Theirs)),
            Some(_) => panic!("{word}"),
            None => match word {
                "save" => choices.save = true,
                "remove" => choices.remove = true,
                "read" => choices.read = true,
                _ => panic!("{word}"),
            },
        }
    }
    let steps = plan(&base_of(&files(base)), &files(here), &files(there), &[]).steps(&choices);
    let take = steps.take.iter().map(|step| {
        let act = match step.act {
            Act::RemoveThere => "remove there",
            Act::WriteThere => "write there",
            Act::RemoveHere => "remove here",
            Act::WriteHere => "write here",
        };
        format!("{act} {}", step.path)
    });
    let held = steps.held.iter().map(|held| format!("held {} {}", held.path, held.why.code()));
    (take.chain(held).collect(), choices)
}

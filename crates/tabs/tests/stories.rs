//! The rules, as stories: what happens to a tab, what it does, and what it is then. See `stories/roles.txt`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that meets what it does not expect should stop")]

use vitrine_tabs::{Act, Entered, Input, Tab, Word, WordKind};

#[test]
fn every_story_goes_as_it_is_told() {
    let stories = include_str!("stories/roles.txt");
    let mut played = String::new();
    for story in stories.trim_end().split("\n\n") {
        let mut tab = Tab::new("me");
        let mut lines = story.lines();
        played += &format!("{}\n", lines.next().unwrap());
        for line in lines {
            let happened = line.split("->").next().unwrap();
            let did = play(&mut tab, happened.trim());
            let role = format!("{:?}", tab.role()).to_lowercase();
            let space = if did.is_empty() { "" } else { " " };
            played += &format!("{happened}-> {did}{space}[{role}]\n");
        }
        played.push('\n');
    }
    assert_eq!(played.trim_end(), stories.trim_end());
}

fn play(tab: &mut Tab, happened: &str) -> String {
    let words: Vec<&str> = happened.split_whitespace().collect();
    let input = match words.as_slice() {
        ["begin"] => Input::Begin,
        ["granted"] => Input::Granted,
        ["lost"] => Input::Lost,
        ["left"] => Input::Left,
        ["failed"] => Input::Failed,
        ["unanswered"] => Input::Unanswered,
        ["take", "over"] => Input::TakeOver,
        ["seen", yes] => Input::Seen(*yes == "yes"),
        ["woken", ticket] => Input::Woken(ticket.parse().unwrap()),
        ["entered", "kept"] => Input::Entered(Entered::Kept),
        ["entered", "alone"] => Input::Entered(Entered::Alone),
        ["entered", "refused"] => Input::Entered(Entered::Refused),
        ["hear", kind, from, rest @ ..] => Input::Heard(heard(kind, from, rest)),
        ["change"] => {
            let word = tab.change(WordKind::Changed, "{}".to_owned());
            return word.map_or("nothing".to_owned(), |word| show(&Act::Say(word)));
        }
        other => panic!("nothing happens by {other:?}"),
    };
    tab.take(input).iter().map(show).collect::<Vec<_>>().join(", ")
}

fn heard(kind: &str, from: &str, rest: &[&str]) -> Word {
    let kind = match kind {
        "hello" => WordKind::Hello,
        "here" => WordKind::Here,
        "ask" => WordKind::Ask,
        "changed" => WordKind::Changed,
        "grown" => WordKind::Grown,
        "call" => WordKind::Call,
        "answer" => WordKind::Answer,
        other => panic!("no word is {other}"),
    };
    let number = rest.first().and_then(|number| number.parse().ok()).unwrap_or(0);
    let to = rest.iter().skip_while(|word| **word != "to").nth(1).copied().unwrap_or_default();
    Word::new(kind, from).numbered(number).to(to)
}

fn show(act: &Act) -> String {
    match act {
        Act::Say(word) => {
            assert_eq!(word.from, "me");
            let number = matches!(word.kind, WordKind::Here | WordKind::Changed).then(|| format!(" {}", word.number));
            let to = (!word.to.is_empty()).then(|| format!(" to {}", word.to));
            let kind = format!("{:?}", word.kind).to_lowercase();
            format!("say {kind}{}{}", number.unwrap_or_default(), to.unwrap_or_default())
        }
        Act::Queue => "queue".into(),
        Act::LeaveQueue => "leave queue".into(),
        Act::Steal => "steal".into(),
        Act::Release => "release".into(),
        Act::Enter => "enter".into(),
        Act::Leave => "leave".into(),
        Act::Cut => "cut".into(),
        Act::Wake { ticket, ms } => format!("wake {ticket} in {ms}"),
        Act::Show => "show".into(),
        Act::Refresh => "refresh".into(),
        Act::Pass(_) => "pass".into(),
        Act::Reread => "reread".into(),
        Act::Answer { to, number, .. } => format!("answer {to} {number}"),
        Act::Answered { number, .. } => format!("answered {number}"),
    }
}

#[test]
fn the_numbers_of_words_are_those_of_every_build() {
    let kinds = (0..12).map(|number| WordKind::from_number(f64::from(number))).collect::<Vec<_>>();
    use WordKind::{Answer, Ask, Call, Changed, Grown, Hello, Here, Refusal};
    let known = [Hello, Here, Ask, Changed, Grown, Call, Answer, Refusal].map(Some);
    assert_eq!(kinds, [&[None][..], &known, &[None; 3]].concat());
    assert_eq!([0.5, -1.0, f64::NAN, f64::INFINITY].map(WordKind::from_number), [None; 4]);
}

//! Any three states and any choices: nothing that one side changed is lost, and both can always be brought together.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect should stop")]

use std::collections::BTreeMap;

use vitrine_folder::{Act, Base, Choice, Choices, Here, Item, Plan, Print, Seen, Side, Steps, There, Way};

/// Some in the way of others, some that differ in case.
const PATHS: [&str; 8] = ["a", "a/b", "a/c", "d/e", "d/E", "d", "D/f", "g"];

type Files = BTreeMap<String, u8>;

fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut value = *state;
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Files that can be there at once.
fn random_files(state: &mut u64) -> Files {
    let mut files = Files::new();
    for path in PATHS {
        let value = next(state) % 4;
        if value > 0 && can_hold(&files, path) {
            files.insert(path.to_owned(), value as u8);
        }
    }
    files
}

fn can_hold(files: &Files, path: &str) -> bool {
    files.keys().all(|other| !is_below(other, path) && !is_below(path, other))
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn there(value: u8) -> There {
    There { seen: Seen { bytes: 1, modified_ms: value.into() }, print: Print::of(&[value]) }
}

fn plan(base: &Base, here: &Files, other: &Files) -> Plan {
    let here = here.iter().map(|(path, value)| (path.clone(), Here { print: Print::of(&[*value]) })).collect();
    let other = other.iter().map(|(path, value)| (path.clone(), there(*value))).collect();
    Plan::new(base, &here, &other, &[])
}

/// Does the steps, and fails where a real tree would.
fn perform(steps: &Steps, base: &mut Base, here: &mut Files, other: &mut Files) {
    for step in &steps.take {
        let path = &step.path;
        let (from, to) = match step.act {
            Act::WriteThere | Act::RemoveThere => (&*here, &mut *other),
            Act::WriteHere | Act::RemoveHere => (&*other, &mut *here),
        };
        match step.act {
            Act::RemoveThere | Act::RemoveHere => assert!(to.remove(path).is_some(), "{path} is not there"),
            Act::WriteThere | Act::WriteHere => {
                assert!(can_hold(to, path), "{path} cannot be in {to:?}");
                to.insert(path.clone(), from[path]);
            }
        }
        let now = here.get(path).copied();
        assert_eq!(now, other.get(path).copied(), "{path} is in step");
        base.settle(path, now.map(there));
    }
}

#[test]
fn no_change_of_either_side_is_lost() {
    let mut state = 1;
    for _ in 0..2_000 {
        let seed = state;
        let was = random_files(&mut state);
        let (here, other) = (random_files(&mut state), random_files(&mut state));
        let mut base = Base::default();
        was.iter().for_each(|(path, value)| base.settle(path, Some(there(*value))));
        let mut first = plan(&base, &here, &other);
        first.settle(&mut base);
        let flags = next(&mut state);
        let conflicts = first.items().iter().filter_map(|item| {
            let choice = [Some(Choice::Mine), Some(Choice::Theirs), None][(next(&mut state) % 3) as usize];
            Some((item.path.clone(), choice?))
        });
        let conflicts: BTreeMap<_, _> = conflicts.collect();
        let choices =
            Choices { save: flags & 1 > 0, remove: flags & 2 > 0, read: flags & 4 > 0, conflicts: conflicts.clone() };
        let (mut here_after, mut other_after) = (here.clone(), other.clone());
        perform(&first.steps(&choices), &mut base, &mut here_after, &mut other_after);
        for path in PATHS {
            let [was, before, beyond] = [&was, &here, &other].map(|files| files.get(path));
            if before != was && before != beyond && conflicts.get(path) != Some(&Choice::Theirs) {
                assert_eq!(here_after.get(path), before, "seed {seed}: {path} was changed here");
            }
            if beyond != was && beyond != before && conflicts.get(path) != Some(&Choice::Mine) {
                assert_eq!(other_after.get(path), beyond, "seed {seed}: {path} was changed there");
            }
            if !choices.remove && conflicts.get(path) != Some(&Choice::Mine) && other.contains_key(path) {
                assert!(other_after.contains_key(path), "seed {seed}: {path} was removed unasked");
            }
        }

        // What is left over is what was not chosen or is held: with everything chosen, only what is held stays.
        let all = |plan: &Plan, choice| Choices {
            save: true,
            remove: true,
            read: true,
            conflicts: plan.items().iter().map(|item: &Item| (item.path.clone(), choice)).collect(),
        };
        for choice in [Choice::Theirs, Choice::Mine] {
            let rest = plan(&base, &here_after, &other_after);
            let steps = rest.steps(&all(&rest, choice));
            perform(&steps, &mut base, &mut here_after, &mut other_after);
            let left = plan(&base, &here_after, &other_after);
            let held = steps.held.iter().map(|held| &held.path);
            let mut held: Vec<_> = held.collect();
            held.sort();
            assert_eq!(left.items().iter().map(|item| &item.path).collect::<Vec<_>>(), held, "seed {seed}");
        }
        let rest = plan(&base, &here_after, &other_after);
        for item in rest.items() {
            let is_new =
                matches!((item.here, item.there, item.way()), (Side::Added, _, Way::Out) | (_, Side::Added, Way::In));
            assert!(is_new, "seed {seed}: only what is new on one side may have something in its way: {item:?}");
        }
    }
}

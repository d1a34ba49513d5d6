//! Which lines of a text became which of another: the shortest way by Myers' algorithm, with the choices that pi's library makes
//! where several ways are as short.

use std::collections::HashMap;
use std::rc::Rc;

/// Changed lines beyond which no shortest way is looked for.
const MAX_CHANGES: usize = 1000;
/// Comparisons of lines in all, likewise.
const MAX_STEPS: usize = 20_000_000;

/// What happened to a run of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// They are in both texts.
    Kept,
    /// They are only in the old one.
    Removed,
    /// They are only in the new one.
    Added,
}

/// A run of lines with one fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    /// What happened to them.
    pub fate: Fate,
    /// Each with its line feed, if it has one.
    pub lines: Vec<&'a str>,
}

/// The runs of two texts, in order. Two that differ in too much are, but for what they begin and end with, removed and added.
pub fn diff<'a>(old: &'a str, new: &'a str) -> Vec<Run<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    // Lines are compared often, so each is a number.
    let mut numbers = HashMap::new();
    let mut number = |line| {
        let next = numbers.len();
        *numbers.entry(line).or_insert(next)
    };
    let (old_numbers, new_numbers): (Vec<_>, Vec<_>) =
        (old.iter().map(&mut number).collect(), new.iter().map(&mut number).collect());
    let counts = shortest(&old_numbers, &new_numbers).unwrap_or_else(|| simple(&old_numbers, &new_numbers));
    let (mut old, mut new) = (old.into_iter(), new.into_iter());
    let runs = counts.into_iter().map(|(fate, count)| {
        let lines = match fate {
            Fate::Removed => old.by_ref().take(count).collect(),
            Fate::Added => new.by_ref().take(count).collect(),
            Fate::Kept => {
                old.by_ref().take(count).for_each(drop);
                new.by_ref().take(count).collect()
            }
        };
        Run { fate, lines }
    });
    runs.filter(|run: &Run<'_>| !run.lines.is_empty()).collect()
}

/// The way so far, from its end.
struct Way {
    fate: Fate,
    count: usize,
    before: Option<Rc<Way>>,
}

impl Drop for Way {
    /// Not one inside the other, which would take stack for each.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(way) = before {
            before = Rc::into_inner(way).and_then(|mut way| way.before.take());
        }
    }
}

/// How far one diagonal got: lines of the old text that are done, and how.
#[derive(Clone)]
struct Reached {
    old: usize,
    way: Option<Rc<Way>>,
}

impl Reached {
    fn step(&self, fate: Fate, count: usize) -> Option<Rc<Way>> {
        let (count, before) = match &self.way {
            Some(last) if last.fate == fate => (last.count + count, last.before.clone()),
            last => (count, last.clone()),
        };
        Some(Rc::new(Way { fate, count, before }))
    }
}

struct Search<'a> {
    old: &'a [usize],
    new: &'a [usize],
    steps: usize,
}

impl Search<'_> {
    /// Goes on along lines that are in both. `false` when this has taken too long.
    fn follow(&mut self, reached: &mut Reached, new: &mut usize) -> bool {
        let rest = self.old.iter().skip(reached.old).zip(self.new.iter().skip(*new));
        let common = rest.take_while(|(old, new)| old == new).count();
        if common > 0 {
            reached.way = reached.step(Fate::Kept, common);
            reached.old += common;
            *new += common;
        }
        self.steps += common + 1;
        self.steps <= MAX_STEPS
    }

    fn is_done(&self, reached: &Reached, new: usize) -> bool {
        reached.old >= self.old.len() && new >= self.new.len()
    }
}

/// `None` if the way is too long to be looked for.
fn shortest(old: &[usize], new: &[usize]) -> Option<Vec<(Fate, usize)>> {
    let mut search = Search { old, new, steps: 0 };
    // Diagonal d, where the old text is d lines ahead of the new one, is at d + offset.
    let offset = isize::try_from(MAX_CHANGES + 1).unwrap_or_default();
    let slot = |diagonal: isize| usize::try_from(diagonal + offset).unwrap_or_default();
    let mut best: Vec<Option<Reached>> = vec![None; 2 * MAX_CHANGES + 3];
    let mut reached = Reached { old: 0, way: None };
    let mut done = 0;
    if !search.follow(&mut reached, &mut done) {
        return None;
    }
    if search.is_done(&reached, done) {
        return Some(counts(reached.way.as_deref()));
    }
    *best.get_mut(slot(0))? = Some(reached);
    // A diagonal that has come to an edge has nothing beyond it.
    let (mut lowest, mut highest) = (-offset, offset);
    for changes in 1..=isize::try_from(MAX_CHANGES).unwrap_or_default() {
        // From one bound in steps of two, as the search's parity alternates.
        let mut diagonal = lowest.max(-changes);
        while diagonal <= highest.min(changes) {
            let here = diagonal;
            diagonal += 2;
            let removing = best.get_mut(slot(here - 1)).and_then(Option::take).filter(|from| from.old < old.len());
            let adding = best.get(slot(here + 1)).and_then(Option::as_ref).filter(|from| {
                let done = isize::try_from(from.old).unwrap_or(isize::MAX) - (here + 1);
                usize::try_from(done).is_ok_and(|done| done < new.len())
            });
            let mut reached = match (removing, adding) {
                (Some(removing), Some(adding)) if removing.old >= adding.old => {
                    Reached { old: removing.old + 1, way: removing.step(Fate::Removed, 1) }
                }
                (Some(removing), None) => Reached { old: removing.old + 1, way: removing.step(Fate::Removed, 1) },
                (_, Some(adding)) => Reached { old: adding.old, way: adding.step(Fate::Added, 1) },
                (None, None) => {
                    *best.get_mut(slot(here))? = None;
                    continue;
                }
            };
            let mut done = usize::try_from(isize::try_from(reached.old).ok()? - here).ok()?;
            if !search.follow(&mut reached, &mut done) {
                return None;
            }
            if search.is_done(&reached, done) {
                return Some(counts(reached.way.as_deref()));
            }
            if reached.old >= old.len() {
                highest = highest.min(here - 1);
            }
            if done >= new.len() {
                lowest = lowest.max(here + 1);
            }
            *best.get_mut(slot(here))? = Some(reached);
        }
    }
    None
}

fn counts(mut way: Option<&Way>) -> Vec<(Fate, usize)> {
    let mut counts = Vec::new();
    while let Some(last) = way {
        counts.push((last.fate, last.count));
        way = last.before.as_deref();
    }
    counts.reverse();
    counts
}

fn simple(old: &[usize], new: &[usize]) -> Vec<(Fate, usize)> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(old, new)| old == new).count();
    let removed = old.len() - head - tail;
    let added = new.len() - head - tail;
    vec![(Fate::Kept, head), (Fate::Removed, removed), (Fate::Added, added), (Fate::Kept, tail)]
}

//! The search: backtracking on a stack of its own, counted.

use crate::class::is_word;
use crate::program::{Instruction, Program};

/// Steps of one search, beside those that a long text may take.
const MAX_STEPS: usize = 1_000_000;
/// Steps a byte of the text.
const STEPS_PER_BYTE: usize = 64;
/// Ways back that are kept at once.
const MAX_WAYS: usize = 4_000_000;
/// States of a search that can be remembered, at a bit each.
const MAX_STATES: usize = 32_000_000;

/// The search took more steps than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern takes too long on this text")]
pub struct GaveUp;

/// Whether the program matches anywhere in the text.
pub fn search(program: &Program, text: &str) -> Result<bool, GaveUp> {
    let n_states = program.instructions.len().saturating_mul(text.len() + 1);
    // Where no step depends on what came before, a state that failed once will fail again.
    let remembers = !program.has_references && n_states <= MAX_STATES;
    let mut machine = Machine {
        program,
        text,
        steps: MAX_STEPS.saturating_add(text.len().saturating_mul(STEPS_PER_BYTE)),
        failed: vec![0; if remembers { n_states / 64 + 1 } else { 0 }],
        slots: vec![None; if program.has_references { program.n_groups * 2 } else { 0 }],
        marks: vec![usize::MAX; program.n_marks],
    };
    for at in text.char_indices().map(|(at, _)| at).chain([text.len()]) {
        if machine.run(0, at, remembers)? {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Machine<'a> {
    program: &'a Program,
    text: &'a str,
    steps: usize,
    /// A bit for each instruction at each place of the text.
    failed: Vec<u64>,
    slots: Vec<Option<usize>>,
    marks: Vec<usize>,
}

/// What to do when the way that was taken fails.
enum Way {
    Try { instruction: usize, at: usize },
    Slot { slot: usize, old: Option<usize> },
    Mark { mark: usize, old: usize },
}

impl Machine<'_> {
    /// Matches from one place on. `remembers` is whether states that were seen before may be taken as failed, which holds
    /// for the pattern itself: the first success ends it. A condition may succeed and be asked again.
    fn run(&mut self, instruction: usize, at: usize, remembers: bool) -> Result<bool, GaveUp> {
        let mut ways = vec![Way::Try { instruction, at }];
        while let Some(way) = ways.pop() {
            match way {
                Way::Slot { slot, old } => self.put_slot(slot, old),
                Way::Mark { mark, old } => self.put_mark(mark, old),
                Way::Try { instruction, at } => {
                    if self.follow(instruction, at, &mut ways, remembers)? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Goes on until it matches or fails.
    fn follow(
        &mut self,
        mut instruction: usize,
        mut at: usize,
        ways: &mut Vec<Way>,
        remembers: bool,
    ) -> Result<bool, GaveUp> {
        loop {
            self.steps = self.steps.checked_sub(1).ok_or(GaveUp)?;
            if ways.len() > MAX_WAYS {
                return Err(GaveUp);
            }
            let Some(step) = self.program.instructions.get(instruction) else { return Ok(false) };
            if remembers && matches!(step, Instruction::Fork(..)) && self.was_here(instruction, at) {
                return Ok(false);
            }
            let next = instruction + 1;
            let goes_on = match *step {
                Instruction::Char { sign, is_back } => self.take(&mut at, is_back, |found| found == sign),
                Instruction::Dot { is_back } => {
                    self.take(&mut at, is_back, |found| !matches!(found, '\n' | '\r' | '\u{2028}' | '\u{2029}'))
                }
                Instruction::Set { set, is_back } => {
                    let set = self.program.sets.get(set);
                    self.take(&mut at, is_back, |found| set.is_some_and(|set| set.has(found)))
                }
                Instruction::Start => at == 0,
                Instruction::End => at == self.text.len(),
                Instruction::Border { is_negated } => {
                    let is_inside = |found: Option<char>| found.is_some_and(is_word);
                    (is_inside(self.sign(at, true)) != is_inside(self.sign(at, false))) != is_negated
                }
                Instruction::Fork(first, second) => {
                    ways.push(Way::Try { instruction: second, at });
                    instruction = first;
                    continue;
                }
                Instruction::Jump(to) => {
                    instruction = to;
                    continue;
                }
                Instruction::Save { slot } => {
                    self.save(slot, Some(at), ways);
                    true
                }
                Instruction::Forget { first, end } => {
                    if !self.slots.is_empty() {
                        (first * 2..end * 2).for_each(|slot| self.save(slot, None, ways));
                    }
                    true
                }
                Instruction::Mark { mark } => {
                    if let Some(old) = self.marks.get(mark) {
                        ways.push(Way::Mark { mark, old: *old });
                        self.put_mark(mark, at);
                    }
                    true
                }
                Instruction::Moved { mark } => self.marks.get(mark).is_some_and(|mark| *mark != at),
                Instruction::Back { group, is_back } => self.take_group(group, &mut at, is_back),
                Instruction::Look { is_negated, after } => {
                    let kept = self.slots.clone();
                    let holds = self.run(next, at, false)? != is_negated;
                    if !holds {
                        self.slots = kept;
                        return Ok(false);
                    }
                    let old = kept.into_iter().enumerate().filter(|(slot, old)| self.slots.get(*slot) != Some(old));
                    ways.extend(old.map(|(slot, old)| Way::Slot { slot, old }));
                    instruction = after;
                    continue;
                }
                Instruction::Match => return Ok(true),
            };
            if !goes_on {
                return Ok(false);
            }
            instruction = next;
        }
    }

    /// Whether the state was seen; it is from now on.
    fn was_here(&mut self, instruction: usize, at: usize) -> bool {
        let state = instruction * (self.text.len() + 1) + at;
        let Some(bits) = self.failed.get_mut(state / 64) else { return false };
        let bit = 1 << (state % 64);
        let was_here = *bits & bit != 0;
        *bits |= bit;
        was_here
    }

    /// The character before or after a place.
    fn sign(&self, at: usize, is_back: bool) -> Option<char> {
        match is_back {
            true => self.text.get(..at)?.chars().next_back(),
            false => self.text.get(at..)?.chars().next(),
        }
    }

    fn take(&self, at: &mut usize, is_back: bool, is_wanted: impl FnOnce(char) -> bool) -> bool {
        let Some(sign) = self.sign(*at, is_back).filter(|sign| is_wanted(*sign)) else { return false };
        *at = if is_back { *at - sign.len_utf8() } else { *at + sign.len_utf8() };
        true
    }

    /// A group that has nothing yet takes nothing.
    fn take_group(&self, group: usize, at: &mut usize, is_back: bool) -> bool {
        let slot = |slot: usize| self.slots.get(slot).copied().flatten();
        let (Some(first), Some(last)) = (slot(group * 2), slot(group * 2 + 1)) else { return true };
        let wanted = self.text.get(first..last).unwrap_or_default();
        let (before, after) = self.text.split_at_checked(*at).unwrap_or_default();
        let is_there = if is_back { before.ends_with(wanted) } else { after.starts_with(wanted) };
        if is_there {
            *at = if is_back { *at - wanted.len() } else { *at + wanted.len() };
        }
        is_there
    }

    fn save(&mut self, slot: usize, new: Option<usize>, ways: &mut Vec<Way>) {
        if let Some(old) = self.slots.get(slot).copied() {
            ways.push(Way::Slot { slot, old });
            self.put_slot(slot, new);
        }
    }

    fn put_slot(&mut self, slot: usize, new: Option<usize>) {
        if let Some(kept) = self.slots.get_mut(slot) {
            *kept = new;
        }
    }

    fn put_mark(&mut self, mark: usize, new: usize) {
        if let Some(kept) = self.marks.get_mut(mark) {
            *kept = new;
        }
    }
}

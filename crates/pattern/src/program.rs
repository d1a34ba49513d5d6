//! [`Pattern`]: a tree made into instructions.

use crate::class::Set;
use crate::machine::{self, GaveUp};
use crate::parse::{Node, Parsed, Reference, parse};

/// Instructions of one pattern. Counted repetitions are written out.
const MAX_INSTRUCTIONS: usize = 20_000;

/// A pattern, ready to match.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    program: Program,
}

/// Why a text is no pattern that can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A bracket or a parenthesis has no other half.
    #[error("unbalanced bracket")]
    Unbalanced,
    /// A quantifier without something it could repeat, or with a maximum below its minimum.
    #[error("nothing to repeat")]
    NothingToRepeat,
    /// A group of an unknown kind, a name that is none, or one that is taken twice or not at all.
    #[error("invalid group or reference")]
    UnknownGroup,
    /// A backslash before something that has no meaning.
    #[error("invalid escape")]
    UnknownEscape,
    /// A property of characters that is not known here.
    #[error("unknown property of characters")]
    UnknownProperty,
    /// A range that ends before it begins.
    #[error("range out of order")]
    WrongRange,
    /// More instructions or deeper groups than a pattern may have.
    #[error("pattern too large")]
    TooLarge,
}

/// Instructions from the first on, and what they refer to.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub instructions: Vec<Instruction>,
    pub sets: Vec<Set>,
    pub n_groups: usize,
    /// Marks of loops, for iterations that take nothing.
    pub n_marks: usize,
    pub has_references: bool,
}

/// One step. Numbers are places of instructions, unless said otherwise.
#[derive(Clone, Copy, Debug)]
pub enum Instruction {
    Char {
        sign: char,
        is_back: bool,
    },
    Dot {
        is_back: bool,
    },
    Set {
        set: usize,
        is_back: bool,
    },
    Start,
    End,
    Border {
        is_negated: bool,
    },
    /// Goes on at the first, or if that fails at the second.
    Fork(usize, usize),
    Jump(usize),
    /// Remembers the place in the text as one end of a group.
    Save {
        slot: usize,
    },
    /// Forgets the groups from the first to before the second: an iteration begins anew.
    Forget {
        first: usize,
        end: usize,
    },
    Mark {
        mark: usize,
    },
    /// Fails if nothing was taken since the mark.
    Moved {
        mark: usize,
    },
    Back {
        group: usize,
        is_back: bool,
    },
    /// The condition follows and ends in a match; the rest begins at `after`.
    Look {
        is_negated: bool,
        after: usize,
    },
    Match,
}

impl Pattern {
    /// Reads a pattern and makes its program.
    pub fn compile(text: &str) -> Result<Self, PatternError> {
        let Parsed { node, groups } = parse(text)?;
        let program = Program { n_groups: groups.len(), ..Program::default() };
        let mut compiler = Compiler { program, groups };
        compiler.node(&node, false)?;
        compiler.add(Instruction::Match)?;
        Ok(Self { text: text.to_owned(), program: compiler.program })
    }

    /// Whether it matches anywhere in the text.
    pub fn is_match(&self, text: &str) -> Result<bool, GaveUp> {
        machine::search(&self.program, text)
    }

    /// What it was compiled from.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

struct Compiler {
    program: Program,
    groups: Vec<Option<String>>,
}

impl Compiler {
    fn here(&self) -> usize {
        self.program.instructions.len()
    }

    fn add(&mut self, instruction: Instruction) -> Result<usize, PatternError> {
        let here = self.here();
        if here >= MAX_INSTRUCTIONS {
            return Err(PatternError::TooLarge);
        }
        self.program.instructions.push(instruction);
        Ok(here)
    }

    fn set(&mut self, place: usize, new: Instruction) {
        if let Some(instruction) = self.program.instructions.get_mut(place) {
            *instruction = new;
        }
    }

    /// `is_back`: inside a look behind everything is read from right to left.
    fn node(&mut self, node: &Node, is_back: bool) -> Result<(), PatternError> {
        match node {
            Node::Char(sign) => drop(self.add(Instruction::Char { sign: *sign, is_back })?),
            Node::Dot => drop(self.add(Instruction::Dot { is_back })?),
            Node::Set(set) => {
                let place = self.program.sets.iter().position(|known| known == set);
                let place = place.unwrap_or_else(|| {
                    self.program.sets.push(set.clone());
                    self.program.sets.len() - 1
                });
                self.add(Instruction::Set { set: place, is_back })?;
            }
            Node::Start => drop(self.add(Instruction::Start)?),
            Node::End => drop(self.add(Instruction::End)?),
            Node::Border { is_negated } => drop(self.add(Instruction::Border { is_negated: *is_negated })?),
            Node::Sequence(nodes) if is_back => nodes.iter().rev().try_for_each(|node| self.node(node, is_back))?,
            Node::Sequence(nodes) => nodes.iter().try_for_each(|node| self.node(node, is_back))?,
            Node::Choice(branches) => self.choice(branches, is_back)?,
            Node::Repeat { node, min, max, is_lazy } => self.repeat(node, *min, *max, *is_lazy, is_back)?,
            Node::Group { number, node } => {
                let (first, last) = if is_back { (1, 0) } else { (0, 1) };
                self.add(Instruction::Save { slot: number * 2 + first })?;
                self.node(node, is_back)?;
                self.add(Instruction::Save { slot: number * 2 + last })?;
            }
            Node::Back(reference) => {
                let group = match reference {
                    Reference::Number(number) => Some(*number).filter(|number| *number < self.groups.len()),
                    Reference::Name(name) => self.groups.iter().position(|group| group.as_ref() == Some(name)),
                };
                self.program.has_references = true;
                self.add(Instruction::Back { group: group.ok_or(PatternError::UnknownGroup)?, is_back })?;
            }
            Node::Look { is_behind, is_negated, node } => {
                let look = self.add(Instruction::Match)?;
                self.node(node, *is_behind)?;
                self.add(Instruction::Match)?;
                self.set(look, Instruction::Look { is_negated: *is_negated, after: self.here() });
            }
        }
        Ok(())
    }

    fn choice(&mut self, branches: &[Node], is_back: bool) -> Result<(), PatternError> {
        let mut ends = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if index + 1 == branches.len() {
                self.node(branch, is_back)?;
                continue;
            }
            let fork = self.add(Instruction::Match)?;
            self.node(branch, is_back)?;
            ends.push(self.add(Instruction::Match)?);
            self.set(fork, Instruction::Fork(fork + 1, self.here()));
        }
        let end = self.here();
        ends.into_iter().for_each(|place| self.set(place, Instruction::Jump(end)));
        Ok(())
    }

    fn repeat(
        &mut self,
        node: &Node,
        min: u32,
        max: Option<u32>,
        is_lazy: bool,
        is_back: bool,
    ) -> Result<(), PatternError> {
        let fork = |inside: usize, after: usize| match is_lazy {
            true => Instruction::Fork(after, inside),
            false => Instruction::Fork(inside, after),
        };
        let groups = groups_in(node);
        // Nothing many times is nothing, and would never fill the program.
        let rounds = if is_nothing(node) { min.min(1) } else { min };
        for _ in 0..rounds {
            self.forget(groups)?;
            self.node(node, is_back)?;
        }
        let Some(max) = max else {
            let start = self.add(Instruction::Match)?;
            self.round(node, groups, is_back)?;
            self.add(Instruction::Jump(start))?;
            self.set(start, fork(start + 1, self.here()));
            return Ok(());
        };
        let mut forks = Vec::new();
        let optional = if is_nothing(node) { 0 } else { max - min };
        for _ in 0..optional {
            forks.push(self.add(Instruction::Match)?);
            self.round(node, groups, is_back)?;
        }
        let end = self.here();
        forks.into_iter().for_each(|place| self.set(place, fork(place + 1, end)));
        Ok(())
    }

    /// One iteration that need not be: it does not count if it takes nothing.
    fn round(&mut self, node: &Node, groups: Option<(usize, usize)>, is_back: bool) -> Result<(), PatternError> {
        let mark = self.program.n_marks;
        self.program.n_marks += 1;
        self.add(Instruction::Mark { mark })?;
        self.forget(groups)?;
        self.node(node, is_back)?;
        self.add(Instruction::Moved { mark })?;
        Ok(())
    }

    fn forget(&mut self, groups: Option<(usize, usize)>) -> Result<(), PatternError> {
        if let Some((first, last)) = groups {
            self.add(Instruction::Forget { first, end: last + 1 })?;
        }
        Ok(())
    }
}

fn is_nothing(node: &Node) -> bool {
    match node {
        Node::Sequence(nodes) | Node::Choice(nodes) => nodes.iter().all(is_nothing),
        Node::Repeat { node, max, .. } => *max == Some(0) || is_nothing(node),
        Node::Char(_) | Node::Dot | Node::Set(_) | Node::Start | Node::End | Node::Border { .. } => false,
        Node::Group { .. } | Node::Back(_) | Node::Look { .. } => false,
    }
}

/// The first and the last group inside.
fn groups_in(node: &Node) -> Option<(usize, usize)> {
    let join = |nodes: &[Node]| nodes.iter().filter_map(groups_in).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    match node {
        Node::Sequence(nodes) | Node::Choice(nodes) => join(nodes),
        Node::Repeat { node, .. } | Node::Look { node, .. } => groups_in(node),
        Node::Group { number, node } => Some((*number, groups_in(node).map_or(*number, |(_, last)| last.max(*number)))),
        Node::Char(_) | Node::Dot | Node::Set(_) | Node::Start | Node::End | Node::Border { .. } | Node::Back(_) => {
            None
        }
    }
}

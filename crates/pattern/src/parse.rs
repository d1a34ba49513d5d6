//! From a pattern's text to its tree.

use crate::class::{Class, Item, Set};
use crate::program::PatternError;

/// Groups inside of each other.
const MAX_DEPTH: usize = 50;
/// Bytes of a pattern.
const MAX_LENGTH: usize = 10_000;

/// A pattern.
#[derive(Clone, Debug)]
pub enum Node {
    Char(char),
    /// `.`: all but line ends.
    Dot,
    Set(Set),
    Start,
    End,
    /// `\b`, or `\B` if negated.
    Border {
        is_negated: bool,
    },
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
        is_lazy: bool,
    },
    Group {
        number: usize,
        node: Box<Node>,
    },
    Back(Reference),
    Look {
        is_behind: bool,
        is_negated: bool,
        node: Box<Node>,
    },
}

/// What a back reference refers to. Names are looked up when all groups are known.
#[derive(Clone, Debug)]
pub enum Reference {
    Number(usize),
    Name(String),
}

/// The tree, and the groups' names by their numbers; the first group is 1.
pub struct Parsed {
    pub node: Node,
    pub groups: Vec<Option<String>>,
}

/// Parses the whole text.
pub fn parse(text: &str) -> Result<Parsed, PatternError> {
    if text.len() > MAX_LENGTH {
        return Err(PatternError::TooLarge);
    }
    let mut parser = Parser { rest: text, groups: vec![None], depth: 0 };
    let node = parser.choice()?;
    match parser.rest.is_empty() {
        true => Ok(Parsed { node, groups: parser.groups }),
        // Only a closing parenthesis ends a choice.
        false => Err(PatternError::Unbalanced),
    }
}

struct Parser<'t> {
    rest: &'t str,
    groups: Vec<Option<String>>,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default();
        Some(next)
    }

    fn take(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn until(&mut self, end: char) -> Option<&'t str> {
        let (text, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(text)
    }

    fn choice(&mut self) -> Result<Node, PatternError> {
        if self.depth > MAX_DEPTH {
            return Err(PatternError::TooLarge);
        }
        self.depth += 1;
        let mut branches = vec![self.sequence()?];
        while self.take("|") {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(match branches.len() {
            1 => branches.pop().unwrap_or(Node::Sequence(Vec::new())),
            _ => Node::Choice(branches),
        })
    }

    fn sequence(&mut self) -> Result<Node, PatternError> {
        let mut nodes = Vec::new();
        while let Some(next) = self.peek().filter(|next| !matches!(next, '|' | ')')) {
            let node = self.atom(next)?;
            nodes.push(self.repeated(node)?);
        }
        Ok(Node::Sequence(nodes))
    }

    fn atom(&mut self, next: char) -> Result<Node, PatternError> {
        self.next();
        Ok(match next {
            '.' => Node::Dot,
            '^' => Node::Start,
            '$' => Node::End,
            '(' => self.group()?,
            '[' => Node::Set(self.set()?),
            '\\' => self.escape()?,
            '*' | '+' | '?' => return Err(PatternError::NothingToRepeat),
            plain => Node::Char(plain),
        })
    }

    fn repeated(&mut self, node: Node) -> Result<Node, PatternError> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match self.counts() {
                Some(counts) => return self.finish_repeat(node, counts),
                // A brace that counts nothing is itself.
                None => return Ok(node),
            },
            _ => return Ok(node),
        };
        self.next();
        self.finish_repeat(node, (min, max))
    }

    fn finish_repeat(&mut self, node: Node, (min, max): (u32, Option<u32>)) -> Result<Node, PatternError> {
        let is_lazy = self.take("?");
        let is_repeatable =
            !matches!(node, Node::Start | Node::End | Node::Border { .. } | Node::Look { is_behind: true, .. });
        if !is_repeatable || max.is_some_and(|max| max < min) {
            return Err(PatternError::NothingToRepeat);
        }
        if matches!(self.peek(), Some('*' | '+' | '?')) {
            return Err(PatternError::NothingToRepeat);
        }
        Ok(Node::Repeat { node: Box::new(node), min, max, is_lazy })
    }

    /// `{2}`, `{2,}`, `{2,5}`.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let (inside, rest) = self.rest.strip_prefix('{')?.split_once('}')?;
        // Larger counts are as good as the largest: the program would be too large with either.
        let count = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
            is_number.then(|| text.parse().unwrap_or(u32::MAX))
        };
        let counts = match inside.split_once(',') {
            None => {
                let exactly = count(inside)?;
                (exactly, Some(exactly))
            }
            Some((min, "")) => (count(min)?, None),
            Some((min, max)) => (count(min)?, Some(count(max)?)),
        };
        self.rest = rest;
        Some(counts)
    }

    fn group(&mut self) -> Result<Node, PatternError> {
        let looks = [("?=", false, false), ("?!", false, true), ("?<=", true, false), ("?<!", true, true)];
        for (start, is_behind, is_negated) in looks {
            if self.take(start) {
                let node = Box::new(self.closed()?);
                return Ok(Node::Look { is_behind, is_negated, node });
            }
        }
        if self.take("?:") {
            return self.closed();
        }
        let name = match self.take("?<") {
            true => Some(self.name()?),
            false if self.peek() == Some('?') => return Err(PatternError::UnknownGroup),
            false => None,
        };
        if name.is_some() && self.groups.contains(&name) {
            return Err(PatternError::UnknownGroup);
        }
        let number = self.groups.len();
        self.groups.push(name);
        Ok(Node::Group { number, node: Box::new(self.closed()?) })
    }

    fn closed(&mut self) -> Result<Node, PatternError> {
        let node = self.choice()?;
        if self.take(")") { Ok(node) } else { Err(PatternError::Unbalanced) }
    }

    fn name(&mut self) -> Result<String, PatternError> {
        let name = self.until('>').unwrap_or_default();
        let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '_' | '$');
        let is_name = name.chars().all(is_part) && !name.starts_with(|first: char| first.is_numeric());
        if is_name && !name.is_empty() { Ok(name.to_owned()) } else { Err(PatternError::UnknownGroup) }
    }

    /// What follows a backslash outside of brackets.
    fn escape(&mut self) -> Result<Node, PatternError> {
        if self.take("b") {
            return Ok(Node::Border { is_negated: false });
        }
        if self.take("B") {
            return Ok(Node::Border { is_negated: true });
        }
        if self.take("k<") {
            return Ok(Node::Back(Reference::Name(self.name()?)));
        }
        if matches!(self.peek(), Some('1'..='9')) {
            let end = self.rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(self.rest.len());
            let (number, rest) = self.rest.split_at(end);
            self.rest = rest;
            return Ok(Node::Back(Reference::Number(number.parse().unwrap_or(usize::MAX))));
        }
        Ok(match self.set_escape()? {
            Item::Range(sign, _) => Node::Char(sign),
            Item::Class { class, is_negated } => Node::Set(Set::of(class, is_negated)),
        })
    }

    fn set(&mut self) -> Result<Set, PatternError> {
        let is_negated = self.take("^");
        let mut items = Vec::new();
        loop {
            let item = match self.next() {
                None => return Err(PatternError::Unbalanced),
                Some(']') => return Ok(Set { is_negated, items }),
                Some(sign) => self.set_item(sign)?,
            };
            // A hyphen between two characters makes a range, a last one is itself.
            if !self.rest.starts_with('-') || self.rest.starts_with("-]") {
                items.push(item);
                continue;
            }
            self.next();
            let last = self.next().ok_or(PatternError::Unbalanced)?;
            match (item, self.set_item(last)?) {
                (Item::Range(first, _), Item::Range(last, _)) if first <= last => items.push(Item::Range(first, last)),
                (Item::Range(..), Item::Range(..)) => return Err(PatternError::WrongRange),
                (one, other) => items.extend([one, Item::Range('-', '-'), other]),
            }
        }
    }

    fn set_item(&mut self, sign: char) -> Result<Item, PatternError> {
        match sign {
            '\\' if self.take("b") => Ok(Item::Range('\u{8}', '\u{8}')),
            '\\' => self.set_escape(),
            plain => Ok(Item::Range(plain, plain)),
        }
    }

    /// An escape that is a character or a class; a character is a range of one.
    fn set_escape(&mut self) -> Result<Item, PatternError> {
        let next = self.next().ok_or(PatternError::UnknownEscape)?;
        let class = |class| Ok(Item::Class { class, is_negated: next.is_ascii_uppercase() });
        let sign = match next {
            'd' | 'D' => return class(Class::Digit),
            'w' | 'W' => return class(Class::Word),
            's' | 'S' => return class(Class::Space),
            'p' | 'P' => {
                let name = if self.take("{") { self.until('}') } else { None };
                return class(name.and_then(Class::of_property).ok_or(PatternError::UnknownProperty)?);
            }
            't' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            '0' if !self.peek().is_some_and(|digit| digit.is_ascii_digit()) => '\0',
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    char::from(u8::try_from(letter).unwrap_or_default() % 32)
                }
                _ => return Err(PatternError::UnknownEscape),
            },
            'x' => self.hex(2).and_then(char::from_u32).ok_or(PatternError::UnknownEscape)?,
            'u' => self.unicode().ok_or(PatternError::UnknownEscape)?,
            // Nothing else that could mean something some day may be escaped.
            plain if plain.is_ascii_alphanumeric() => return Err(PatternError::UnknownEscape),
            plain => plain,
        };
        Ok(Item::Range(sign, sign))
    }

    fn hex(&mut self, n_digits: usize) -> Option<u32> {
        let (digits, rest) = self.rest.split_at_checked(n_digits)?;
        let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let code = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
        self.rest = rest;
        Some(code)
    }

    /// `\u{1f600}`, `\u00e9`, or two halves of a pair; half a pair alone is in no text and stands for U+FFFD.
    fn unicode(&mut self) -> Option<char> {
        if self.take("{") {
            let digits = self.until('}').filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
            return char::from_u32(u32::from_str_radix(digits, 16).ok()?);
        }
        let unit = self.hex(4)?;
        if let 0xd800..=0xdbff = unit
            && let Some(after) = self.rest.strip_prefix("\\u")
        {
            let mut second = Parser { rest: after, groups: Vec::new(), depth: 0 };
            if let Some(low @ 0xdc00..=0xdfff) = second.hex(4) {
                self.rest = second.rest;
                return char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
            }
        }
        Some(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

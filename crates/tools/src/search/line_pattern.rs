//! [`LinePattern`]: what a line has to have in it, found in bounded time.

use std::fmt;

use memchr::{memchr, memmem, memrchr};
use regex_automata::hybrid::dfa::{self, DFA};
use regex_automata::nfa::thompson::pikevm::{self, PikeVM};
use regex_automata::nfa::thompson::{NFA, WhichCaptures};
use regex_automata::util::prefilter::Prefilter;
use regex_automata::{Input, MatchKind};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use crate::search::globs::Case;

/// Bytes of a pattern.
const MAX_PATTERN: usize = 16 << 10;
/// Bytes of what it is compiled to: some 20,000 states.
const MAX_NFA: usize = 1 << 20;
/// Bytes that the automaton may grow to while it runs.
const MAX_DFA: usize = 4 << 20;
/// Bytes that are searched at once, so that a search can end in between.
const CHUNK: usize = 1 << 20;

/// How much searching one call may do. A unit is about the work of an automaton for one byte, a nanosecond or two.
#[derive(Clone, Copy, Debug)]
pub struct Work(u64);

impl Default for Work {
    /// A few seconds at the most; a workspace of half a gigabyte for an ordinary pattern.
    fn default() -> Self {
        Self(4_000_000_000)
    }
}

impl Work {
    fn spend(&mut self, units: u64) -> Result<(), PatternError> {
        self.0 = self.0.checked_sub(units).ok_or(PatternError::TooSlow)?;
        Ok(())
    }
}

/// Why a pattern cannot be searched for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It is no regular expression.
    #[error("{0}")]
    Syntax(String),
    /// It has a line feed in it, and lines are searched one at a time.
    #[error("the pattern contains a line break, but lines are searched one at a time: search for a part of one line")]
    LineFeed,
    /// It would take too much memory.
    #[error("the pattern is too large: use a shorter one, or smaller repetition counts")]
    TooLarge,
    /// It took too long.
    #[error("the search was given up because it takes too long: use a simpler pattern, or a narrower path or glob")]
    TooSlow,
}

/// A pattern that is looked for in lines. No match reaches over a line's end.
pub struct LinePattern(Kind);

enum Kind {
    Text(Box<memmem::Finder<'static>>),
    Automaton(Box<Automaton>),
}

struct Automaton {
    dfa: DFA,
    dfa_cache: dfa::Cache,
    vm: PikeVM,
    vm_cache: pikevm::Cache,
    states: u64,
}

impl LinePattern {
    /// A regular expression of Rust's `regex`.
    pub fn regex(pattern: &str, case: Case) -> Result<Self, PatternError> {
        if pattern.len() > MAX_PATTERN {
            return Err(PatternError::TooLarge);
        }
        let mut parser =
            ParserBuilder::new().utf8(false).multi_line(true).case_insensitive(case == Case::Insensitive).build();
        let hir = parser.parse(pattern).map_err(|error| PatternError::Syntax(reason(&error)))?;
        Self::automaton(&within_a_line(hir)?)
    }

    /// A text as it is.
    pub fn text(text: &str, case: Case) -> Result<Self, PatternError> {
        if text.contains('\n') {
            return Err(PatternError::LineFeed);
        }
        if case == Case::Insensitive || text.is_empty() {
            return Self::regex(&regex_syntax::escape(text), case);
        }
        Ok(Self(Kind::Text(Box::new(memmem::Finder::new(text.as_bytes()).into_owned()))))
    }

    fn automaton(hir: &Hir) -> Result<Self, PatternError> {
        let too_large = |_| PatternError::TooLarge;
        let config = NFA::config().utf8(false).which_captures(WhichCaptures::None).nfa_size_limit(Some(MAX_NFA));
        let nfa = NFA::compiler().configure(config).build_from_hir(hir).map_err(too_large)?;
        let states = nfa.states().len() as u64;
        let prefilter = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, hir).filter(Prefilter::is_fast);
        let config = DFA::config()
            .prefilter(prefilter)
            .unicode_word_boundary(true)
            .cache_capacity(MAX_DFA)
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(Some(3))
            .minimum_bytes_per_state(Some(10));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa.clone()).map_err(|_| PatternError::TooLarge)?;
        let vm = PikeVM::builder().build_from_nfa(nfa).map_err(too_large)?;
        let (dfa_cache, vm_cache) = (dfa.create_cache(), vm.create_cache());
        Ok(Self(Kind::Automaton(Box::new(Automaton { dfa, dfa_cache, vm, vm_cache, states }))))
    }

    /// The first line at or after `from`, where a line begins, that has the pattern in it: where it begins, and where its line
    /// feed or the end of the text is. Empty text after the last line feed is no line.
    pub fn next_line(
        &mut self,
        text: &[u8],
        from: usize,
        work: &mut Work,
    ) -> Result<Option<(usize, usize)>, PatternError> {
        match &mut self.0 {
            Kind::Text(finder) => {
                let rest = text.get(from..).unwrap_or_default();
                let found = finder.find(rest);
                work.spend(found.unwrap_or(rest.len()) as u64 / 8 + 1)?;
                Ok(found.map(|at| line_round(text, from + at)))
            }
            Kind::Automaton(automaton) => automaton.next_line(text, from, work),
        }
    }
}

impl fmt::Debug for LinePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Kind::Text(_) => "LinePattern::Text",
            Kind::Automaton(_) => "LinePattern::Automaton",
        })
    }
}

impl Automaton {
    fn next_line(
        &mut self,
        text: &[u8],
        mut from: usize,
        work: &mut Work,
    ) -> Result<Option<(usize, usize)>, PatternError> {
        while from < text.len() {
            let end = line_end(text, text.len().min(from + CHUNK));
            // Larger automata have more states to make.
            let a_byte = 1 + self.states / 64;
            if work.0 < (end - from) as u64 * a_byte {
                return Err(PatternError::TooSlow);
            }
            let input = Input::new(text).span(from..end).earliest(true);
            match self.dfa.try_search_fwd(&mut self.dfa_cache, &input) {
                Ok(Some(found)) => {
                    work.spend((found.offset() - from + 1) as u64 * a_byte)?;
                    // An empty match behind the last line feed.
                    if found.offset() == text.len() && text.ends_with(b"\n") {
                        return Ok(None);
                    }
                    return Ok(Some(line_round(text, found.offset())));
                }
                Ok(None) => {
                    work.spend((end - from) as u64 * a_byte)?;
                    from = end + 1;
                }
                // The automaton cannot go on at some byte; in the lines before it there is nothing. This line is read by the slower
                // machine, which can do everything.
                Err(error) => {
                    let offset = match error.kind() {
                        regex_automata::MatchErrorKind::Quit { offset, .. }
                        | regex_automata::MatchErrorKind::GaveUp { offset } => *offset,
                        _ => from,
                    };
                    let (start, line_end) = line_round(text, offset.clamp(from, end));
                    let start = start.max(from);
                    work.spend((start - from) as u64 * a_byte)?;
                    work.spend((line_end - start + 1) as u64 * (self.states + 1))?;
                    let input = Input::new(text).span(start..line_end).earliest(true);
                    if self.vm.search_slots(&mut self.vm_cache, &input, &mut []).is_some() {
                        return Ok(Some((start, line_end)));
                    }
                    from = line_end + 1;
                }
            }
        }
        Ok(None)
    }
}

/// The line in which a byte, or the line feed after it, is.
fn line_round(text: &[u8], at: usize) -> (usize, usize) {
    let head = text.get(..at).unwrap_or_default();
    (memrchr(b'\n', head).map_or(0, |feed| feed + 1), line_end(text, at))
}

/// The first line feed at or after a place, or the end.
fn line_end(text: &[u8], at: usize) -> usize {
    let tail = text.get(at..).unwrap_or_default();
    memchr(b'\n', tail).map_or(text.len(), |feed| at + feed)
}

/// The same pattern where no line feed can be matched: classes have none, and one that has to be there is an error.
///
/// Goes as deep as the pattern is nested, which the parser limits.
fn within_a_line(hir: Hir) -> Result<Hir, PatternError> {
    Ok(match hir.into_kind() {
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => return Err(PatternError::LineFeed),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            class.difference(&regex_syntax::hir::ClassUnicode::new([regex_syntax::hir::ClassUnicodeRange::new(
                '\n', '\n',
            )]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&regex_syntax::hir::ClassBytes::new([regex_syntax::hir::ClassBytesRange::new(
                b'\n', b'\n',
            )]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(within_a_line(*repetition.sub)?);
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(capture) => within_a_line(*capture.sub)?,
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(within_a_line).collect::<Result<_, _>>()?),
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.into_iter().map(within_a_line).collect::<Result<_, _>>()?)
        }
        HirKind::Empty => Hir::empty(),
        HirKind::Look(look) => Hir::look(look),
    })
}

/// What is wrong, in one line.
fn reason(error: &regex_syntax::Error) -> String {
    match error {
        regex_syntax::Error::Parse(error) => error.kind().to_string(),
        regex_syntax::Error::Translate(error) => error.kind().to_string(),
        other => other.to_string().lines().last().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the lines that match.
    fn lines(pattern: &mut LinePattern, text: &str) -> Result<Vec<usize>, PatternError> {
        let (mut found, mut from, mut work) = (Vec::new(), 0, Work::default());
        while let Some((start, end)) = pattern.next_line(text.as_bytes(), from, &mut work)? {
            found.push(text[..start].matches('\n').count() + 1);
            from = end + 1;
        }
        Ok(found)
    }

    #[test]
    fn lines_are_found_one_by_one() {
        let text = "one\ntwo x\n\nünÏ é\n  end\r\nx1 foo\nfoo";
        let cases: [(&str, &[usize]); 18] = [
            ("o", &[1, 2, 6, 7]),
            ("^o", &[1]),
            ("e$", &[1]),
            ("^$", &[3]),
            ("", &[1, 2, 3, 4, 5, 6, 7]),
            ("z*", &[1, 2, 3, 4, 5, 6, 7]),
            ("one.two", &[]),
            ("one\\s*two", &[]),
            ("[^a]two", &[]),
            ("\\bfoo\\b", &[6, 7]),
            ("\\bé\\b", &[4]),
            ("(?i)ÜNï", &[4]),
            ("\\w+ (\\w+)", &[2, 4, 6]),
            ("end$", &[]),
            ("end\\r$", &[5]),
            ("foo|two", &[2, 6, 7]),
            ("(?s)e.t", &[]),
            ("\\d", &[6]),
        ];
        for (pattern, expected) in cases {
            let mut compiled = LinePattern::regex(pattern, Case::Sensitive).unwrap();
            assert_eq!(lines(&mut compiled, text).unwrap(), expected, "{pattern}");
        }
        let text_pattern = |text, case| LinePattern::text(text, case).unwrap();
        assert_eq!(lines(&mut text_pattern("o", Case::Sensitive), text).unwrap(), [1, 2, 6, 7]);
        assert_eq!(lines(&mut text_pattern("FOO", Case::Insensitive), text).unwrap(), [6, 7]);
        assert_eq!(lines(&mut text_pattern("a.b", Case::Insensitive), "axb\nA.B").unwrap(), [2]);
        assert_eq!(lines(&mut text_pattern("", Case::Sensitive), "a\n\n").unwrap(), [1, 2]);
    }

    #[test]
    fn what_would_explode_ends() {
        for pattern in ["(((a{100}){100}){100}){100}", "\\w{1000}{100}", &"(a|b)".repeat(1 << 14)] {
            assert_eq!(
                LinePattern::regex(pattern, Case::Sensitive).unwrap_err(),
                PatternError::TooLarge,
                "{pattern:.20}"
            );
        }
        let deep = "(".repeat(8000);
        assert!(matches!(LinePattern::regex(&deep, Case::Sensitive), Err(PatternError::Syntax(_))));
        for pattern in ["a\\nb", "\n", "[a]\\n"] {
            assert_eq!(LinePattern::regex(pattern, Case::Sensitive).unwrap_err(), PatternError::LineFeed);
        }
        // One that every engine that goes back would never end with.
        let mut nested = LinePattern::regex("(x+x+)+y", Case::Sensitive).unwrap();
        assert_eq!(lines(&mut nested, &"x".repeat(1 << 16)).unwrap(), Vec::<usize>::new());
        // One that makes an automaton grow for ever, on a line as long as this, is given up.
        let mut growing = LinePattern::regex("[01]*1[01]{3000}2", Case::Sensitive).unwrap();
        let bits: String =
            (0_u32..1 << 21).map(|n| if n.wrapping_mul(2_654_435_761) >> 31 == 0 { '0' } else { '1' }).collect();
        assert_eq!(lines(&mut growing, &bits).unwrap_err(), PatternError::TooSlow);
    }
}

//! [`Globs`]: many globs, matched at once.

use std::cell::RefCell;
use std::fmt;

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::pikevm::{self, PikeVM};
use regex_automata::nfa::thompson::{NFA, WhichCaptures};
use regex_automata::{Anchored, Input, MatchKind, PatternSet};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;

use crate::search::glob;

/// Globs compiled together. More in one automaton makes it grow faster than it saves time.
const TOGETHER: usize = 128;
/// Bytes of one automaton, before it runs and while it does.
const MAX_BYTES: usize = 4 << 20;

/// Whether large and small letters are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// They are not.
    Sensitive,
    /// They are.
    Insensitive,
}

/// A list of globs in which `*` and `?` stop at `/`. Time to match is linear in the path, whatever the globs are.
pub struct Globs {
    groups: Vec<Group>,
}

/// Globs that are matched at once; the first has the number `first`.
struct Group {
    first: usize,
    dfa: DFA,
    vm: PikeVM,
    caches: RefCell<(Cache, pikevm::Cache, PatternSet)>,
}

impl Globs {
    /// Compiles globs. One that is none matches nothing; the error is why the first of those is none.
    pub fn new<'a>(globs: impl IntoIterator<Item = &'a str>, case: Case) -> (Self, Option<String>) {
        let mut error = None;
        let patterns: Vec<Hir> = globs
            .into_iter()
            .map(|glob| {
                pattern(glob, case).unwrap_or_else(|message| {
                    error.get_or_insert(message);
                    Hir::fail()
                })
            })
            .collect();
        let chunks = patterns.chunks(TOGETHER).enumerate();
        let groups = chunks.filter_map(|(n, patterns)| Group::new(n * TOGETHER, patterns)).collect();
        (Self { groups }, error)
    }

    /// The number of the last glob that matches a path and that `counts`.
    pub fn last_match(&self, path: &str, counts: impl Fn(usize) -> bool) -> Option<usize> {
        self.groups.iter().rev().find_map(|group| group.last_match(path, &counts))
    }
}

impl fmt::Debug for Globs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Globs").field("groups", &self.groups.len()).finish()
    }
}

fn pattern(glob: &str, case: Case) -> Result<Hir, String> {
    let expression = glob::expression(glob)?;
    let mut parser = ParserBuilder::new().utf8(false).case_insensitive(case == Case::Insensitive).build();
    parser.parse(&expression).map_err(|_| format!("not a glob: too much in each other in '{glob}'"))
}

impl Group {
    /// `None` if the globs are too large together, which those of a sane list are not.
    fn new(first: usize, patterns: &[Hir]) -> Option<Self> {
        let config = NFA::config().utf8(false).which_captures(WhichCaptures::None).nfa_size_limit(Some(MAX_BYTES));
        let nfa = NFA::compiler().configure(config).build_many_from_hir(patterns).ok()?;
        let config = DFA::config().match_kind(MatchKind::All).cache_capacity(MAX_BYTES).skip_cache_capacity_check(true);
        let config = config.minimum_cache_clear_count(Some(3)).minimum_bytes_per_state(Some(10));
        let dfa = DFA::builder().configure(config).build_from_nfa(nfa.clone()).ok()?;
        let vm = PikeVM::builder().configure(PikeVM::config().match_kind(MatchKind::All)).build_from_nfa(nfa).ok()?;
        let caches = (dfa.create_cache(), vm.create_cache(), PatternSet::new(patterns.len()));
        Some(Self { first, dfa, vm, caches: RefCell::new(caches) })
    }

    fn last_match(&self, path: &str, counts: &impl Fn(usize) -> bool) -> Option<usize> {
        let mut caches = self.caches.borrow_mut();
        let (dfa_cache, vm_cache, matched) = &mut *caches;
        matched.clear();
        let input = Input::new(path).anchored(Anchored::Yes);
        if self.dfa.try_which_overlapping_matches(dfa_cache, &input, matched).is_err() {
            matched.clear();
            self.vm.which_overlapping_matches(vm_cache, &input, matched);
        }
        let numbers = matched.iter().map(|pattern| self.first + pattern.as_usize());
        numbers.filter(|number| counts(*number)).last()
    }
}

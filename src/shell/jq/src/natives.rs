//! What jq's own library is made of: the filters that are written in Rust. The rest is `defs.jq`.

mod dates;
mod formats;
mod lists;
mod numbers;
mod patterns;
mod structure;
mod texts;
mod world;

use jaq_core::native::{Filter, Fun, run, v};
use jaq_core::{Cv, RunPtr, ValR};

pub use patterns::Patterns;

use crate::program::Jq;
use crate::value::Value;

/// A filter of a fixed number of values.
type Native = Filter<RunPtr<Jq>>;

/// All of them.
pub fn natives() -> Vec<Fun<Jq>> {
    let lists = [
        numbers::natives(),
        texts::natives(),
        lists::natives(),
        structure::natives(),
        patterns::natives(),
        formats::natives(),
        dates::natives(),
        world::natives(),
    ];
    lists.into_iter().flatten().map(run::<Jq>).collect()
}

/// The context and input of a filter.
type Call<'a> = Cv<'a, Jq>;

/// A filter without arguments.
const fn plain(name: &'static str, f: RunPtr<Jq>) -> (&'static str, usize, RunPtr<Jq>) {
    (name, 0, f)
}

/// A filter with arguments, all of which are values.
const fn with(name: &'static str, arity: usize, f: RunPtr<Jq>) -> (&'static str, usize, RunPtr<Jq>) {
    (name, arity, f)
}

fn filters<const N: usize>(list: [(&'static str, usize, RunPtr<Jq>); N]) -> Vec<Native> {
    list.into_iter().map(|(name, arity, f)| (name, v(arity), f)).collect()
}

/// The text of a value, or jq's complaint about it.
fn text<'v>(value: &'v Value, complaint: &str) -> ValR<&'v str, Value> {
    match value.str() {
        Some(text) => Ok(text),
        None => crate::value::error(format!("{} {complaint}", value.shown())),
    }
}

//! Runs where anything may come in at any time: fitting answers, strays, streams in disorder, aborts, failures.
//!
//! What must hold is in `rules.rs`: every call has exactly one result, events nest, the run ends. Each run is recorded too, and replayed
//! to the same outputs, and brought back to some of its events, from where it goes on as it did. It runs for a moment;
//! `VITRINE_FUZZ_SECONDS` makes it go on with new seeds for as long. A failure names its seed; the seed goes into `seeds`,
//! whose seeds always run.
#![cfg(test)]

mod inputs;
mod replayed;
mod returned;
mod rules;
mod world;

use std::collections::BTreeMap;

#[test]
fn every_call_has_its_result_events_nest_and_the_run_ends() {
    for seed in include_str!("seeds").lines().filter_map(|line| line.parse().ok()) {
        check(seed);
    }
    // The inputs reach what they should: a generator that stopped at the first turn would prove nothing.
    let mut seen = BTreeMap::new();
    for seed in 0..3_000 {
        for (kind, n) in check(seed) {
            *seen.entry(kind).or_insert(0) += n;
        }
    }
    for kind in ["tool_execution_update", "execute", "after_tool", "prepare_next_turn", "poll_follow_ups", "agent_end"]
    {
        assert!(seen.get(kind).is_some_and(|n| *n > 300), "too few of {kind}: {seen:?}");
    }
    let Some(seconds): Option<u64> = std::env::var("VITRINE_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok())
    else {
        return;
    };
    let now = || std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let (begun, start): (u64, u64) = (now(), now() << 24);
    println!("from seed {start}");
    let mut seed = start;
    while now() < begun + seconds {
        check(seed);
        seed += 1;
    }
    println!("{} runs", seed - start);
}

/// Plays a seed, and gives how often each output came.
fn check(seed: u64) -> BTreeMap<&'static str, usize> {
    let played = std::panic::catch_unwind(|| world::play(seed));
    played.unwrap_or_else(|_| panic!("seed {seed} failed: add it to crates/agent/tests/random_runs/seeds"))
}

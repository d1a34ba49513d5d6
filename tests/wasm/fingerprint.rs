//! The calculator's run comes to the same fingerprint in a browser as anywhere.

#![cfg(target_family = "wasm")]

use vitrine_lesson::{Files, fingerprint};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

#[path = "../../crates/lesson/tests/demo/calculator.rs"]
#[allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect should stop"
)]
mod calculator;

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
fn the_calculator_has_its_fingerprint() {
    let demo = calculator::Demo::read();
    for (wall_ms, tick_ms) in [(1_700_000_000_000, 3.0), (5, 0.5)] {
        assert_eq!(fingerprint(&demo.run(wall_ms, tick_ms), None).ok(), Some(demo.fingerprint.clone()));
    }
    assert_eq!(calculator::calculate("(17 + 4) * 2"), Some(42.0));
    assert_eq!(demo.trace.split(", ").count(), 10);
}

/// Numbers are where hosts differ.
#[wasm_bindgen_test]
fn numbers_and_files_have_the_hash_that_sha256sum_gives() {
    let events = [serde_json::json!({"type": "x", "n": [5e-324, 1e21, 1e-7, 0.1, 9007199254740993_u64, -0.0]})];
    let mut files = Files::new();
    files.add("中.txt", b"x");
    assert_eq!(
        fingerprint(&events, Some(&files)).ok().as_deref(),
        Some("75f19f745d1a08549aa08f9b5444242d221f9a5996d1012f7429b6685a16cf50")
    );
}

//! Agreement with public vectors, where a copy of them is at hand: `VITRINE_VECTORS` names the folder.

use std::path::Path;

use serde_json::Value;

use crate::json_receiver::same_after_every_piece;

/// `{prefix, out}` a line: what pi 1.6 shows of a text.
#[test]
fn partial_json_is_shown_as_pi_shows_it() {
    let Some(folder) = std::env::var_os("VITRINE_VECTORS") else {
        println!(
            "skipped: partial_json_is_shown_as_pi_shows_it (set VITRINE_VECTORS to a folder with the JSON vectors)"
        );
        return;
    };
    let file = std::fs::read_to_string(Path::new(&folder).join("partialjson-pi160.jsonl")).unwrap();
    let cases = file.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut failed = Vec::new();
    let mut n_cases = 0;
    for case in cases {
        n_cases += 1;
        let text = case["prefix"].as_str().unwrap();
        let shown = same_after_every_piece(text.char_indices().map(|(at, sign)| &text[at..at + sign.len_utf8()]));
        if shown != case["out"] {
            failed.push(format!("{case} shows {shown}"));
        }
    }
    println!("partialjson-pi160.jsonl: {} of {n_cases}", n_cases - failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

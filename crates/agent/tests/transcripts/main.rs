//! The loop, in transcripts: each `.transcript` file is a script and its expectation in one.
//!
//! At the margin stands what is done to the run, or what the model and the tools answer; indented stands what the run did
//! about it, to the event. The `# trace:` lines say by hand, from the rule, which events must come. The order of the
//! margin lines is the order of the world: which tool finishes first, and where an abort falls, is a line's place.
//! `UPDATE_EXPECT=1` rewrites the indented lines. The verbs are in `script.rs`.
//!
//! A `.jsonl` beside a transcript holds the same events whole, one line of JSON each; every case of A.1 has one.
//!
//! The runs go through `drive` and a host whose futures are ready when their line has been read.

#[cfg(test)]
mod host;
#[cfg(test)]
mod render;
#[cfg(test)]
mod script;
#[cfg(test)]
mod stream;
#[cfg(test)]
mod world;

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_transcript_is_what_the_run_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts/cases");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "transcript"));
    files.sort();
    assert!(files.len() >= 120, "transcripts are missing");
    let mut failures = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let expected = fs::read_to_string(&file).unwrap();
        assert!(expected.starts_with("# "), "{name}: the first line says what the case shows");
        // What the script answers was not asked, or the other way round: the message says which, the name whose.
        let Ok(played) = std::panic::catch_unwind(|| script::play(&expected)) else {
            failures.push(format!("{name}\nthe script cannot go on"));
            continue;
        };
        if let Some(promised) = script::promised_trace(&expected)
            && played.trace != promised
        {
            let (came, promised) = (played.trace.join(" · "), promised.join(" · "));
            failures.push(format!("{name}\ntrace promised: {promised}\ntrace that came: {came}"));
            continue;
        }
        failures.extend(compare(&file, &expected, &played.transcript));
        let payloads = file.with_extension("jsonl");
        if payloads.exists() || name.starts_with("a1-") {
            let expected = fs::read_to_string(&payloads).unwrap_or_default();
            failures.extend(compare(&payloads, &expected, &played.payloads));
        }
    }
    assert!(failures.is_empty(), "{} transcripts differ\n\n{}", failures.len(), failures.join("\n\n"));
}

/// What is wrong with a file, unless it was asked to be rewritten.
#[cfg(test)]
fn compare(file: &Path, expected: &str, actual: &str) -> Option<String> {
    if actual == expected {
        return None;
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(file, actual).unwrap();
        return None;
    }
    Some(format!("{}\n{}", file.file_name().unwrap().to_string_lossy(), difference(expected, actual)))
}

/// The first place where they part, with what came before it.
fn difference(expected: &str, actual: &str) -> String {
    let (expected, actual): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let same = expected.iter().zip(&actual).take_while(|(expected, actual)| expected == actual).count();
    let shown = |lines: &[&str], sign: &str| {
        lines.iter().skip(same).take(6).map(|line| format!("{sign} {line}\n")).collect::<String>()
    };
    let before =
        expected.iter().take(same).skip(same.saturating_sub(3)).map(|line| format!("  {line}\n")).collect::<String>();
    format!("line {}:\n{before}{}{}", same + 1, shown(&expected, "-"), shown(&actual, "+"))
}

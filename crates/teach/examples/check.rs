//! What is wrong with lesson files, line by line: `cargo run -p vitrine-teach --example check -- FILE...`.

use std::fs;
use std::process::ExitCode;

use serde_json::Value;
use vitrine_schema::Schema;
use vitrine_teach::{languages, read};

/// The published schema.
const SCHEMA: &str = include_str!("../../../www/lessons/lesson.schema.json");

/// What a model can be told of in the page.
const TOOLS: [&str; 7] = ["read", "bash", "edit", "write", "grep", "find", "ls"];

fn main() -> ExitCode {
    let mut wrong = 0;
    for file in std::env::args().skip(1) {
        match checked(&file) {
            Ok(found) => println!("ok {file}: {found}"),
            Err(problems) => {
                wrong += 1;
                println!("not ok {file}");
                for problem in problems.lines() {
                    println!("    {problem}");
                }
            }
        }
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn checked(file: &str) -> Result<String, String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let langs = languages(&text);
    // A lesson without variants is read once, as it stands.
    let all = if langs.is_empty() { vec!["en"] } else { langs };
    let mut n_steps = 0;
    for lang in &all {
        let lesson = read(&text, lang, &TOOLS).map_err(|problems| problems.to_string())?;
        if lesson.solution.is_empty() {
            return Err("line 1: solution: without one nobody knows whether the lesson can be passed".to_owned());
        }
        n_steps = lesson.steps.len();
    }
    let schema: Value = serde_json::from_str(SCHEMA).map_err(|error| error.to_string())?;
    let schema = Schema::compile(&schema).map_err(|error| error.to_string())?;
    let lines = schema.explain(&serde_json::from_str(&text).map_err(|error| error.to_string())?);
    if !lines.is_empty() {
        return Err(lines.join("\n"));
    }
    Ok(format!("{n_steps} steps, {}", all.join(" and ")))
}

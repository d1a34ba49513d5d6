//! Programs, inputs and options as jq 1.7.1 itself answered them, one case a line of `recorded.jsonl`: files and standard input in,
//! both outputs and the exit code out. What differs is named here, with the reason.
#![allow(clippy::unwrap_used, reason = "a test that meets what it does not expect should stop")]

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use vitrine_jq::{Job, run, wanted};

#[derive(Deserialize)]
struct Case {
    args: Vec<String>,
    stdin: String,
    files: BTreeMap<String, String>,
    stdout: String,
    stderr: String,
    code: u8,
}

/// What is put out otherwise than by jq: the last word of the command line, or standard input where that is `.`, and why.
const DIFFERENCES: &[(&str, &str)] = &[
    ("isvalid(.[0].name)?", "isvalid of jq 1.6 is there, too"),
    ("[.1,1e3,1.0,100000000000000000000]", "a number in a program begins with a digit"),
    (".5+.5", "a number in a program begins with a digit"),
    ("@base32 \"\\(\"hi\")\"", "@base32 is there in a string, too"),
    ("{\"a\":{\"b\":1}}|[leaf_paths]", "leaf_paths of jq 1.6 is there, too"),
    ("\" a b \"|ltrim,rtrim,trim", "trim of later versions is there, too"),
    ("\"a\"|reverse", "strings are reversed as by later versions"),
    ("{(1):2}", "a key that is no string is seen when it is used"),
    (".. |= 1", "what was written is not looked into again"),
    ("@foo \"x\"", "a format that is not there is seen without an expression in the string, too"),
    ("[leaf_paths]", "leaf_paths of jq 1.6 is there, too"),
    (".owner", "--seq reads JSON without separators, too"),
    ("\"\\ud800\"", "half of a surrogate pair in the input is U+FFFD, as in other versions"),
    ("-h", "the help is ours"),
    ("[300", "arrays may be nested deeper than 256"),
];

#[test]
fn as_jq_does_it() {
    let cases = include_str!("recorded.jsonl").lines().map(|line| serde_json::from_str::<Case>(line).unwrap());
    let (mut wrong, mut all, mut said, mut different) = (Vec::new(), 0, 0, BTreeSet::new());
    for case in cases {
        all += 1;
        let read = |name: &String| {
            let text = case.files.get(name).ok_or_else(|| "No such file or directory".to_owned())?;
            Ok(text.clone().into_bytes())
        };
        let files = wanted(&case.args).iter().map(read).collect();
        let stdin = case.stdin.clone().into_bytes();
        let done = run(Job { args: case.args.clone(), files, stdin, now_s: 1.7e9, ..Job::default() });
        let is_same = done.stdout == case.stdout && done.code == case.code;
        said += usize::from(done.stderr == case.stderr);
        let name = match case.args.last().map(String::as_str) {
            Some(".") if case.stdin.starts_with("[[[[[[") && case.stdin.len() == 600 => "[300",
            Some(".") => &case.stdin,
            last => last.unwrap_or_default(),
        };
        if !is_same && let Some((name, _)) = DIFFERENCES.iter().find(|(known, _)| *known == name) {
            different.insert(*name);
            continue;
        }
        if !is_same {
            wrong.push(format!(
                "{:?} {:?}\n  jq:   {} {:?} {:?}\n  here: {} {:?} {:?}",
                case.args, case.stdin, case.code, case.stdout, case.stderr, done.code, done.stdout, done.stderr
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {all} differ\n{}", wrong.len(), wrong.join("\n"));
    // Words for errors are jq's, but where a syntax or a pattern is at fault.
    assert!(said >= 555, "{said} of {all} say the same");
    assert_eq!(different, DIFFERENCES.iter().map(|(name, _)| *name).collect());
}

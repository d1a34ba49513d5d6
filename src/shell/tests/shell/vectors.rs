//! Public cases recorded from bash, read from the folder that `VITRINE_VECTORS` names; without it the test says that it was
//! skipped. What is printed to stdout and the exit code are compared; error texts differ from system to system.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use vitrine_shell::Change;
use vitrine_shell_module::Stream;

use crate::world::World;

#[derive(Deserialize)]
struct Case {
    src: String,
    id: String,
    cmd: String,
    files: BTreeMap<String, String>,
    stdout: String,
    exit: i32,
}

/// The cases that do not come out as in bash, and why.
const MISSES: &[(&str, &str)] = &[
    ("80c1f08068764538", "a bare {name}> names a descriptor"),
    ("b02b896b964e8a40", "a bare {name}> names a descriptor"),
    ("214274828240cd29", "grep -L -c prints the counts, too"),
    ("aff4ca10b0584c67", "grep -L -c prints the counts, too"),
    ("57e55a14addf4f6b", "grep reads standard input again for each -"),
    ("b9b4678962c5e122", "grep reads standard input again for each -"),
    ("c15d14bf7188d524", "grep reads standard input again for each -"),
    ("fac7023a58142a20", "grep reads standard input again for each -"),
    ("c3fae8a5b19f99bf", "a function in a loop has its own place in the loop's input"),
    ("029ef9a4af22f501", "a loop opens what it reads before what it writes"),
    ("4056dc47122a0f15", "a loop opens what it reads before what it writes"),
    ("d15827827b1e9040", "a loop opens what it reads before what it writes"),
    ("537fc7f40660ced4", "ls knows no -r"),
    ("ed367bb71e17d454", "ls -a leaves . and .. out"),
    ("6dcbfdb339885b7c", "a loop's own descriptor 3 is not seen by read -u"),
    ("7778d6c2e3734291", "a loop's own descriptor 3 is not seen by read -u"),
    ("1cce82e69597f0e5", "no process substitution in [[ ]]"),
    ("32028f231e6bbfec", "a delimiter of a heredoc with $( ) in it"),
    ("42f843a1595dc1c2", "no process substitution in [[ ]]"),
    ("5b511c08d2ee319a", "LINENO in a nested process substitution"),
    ("dd6b628d45108f90", "words of the grammar right before <( )"),
    ("fcb395281ba741d1", "a delimiter of a heredoc with <( ) in it"),
    ("178886a259dcce51", "a NUL in a pipe from printf is dropped"),
    ("f54ac59038a825b9", "a quote in a comment in arithmetic is a syntax error"),
];

#[test]
fn public_vectors() {
    let Some(folder) = std::env::var_os("VITRINE_VECTORS") else {
        println!("skipped: public_vectors (set VITRINE_VECTORS to a folder with shell-justbash-comparison.jsonl)");
        return;
    };
    let text = fs::read_to_string(Path::new(&folder).join("shell-justbash-comparison.jsonl")).unwrap();
    let (mut missed, mut all) = (Vec::new(), 0);
    for line in text.lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        all += 1;
        let mut world = World::new(&[]);
        for (path, content) in &case.files {
            world.session().apply(Change::Write { path: path.clone(), bytes: content.as_bytes().to_vec() });
        }
        let (ended, _) = world.run(&case.cmd);
        let printed = world.printed_to(Stream::Out);
        if printed != case.stdout || ended.code != case.exit {
            println!(
                "{} {}: {:?}\n  bash: {} {:?}\n  here: {} {printed:?}",
                case.src, case.id, case.cmd, case.exit, case.stdout, ended.code
            );
            missed.push(case.id);
        }
    }
    println!("{} of {all} as in bash", all - missed.len());
    assert_eq!(missed, MISSES.iter().map(|(id, _)| *id).collect::<Vec<_>>());
}

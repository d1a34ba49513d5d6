//! What no program and no input may do: nest, repeat or grow without end.

use vitrine_jq::{Done, Job, run};

fn jq(args: &[&str], stdin: String) -> Done {
    let args = args.iter().map(|arg| (*arg).to_owned()).collect();
    run(Job { args, stdin: stdin.into_bytes(), ..Job::default() })
}

#[test]
fn deep_json_is_refused() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = |levels: usize| format!("{}1{}", open.repeat(levels), close.repeat(levels));
        assert_eq!(jq(&["-c", "[..] | length"], deep(500)).stdout, "501\n");
        let done = jq(&["."], deep(1_000_000));
        assert_eq!((done.stdout.as_str(), done.code), ("", 5));
        assert!(
            done.stderr.starts_with("jq: parse error: Exceeds depth limit for parsing at line 1, column "),
            "{done:?}"
        );
        let done = jq(&["-Rs", "try fromjson catch (.[:33])"], deep(100_000));
        assert_eq!((done.stdout.as_str(), done.code), ("\"Exceeds depth limit for parsing a\"\n", 0));
    }
}

#[test]
fn what_would_fill_memory_is_refused() {
    let cases = [
        ("\"x\" * 1e12", "Repeat string result too long"),
        (".[1e12] = 1", "Array index too large"),
        ("[.[1e300]?] | .[0] = 1 | .[4e9] = 1", "Array index too large"),
    ];
    for (program, words) in cases {
        let done = jq(&["-n", program], String::new());
        assert_eq!((done.stderr, done.code), (format!("jq: error (at <unknown>): {words}\n"), 5), "{program}");
    }
}

#[test]
fn many_inputs_that_fail_are_told_in_linear_time() {
    let done = jq(&[".a"], "1\n".repeat(20_000));
    assert_eq!((done.stderr.lines().count(), done.code), (20_000, 5));
    assert!(done.stderr.ends_with("(at <stdin>:20000): Cannot index number with string \"a\"\n"));
}

#[test]
fn numbers_stay_numbers() {
    let done = jq(&["-c", ".[] | ., . + 0"], "[1e1000, 1e-1000, 12345678901234567890]".to_owned());
    assert_eq!(
        done.stdout,
        "1E+1000\n1.7976931348623157e+308\n1E-1000\n0\n12345678901234567890\n12345678901234567000\n"
    );
}

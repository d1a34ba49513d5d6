//! The program itself: what it prints where, and its exit code. Nothing here gets as far as a build.
#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Output};

const USAGE: &str = "usage: cargo xtask <command>\n";

fn xtask(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn help_is_what_was_asked_for() {
    for args in [&["--help"][..], &["-h"], &["help"], &["serve", "--help"], &["test", "-h"]] {
        let output = xtask(args);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{args:?}");
        assert!(text(&output.stdout).starts_with(USAGE), "{args:?}");
    }
}

#[test]
fn help_names_every_command_and_option() {
    let help = text(&xtask(&["--help"]).stdout);
    for word in
        ["serve", "--port", "--no-open", "--dev", "test", "--native", "--browser", "build", "http://localhost:8787"]
    {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn a_wrong_word_is_named_before_the_usage() {
    for (args, problem) in [
        (&[][..], "no command given"),
        (&["srve"], "unknown command `srve`"),
        (&["build", "--release"], "unknown option `--release`"),
        (&["serve", "--port", "x"], "`x` is not a port"),
        (&["test", "--browser", "opera"], "`opera` is none of chromium, firefox, webkit"),
    ] {
        let output = xtask(args);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()), "{args:?}");
        assert!(text(&output.stderr).starts_with(&format!("xtask: {problem}\n\n{USAGE}")), "{args:?}");
    }
}

#[test]
fn a_taken_port_ends_serve_before_the_build() {
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = other.local_addr().unwrap().port();
    let output = xtask(&["serve", "--no-open", "--port", &port.to_string()]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), String::new()));
    let expected = format!("xtask: port {port} on localhost is taken by another program\n       to fix it: ");
    assert!(text(&output.stderr).starts_with(&expected), "{}", text(&output.stderr));
}

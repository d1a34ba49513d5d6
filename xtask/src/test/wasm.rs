//! The tests under `tests/wasm`: Rust in a dedicated worker of a real browser.
//!
//! `wasm-bindgen-test-runner` serves each test binary as a page; our own browser driver opens it, so neither a
//! `chromedriver` nor a `geckodriver` is needed.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::machine::Machine;
use crate::project;
use crate::run::{self, Failure, Outcome, command};
use crate::setup::browsers::Found;
use crate::setup::wasm_target::TARGET;
use crate::setup::{node, wasm_bindgen, wasm_target};
use crate::test::tally::Tally;
use crate::test::{Engine, environment, heading};

/// Clippy over the browser side.
pub fn lint(machine: &Machine, tally: &mut Tally) {
    heading("lints of the browser side (cargo clippy for wasm)");
    tally.part("clippy for wasm", |tally| {
        let mut clippy = command("cargo");
        wasm_target::ready(machine)?.choose_for(machine, &mut clippy, None);
        clippy.args(["clippy", "--package", "vitrine", "--target", TARGET, "--lib", "--bins", "--tests"]);
        clippy.args(["--", "-D", "warnings"]);
        tally.check("cargo clippy --package vitrine --target wasm32-unknown-unknown", run::run(&mut clippy).is_ok());
        Ok(())
    });
}

/// Builds them and runs them in each browser that has what they test.
pub fn run(machine: &Machine, tally: &mut Tally, found: &[Found]) -> Outcome {
    // WebKitGTK has no OPFS, which most of these are about.
    let engines: Vec<_> = found.iter().filter(|browser| browser.engine != Engine::Webkit).collect();
    if engines.is_empty() {
        return Ok(());
    }
    heading("wasm tests");
    let runner = wasm_bindgen::test_runner_ready(machine)?;
    let node = node::node_ready(machine)?;
    node::test_packages_ready(machine)?;
    for (name, file) in test_binaries(machine)? {
        let port = free_port()?;
        let _server = Server::start(&runner, &file, port)?;
        for browser in &engines {
            let mut drive = command(&node);
            drive.arg("tests/browser/wasm_tests.mjs").arg(browser.engine.name());
            drive.arg(format!("http://127.0.0.1:{port}/")).envs(environment(found));
            let mut failed = None;
            println!("{name} in {}", browser.engine.name());
            let good = run::each_line(&mut drive, |line| {
                println!("{line}");
                failed = tally.libtest_line(line).or(failed);
            })?;
            // A harness that counted failures has named them; anything else that went wrong has no name yet.
            if failed.is_none() || (failed == Some(0) && !good) {
                tally.fail(format!("{name} in {} did not run to its end", browser.engine.name()));
            }
        }
    }
    Ok(())
}

/// The compiled tests under `tests/wasm`, by name.
fn test_binaries(machine: &Machine) -> Outcome<Vec<(String, PathBuf)>> {
    let mut build = command("cargo");
    wasm_target::ready(machine)?.choose_for(machine, &mut build, None);
    build.args(["test", "--package", "vitrine", "--target", TARGET, "--tests", "--no-run"]);
    build.arg("--message-format=json-render-diagnostics");
    let folder = project::root().join("tests/wasm");
    let mut binaries = Vec::new();
    for line in run::capture(&mut build)?.lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let text = |pointer: &str| message.pointer(pointer).and_then(serde_json::Value::as_str);
        let (Some(source), Some(file)) = (text("/target/src_path"), text("/executable")) else { continue };
        if Path::new(source).starts_with(&folder) {
            binaries.push((text("/target/name").unwrap_or(source).to_owned(), PathBuf::from(file)));
        }
    }
    Ok(binaries)
}

fn free_port() -> Outcome<u16> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .map_err(|error| Failure::new(format!("no free port: {error}")))
}

/// The page of one test binary, served until dropped.
struct Server(Child);

impl Server {
    fn start(runner: &Path, file: &Path, port: u16) -> Outcome<Self> {
        command(runner)
            .arg(file)
            // Serve and wait, whoever comes: the browser is ours to start.
            .env("NO_HEADLESS", "1")
            .env("WASM_BINDGEN_TEST_ADDRESS", format!("127.0.0.1:{port}"))
            .stdout(Stdio::null())
            .stdin(Stdio::null())
            .spawn()
            .map(Self)
            .map_err(|error| Failure::new(format!("{} did not start: {error}", runner.display())))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

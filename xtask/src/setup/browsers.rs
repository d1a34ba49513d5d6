//! Browsers for the tests: found, else installed where the system lets us, else named with what to install.

use std::path::PathBuf;

use crate::run::{self, say};
use crate::setup::apt;
use crate::test::Engine;
use crate::test::tally::Tally;

/// A browser that can be driven.
#[derive(Debug)]
pub struct Found {
    /// Which.
    pub engine: Engine,
    /// Its programs, by the variable under which the test scripts look for them.
    pub programs: Vec<(&'static str, PathBuf)>,
}

/// One program that a browser needs: the variable, and names or paths it may have.
type Need = (&'static str, &'static [&'static str]);

const CHROMIUM: [Need; 1] = [(
    "VITRINE_CHROMIUM",
    &[
        "chromium",
        "chromium-browser",
        "google-chrome-stable",
        "google-chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ],
)];
const FIREFOX: [Need; 1] =
    [("VITRINE_FIREFOX", &["firefox-esr", "firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"])];
const WEBKIT: [Need; 3] = [
    ("VITRINE_WEBKIT_DRIVER", &["WebKitWebDriver"]),
    (
        "VITRINE_MINIBROWSER",
        &[
            "MiniBrowser",
            "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
            "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.0/MiniBrowser",
            "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
            "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.0/MiniBrowser",
        ],
    ),
    ("VITRINE_XVFB", &["Xvfb"]),
];

/// Finds or installs each; one that cannot be had is counted as skipped, with the command that would bring it.
pub fn ready(engines: &[Engine], tally: &mut Tally) -> Vec<Found> {
    let mut found = Vec::new();
    for engine in engines.iter().copied() {
        let packages = packages(engine);
        let mut browser = find(engine);
        if browser.is_none() && apt::may_install() {
            if let Err(failure) = apt::install(packages) {
                say(failure);
            }
            browser = find(engine);
        }
        match browser {
            Some(browser) => found.push(browser),
            None => tally.skip(format!(
                "every test in {}: it is not installed; {}",
                engine.name(),
                apt::command_for(packages)
            )),
        }
    }
    found
}

fn needs(engine: Engine) -> &'static [Need] {
    match engine {
        Engine::Chromium => &CHROMIUM,
        Engine::Firefox => &FIREFOX,
        Engine::Webkit => &WEBKIT,
    }
}

fn packages(engine: Engine) -> &'static [&'static str] {
    match engine {
        Engine::Chromium => &["chromium"],
        Engine::Firefox => &["firefox-esr"],
        Engine::Webkit => &["webkit2gtk-driver", "xvfb"],
    }
}

fn find(engine: Engine) -> Option<Found> {
    let programs = needs(engine).iter().map(|(variable, names)| Some((*variable, program(names)?)));
    Some(Found { engine, programs: programs.collect::<Option<_>>()? })
}

fn program(names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| {
        let path = PathBuf::from(name);
        if path.is_absolute() { path.is_file().then_some(path) } else { run::on_path(name) }
    })
}

//! Browsers for the tests: found, else installed where the system lets us, else named with what to install.

use std::path::PathBuf;

use crate::machine::Machine;
use crate::setup::apt;
use crate::setup::packages::Package;
use crate::test::Engine;
use crate::test::tally::Tally;

/// A browser that can be driven.
#[derive(Debug, PartialEq, Eq)]
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
pub fn ready(machine: &Machine, engines: &[Engine], tally: &mut Tally) -> Vec<Found> {
    let mut found = Vec::new();
    for engine in engines.iter().copied() {
        let package = package(engine);
        let mut browser = find(machine, engine);
        if browser.is_none() && apt::may_install(machine) {
            if let Err(failure) = apt::install(machine, package.apt) {
                machine.say(failure);
            }
            browser = find(machine, engine);
        }
        match browser {
            Some(browser) => found.push(browser),
            None => tally.skip(format!(
                "every test in {}: it is not installed; to have it: {}",
                engine.name(),
                package.command(machine)
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

fn package(engine: Engine) -> Package {
    match engine {
        Engine::Chromium => Package {
            apt: &["chromium"],
            dnf: Some("chromium"),
            brew: Some("--cask google-chrome"),
            otherwise: "install Chrome from https://www.google.com/chrome",
        },
        Engine::Firefox => Package {
            apt: &["firefox-esr"],
            dnf: Some("firefox"),
            brew: Some("--cask firefox"),
            otherwise: "install Firefox from https://www.mozilla.org/firefox",
        },
        Engine::Webkit => Package {
            apt: &["webkit2gtk-driver", "xvfb"],
            dnf: None,
            brew: None,
            otherwise: "install WebKitGTK with its WebDriver, MiniBrowser and Xvfb; only Linux has them",
        },
    }
}

fn find(machine: &Machine, engine: Engine) -> Option<Found> {
    let programs = needs(engine).iter().map(|(variable, names)| Some((*variable, program(machine, names)?)));
    Some(Found { engine, programs: programs.collect::<Option<_>>()? })
}

fn program(machine: &Machine, names: &[&str]) -> Option<PathBuf> {
    names.iter().find_map(|name| {
        if name.starts_with('/') {
            let file = machine.file(name);
            file.is_file().then_some(file)
        } else {
            machine.on_path(name)
        }
    })
}

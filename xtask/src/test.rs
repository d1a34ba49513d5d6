//! `test`: everything there is, ended by one line `N passed, M failed`.

pub mod browser;
pub mod engine;
pub mod native;
pub mod tally;
pub mod wasm;

use std::str::FromStr;

use crate::build::{self, Profile};
use crate::machine::Machine;
use crate::run::{Failure, Outcome, say};
use crate::setup::browsers::{self, Found};
use crate::test::tally::Tally;

/// Which tests are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All.
    Everything,
    /// Those that need no browser and no wasm.
    Native,
    /// Those of one browser.
    Browser(Engine),
}

/// A browser the tests know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Chromium or Chrome.
    Chromium,
    /// Firefox.
    Firefox,
    /// WebKitGTK's `MiniBrowser`: the browser without OPFS.
    Webkit,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Chromium, Self::Firefox, Self::Webkit];

    /// As on the command line and in test names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chromium => "chromium",
            Self::Firefox => "firefox",
            Self::Webkit => "webkit",
        }
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|engine| engine.name() == name);
        found.ok_or_else(|| format!("`{name}` is none of chromium, firefox, webkit"))
    }
}

/// Runs them and prints the count; a failed test, or none at all, is a failure.
pub fn test(selection: Selection) -> Outcome {
    let machine = Machine::here();
    let mut tally = Tally::default();
    let engines: &[Engine] = match &selection {
        Selection::Everything => &Engine::ALL,
        Selection::Native => &[],
        Selection::Browser(engine) => std::slice::from_ref(engine),
    };
    if selection == Selection::Everything || selection == Selection::Native {
        native::run(&mut tally);
    }
    if !engines.is_empty() {
        let found = browsers::ready(&machine, engines, &mut tally);
        if selection == Selection::Everything {
            wasm::lint(&machine, &mut tally);
        }
        // One part that cannot be run must not hide what the others would say.
        tally.part("wasm tests", |tally| wasm::run(&machine, tally, &found));
        tally.part("browser tests", |tally| {
            let site = build::build(Profile::Release)?;
            tally.check(&format!("size budgets {}", site.over_budget.join(", ")), site.over_budget.is_empty());
            browser::run(&machine, tally, &found)
        });
        if selection == Selection::Everything {
            tally.part("engine tests", |tally| engine::run(&machine, tally, &found));
        }
    }
    tally.report();
    if tally.is_good() { Ok(()) } else { Err(Failure::new("the tests did not pass")) }
}

/// Says which part starts.
fn heading(text: &str) {
    println!();
    say(text);
}

/// The browsers that were found, as the environment of the scripts that drive them.
pub fn environment(found: &[Found]) -> impl Iterator<Item = (&'static str, &std::path::Path)> {
    found.iter().flat_map(|browser| browser.programs.iter().map(|(name, path)| (*name, path.as_path())))
}

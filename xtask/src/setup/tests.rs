use std::path::PathBuf;

use super::{BuildTools, browsers, node, python, wasm_opt};
use crate::build::Profile;
use crate::editor;
use crate::setup::stand_in::programs::{CARGO, NODE, NOT_ROOT, NPM, ROOT, RUSTC, RUSTUP, RUSTUP_OFFLINE};
use crate::setup::stand_in::{CHECKOUT, StandIn, TOOLS};
use crate::test::Engine;
use crate::test::tally::Tally;

const LOCK: &str = "[[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
const NOTHING: [&str; 0] = [];

/// A machine with rustup and Node and nothing else.
fn fresh() -> StandIn {
    let stand_in = StandIn::new();
    stand_in.write(&format!("{CHECKOUT}/Cargo.lock"), LOCK);
    stand_in.program("rustc", RUSTC).program("rustup", RUSTUP).program("cargo", CARGO);
    stand_in.program("node", NODE).program("npm", NPM);
    stand_in
}

/// A command with a line before it that says it: no step is taken unannounced.
fn check_announced(steps: &[String]) {
    let mut said = false;
    for step in steps {
        let says = step.starts_with("xtask: ");
        assert!(says || said, "`{step}` was not announced in {steps:#?}");
        said = says;
    }
}

#[test]
fn everything_is_set_up_once_and_announced() {
    let debian = StandIn::new();
    debian.write(&format!("{CHECKOUT}/Cargo.lock"), LOCK);
    debian.program("rustc", RUSTC).program("rustup", RUSTUP_OFFLINE).program("cargo", CARGO).debian(ROOT);
    let rustup_commands = "rustup target, cargo install, cargo install, npm install, npm ci";
    let debian_commands = "rustup target, apt-get update, apt-get install, /usr/bin/cargo build, rustup toolchain, \
                           cargo install, cargo install, apt-get install, /usr/bin/npm install, /usr/bin/npm ci";
    for (stand_in, commands) in [(fresh(), rustup_commands), (debian, debian_commands)] {
        let set_up = || {
            assert!(BuildTools::ready_on(stand_in.machine()).unwrap().wasm_opt.is_some());
            node::test_packages_ready(stand_in.machine()).unwrap();
            stand_in.steps()
        };
        let steps = set_up();
        check_announced(&steps);
        let ran = steps.iter().filter(|step| !step.starts_with("xtask: "));
        let verbs: Vec<_> = ran.map(|step| step.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(verbs.join(", "), commands);
        // The second time nothing at all is done or said.
        assert_eq!(set_up(), NOTHING);
    }
}

#[test]
fn what_is_there_is_used_and_nothing_is_installed() {
    let stand_in = StandIn::new();
    let refuse = "exit 1";
    stand_in.program("rustup", refuse).program("cargo", refuse).program("npm", refuse).program("id", "echo 0");
    stand_in.program("apt-get", refuse).program("rustc", RUSTC).program("node", NODE);
    stand_in.program("trunk", "echo trunk 0.21.14").program("wasm-bindgen", "echo wasm-bindgen 0.2.130");
    stand_in.program("wasm-opt", "echo 'wasm-opt version 132 (version_132)'");
    for library in ["core", "std", "test"] {
        stand_in.write(&format!("toolchain/lib/lib{library}-1.rlib"), "");
    }
    stand_in.program("chromium", "").program("firefox-esr", "").write(&format!("{CHECKOUT}/Cargo.lock"), LOCK);
    for _ in 0..2 {
        let tools = BuildTools::ready_on(stand_in.machine()).unwrap();
        let mut tally = Tally::default();
        let found = browsers::ready(stand_in.machine(), &[Engine::Chromium, Engine::Firefox], &mut tally);
        assert_eq!(node::npm_ready(stand_in.machine()).unwrap(), stand_in.path("usr/local/bin/npm"));
        assert_eq!(tools.trunk, stand_in.path("usr/local/bin/trunk"));
        assert_eq!(tools.bindgen, stand_in.path("usr/local/bin/wasm-bindgen"));
        assert_eq!(tools.wasm_opt, Some(stand_in.path("usr/local/bin/wasm-opt")));
        let programs: Vec<_> = found.into_iter().flat_map(|browser| browser.programs).collect();
        assert_eq!(
            programs,
            [
                ("VITRINE_CHROMIUM", stand_in.path("usr/local/bin/chromium")),
                ("VITRINE_FIREFOX", stand_in.path("usr/local/bin/firefox-esr")),
            ]
        );
        assert_eq!(tally.skipped(), &NOTHING);
        assert_eq!(stand_in.steps(), NOTHING);
    }
}

#[test]
fn what_a_build_starts_finds_the_pinned_tools_and_the_toolchain() {
    let stand_in = fresh();
    stand_in.debian(ROOT).program("rustup", RUSTUP_OFFLINE).program("wasm-bindgen", "echo wasm-bindgen 0.2.131");
    let tools = BuildTools::ready_on(stand_in.machine()).unwrap();
    let command = tools.command(&tools.trunk);
    let value = |name: &str| command.get_envs().find(|(key, _)| *key == name).and_then(|(_, value)| value);
    let folders: Vec<_> = std::env::split_paths(value("PATH").unwrap()).collect();
    assert_eq!(folders, [&format!("{TOOLS}/bin"), "usr/local/bin", "usr/bin"].map(|folder| stand_in.path(folder)));
    assert_eq!(value("RUSTUP_TOOLCHAIN"), Some("web".as_ref()));
    assert_eq!(command.get_current_dir(), Some(stand_in.path(CHECKOUT).as_path()));
}

/// The package managers that a machine may have, and the command for each that brings Node and npm.
const NODE_COMMANDS: [(&str, &str); 4] = [
    ("apt-get", "sudo apt-get install -y --no-install-recommends nodejs npm"),
    ("dnf", "sudo dnf install -y nodejs-npm"),
    ("brew", "brew install node"),
    ("", "install Node 18 or newer from https://nodejs.org"),
];

#[test]
fn a_missing_node_is_named_with_the_command_for_this_machine() {
    for (manager, command) in NODE_COMMANDS {
        for (node, problem) in [
            ("", "node (of Node 18 or newer) is not on PATH"),
            ("echo v16.20.2", "/usr/local/bin/node is Node 16, and 18 or newer is wanted"),
            ("exit 1", "/usr/local/bin/node does not say its version"),
        ] {
            let stand_in = StandIn::new();
            stand_in.program("id", NOT_ROOT);
            if !manager.is_empty() {
                stand_in.program(manager, "exit 1");
            }
            if !node.is_empty() {
                stand_in.program("node", node);
            }
            let message = node::node_ready(stand_in.machine()).unwrap_err().to_string();
            assert_eq!(stand_in.plain(&message), format!("{problem}\n       to fix it: {command}"));
            assert_eq!(stand_in.steps(), NOTHING);
        }
        let stand_in = StandIn::new();
        stand_in.program("node", NODE).program("id", NOT_ROOT);
        if !manager.is_empty() {
            stand_in.program(manager, "exit 1");
        }
        let message = node::npm_ready(stand_in.machine()).unwrap_err().to_string();
        assert_eq!(message, format!("npm (of Node 18 or newer) is not on PATH\n       to fix it: {command}"));
    }
}

#[test]
fn node_is_new_enough_from_18_on() {
    for (version, wanted) in
        [("v18.0.0", true), ("v24.1.0", true), ("v17.9.1", false), ("v9.0.0", false), ("18", false)]
    {
        let stand_in = StandIn::new();
        stand_in.program("node", &format!("echo {version}"));
        assert_eq!(node::node_ready(stand_in.machine()).is_ok(), wanted, "{version}");
    }
}

#[test]
fn root_on_debian_gets_node_and_browsers_installed() {
    let stand_in = StandIn::new();
    stand_in.debian(ROOT);
    let mut tally = Tally::default();
    for run in ["first", "second"] {
        assert_eq!(node::npm_ready(stand_in.machine()).unwrap(), stand_in.path("usr/bin/npm"));
        let found = browsers::ready(stand_in.machine(), &Engine::ALL, &mut tally);
        let programs: Vec<_> = found.into_iter().flat_map(|browser| browser.programs).collect();
        let at = |path: &str| -> PathBuf { stand_in.path(path) };
        assert_eq!(
            programs,
            [
                ("VITRINE_CHROMIUM", at("usr/bin/chromium")),
                ("VITRINE_FIREFOX", at("usr/bin/firefox-esr")),
                ("VITRINE_WEBKIT_DRIVER", at("usr/bin/WebKitWebDriver")),
                ("VITRINE_MINIBROWSER", at("usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser")),
                ("VITRINE_XVFB", at("usr/bin/Xvfb")),
            ]
        );
        let steps = stand_in.steps();
        check_announced(&steps);
        let packages = ["nodejs npm", "chromium", "firefox-esr", "webkit2gtk-driver xvfb"];
        let installs = packages.map(|packages| {
            [
                format!("xtask: installing Debian packages: {packages}"),
                format!("apt-get install -y -q --no-install-recommends --no-remove {packages}"),
            ]
        });
        let lists = ["xtask: fetching Debian's package lists (apt-get update)", "apt-get update -q"];
        let expected =
            if run == "first" { [lists.map(str::to_owned).to_vec(), installs.concat()].concat() } else { vec![] };
        assert_eq!(steps, expected);
    }
    assert_eq!(tally.skipped(), &NOTHING);
}

#[test]
fn a_missing_browser_is_skipped_by_name_with_the_command_for_this_machine() {
    for (manager, commands) in [
        (
            "apt-get",
            [
                "sudo apt-get install -y --no-install-recommends chromium",
                "sudo apt-get install -y --no-install-recommends firefox-esr",
                "sudo apt-get install -y --no-install-recommends webkit2gtk-driver xvfb",
            ],
        ),
        (
            "dnf",
            [
                "sudo dnf install -y chromium",
                "sudo dnf install -y firefox",
                "install WebKitGTK with its WebDriver, MiniBrowser and Xvfb; only Linux has them",
            ],
        ),
        (
            "brew",
            [
                "brew install --cask google-chrome",
                "brew install --cask firefox",
                "install WebKitGTK with its WebDriver, MiniBrowser and Xvfb; only Linux has them",
            ],
        ),
        (
            "none",
            [
                "install Chrome from https://www.google.com/chrome",
                "install Firefox from https://www.mozilla.org/firefox",
                "install WebKitGTK with its WebDriver, MiniBrowser and Xvfb; only Linux has them",
            ],
        ),
    ] {
        let stand_in = StandIn::new();
        // Half of what WebKit needs is not WebKit.
        stand_in.program(manager, "exit 1").program("id", NOT_ROOT).program("WebKitWebDriver", "");
        let mut tally = Tally::default();
        assert_eq!(browsers::ready(stand_in.machine(), &Engine::ALL, &mut tally), []);
        let [chromium, firefox, webkit] = commands;
        assert_eq!(
            tally.skipped(),
            [
                format!("every test in chromium: it is not installed; to have it: {chromium}"),
                format!("every test in firefox: it is not installed; to have it: {firefox}"),
                format!("every test in webkit: it is not installed; to have it: {webkit}"),
            ]
        );
        assert_eq!(stand_in.steps(), NOTHING);
    }
}

#[test]
fn a_browser_that_cannot_be_installed_is_skipped_and_the_reason_said() {
    let stand_in = StandIn::new();
    stand_in.debian(ROOT).write("lists", "").program("apt-get", "exit 100");
    let mut tally = Tally::default();
    assert_eq!(browsers::ready(stand_in.machine(), &[Engine::Chromium], &mut tally), []);
    assert_eq!(
        tally.skipped(),
        ["every test in chromium: it is not installed; \
          to have it: sudo apt-get install -y --no-install-recommends chromium"]
    );
    assert_eq!(
        stand_in.steps(),
        [
            "xtask: installing Debian packages: chromium",
            "apt-get install -y -q --no-install-recommends --no-remove chromium",
            "xtask: `apt-get install -y -q --no-install-recommends --no-remove chromium` failed (exit status: 100)",
            "       to fix it: sudo apt-get update && sudo apt-get install -y --no-install-recommends chromium",
        ]
    );
}

#[test]
fn python_is_found_installed_or_named() {
    let here = StandIn::new();
    here.debian(ROOT).program("python3", "");
    python::ready(here.machine()).unwrap();
    assert_eq!(here.steps(), NOTHING);

    // Debian's Python comes without what makes environments.
    let half = StandIn::new();
    half.debian(ROOT).write("lists", "").program_at("usr/bin/python3", "case $2 in *ensurepip*) exit 1 ;; esac");
    let installed = [
        "xtask: installing Debian packages: python3-venv",
        "apt-get install -y -q --no-install-recommends --no-remove python3-venv",
    ];
    python::ready(half.machine()).unwrap();
    assert_eq!(half.steps(), installed);
    python::ready(half.machine()).unwrap();
    assert_eq!(half.steps(), NOTHING);

    for (manager, command) in [
        ("apt-get", "sudo apt-get install -y --no-install-recommends python3-venv"),
        ("dnf", "sudo dnf install -y python3"),
        ("brew", "brew install python"),
        ("none", "install Python 3 from https://www.python.org"),
    ] {
        let stand_in = StandIn::new();
        stand_in.program(manager, "exit 1").program("id", NOT_ROOT);
        assert_eq!(
            python::ready(stand_in.machine()).unwrap_err().to_string(),
            format!(
                "python3 with its module venv is not here, so that no real model can be tested\n       to fix it: {command}"
            )
        );
        assert_eq!(stand_in.steps(), NOTHING);
    }
}

const OWN_WASM_OPT: &str = "usr/src/vitrine/target/tools/node_modules/binaryen/bin/wasm-opt";
const INSTALL_WASM_OPT: [&str; 2] = [
    "xtask: wasm-opt 132 is not here; taking it from npm into target/tools",
    "npm install --no-audit --no-fund --ignore-scripts --no-save --prefix /usr/src/vitrine/target/tools \
     binaryen@132.0.0",
];

#[test]
fn wasm_opt_of_another_version_or_cut_off_is_not_used() {
    for (file, answer) in [
        ("usr/local/bin/wasm-opt", "echo 'wasm-opt version 108'"),
        ("usr/local/bin/wasm-opt", "echo 'wasm-opt version 1320 (version_1320)'"),
        (OWN_WASM_OPT, "exit 1"),
        (OWN_WASM_OPT, "echo 'wasm-opt version 131 (version_131)'"),
    ] {
        let stand_in = fresh();
        stand_in.program_at(file, answer);
        assert_eq!(wasm_opt::ready(stand_in.machine()), Some(stand_in.path(OWN_WASM_OPT)), "{file}: {answer}");
        assert_eq!(stand_in.steps(), INSTALL_WASM_OPT, "{file}: {answer}");
        assert_eq!(wasm_opt::ready(stand_in.machine()), Some(stand_in.path(OWN_WASM_OPT)), "{file}: {answer}");
        assert_eq!(stand_in.steps(), NOTHING, "{file}: {answer}");
    }
}

#[test]
fn the_site_is_built_without_wasm_opt_and_that_is_said() {
    let without = "xtask: going on without wasm-opt, the site will be larger than it should be:";
    let no_node = StandIn::new();
    no_node.program("apt-get", "exit 1").program("id", NOT_ROOT);
    assert_eq!(wasm_opt::ready(no_node.machine()), None);
    assert_eq!(
        no_node.steps(),
        [
            &format!("{without} node (of Node 18 or newer) is not on PATH"),
            "       to fix it: sudo apt-get install -y --no-install-recommends nodejs npm",
        ]
    );

    let offline = fresh();
    offline.program("npm", "exit 1");
    assert_eq!(wasm_opt::ready(offline.machine()), None);
    let steps = offline.steps();
    assert_eq!(steps[..2], INSTALL_WASM_OPT);
    assert_eq!(steps[3..], ["       to fix it: npm install --global binaryen@132.0.0"]);
    assert!(steps[2].starts_with(without) && steps[2].ends_with("failed (exit status: 1)"), "{}", steps[2]);
}

#[test]
fn the_site_is_built_without_the_editor_and_that_is_said() {
    let without = "xtask: going on without the editor, files are edited in a plain field:";
    let no_node = StandIn::new();
    no_node
        .program("apt-get", "exit 1")
        .program("id", NOT_ROOT)
        .write("usr/src/vitrine/editor/package-lock.json", "{}");
    // One of an earlier build would pass for what these sources make.
    no_node.write("usr/src/vitrine/raw/editor.js", "old");
    let raw = no_node.path("usr/src/vitrine/raw");
    editor::build(no_node.machine(), Profile::Release, &raw);
    assert_eq!(
        no_node.steps(),
        [
            &format!("{without} node (of Node 18 or newer) is not on PATH"),
            "       to fix it: sudo apt-get install -y --no-install-recommends nodejs npm",
        ]
    );
    assert!(!no_node.has("usr/src/vitrine/raw/editor.js"));
}

#[test]
fn the_test_packages_are_installed_once_for_each_lock_file() {
    const LOCKED: &str = "usr/src/vitrine/tests/browser/package-lock.json";
    const INSTALL: [&str; 2] = [
        "xtask: installing what the tests need of npm (npm ci in tests/browser)",
        "npm ci --no-audit --no-fund --ignore-scripts",
    ];
    let stand_in = fresh();
    // What a run left that was cut off: the packages without npm's own record of them.
    stand_in.write(LOCKED, "{}").write("usr/src/vitrine/tests/browser/node_modules/driver/index.js", "");
    let set_up = || {
        node::test_packages_ready(stand_in.machine()).unwrap();
        stand_in.steps()
    };
    assert_eq!(set_up(), INSTALL);
    assert_eq!(set_up(), NOTHING);
    // A lock file that is a minute newer, without the minute.
    let record = std::fs::File::open(stand_in.path("usr/src/vitrine/tests/browser/node_modules/.package-lock.json"));
    let record = record.unwrap();
    let changed = record.metadata().unwrap().modified().unwrap();
    let lock = std::fs::File::options().append(true).open(stand_in.path(LOCKED)).unwrap();
    lock.set_modified(changed + std::time::Duration::from_mins(1)).unwrap();
    assert_eq!(set_up(), INSTALL);

    stand_in.program("npm", "exit 1");
    let message = node::test_packages_ready(stand_in.machine()).unwrap_err().to_string();
    assert!(message.ends_with("\n       to fix it: npm ci --ignore-scripts --prefix tests/browser"), "{message}");
}

#[test]
fn a_checkout_without_its_lock_file_is_told_so() {
    let stand_in = fresh();
    stand_in.write(&format!("{CHECKOUT}/Cargo.lock"), "version = 4\n").write(&format!("{TOOLS}/x"), "");
    let message = BuildTools::ready_on(stand_in.machine()).unwrap_err().to_string();
    assert_eq!(message, "Cargo.lock names no wasm-bindgen\n       to fix it: cargo generate-lockfile");
}

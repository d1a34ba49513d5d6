//! What the tools ask of the browser's Unicode tables gets the answers of the compiled ones.

#![cfg(target_family = "wasm")]

use vitrine::platform::unicode::Browser;
use vitrine_tools::{Tables, Unicode as _};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

const NAMES: [&str; 12] = [
    "",
    "plain.txt",
    "caf\u{e9}",
    "cafe\u{301}",
    "\u{1e69} \u{73}\u{307}\u{323}",
    "\u{d55c}\u{ae00} \u{1112}\u{1161}\u{11ab}",
    "\u{212b}ngstr\u{f6}m \u{2126}",
    "\u{fb01}le",
    "\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}",
    "\u{301}alone",
    "\u{1f469}\u{200d}\u{1f4bb} \u{2764}\u{fe0f}",
    "中文 \u{1d15e}",
];

#[wasm_bindgen_test]
fn names_are_composed_as_by_the_tables() {
    assert_eq!(NAMES.map(|name| Browser.composed(name)), NAMES.map(|name| Tables.composed(name)));
    assert_eq!(Browser.composed("cafe\u{301}"), "caf\u{e9}");
}

#[wasm_bindgen_test]
fn compatible_characters_are_those_of_the_tables() {
    assert_eq!(NAMES.map(|name| Browser.compatible(name)), NAMES.map(|name| Tables.compatible(name)));
    assert_eq!(Browser.compatible("\u{fb01}le \u{ff21}"), "file A");
}

#[wasm_bindgen_test]
fn marks_are_taken_off_as_by_the_tables() {
    assert_eq!(NAMES.map(|name| Browser.without_marks(name)), NAMES.map(|name| Tables.without_marks(name)));
    assert_eq!(Browser.without_marks("\u{1e69}"), ("s".to_owned(), "\u{323}\u{307}".to_owned()));
}

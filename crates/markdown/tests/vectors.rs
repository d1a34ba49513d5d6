//! Public vectors, read from the folder that `VITRINE_VECTORS` names; without it each test says that it was skipped.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use vitrine_markdown::{Delta, Edit, parse, render_html};

fn vectors(test: &str, file: &str) -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os("VITRINE_VECTORS") else {
        println!("skipped: {test} (VITRINE_VECTORS is not set)");
        return None;
    };
    let path = PathBuf::from(folder).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// The tags of an HTML text we wrote: `(name, attributes)`. Fails on anything our renderer would not write.
fn tags(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let end = rest.find('>').expect("an open tag");
        let (tag, after) = rest.split_at(end);
        rest = &after[1..];
        let mut tag = tag.trim_end_matches('/').trim();
        let name_end = tag.find(' ').unwrap_or(tag.len());
        let name = tag[..name_end].to_owned();
        tag = tag[name_end..].trim();
        let mut attributes = Vec::new();
        while !tag.is_empty() {
            let (name, value) = tag.split_once("=\"").unwrap_or_else(|| panic!("not an attribute: {tag}"));
            let (value, after) = value.split_once('"').expect("a closed value");
            attributes.push((name.to_owned(), value.to_owned()));
            tag = after.trim();
        }
        tags.push((name, attributes));
    }
    tags
}

/// Only elements and attributes of ours, and no address but safe ones.
fn assert_harmless(name: &str, html: &str) {
    const ELEMENTS: &[&str] = &[
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "pre",
        "code",
        "blockquote",
        "ul",
        "ol",
        "li",
        "input",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "hr",
        "br",
        "em",
        "strong",
        "del",
        "a",
        "span",
    ];
    const ATTRIBUTES: &[&str] =
        &["class", "start", "checked", "disabled", "type", "align", "href", "title", "rel", "data-image"];
    for (element, attributes) in tags(html) {
        let element = element.trim_start_matches('/');
        assert!(ELEMENTS.contains(&element), "{name}: <{element}> in {html}");
        for (attribute, value) in &attributes {
            assert!(ATTRIBUTES.contains(&attribute.as_str()), "{name}: {attribute} in {html}");
            let prefixes: &[&str] = match attribute.as_str() {
                "href" => &["http://", "https://", "mailto:", "#"],
                "data-image" => &["http://", "https://"],
                _ => &[""],
            };
            let value = value.to_ascii_lowercase();
            assert!(prefixes.iter().any(|prefix| value.starts_with(prefix)), "{name}: {attribute}={value} in {html}");
        }
        if element == "a" && !attributes.is_empty() {
            assert!(attributes.contains(&("rel".into(), "noopener noreferrer".into())), "{name}: {html}");
        }
    }
}

#[test]
fn xss_nothing_runs_wherever_a_payload_stands() {
    let Some(cases) = vectors("xss_nothing_runs_wherever_a_payload_stands", "xss-dompurify.jsonl") else { return };
    let n_cases = cases.len();
    for case in cases {
        let payload = case["payload"].as_str().unwrap();
        let one_line = payload.replace('\n', " ");
        for text in [
            payload.to_owned(),
            format!("[go]({payload})"),
            format!("[go](<{one_line}>)"),
            format!("[go](https://ok.example \"{one_line}\")"),
            format!("[{payload}](https://ok.example)"),
            format!("![{payload}]({payload})"),
            format!("<{payload}>"),
            format!("[a]\n\n[a]: <{one_line}> '{one_line}'"),
            format!("```{one_line}\n{payload}\n```"),
            format!("`{payload}`"),
            format!("- {payload}\n\n> {payload}\n\n|{one_line}|\n|-|\n|{one_line}|"),
        ] {
            assert_harmless(payload, &render_html(&text));
            assert_travels(&text);
        }
    }
    println!("xss: {n_cases} payloads harmless in 11 places each");
}

/// The tree is the same where it is drawn as where it was made.
fn assert_travels(text: &str) {
    let edits = parse(text).into_iter().map(|block| Edit::Set(Arc::new(block))).enumerate().collect::<Vec<_>>();
    let delta = Delta { n_blocks: edits.len(), edits };
    assert_eq!(Delta::decode(&delta.encode()), Some(delta), "{text:?}");
}

/// How one case went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    Same,
    /// Expected HTML has what we never write: raw tags, images, links to elsewhere than the web.
    Policy,
    Different,
}

/// Marks and white space that browsers draw alike.
fn normal(html: &str) -> String {
    html.replace(" rel=\"noopener noreferrer\"", "")
        .replace(" />", ">")
        .replace("&quot;", "\"")
        .replace("&gt;", ">")
        .replace("<li>\n", "<li>")
        .replace("\n</li>", "</li>")
        .replace("\n", " ")
        .replace("> ", ">")
        .replace(" <", "<")
        .trim()
        .to_owned()
}

fn judge(case: &Value) -> Outcome {
    let (markdown, expected) = (case["markdown"].as_str().unwrap(), case["html"].as_str().unwrap());
    let html = render_html(markdown);
    assert_harmless(markdown, &html);
    assert_travels(markdown);
    if normal(&html) == normal(expected) {
        return Outcome::Same;
    }
    let foreign_link = expected.split("<a href=\"").skip(1).any(|rest| {
        let rest = rest.to_ascii_lowercase();
        !["http://", "https://", "mailto:", "#"].iter().any(|prefix| rest.starts_with(prefix))
    });
    // What we escape and the expected HTML does not was raw HTML.
    let raw = html.matches("&lt;").count() > expected.matches("&lt;").count();
    if foreign_link || raw || expected.contains("<img") { Outcome::Policy } else { Outcome::Different }
}

fn report(test: &str, file: &str, least: usize, known: &[u64]) {
    let Some(cases) = vectors(test, file) else { return };
    let mut counts: BTreeMap<Outcome, usize> = BTreeMap::new();
    let mut different = Vec::new();
    for case in &cases {
        let outcome = judge(case);
        *counts.entry(outcome).or_default() += 1;
        if outcome == Outcome::Different {
            different.push(case["n"].as_u64().unwrap());
            if std::env::var_os("VITRINE_VECTORS_SHOW").is_some() {
                let markdown = case["markdown"].as_str().unwrap();
                println!("{} {markdown:?}\n  want {}\n  got  {:?}", case["n"], case["html"], render_html(markdown));
            }
        }
    }
    println!("{file}: {} cases: {counts:?}; different: {different:?}", cases.len());
    assert_eq!(different, known, "the cases known to differ, each for a reason given where this is called");
    assert!(counts.get(&Outcome::Same).copied().unwrap_or_default() >= least);
}

#[test]
fn commonmark_is_rendered_as_expected() {
    report("commonmark_is_rendered_as_expected", "commonmark.jsonl", 260, &[]);
}

#[test]
fn gfm_is_rendered_as_expected() {
    // The bare addresses of the autolink extension: only `<…>` and `[…](…)` make links here.
    report("gfm_is_rendered_as_expected", "gfm.jsonl", 222, &[621, 623, 626, 629]);
}

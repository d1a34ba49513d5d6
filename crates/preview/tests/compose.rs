//! What a file becomes: the whole document, for small files that show one rule each.
#![cfg(not(target_family = "wasm"))]

use std::collections::BTreeMap;

use vitrine_preview::{Files, Shown, compose};

struct Folder(BTreeMap<&'static str, &'static str>);

impl Files for Folder {
    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        self.0.get(path).map(|text| text.as_bytes().to_vec())
    }
}

fn files() -> Folder {
    Folder(BTreeMap::from([
        ("a.css", "p { background: url(img/dot.png) }"),
        ("deep.css", "@import \"loop.css\";"),
        ("loop.css", "@import 'loop.css'; b{}"),
        ("app.js", "console.log('</SCRIPT>')"),
        ("img/dot.png", "dot"),
        ("with space.png", "dot"),
        ("site/own.css", "i{}"),
    ]))
}

fn page(path: &str, html: &str) -> String {
    compose(Shown::Page, path, html.as_bytes(), &mut files())
}

const DOT: &str = "data:image/png;base64,ZG90";

/// Name of the case, the page, what it becomes; at `index.html`.
#[test]
fn files_that_a_page_names_are_put_in() {
    let cases = [
        (
            "a sheet, and its pictures",
            "<link rel=stylesheet href=a.css>",
            format!("<style>p {{ background: url({DOT}) }}</style>"),
        ),
        (
            "a sheet's media stay",
            "<LINK media='print' rel='StyleSheet' HREF='./a.css?v=1' />",
            format!("<style media='print'>p {{ background: url({DOT}) }}</style>"),
        ),
        ("an icon is no sheet", "<link rel=icon href=img/dot.png>", format!("<link rel=icon href=\"{DOT}\">")),
        (
            "a script, which cannot end itself",
            "<script src=\"app.js\" id=x>old</script>!",
            "<script id=x>console.log('<\\/SCRIPT>')</script>!".to_owned(),
        ),
        (
            "a script that waits comes last",
            "<script defer src=app.js></script><p>",
            "<script></script><p><script defer>console.log('<\\/SCRIPT>')</script>".to_owned(),
        ),
        (
            "a module waits anyway",
            "<script type=module src=app.js></script>",
            "<script type=module>console.log('<\\/SCRIPT>')</script>".to_owned(),
        ),
        (
            "a picture",
            "<img alt=\"a > b\" src = 'img/dot.png' width=1>",
            format!("<img alt=\"a > b\" src=\"{DOT}\" width=1>"),
        ),
        ("from the root, and with escapes", "<img src=/img/../with%20space.png>", format!("<img src=\"{DOT}\">")),
        (
            "styles in the page",
            "<style>a{background:url( \"img/dot.png\" )}</style>",
            format!("<style>a{{background:url({DOT})}}</style>"),
        ),
    ];
    for (name, html, wanted) in cases {
        assert_eq!(page("index.html", html), wanted, "{name}");
    }
}

#[test]
fn the_rest_stays_as_it_is_written() {
    let cases = [
        "<img src=https://example.com/a.png>",
        "<img src=//example.com/a.png>",
        "<img src=data:image/png;base64,ZG90>",
        "<img src=missing.png>",
        "<img src=../img/dot.png>",
        "<img src>",
        "<a href=a.css>a sheet</a>",
        "<!-- <img src=img/dot.png> -->",
        "<script>'<img src=img/dot.png>'</script>",
        "<textarea><img src=img/dot.png></textarea>",
        "1 < 2 <> </p> <img src=\"img/dot.png",
        "<style>a{background:url(missing.png)} b{background:url(",
        "<!-- <img src=img/dot.png>",
        "",
    ];
    for html in cases {
        assert_eq!(page("index.html", html), html);
    }
}

#[test]
fn addresses_are_relative_to_the_file_they_stand_in() {
    assert_eq!(page("site/index.html", "<link rel=stylesheet href=own.css>"), "<style>i{}</style>");
    assert_eq!(page("site/index.html", "<img src=../img/dot.png>"), format!("<img src=\"{DOT}\">"));
}

#[test]
fn sheets_that_import_each_other_end() {
    let page = page("index.html", "<link rel=stylesheet href=deep.css>");
    assert!(page.starts_with("<style>@import url(data:text/css;base64,") && page.len() < 2000, "{page}");
}

#[test]
fn a_page_that_names_too_much_is_bounded_and_quick() {
    struct Large;
    impl Files for Large {
        fn read(&mut self, _: &str) -> Option<Vec<u8>> {
            Some(vec![0; 1 << 20])
        }
    }
    let html = "<img src=a.png>".repeat(100_000);
    let page = compose(Shown::Page, "index.html", html.as_bytes(), &mut Large);
    assert!(page.len() < 20 << 20, "{}", page.len());
    // Each of these once made a scanner look at the rest again from every one of them.
    for piece in ["<", "<!--", "<style>", "</", "<a b='", "url(", "@import '", "<link rel=stylesheet href=a.css>"] {
        compose(Shown::Page, "index.html", piece.repeat(200_000).as_bytes(), &mut files());
        compose(Shown::Page, "index.html", format!("<style>{}", piece.repeat(200_000)).as_bytes(), &mut files());
    }
}

/// Name of the case, the file, its rows.
#[test]
fn separated_values_are_read_as_spreadsheets_write_them() {
    let cases: [(&str, &str, &str); 9] = [
        ("plain", "a,b\n1,x\n", "<tr><th>a<th>b<tr><td class=n>1<td>x"),
        ("no line end at the end", "a\nb", "<tr><th>a<tr><td>b"),
        ("carriage returns", "a,b\r\nc,d\r\n", "<tr><th>a<th>b<tr><td>c<td>d"),
        ("quotes", "\"a, \"\"b\"\"\nc\",d", "<tr><th>a, \"b\"\nc<th>d"),
        ("a quote in the middle is one", "5\" pipe,b", "<tr><th>5\" pipe<th>b"),
        ("a quote that is never closed", "\"a,b\nc", "<tr><th>a,b\nc"),
        ("empty cells", ",\n,,x", "<tr><th><th><tr><td><td><td>x"),
        ("semicolons, where there are more of them", "a;b,c;d", "<tr><th>a<th>b,c<th>d"),
        ("markup is text", "<b>&lt", "<tr><th>&lt;b>&amp;lt"),
    ];
    for (name, csv, wanted) in cases {
        let document = compose(Shown::Table, "t.csv", csv.as_bytes(), &mut files());
        let table = document.split_once("<table>").and_then(|(_, rest)| rest.split_once("</table>"));
        assert_eq!(table, Some((wanted, "")), "{name}");
    }
}

#[test]
fn a_long_table_is_cut_and_says_so() {
    let document = compose(Shown::Table, "t.tsv", "a\tb\n".repeat(1001).as_bytes(), &mut files());
    assert_eq!((document.matches("<tr>").count(), document.ends_with("</table><p>…")), (1000, true));
}

#[test]
fn a_picture_is_an_image_whatever_is_in_it() {
    let svg = "<svg onload=alert(1)>";
    let document = compose(Shown::Picture, "x.SVG", svg.as_bytes(), &mut files());
    let url = "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+";
    assert!(document.ends_with(&format!("<img alt=\"\" src=\"{url}\">")) && !document.contains("onload"), "{document}");
}

#[test]
fn the_end_of_a_name_says_how_it_is_shown() {
    let shown = |path| Shown::of(path);
    assert_eq!(
        [
            shown("a/b.HTML"),
            shown("x.svg"),
            shown("t.tsv"),
            shown("README.md"),
            shown("main.rs"),
            shown("html"),
            shown("a.html/b")
        ],
        [Some(Shown::Page), Some(Shown::Picture), Some(Shown::Table), Some(Shown::Markdown), None, None, None]
    );
}

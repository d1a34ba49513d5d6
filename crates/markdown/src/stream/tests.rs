//! Streaming gives what one parse gives, at every prefix what it should, and for work that follows the text.

use std::sync::Arc;

use super::*;
use crate::tree::Inline;

/// One text of each kind a model writes, and the awkward joins between them.
pub(crate) const CORPUS: &[&str] = &[
    "",
    "\n",
    "   ",
    "one",
    "one\ntwo  \nthree\\\nfour",
    "# Head\ntext\n## Two ##\n\nSetext\n===\nother\n---\nend",
    "Here:\n\n```sh\necho $1 \\(x\\)\n```\n\nDone **now**.",
    "text\n```rust ignore\nfn f() {}\n\n\nlet a = `b`;\n```\nafter\n~~~~ a&amp;b\n~~~\n~~~~\n",
    "```\nno end\n\n- not a list\n",
    "```js\nlet x = 1;\n``",
    "- a\n- b\n\n  more\n\n      code\n- ```sh\n  in\n\n  list\n  ```\n  - deep\n    - er\n\nend",
    "1. one\n2. two\n   - x\n10) other\n\n\n3. three\npara",
    "- [ ] open\n- [x] done\n\n* loose\n\n* list\n",
    "> quote\nlazy\n> - list\n>   more\n>\n> ```\n> code\nout\n\n> again",
    "| a | b |\n|:--|--:|\n| `x` | **y** |\n| only |\n\nafter | not",
    "text\n| a |\n|---|\n| 1 |\n---\n***\nx\n***bold*** text",
    "<div>\n*raw*\n\n</div>\n<!-- a\n\nb -->\n<script>\n\nx\n</script>\nend <b>inline</b> &lt; &copy;",
    "    indented\n\n    code\n\ttab\n\npara\n    not code\n",
    "[a](https://x.example 'T') ![i](http://x.example/i.png) <https://y.example> <a@b.example> [no](x) ![no](y)",
    "[ref]: https://r.example\n\nsee [ref] and [Ref][], [text][REF]\n\n# later [ref]\n\nlast [ref]",
    "a\r\nb\r\n\r\n```\r\nc\rd\r\n```\r\n\0e",
    "中文：**粗体**，`代码`。\n\n- 列表\n- é 🎉\n\n```\n🎉\n```\n尾",
    "**a *b ~~c `d** e* f~~ g` [h](i *j* \\* \\_",
    "*\n-\n+ \n1.\n#\n>\n=\n- - -\n_ _ _\n",
];

fn streamed<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Vec<Block> {
    let mut stream = Stream::new();
    for piece in pieces {
        stream.push(piece);
        stream.blocks();
    }
    stream.finish();
    assert!(stream.blocks().tail.is_empty(), "nothing is open after the end");
    stream.blocks().iter().map(|block| (**block).clone()).collect()
}

pub(crate) fn chunks(text: &str, size: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = size.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// What the parser says of the whole text, without any cutting.
fn whole(text: &str) -> Vec<Block> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}");
    build(&text, &Definitions::default()).blocks.into_iter().map(|(_, block)| block).collect()
}

pub(crate) fn joined() -> String {
    CORPUS.join("\n\nbetween\n\n")
}

#[test]
fn every_cut_gives_the_blocks_of_the_whole_text() {
    let all = joined();
    for text in CORPUS.iter().copied().chain([all.as_str()]) {
        let expected = whole(text);
        assert_eq!(parse(text), expected, "one push: {text:?}");
        for size in [1, 2, 3, 4, 7, 16, 61, 1024] {
            assert_eq!(streamed(chunks(text, size)), expected, "in pieces of {size}: {text:?}");
        }
        for (at, _) in text.char_indices() {
            let (before, after) = text.split_at(at);
            assert_eq!(streamed([before, after]), expected, "cut at {at}: {text:?}");
        }
    }
}

#[test]
fn every_prefix_ends_as_the_prefix_alone_would() {
    for text in CORPUS {
        for (at, _) in text.char_indices() {
            let prefix = &text[..at];
            assert_eq!(streamed(chunks(prefix, 1)), whole(prefix), "{prefix:?}");
        }
    }
}

#[test]
fn frozen_blocks_stay_and_unchanged_ones_keep_their_arc() {
    let text = joined();
    let mut stream = Stream::new();
    let mut frozen: Vec<Arc<Block>> = Vec::new();
    let mut shown: Vec<Arc<Block>> = Vec::new();
    for piece in chunks(&text, 3) {
        stream.push(piece);
        let blocks = stream.blocks();
        for (before, now) in frozen.iter().zip(blocks.frozen) {
            assert!(Arc::ptr_eq(before, now));
        }
        for (before, now) in shown.iter().zip(blocks.iter()) {
            assert_eq!(Arc::ptr_eq(before, now), before == now, "the same block is the same Arc");
        }
        assert!(blocks.frozen.len() >= frozen.len());
        frozen = blocks.frozen.to_vec();
        shown = blocks.iter().cloned().collect();
    }
    assert!(frozen.len() > 40, "blocks freeze long before the end: {}", frozen.len());
}

/// Everything a reader sees, code in brackets.
fn seen(text: &str) -> String {
    let mut stream = Stream::new();
    for piece in chunks(text, 1) {
        stream.push(piece);
        stream.blocks();
    }
    let mut seen = String::new();
    for block in stream.blocks().iter() {
        match &**block {
            Block::Paragraph(content) => seen.push_str(&format!("({})", crate::tree::plain_text(content))),
            Block::Code { lang, text } => seen.push_str(&format!("[{lang}|{text}]")),
            other => seen.push_str(&format!("{other:?}")),
        }
    }
    seen
}

#[test]
fn f06_each_prefix_of_a_fence_shows_code_or_nothing() {
    // What is seen after each of these prefixes; a prefix between two of them only adds plain characters.
    let steps = [
        ("Here:", "(Here:)"),
        ("Here:\n\n", "(Here:)"),
        ("Here:\n\n`", "(Here:)"),
        ("Here:\n\n``", "(Here:)"),
        ("Here:\n\n```", "(Here:)"),
        ("Here:\n\n```s", "(Here:)"),
        ("Here:\n\n```sh", "(Here:)"),
        ("Here:\n\n```sh\n", "(Here:)[sh|]"),
        ("Here:\n\n```sh\necho $1", "(Here:)[sh|echo $1]"),
        ("Here:\n\n```sh\necho $1 \\(x\\)", "(Here:)[sh|echo $1 \\(x\\)]"),
        ("Here:\n\n```sh\necho $1 \\(x\\)\n", "(Here:)[sh|echo $1 \\(x\\)\n]"),
        ("Here:\n\n```sh\necho $1 \\(x\\)\n`", "(Here:)[sh|echo $1 \\(x\\)\n]"),
        ("Here:\n\n```sh\necho $1 \\(x\\)\n``", "(Here:)[sh|echo $1 \\(x\\)\n]"),
        ("Here:\n\n```sh\necho $1 \\(x\\)\n```", "(Here:)[sh|echo $1 \\(x\\)\n]"),
        ("Here:\n\n```sh\necho $1 \\(x\\)\n```\n\nDone", "(Here:)[sh|echo $1 \\(x\\)\n](Done)"),
    ];
    for (prefix, expected) in steps {
        assert_eq!(seen(prefix), expected, "{prefix:?}");
    }
}

#[test]
fn an_unfinished_line_is_not_shown_as_what_it_is_not() {
    // (what has come, what is seen)
    let cases = [
        ("para\n-", "(para)"),
        ("para\n- ", "(para)"),
        ("para\n=", "(para)"),
        ("para\n#", "(para)"),
        ("para\n1.", "(para)"),
        ("para\n*", "(para)"),
        ("para\n**", "(para)"),
        ("para\n**b", "(para **b)"),
        ("para\n|--", "(para)"),
        ("para\n\n[a]: http", "(para)"),
        ("para\n\n~~~py", "(para)"),
        ("para\n\n```a`", "(para)(```a`)"),
        ("```\na\n```b", "[|a\n```b]"),
        ("```\na\n  ``", "[|a\n]"),
        ("```\na\n    ``", "[|a\n    ``]"),
        ("````\na\n```\n", "[|a\n```\n]"),
    ];
    assert_eq!(cases.map(|(text, _)| (text, seen(text))), cases.map(|(text, seen)| (text, seen.to_owned())));
}

/// Blocks, and the bytes the parser was given for each byte pushed, asking for the blocks every `frame` bytes.
fn work(text: &str, delta: usize, frame: usize) -> (usize, usize) {
    let mut stream = Stream::new();
    let mut since = 0;
    for piece in chunks(text, delta) {
        stream.push(piece);
        since += piece.len();
        if since >= frame {
            since = 0;
            let before = stream.parsed.get();
            stream.blocks();
            assert!(
                stream.parsed.get() - before <= 2 * LIMIT + 8,
                "one frame parses no more than the open end may hold"
            );
        }
        assert!(stream.open.len() <= 2 * LIMIT + PIECE);
    }
    stream.finish();
    (stream.frozen.len(), stream.parsed.get() / text.len().max(1))
}

pub(crate) fn pathological() -> Vec<(&'static str, String)> {
    vec![
        ("f05 strong", "__b__".repeat(30_000)),
        ("f05 brackets", "[".repeat(50_000)),
        ("f05 quotes", "> ".repeat(5_000)),
        ("quote lines", format!("{}a\n", "> ".repeat(100)).repeat(1_000)),
        ("open links", "[a](".repeat(20_000)),
        ("images", "![a](b".repeat(20_000)),
        ("comments", "<!-- a\n".repeat(20_000)),
        ("backticks", (1..600).map(|n| "`".repeat(n) + " ").collect()),
        ("stars", "*a **b ".repeat(20_000)),
        ("list", "- item of a long list\n".repeat(10_000)),
        ("nested list", (0..3_000).map(|n| format!("{}- a\n", "  ".repeat(n % 200))).collect()),
        ("table", format!("|a|b|\n|-|-|\n{}", "|1|2|\n".repeat(30_000))),
        ("wide table", format!("{}\n{}\n", "|a".repeat(8_000), "|-".repeat(8_000)) + &"|\n".repeat(2_000)),
        ("lines", "word\n".repeat(40_000)),
        ("one word", "x".repeat(200_000)),
        ("blank lines", "\n".repeat(200_000)),
        ("definitions", (0..5_000).map(|n| format!("[{n}]: https://x.example/{n}\n")).collect()),
        ("code", format!("```\n{}", "let x = 1;\n".repeat(20_000))),
        ("code line", format!("```\n{}", "x".repeat(200_000))),
        ("entities", "&amp;".repeat(30_000)),
        ("autolinks", "<https://".repeat(20_000)),
    ]
}

#[test]
fn f05_work_follows_the_text_whatever_it_is() {
    let answer = CORPUS.iter().cycle().take(5_500).copied().collect::<Vec<_>>().join("\n\n");
    assert!(answer.len() > 200_000);
    for (name, text) in pathological().into_iter().chain([("answer", answer)]) {
        // Pushing alone, as between frames: a small multiple of the text.
        let (_, pushing) = work(&text, 4, usize::MAX);
        assert!(pushing <= 6, "{name}: the parser saw every byte {pushing} times");
        // Drawn every 4 KB, as at a fast stream's frames.
        let (_, drawing) = work(&text, 64, 4096);
        assert!(drawing <= 12, "{name}: the parser saw every byte {drawing} times while drawing");
    }
}

#[test]
fn f05_an_answer_of_200_kb_in_4_byte_deltas_freezes_as_it_goes() {
    let text = "A paragraph of some words that is about as long as paragraphs are.\n\n".repeat(3_000);
    let (n_frozen, times) = work(&text, 4, 4);
    assert_eq!(n_frozen, 3_000);
    // One frame for each delta: the open end is about two paragraphs of 70 bytes, seen at each of the 17 deltas a line.
    assert!(times <= 40, "{times}");
}

#[test]
fn long_blocks_are_cut_where_it_shows_least() {
    let blocks = parse(&"- item\n".repeat(10_000));
    let items: usize =
        blocks.iter().map(|block| if let Block::List { items, .. } = block { items.len() } else { 0 }).sum();
    assert!(blocks.len() > 1);
    assert_eq!(items, 10_000, "every item is in a list");

    let blocks = parse(&format!("|h|\n|-|\n{}", "|x|\n".repeat(10_000)));
    let mut n_rows = 0;
    for block in &blocks {
        let Block::Table { head, rows, .. } = block else { panic!("{block:?}") };
        assert_eq!(head, &[vec![Inline::Text("h".into())]], "each part has the head");
        n_rows += rows.len();
    }
    assert_eq!(n_rows, 10_000);

    let words = "word ".repeat(10_000);
    let text: String = parse(&words)
        .iter()
        .map(
            |block| {
                if let Block::Paragraph(content) = block { crate::tree::plain_text(content) + " " } else { panic!() }
            },
        )
        .collect();
    assert_eq!(text, words);
}

#[test]
fn deep_nesting_is_drawn_flat() {
    fn depth(blocks: &[Block]) -> usize {
        let inner = |block: &Block| match block {
            Block::Quote(blocks) => depth(blocks),
            Block::List { items, .. } => items.iter().map(|item| depth(&item.blocks)).max().unwrap_or_default(),
            _ => 0,
        };
        blocks.iter().map(inner).max().map_or(0, |inner| inner + 1)
    }
    let text = format!("{}deep\n", "> ".repeat(5_000));
    let blocks = parse(&text);
    assert!(depth(&blocks) <= 40, "{}", depth(&blocks));
    assert!(format!("{blocks:?}").contains("deep"), "the words are kept");
    let lists: String = (0..300).map(|n| format!("{}- w{n}\n", "  ".repeat(n))).collect();
    let blocks = parse(&lists);
    assert!(depth(&blocks) <= 40, "{}", depth(&blocks));
    let shown = format!("{blocks:?}");
    assert!((0..300).all(|n| shown.contains(&format!("w{n}"))));
}

#[test]
fn a_definition_counts_from_where_it_stands_and_everywhere_in_a_whole_text() {
    let far = "word\n\n".repeat(100);
    let link = |href: &str| {
        vec![Inline::Link { href: href.into(), title: String::new(), content: vec![Inline::Text("a".into())] }]
    };
    let text = format!("[a]\n\n{far}[a]: https://x.example\n\n{far}[a]");
    let parsed = parse(&text);
    assert_eq!(parsed.first(), Some(&Block::Paragraph(link("https://x.example"))));
    assert_eq!(parsed.last(), Some(&Block::Paragraph(link("https://x.example"))));
    let blocks = streamed(chunks(&text, 5));
    assert_eq!(blocks.first(), Some(&Block::Paragraph(vec![Inline::Text("[a]".into())])));
    assert_eq!(blocks.last(), Some(&Block::Paragraph(link("https://x.example"))));
}

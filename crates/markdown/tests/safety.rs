//! Nothing that a model writes runs, loads or leads where it should not.

use vitrine_markdown::{Block, Inline, parse, render_html};

#[test]
fn f02_markup_is_text_and_only_safe_links_are_links() {
    // (text, html)
    let cases = [
        ("<img src=x onerror=alert(1)>", "<p>&lt;img src=x onerror=alert(1)&gt;</p>\n"),
        (
            "<iframe srcdoc=\"<script>parent.x=1</script>\"></iframe>",
            "<p>&lt;iframe srcdoc=&quot;&lt;script&gt;parent.x=1&lt;/script&gt;&quot;&gt;&lt;/iframe&gt;</p>\n",
        ),
        ("[go](javascript:alert(1))", "<p>[go](javascript:alert(1))</p>\n"),
        ("[go](<JaVa\tScRiPt:alert(1)>)", "<p>[go](JaVa\tScRiPt:alert(1))</p>\n"),
        ("[go](JaVa\tScRiPt:alert(1))", "<p>[go](JaVa\tScRiPt:alert(1))</p>\n"),
        ("[go](javascript&colon;alert(1))", "<p>[go](javascript:alert(1))</p>\n"),
        ("[go](&#x1;javascript:alert(1))", "<p>[go](\u{1}javascript:alert(1))</p>\n"),
        ("[go](data:text/html;base64,PHNjcmlwdD4=)", "<p>[go](data:text/html;base64,PHNjcmlwdD4=)</p>\n"),
        ("<javascript:alert(1)>", "<p>&lt;javascript:alert(1)&gt;</p>\n"),
        ("[go]\n\n[go]: javascript:alert(1)", "<p>[go](javascript:alert(1))</p>\n"),
        ("<svg/onload=alert(1)>", "<p>&lt;svg/onload=alert(1)&gt;</p>\n"),
        (
            "[a](https://ok.example \"t\\\" onmouseover=x\")",
            "<p><a href=\"https://ok.example\" title=\"t&quot; onmouseover=x\" rel=\"noopener noreferrer\">a</a></p>\n",
        ),
        ("[a](#part)", "<p><a href=\"#part\" rel=\"noopener noreferrer\">a</a></p>\n"),
        ("<a@b.example>", "<p><a href=\"mailto:a@b.example\" rel=\"noopener noreferrer\">a@b.example</a></p>\n"),
        (
            "![see](https://x.example/p.png?q=secret)",
            "<p><span data-image=\"https://x.example/p.png?q=secret\">see</span></p>\n",
        ),
        ("![see](data:image/svg+xml,x)", "<p>![see](data:image/svg+xml,x)</p>\n"),
        (
            "[![in](https://x.example/i.png)](https://y.example)",
            "<p><a href=\"https://y.example\" rel=\"noopener noreferrer\"><span data-image=\"https://x.example/i.png\">in</span></a></p>\n",
        ),
        (
            "```\"><script>alert(1)</script>\n</code><script>\n```",
            "<pre><code class=\"language-&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;\">&lt;/code&gt;&lt;script&gt;\n</code></pre>\n",
        ),
        ("<div>\n*a*\n</div>", "<p>&lt;div&gt;<br />\n*a*<br />\n&lt;/div&gt;</p>\n"),
        ("a <b>c</b> <!-- d --> &lt;e&gt;", "<p>a &lt;b&gt;c&lt;/b&gt; &lt;!-- d --&gt; &lt;e&gt;</p>\n"),
    ];
    assert_eq!(cases.map(|(text, _)| (text, render_html(text))), cases.map(|(text, html)| (text, html.to_owned())));
}

#[test]
fn the_tree_of_each_kind_is_what_a_view_needs() {
    let text = |text: &str| vec![Inline::Text(text.into())];
    let plain = |words: &str| vec![Block::Plain(text(words))];
    let blocks = parse(
        "## H\n\na  \nb\n*c* **d** ~~e~~ `f`\n\n3. x\n   - [x] y\n\n> q\n\n|a|b|\n|:-|-:|\n|1|\n\n```py x\nz\n```\n***\n",
    );
    let expected = vec![
        Block::Heading { level: 2, content: text("H") },
        Block::Paragraph(vec![
            Inline::Text("a".into()),
            Inline::HardBreak,
            Inline::Text("b".into()),
            Inline::SoftBreak,
            Inline::Emphasis(text("c")),
            Inline::Text(" ".into()),
            Inline::Strong(text("d")),
            Inline::Text(" ".into()),
            Inline::Strikethrough(text("e")),
            Inline::Text(" ".into()),
            Inline::Code("f".into()),
        ]),
        Block::List {
            start: Some(3),
            items: vec![vitrine_markdown::Item {
                task: None,
                blocks: vec![
                    Block::Plain(text("x")),
                    Block::List {
                        start: None,
                        items: vec![vitrine_markdown::Item { task: Some(true), blocks: plain("y") }],
                    },
                ],
            }],
        },
        Block::Quote(vec![Block::Paragraph(text("q"))]),
        Block::Table {
            alignments: vec![vitrine_markdown::Alignment::Left, vitrine_markdown::Alignment::Right],
            head: vec![text("a"), text("b")],
            rows: vec![vec![text("1"), vec![]]],
        },
        Block::Code { lang: "py".into(), text: "z\n".into() },
        Block::Rule,
    ];
    assert_eq!(blocks, expected);
}

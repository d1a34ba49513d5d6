//! The tree as an HTML string, for those who have no DOM: nothing in it comes from the text unescaped.

use crate::stream::parse;
use crate::tree::{Alignment, Block, Inline, Item};

/// The text as HTML. Every link carries `rel="noopener noreferrer"`; an image is a `span` that names its address in
/// `data-image` and loads nothing; raw HTML is text.
pub fn render_html(text: &str) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 4);
    blocks(&parse(text), &mut html);
    html
}

fn blocks(list: &[Block], html: &mut String) {
    for item in list {
        block(item, html);
    }
}

fn block(block: &Block, html: &mut String) {
    match block {
        Block::Paragraph(content) => element("p", content, html),
        Block::Plain(content) => inlines(content, html),
        Block::Heading { level, content } => element(heading(*level), content, html),
        Block::Code { lang, text } => {
            html.push_str("<pre><code");
            if !lang.is_empty() {
                attribute("class", &format!("language-{lang}"), html);
            }
            html.push('>');
            escape(text, html);
            html.push_str("</code></pre>\n");
        }
        Block::Quote(content) => {
            html.push_str("<blockquote>\n");
            blocks(content, html);
            html.push_str("</blockquote>\n");
        }
        Block::List { start, items } => {
            let name = if start.is_some() { "ol" } else { "ul" };
            html.push('<');
            html.push_str(name);
            if let Some(start) = start.filter(|start| *start != 1) {
                attribute("start", &start.to_string(), html);
            }
            html.push_str(">\n");
            for item in items {
                list_item(item, html);
            }
            html.push_str(&format!("</{name}>\n"));
        }
        Block::Table { alignments, head, rows } => {
            html.push_str("<table>\n<thead>\n");
            row("th", alignments, head, html);
            html.push_str("</thead>\n");
            if !rows.is_empty() {
                html.push_str("<tbody>\n");
                for cells in rows {
                    row("td", alignments, cells, html);
                }
                html.push_str("</tbody>\n");
            }
            html.push_str("</table>\n");
        }
        Block::Rule => html.push_str("<hr />\n"),
    }
}

fn element(name: &str, content: &[Inline], html: &mut String) {
    html.push_str(&format!("<{name}>"));
    inlines(content, html);
    html.push_str(&format!("</{name}>\n"));
}

fn heading(level: u8) -> &'static str {
    match level {
        0 | 1 => "h1",
        2 => "h2",
        3 => "h3",
        4 => "h4",
        5 => "h5",
        6.. => "h6",
    }
}

fn list_item(item: &Item, html: &mut String) {
    html.push_str("<li>");
    if let Some(ticked) = item.task {
        let checked = if ticked { " checked=\"\"" } else { "" };
        html.push_str(&format!("<input{checked} disabled=\"\" type=\"checkbox\"> "));
    }
    for content in &item.blocks {
        let plain = matches!(content, Block::Plain(_));
        if !plain && !html.ends_with('\n') {
            html.push('\n');
        }
        block(content, html);
    }
    html.push_str("</li>\n");
}

fn row(name: &str, alignments: &[Alignment], cells: &[Vec<Inline>], html: &mut String) {
    html.push_str("<tr>\n");
    for (index, cell) in cells.iter().enumerate() {
        html.push_str(&format!("<{name}"));
        match alignments.get(index) {
            Some(Alignment::Left) => attribute("align", "left", html),
            Some(Alignment::Center) => attribute("align", "center", html),
            Some(Alignment::Right) => attribute("align", "right", html),
            Some(Alignment::None) | None => {}
        }
        html.push('>');
        inlines(cell, html);
        html.push_str(&format!("</{name}>\n"));
    }
    html.push_str("</tr>\n");
}

fn inlines(content: &[Inline], html: &mut String) {
    for inline in content {
        match inline {
            Inline::Text(text) => escape(text, html),
            Inline::Code(text) => {
                html.push_str("<code>");
                escape(text, html);
                html.push_str("</code>");
            }
            Inline::Emphasis(content) => wrapped("em", content, html),
            Inline::Strong(content) => wrapped("strong", content, html),
            Inline::Strikethrough(content) => wrapped("del", content, html),
            Inline::Link { href, title, content } => {
                html.push_str("<a");
                attribute("href", &percent_encoded(href), html);
                if !title.is_empty() {
                    attribute("title", title, html);
                }
                attribute("rel", "noopener noreferrer", html);
                html.push('>');
                inlines(content, html);
                html.push_str("</a>");
            }
            Inline::Image { src, alt } => {
                html.push_str("<span");
                attribute("data-image", &percent_encoded(src), html);
                html.push('>');
                escape(alt, html);
                html.push_str("</span>");
            }
            Inline::SoftBreak => html.push('\n'),
            Inline::HardBreak => html.push_str("<br />\n"),
        }
    }
}

fn wrapped(name: &str, content: &[Inline], html: &mut String) {
    html.push_str(&format!("<{name}>"));
    inlines(content, html);
    html.push_str(&format!("</{name}>"));
}

/// The name is ours; the value is whatever it is.
fn attribute(name: &str, value: &str, html: &mut String) {
    html.push(' ');
    html.push_str(name);
    html.push_str("=\"");
    escape(value, html);
    html.push('"');
}

fn escape(text: &str, html: &mut String) {
    for character in text.chars() {
        match character {
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '&' => html.push_str("&amp;"),
            '"' => html.push_str("&quot;"),
            other => html.push(other),
        }
    }
}

/// Everything but the characters of an address, as an HTML file wants it; the DOM does it by itself.
fn percent_encoded(address: &str) -> String {
    let mut text = String::with_capacity(address.len());
    for byte in address.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => text.push(char::from(byte)),
            _ if b"-._~:/?#@!$&'()*+,;=%".contains(&byte) => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

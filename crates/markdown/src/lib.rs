//! Markdown to a safe tree, block by block while it streams.
//!
//! What a model or a file says is untrusted, so the output is plain data ([`Block`], [`Inline`]) that a view turns into
//! DOM nodes; no HTML string is involved on the page. Raw HTML comes out as text, links other than `http`, `https`,
//! `mailto` and `#…` come out as text, and an image is a placeholder that loads nothing. [`render_html`] serves those who
//! need a string, and escapes everything.
//!
//! Who parses and who draws may be two programs with nothing in common but bytes: [`Feed`] tells what each piece of text
//! changed as a [`Delta`], which can be written and read. Reading one links nothing of the parser.
//!
//! It highlights no code, loads nothing and knows no DOM.
//!
//! ```
//! use vitrine_markdown::{Block, Inline, Stream};
//!
//! let mut stream = Stream::new();
//! stream.push("Hel");
//! stream.push("lo\n\n```sh\necho");
//! let blocks = stream.blocks();
//! let shown: Vec<&Block> = blocks.iter().map(|block| &**block).collect();
//! assert_eq!(shown, [
//!     &Block::Paragraph(vec![Inline::Text("Hello".into())]),
//!     &Block::Code { lang: "sh".into(), text: "echo".into() },
//! ]);
//! ```

mod build;
mod codec;
mod definitions;
mod delta;
mod feed;
mod fence;
mod hold;
mod html;
mod link;

mod stream;
mod tree;

pub use delta::{Delta, Edit};
pub use feed::Feed;
pub use html::render_html;
pub use link::{image_source, link_target};
pub use stream::{Blocks, Stream, parse};
pub use tree::{Alignment, Block, Inline, Item, plain_text};

//! A file of a workspace as one document that stands by itself: a page with its style sheets, scripts and pictures put in, a
//! picture, a table.
//!
//! It is shown in a frame that has no origin and no network, so whatever a page names by a relative address must be inside
//! of it, and what is not a file of the workspace is left as it is written, to be refused there. Nothing here makes a
//! document safe: the frame does. No browser, no workspace: files come through [`Files`].
//!
//! ```
//! use vitrine_preview::{Files, Shown, compose};
//!
//! struct One;
//! impl Files for One {
//!     fn read(&mut self, path: &str) -> Option<Vec<u8>> {
//!         (path == "site/page.css").then(|| b"p { color: red }".to_vec())
//!     }
//! }
//!
//! let page = br#"<link rel="stylesheet" href="page.css"><p>Hello"#;
//! assert_eq!(compose(Shown::Page, "site/index.html", page, &mut One), "<style>p { color: red }</style><p>Hello");
//! ```

mod css;
mod data_url;
mod page;
mod path;
mod table;
mod tag;

/// What a file is shown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// HTML: it runs.
    Page,
    /// A picture, SVG among them: as an image, so that nothing in it runs.
    Picture,
    /// Values that commas, semicolons or tabs separate: a table.
    Table,
    /// Markdown: whoever shows it parses it.
    Markdown,
}

impl Shown {
    /// By the end of the name; `None` for what has no preview.
    pub fn of(path: &str) -> Option<Self> {
        match path::extension(path).as_str() {
            "html" | "htm" => Some(Self::Page),
            "svg" | "png" | "jpg" | "jpeg" | "gif" | "webp" | "avif" | "bmp" | "ico" => Some(Self::Picture),
            "csv" | "tsv" => Some(Self::Table),
            "md" | "markdown" => Some(Self::Markdown),
            _ => None,
        }
    }
}

/// Where the files come from that a page names.
pub trait Files {
    /// The bytes of a file by its path from the root, without a leading slash; `None` where there is none.
    fn read(&mut self, path: &str) -> Option<Vec<u8>>;
}

/// The document for a file. At most some tens of megabytes long, whatever it names and however often.
pub fn compose(shown: Shown, path: &str, bytes: &[u8], files: &mut dyn Files) -> String {
    match shown {
        Shown::Page => page::compose(path, &String::from_utf8_lossy(bytes), files),
        Shown::Picture => picture(path, bytes),
        Shown::Table => table::compose(&String::from_utf8_lossy(bytes), path::extension(path) == "tsv"),
        Shown::Markdown => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn picture(path: &str, bytes: &[u8]) -> String {
    let style = "html{color-scheme:light dark}html,body{height:100%;margin:0}\
        body{display:grid;place-items:center}img{max-width:100%;max-height:100%}";
    let url = data_url::data_url(path, bytes);
    format!("<!doctype html><meta charset=\"utf-8\"><style>{style}</style><img alt=\"\" src=\"{url}\">")
}

//! The shapes. Hollow: the model asked. Solid: the host did it. Every state has a shape and a word beside its colour.

use crate::view::{Element, drawing};

/// A 16 px drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after what it stands for")]
pub enum Glyph {
    Request,
    RequestNot,
    Call,
    Ticks,
    Execute,
    ExecuteNot,
    Result,
    ResultNot,
    Message,
    User,
    Turn,
    Settled,
    Tick,
    Dot,
    Cross,
    Shield,
    Hexagon,
    Triangle,
    Unknown,
    Cut,
    Stop,
    Pause,
    Play,
    Step,
    Forward,
    Back,
    Down,
    Menu,
    Folder,
    File,
    Mark,
    Pinned,
    Split,
    Theme,
    More,
}

/// A path and how it is painted, by the style sheet's class; empty is a plain stroke.
type Stroke = (&'static str, &'static str);

impl Glyph {
    fn strokes(self) -> &'static [Stroke] {
        match self {
            Self::Request => &[("solid", "M4 3h8a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1Z")],
            Self::RequestNot => {
                &[("dash", "M4.5 3.5h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1Z")]
            }
            Self::Call => &[("knock", "M8 2.2 13.8 8 8 13.8 2.2 8Z")],
            Self::Ticks => &[("blank", "M0 3h16v10H0z"), ("", "M2.5 5v6M6.2 5v6M9.8 5v6M13.5 5v6")],
            Self::Execute => &[("solid", "M2.5 5h11a1 1 0 0 1 1 1v4a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1Z")],
            Self::ExecuteNot => {
                &[("dash", "M3 5.5h10a1 1 0 0 1 1 1v3a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-3a1 1 0 0 1 1-1Z")]
            }
            Self::Result => &[("solid", "M8 2.8a5.2 5.2 0 1 1 0 10.4A5.2 5.2 0 0 1 8 2.8Z")],
            Self::ResultNot => &[("dash", "M8 3.2a4.8 4.8 0 1 1 0 9.6 4.8 4.8 0 0 1 0-9.6Z")],
            Self::Message => &[("knock", "M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6Z")],
            Self::User => &[("solid", "M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7Z")],
            Self::Turn => &[("blank", "M3 3h10v10H3z"), ("", "M10 4.5H6v7h4")],
            Self::Settled => &[("", "M3 6h10M3 10h10")],
            Self::Tick => &[("", "m3.5 8.5 3 3 6-7")],
            Self::Dot => &[("", "M8 5.8a2.2 2.2 0 1 1 0 4.4 2.2 2.2 0 0 1 0-4.4Z")],
            Self::Cross => &[("", "m4 4 8 8m0-8-8 8")],
            Self::Shield => &[("", "M8 1.8 13.2 4v4c0 3-2.2 5-5.2 6.2C5 13 2.8 11 2.8 8V4Z"), ("", "M5.2 8h5.6")],
            Self::Hexagon => &[("", "M8 1.7 13.5 4.9v6.2L8 14.3 2.5 11.1V4.9Z"), ("", "M8 5v3.6M8 10.4v1")],
            Self::Triangle => &[("", "M8 2.2 14.4 13.5H1.6Z"), ("", "M8 6.5v3.2M8 11v1")],
            Self::Unknown => &[("dash", "M8 2.2 13.8 8 8 13.8 2.2 8Z"), ("", "m6.3 6.3 3.4 3.4m0-3.4L6.3 9.7")],
            Self::Cut => &[("", "M9 2.5 8 1.8 2 8l6 6.2 1-.7"), ("thin", "m9 2.5 1.8 2.6L7.6 8l3.2 2.9L9 13.5")],
            Self::Stop => &[("", "M5.4 2h5.2L14 5.4v5.2L10.6 14H5.4L2 10.6V5.4Z"), ("solid", "M5.8 5.8h4.4v4.4H5.8z")],
            Self::Pause => &[("solid", "M4 3h3v10H4zM9 3h3v10H9z")],
            Self::Play => &[("solid", "M4 2.8 13 8 4 13.2Z")],
            Self::Step => &[("solid", "M2.5 3.2 9.5 8l-7 4.8Z"), ("thick", "M12.5 3v10")],
            Self::Forward => &[("", "m6.5 3.5 5 4.5-5 4.5")],
            Self::Back => &[("", "m9.5 3.5-5 4.5 5 4.5")],
            Self::Down => &[("", "m4 6 4 4.5L12 6")],
            Self::Menu => &[("", "M2.5 4.5h11M2.5 8h11M2.5 11.5h11")],
            Self::Folder => &[("", "M2 12.5v-9h4l1.5 2H14v7Z")],
            Self::File => &[("", "M4 2h5.5L12 4.5V14H4Z")],
            Self::Mark => &[("", "M2.5 2.5h11v11h-11zM2.5 10.5h11"), ("thin", "M8 4.3 10.2 6.5 8 8.7 5.8 6.5Z")],
            Self::Pinned => &[("", "M8 14V8"), ("", "M8 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6Z")],
            Self::Split => &[("", "M2.5 3.5h11v9h-11zM8 3.5v9")],
            Self::More => &[("solid", "M7 2.5h2v2H7zM7 7h2v2H7zM7 11.5h2v2H7z")],
            Self::Theme => {
                &[("", "M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11Z"), ("solid", "M8 2.5a5.5 5.5 0 0 1 0 11Z")]
            }
        }
    }
}

/// Draws a shape. Always beside a word or inside a named control, so it is hidden from assistive technology.
pub fn glyph(shape: Glyph) -> Element {
    let svg = drawing("svg").attr("class", "g").attr("viewBox", "0 0 16 16").attr("aria-hidden", "true");
    let paths = shape.strokes().iter().map(|(class, d)| drawing("path").attr("class", class).attr("d", d));
    svg.child(paths.collect::<Vec<_>>())
}

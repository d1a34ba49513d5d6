//! Where the page stands: how wide it is, which surface is in front, which sheet is open, how it is shown.

/// How wide the element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// Under 600 px: one panel, chosen by tabs.
    Phone,
    /// Chat and one panel beside it.
    Middle,
    /// From 1100 px: everything.
    Wide,
}

impl Width {
    /// Of a width in CSS pixels. A place in a docs page keeps one column for longer: its text stands in the middle of one.
    pub fn of(pixels: f64, mode: Mode) -> Self {
        let one_column = if mode == Mode::App { 600.0 } else { 760.0 };
        match pixels {
            pixels if pixels < one_column => Self::Phone,
            pixels if pixels < 1100.0 => Self::Middle,
            _ => Self::Wide,
        }
    }

    /// As the style sheet spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Phone => "phone",
            Self::Middle => "middle",
            Self::Wide => "wide",
        }
    }
}

/// A surface of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Panel {
    /// What a user sees.
    Chat,
    /// What the harness does.
    Loop,
    /// What changed.
    Files,
    /// What to learn.
    Lesson,
}

/// A sheet over the page. One at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sheet {
    /// Which model, and whether it can be reached.
    Model,
    /// Saved sessions.
    Sessions,
    /// What each key does.
    Keys,
    /// What differs from a folder of the reader's own.
    Folder,
}

/// How the page is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The whole window.
    App,
    /// A place in a docs page: chat with its loop controls.
    Embed,
    /// A place in a docs page: chat alone.
    Chat,
}

/// A `theme` attribute: `light`, `dark`, all else as the system.
pub fn theme_of(value: &str) -> &'static str {
    match value {
        "light" => "light",
        "dark" => "dark",
        _ => "auto",
    }
}

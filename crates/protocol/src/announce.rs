//! What a screen reader hears of a run: its boundaries, never its tokens.
//!
//! The transcript itself is not a live region. A page has two: one polite (`role="status"`), one assertive
//! (`role="alert"`); it feeds every notification to an [`Announcer`] and puts what comes back into them.

use crate::notification::Notification;

/// The least time between two changes of the polite region, in milliseconds. What falls due earlier is collected and put
/// through [`coalesce`]. Assertive texts do not wait.
pub const POLITE_INTERVAL_MS: u32 = 1000;

/// Which region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Politeness {
    /// When the reader pauses.
    Polite,
    /// At once.
    Assertive,
}

/// One text for one region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Which region.
    pub politeness: Politeness,
    /// The words, in the announcer's language; error texts as they came.
    pub text: String,
}

/// The language of the words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// From a `lang` attribute: `zh` and its regions are Chinese, all else English.
    pub fn from_tag(tag: &str) -> Self {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        if primary.eq_ignore_ascii_case("zh") { Self::Chinese } else { Self::English }
    }
}

/// Follows the notifications and says what is to be heard.
#[derive(Clone, Debug, Default)]
pub struct Announcer {
    language: Language,
}

impl Announcer {
    /// An announcer that has heard nothing.
    pub fn new(language: Language) -> Self {
        Self { language }
    }

    /// What this notification gives to hear; mostly nothing. Costs no more than the notification.
    pub fn apply(&mut self, notification: &Notification) -> Vec<Announcement> {
        let _ = (notification, self.language);
        Vec::new()
    }
}

/// Of several polite texts that fell due together, what is said: at most one polite text, in the order they came, without
/// repeats; every assertive one before it.
pub fn coalesce(announcements: Vec<Announcement>) -> Vec<Announcement> {
    announcements
}

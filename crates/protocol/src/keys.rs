//! What a key does in the composer.

use crate::notification::Status;

/// What the composer does with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Sends the text as a prompt.
    Send,
    /// Sends the text into the running run, before its next request.
    Steer,
    /// Keeps the text until the run would stop.
    FollowUp,
    /// Puts a line feed in: the text box does it itself.
    Newline,
    /// Ends the run.
    Stop,
    /// Not ours: leave the event alone.
    None,
}

/// A `keydown`, with what decides of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyPress<'a> {
    /// `key`.
    pub key: &'a str,
    /// `shiftKey`.
    pub shift: bool,
    /// `altKey`.
    pub alt: bool,
    /// `isComposing`.
    pub is_composing: bool,
    /// `keyCode`.
    pub key_code: u32,
}

/// Decides. Ask before any other handling of the key, menus too: while an input method composes, every key is its own.
/// Safari ends the composition before the `keydown` of the Enter that confirmed it, so `is_composing` is false there;
/// only `key_code` 229 still tells.
pub fn composer_key(press: KeyPress<'_>, status: Status) -> Action {
    if press.is_composing || press.key_code == 229 {
        return Action::None;
    }
    let runs = match status {
        Status::Idle => false,
        Status::Running | Status::Paused | Status::Waiting => true,
    };
    match (press.key, runs) {
        ("Enter", _) if press.shift => Action::Newline,
        ("Enter", true) if press.alt => Action::FollowUp,
        ("Enter", true) => Action::Steer,
        ("Enter", false) => Action::Send,
        ("Escape", true) => Action::Stop,
        _ => Action::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTER: KeyPress<'_> = KeyPress { key: "Enter", shift: false, alt: false, is_composing: false, key_code: 13 };
    const ESCAPE: KeyPress<'_> = KeyPress { key: "Escape", key_code: 27, ..ENTER };

    #[test]
    fn f01_enter_sends_only_outside_a_composition() {
        let cases = [
            ("chrome", KeyPress { is_composing: true, key_code: 229, ..ENTER }, false),
            ("safari", KeyPress { key_code: 229, ..ENTER }, false),
            ("plain", ENTER, true),
            ("shift", KeyPress { shift: true, ..ENTER }, false),
        ];
        let sends = cases.map(|(name, press, _)| (name, press, composer_key(press, Status::Idle) == Action::Send));
        assert_eq!(sends, cases);
    }

    #[test]
    fn every_key_has_one_meaning() {
        let (idle, running) = (Status::Idle, Status::Running);
        let cases = [
            (ENTER, idle, Action::Send),
            (KeyPress { alt: true, ..ENTER }, idle, Action::Send),
            (KeyPress { shift: true, ..ENTER }, idle, Action::Newline),
            (KeyPress { shift: true, ..ENTER }, running, Action::Newline),
            (ENTER, running, Action::Steer),
            (ENTER, Status::Paused, Action::Steer),
            (ENTER, Status::Waiting, Action::Steer),
            (KeyPress { alt: true, ..ENTER }, running, Action::FollowUp),
            (KeyPress { is_composing: true, ..ENTER }, running, Action::None),
            (KeyPress { alt: true, key_code: 229, ..ENTER }, running, Action::None),
            (ESCAPE, running, Action::Stop),
            (ESCAPE, Status::Paused, Action::Stop),
            (ESCAPE, idle, Action::None),
            (KeyPress { is_composing: true, ..ESCAPE }, running, Action::None),
            (KeyPress { key_code: 229, ..ESCAPE }, running, Action::None),
            (KeyPress { key: "a", key_code: 65, ..ENTER }, running, Action::None),
            (KeyPress { key: "Tab", key_code: 9, ..ENTER }, idle, Action::None),
        ];
        let decided = cases.map(|(press, status, _)| (press, status, composer_key(press, status)));
        assert_eq!(decided, cases);
    }
}

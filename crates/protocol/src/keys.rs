//! What a key does in the composer.

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

/// Decides. The arguments are the `keydown` event's `key`, `shiftKey`, `altKey`, `isComposing` and `keyCode`, and
/// whether a run goes on.
///
/// Ask before any other handling of the key, menus too: while an input method composes, every key is its own. Safari ends
/// the composition before the `keydown` of the Enter that confirmed it, so `is_composing` is false there; only
/// `key_code` 229 still tells.
pub fn composer_key(key: &str, shift: bool, alt: bool, is_composing: bool, key_code: u32, running: bool) -> Action {
    if is_composing || key_code == 229 {
        return Action::None;
    }
    match (key, running) {
        ("Enter", _) if shift => Action::Newline,
        ("Enter", true) if alt => Action::FollowUp,
        ("Enter", true) => Action::Steer,
        ("Enter", false) => Action::Send,
        ("Escape", true) => Action::Stop,
        _ => Action::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f01_enter_sends_only_outside_a_composition() {
        let cases = [
            ("chrome", (true, 229, false), false),
            ("safari", (false, 229, false), false),
            ("plain", (false, 13, false), true),
            ("shift", (false, 13, true), false),
        ];
        let sends = |(is_composing, key_code, shift)| {
            composer_key("Enter", shift, false, is_composing, key_code, false) == Action::Send
        };
        let results = cases.map(|(name, event, _)| (name, sends(event)));
        assert_eq!(results, cases.map(|(name, _, sends)| (name, sends)));
    }

    #[test]
    fn every_key_has_one_meaning() {
        // (key, shift, alt, composing, code, running)
        let cases = [
            (("Enter", false, false, false, 13, false), Action::Send),
            (("Enter", false, true, false, 13, false), Action::Send),
            (("Enter", true, false, false, 13, false), Action::Newline),
            (("Enter", true, false, false, 13, true), Action::Newline),
            (("Enter", false, false, false, 13, true), Action::Steer),
            (("Enter", false, true, false, 13, true), Action::FollowUp),
            (("Enter", false, false, true, 13, true), Action::None),
            (("Enter", false, true, false, 229, true), Action::None),
            (("Escape", false, false, false, 27, true), Action::Stop),
            (("Escape", false, false, false, 27, false), Action::None),
            (("Escape", false, false, true, 27, true), Action::None),
            (("Escape", false, false, false, 229, true), Action::None),
            (("a", false, false, false, 65, true), Action::None),
            (("Tab", false, false, false, 9, false), Action::None),
        ];
        let decide = |(key, shift, alt, composing, code, running): (&'static str, bool, bool, bool, u32, bool)| {
            composer_key(key, shift, alt, composing, code, running)
        };
        let results = cases.map(|(event, _)| (event, decide(event)));
        assert_eq!(results, cases);
    }
}

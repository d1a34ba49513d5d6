//! Following the end of the transcript: only while the reader is there.

/// How far from the end, in CSS pixels, still counts as being there.
pub const FOLLOW_WITHIN_PX: f64 = 64.0;

/// Whether what is about to be drawn should keep the end in view. Ask before drawing, with the scroll box's
/// `scrollTop`, `clientHeight` and `scrollHeight`; if yes, scroll to the end after drawing. A reader who has scrolled up
/// stays where they are.
pub fn follows_bottom(scroll_top: f64, client_height: f64, scroll_height: f64) -> bool {
    scroll_height - client_height - scroll_top <= FOLLOW_WITHIN_PX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_only_within_64_px_of_the_end() {
        let cases = [
            ("at the end", (900.0, 100.0, 1000.0), true),
            ("64 px above", (836.0, 100.0, 1000.0), true),
            ("65 px above", (835.0, 100.0, 1000.0), false),
            ("at the start of a long one", (0.0, 100.0, 1000.0), false),
            ("nothing to scroll", (0.0, 500.0, 200.0), true),
            ("overscrolled", (930.0, 100.0, 1000.0), true),
        ];
        let results = cases.map(|(name, (top, client, height), _)| (name, follows_bottom(top, client, height)));
        assert_eq!(results, cases.map(|(name, _, follows)| (name, follows)));
    }
}

//! How a run compares with the author's; and the receipt for a lesson that is passed.

use vitrine_protocol::lesson::AuthorState;

use crate::desk::Desk;
use crate::visit;

/// Compares the visit with what the author left, if they left anything.
pub fn compare(desk: &Desk) {
    let Some(author) = desk.lesson.lesson().and_then(|lesson| lesson.author.clone()) else { return };
    // A visit that has no fingerprint cannot be compared.
    let Ok(hash) = visit::hash_so_far(desk) else { return };
    let same = hash == author.hash;
    let differs_at = if same { None } else { visit::trail(desk).ok().and_then(|trail| parting(&trail, &author.trail)) };
    if let Some(open) = &mut *desk.lesson.0.borrow_mut() {
        open.state.author = Some(AuthorState { same, differs_at });
    }
}

/// The index of the first event in which two trails differ; none while one goes on as the other has gone.
fn parting(ours: &str, theirs: &str) -> Option<usize> {
    let same = ours.bytes().zip(theirs.bytes()).take_while(|(ours, theirs)| ours == theirs).count();
    (same < ours.len()).then_some(same / visit::STRIDE)
}

/// Once the lesson is passed: a hash over it, the answers and the run.
pub fn receipt(desk: &Desk) {
    let mut slot = desk.lesson.0.borrow_mut();
    let Some(open) = slot.as_mut().filter(|open| open.state.receipt.is_none()) else { return };
    if !open.state.played || !open.progress.has_passed(&open.lesson) {
        return;
    }
    let answers: Vec<(&str, usize)> = open.progress.answers(&open.lesson).collect();
    let what = serde_json::json!([{
        "lesson": open.lesson.id,
        "text": open.text,
        "answers": answers,
        "foreseen": open.progress.foreseen(),
        "run": visit::hash_so_far(desk).ok(),
    }]);
    open.state.receipt = vitrine_lesson::fingerprint_json(&what.to_string(), None).ok();
}

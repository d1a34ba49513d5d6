//! What the worker tells, taken in as it comes and drawn once a frame.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_protocol::announce::{self, Announcement, Politeness};
use vitrine_protocol::notification::{Notification, Opened, Reply, Status};
use vitrine_protocol::transcript::Changes;

use super::{Store, WINDOW, read};
use crate::place::Panel;

impl Store {
    pub(super) fn take(self, batch: &[Notification]) {
        let folded = self.inner.try_update_value(|inner| {
            for notification in batch {
                let changes = inner.transcript.apply(notification);
                inner.log.apply(notification, &changes);
                inner.pending.merge(changes);
                inner.waiting_words.extend(inner.announcer.apply(notification));
            }
        });
        if folded.is_none() {
            return;
        }
        for notification in batch {
            if self.marks.try_maybe_update(|marks| (marks.apply(notification), ())).is_none() {
                return;
            }
            match notification {
                Notification::State(state) => {
                    let is_other =
                        |storage: &Option<_>| storage.as_ref().is_some_and(|storage| *storage != state.storage);
                    if self.storage.with_untracked(is_other) {
                        self.storage.set(Some(state.storage.clone()));
                    }
                    self.state.set((**state).clone());
                }
                Notification::SessionOpened { session, .. } => {
                    self.session.set(session.clone());
                    self.following.set(true);
                    self.cursor.set(None);
                    self.edited.set(Vec::new());
                }
                Notification::Sessions(sessions) => {
                    if let Some(session) = sessions.iter().find(|session| session.current) {
                        self.session.set(session.clone());
                    }
                    self.sessions.set(sessions.clone());
                }
                Notification::File(change) => {
                    self.files_changed.update(|count| *count += 1);
                    self.last_change.set(change.id);
                }
                Notification::Problem(problem) => self.tell(problem.clone()),
                Notification::Part(part) => self.part.set(part.as_ref().and_then(|part| read(Some(part)).ok())),
                Notification::Approval(approval) => self.approval.set(approval.clone()),
                Notification::Lesson(lesson) => {
                    let is_new = lesson.is_some() && self.lesson.with_untracked(Option::is_none);
                    self.lesson.set(lesson.clone());
                    if is_new && self.state.with_untracked(|state| state.status == Status::Idle) {
                        self.show(Panel::Lesson);
                    } else if is_new {
                        self.lesson_wanted.set(true);
                    }
                }
                Notification::Rewound(_) => self.cursor.set(None),
                Notification::Edited(edited) => {
                    if let Ok(edited) = read(Some(edited)) {
                        self.edited.update(|all| all.push(edited));
                    }
                }
                Notification::Ready
                | Notification::Event(_)
                | Notification::Trace(_)
                | Notification::Request(_)
                | Notification::Fault(_)
                | Notification::Toy(_)
                | Notification::Settled { .. } => {}
                Notification::Reply(reply) => self.hear_open(reply),
            }
        }
        self.say();
        self.ask_frame();
    }

    pub(super) fn ask_frame(self) {
        let ask = self.inner.try_update_value(|inner| {
            let changed = inner.pending != Changes::default();
            changed && !std::mem::replace(&mut inner.frame_asked, true)
        });
        if ask == Some(true) {
            dom::next_frame(move || self.draw());
        }
    }

    fn draw(self) {
        let Some((changes, triggers)) = self.inner.try_update_value(|inner| {
            inner.frame_asked = false;
            let changes = std::mem::take(&mut inner.pending);
            if changes.replaced {
                inner.triggers.clear();
            }
            let triggers: Vec<_> = changes.changed.iter().filter_map(|id| inner.triggers.get(id).cloned()).collect();
            (changes, triggers)
        }) else {
            return;
        };
        if changes.replaced || !changes.added.is_empty() {
            let total = self.with_transcript(|transcript| transcript.rows.len()).unwrap_or_default();
            let earlier = if changes.replaced { 0 } else { self.earlier.get_untracked() };
            // A reader who has scrolled up keeps what they look at; one at the end sees a bounded window move.
            let first =
                if changes.replaced || (self.following.get_untracked() && total - earlier.min(total) > 2 * WINDOW) {
                    total.saturating_sub(WINDOW)
                } else {
                    earlier
                };
            self.window(first);
        }
        for trigger in triggers {
            trigger.notify();
        }
        self.drawn.update(|count| *count += 1);
    }

    /// Puts what is to be heard into the live regions, the polite one at most once a second.
    fn say(self) {
        let now = self.inner.try_update_value(|inner| {
            if inner.words_asked {
                return extract_assertive(&mut inner.waiting_words);
            }
            let now = announce::coalesce(std::mem::take(&mut inner.waiting_words));
            inner.words_asked = now.iter().any(|words| words.politeness == Politeness::Polite);
            now
        });
        for words in now.unwrap_or_default() {
            match words.politeness {
                Politeness::Polite => {
                    self.polite.set(words.text);
                    dom::after(announce::POLITE_INTERVAL_MS, move || {
                        self.inner.try_update_value(|inner| inner.words_asked = false);
                        self.say();
                    });
                }
                Politeness::Assertive => self.assertive.set(words.text),
            }
        }
    }

    /// Takes in the reply to `Open`, which the element's loader sends: it is the first reply with a storage in it.
    fn hear_open(self, reply: &Reply) {
        if self.storage.with_untracked(Option::is_some) {
            return;
        }
        if let Ok(opened) = read::<Opened>(reply.ok.as_ref()) {
            self.storage.set(Some(opened.storage));
            self.sessions.set(opened.sessions);
            self.session.set(opened.session);
            self.state.set(opened.state);
            self.files_changed.update(|count| *count += 1);
        }
    }
}

fn extract_assertive(words: &mut Vec<Announcement>) -> Vec<Announcement> {
    words.extract_if(.., |words| words.politeness == Politeness::Assertive).collect()
}

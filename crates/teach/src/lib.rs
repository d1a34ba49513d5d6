//! Lessons: what a lesson file says ([`Lesson`]), what is wrong with one ([`read`]), and how far a learner is in it
//! ([`Progress`]). No IO and no clock: a host shows it what happens.

mod check;
mod format;
mod happening;
mod locate;
mod progress;
mod read;
mod variants;

pub use check::{Check, Files};
pub use format::{Author, Goal, Lesson, Question, Step};
pub use happening::{Happening, Kind, Pattern};
pub use progress::Progress;
pub use read::{Fault, MAX_BYTES, Problems, languages, list, read};

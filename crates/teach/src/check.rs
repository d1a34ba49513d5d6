//! [`Check`]: what has to be so; and whether it is.

use serde::Deserialize;

use crate::happening::{Happening, Pattern};

/// The files that checks look at.
pub trait Files {
    /// What is in a file; none where there is none.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// One thing that has to be so. What it looks at: `seen`, `never` or `order`, a `file`, an `answer`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Check {
    /// What the learner reads of it.
    pub text: String,
    /// This has happened.
    pub seen: Option<Pattern>,
    /// Exactly so often.
    pub times: Option<u32>,
    /// At least so often; once unless said otherwise.
    pub at_least: Option<u32>,
    /// This has not happened by the time the session has settled.
    pub never: Option<Pattern>,
    /// These have happened one after the other, with anything between them.
    pub order: Vec<Pattern>,
    /// A file.
    pub file: Option<String>,
    /// It has this in it.
    pub contains: Option<String>,
    /// It has this and nothing else in it.
    pub equals: Option<String>,
    /// It is not there.
    pub absent: bool,
    /// The question of this step was answered right.
    pub answer: Option<String>,
}

impl Check {
    /// How many things it looks at; one, or nobody knows what it means.
    pub fn n_subjects(&self) -> usize {
        let subjects = [
            self.seen.is_some(),
            self.never.is_some(),
            !self.order.is_empty(),
            self.file.is_some(),
            self.answer.is_some(),
        ];
        subjects.into_iter().filter(|given| *given).count()
    }
}

/// How far a check is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// How often the pattern fitted; how many of an order have come.
    count: usize,
    /// Whether the session has settled since the lesson began.
    settled: bool,
    /// What was last known of the file or the answer.
    holds: bool,
}

impl Standing {
    /// Something happened.
    pub fn happened(&mut self, check: &Check, happening: &Happening<'_>) {
        self.settled |= matches!(happening, Happening::Settled { .. });
        let pattern = match check.order.is_empty() {
            true => check.seen.as_ref().or(check.never.as_ref()),
            false => check.order.get(self.count),
        };
        if pattern.is_some_and(|pattern| pattern.fits(happening)) {
            self.count += 1;
        }
    }

    /// Looks at what does not happen but is so: files, answers.
    pub fn look(&mut self, check: &Check, files: &dyn Files, is_answered: impl Fn(&str) -> bool) {
        if let Some(path) = &check.file {
            self.holds = holds(check, files.read(path).as_deref());
        }
        if let Some(step) = &check.answer {
            self.holds = is_answered(step);
        }
    }

    /// Whether it is so.
    pub fn is_met(&self, check: &Check) -> bool {
        let count = u32::try_from(self.count).unwrap_or(u32::MAX);
        if !check.order.is_empty() {
            self.count >= check.order.len()
        } else if check.seen.is_some() {
            match check.times {
                Some(times) => count == times,
                None => count >= check.at_least.unwrap_or(1),
            }
        } else if check.never.is_some() {
            self.settled && self.count == 0
        } else {
            self.holds
        }
    }
}

fn holds(check: &Check, bytes: Option<&[u8]>) -> bool {
    let Some(bytes) = bytes else { return check.absent };
    if check.absent {
        return false;
    }
    let text = String::from_utf8_lossy(bytes);
    check.contains.as_deref().is_none_or(|wanted| text.contains(wanted))
        && check.equals.as_deref().is_none_or(|wanted| text == wanted)
}

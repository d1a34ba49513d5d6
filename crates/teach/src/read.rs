//! [`read`]: from the text of a file to a [`Lesson`], or to what is wrong with it and on which line.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;
use vitrine_protocol::lesson::LessonInfo;
use vitrine_vfs::WorkspacePath;

use crate::format::Lesson;
use crate::locate::{line_of, path_at};
use crate::variants;

/// A longer lesson is refused, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;
/// Things that are wrong of which the rest is not listed.
const MAX_FAULTS: usize = 20;

/// Something that is wrong with a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// Where in the file, as `steps.2.at`.
    pub path: String,
    /// What, and what would be right.
    pub message: String,
}

/// Everything that is wrong with a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Fault>);

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Fault { line, path, message }) in self.0.iter().enumerate() {
            let (gap, colon) = (if at == 0 { "" } else { "\n" }, if path.is_empty() { "" } else { ": " });
            write!(formatter, "{gap}line {line}: {path}{colon}{message}")?;
        }
        Ok(())
    }
}

/// The lesson in one language. `tools` are the names that a model can be told of.
pub fn read(text: &str, lang: &str, tools: &[&str]) -> Result<Lesson, Problems> {
    let whole = |line: usize, message: String| Problems(vec![Fault { line, path: String::new(), message }]);
    if text.len() > MAX_BYTES {
        return Err(whole(1, format!("a lesson of {} bytes; the limit is {MAX_BYTES}", text.len())));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| whole(error.line(), format!("no JSON: {error}")))?;
    let chosen = variants::choose(value.clone(), lang);
    // From a text again, as everything else is read: a reader of values would be a second one of every type in it.
    let pretty = serde_json::to_string_pretty(&chosen).unwrap_or_default();
    let lesson: Lesson = serde_json::from_str(&pretty).map_err(|error| {
        let path = path_at(&chosen, error.line());
        let said = error.to_string();
        // Where it stands there tells nobody anything.
        let message = said.rsplit_once(" at line ").map_or(said.as_str(), |(message, _)| message).to_owned();
        Problems(vec![Fault { line: line_of(text, &path), path: path.join("."), message }])
    })?;
    let mut faults = Vec::new();
    let mut wrong = |path: &[&str], message: String| {
        let path: Vec<String> = path.iter().map(|&segment| segment.to_owned()).collect();
        faults.push(Fault { line: line_of(text, &path), path: path.join("."), message });
    };
    look(&lesson, tools, &mut wrong);
    for (path, lang) in variants::missing(&value) {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        wrong(&path, format!("the text in `{lang}` is missing; other texts of the lesson have one"));
    }
    faults.truncate(MAX_FAULTS);
    if faults.is_empty() { Ok(lesson) } else { Err(Problems(faults)) }
}

/// The list of a site's lessons, in one language.
pub fn list(text: &str, lang: &str) -> Result<Vec<LessonInfo>, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    serde_json::from_value(variants::choose(value, lang)).map_err(|error| error.to_string())
}

/// The languages of a lesson's texts.
pub fn languages(text: &str) -> Vec<&'static str> {
    serde_json::from_str(text).map(|value: Value| variants::languages(&value)).unwrap_or_default()
}

/// What no type can say.
fn look(lesson: &Lesson, tools: &[&str], wrong: &mut impl FnMut(&[&str], String)) {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    if lesson.id.is_empty() || lesson.id.len() > 64 || !lesson.id.bytes().all(is_plain) {
        wrong(&["id"], format!("{:?} is no id: small letters, digits and hyphens, at most 64", lesson.id));
    }
    if lesson.goal.check.is_empty() {
        wrong(&["goal", "check"], "without a check nobody knows whether the lesson is passed".to_owned());
    }
    for (path, text) in &lesson.files {
        if let Err(error) = WorkspacePath::parse(path) {
            wrong(&["files", path], error.to_string());
        } else if text.is_none() && lesson.files.keys().any(|other| other.starts_with(&format!("{path}/"))) {
            wrong(&["files", path], "a folder that other files of the lesson are in cannot be absent".to_owned());
        }
    }
    for (at, name) in lesson.tools.iter().flatten().enumerate() {
        if !tools.contains(&name.as_str()) && lesson.toys.iter().all(|toy| toy.name != *name) {
            let known = tools.join(", ");
            wrong(&["tools", &at.to_string()], format!("there is no tool {name:?}; there are {known}"));
        }
    }
    let mut ids = BTreeSet::new();
    for (at, step) in lesson.steps.iter().enumerate() {
        let at = at.to_string();
        if !ids.insert(step.id.as_str()) {
            wrong(&["steps", &at, "id"], format!("there is another step {:?}; each needs a name of its own", step.id));
        }
        if let Some(question) = &step.question
            && question.answer >= question.options.len()
        {
            let n = question.options.len();
            wrong(&["steps", &at, "question", "answer"], format!("there are {n} options, counted from 0"));
        }
    }
    let with_question = |id: &str| lesson.steps.iter().any(|step| step.id == id && step.question.is_some());
    let mut answers = |check: &crate::Check, path: &[&str]| {
        if check.n_subjects() != 1 {
            let whole = path.split_last().map_or(path, |(_, whole)| whole);
            wrong(whole, "a check looks at one of seen, never, order, file and answer".to_owned());
        }
        if let Some(id) = check.answer.as_ref().filter(|id| !with_question(id)) {
            wrong(path, format!("no step {id:?} has a question"));
        }
    };
    for (at, step) in lesson.steps.iter().enumerate() {
        for (n, check) in step.check.iter().enumerate() {
            answers(check, &["steps", &at.to_string(), "check", &n.to_string(), "answer"]);
        }
    }
    for (n, check) in lesson.goal.check.iter().enumerate() {
        answers(check, &["goal", "check", &n.to_string(), "answer"]);
    }
}

//! [`LessonState`]: a lesson as the learner sees it.

use serde::{Deserialize, Serialize};

/// The open lesson, told whole whenever the learner is elsewhere in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LessonState {
    /// What it is known by.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub about: String,
    /// How long it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u32>,
    /// What starts it.
    pub prompt: String,
    /// Its steps, in order. Those that are not reached yet say nothing.
    pub steps: Vec<StepState>,
    /// The index of the first step that is not done; none once all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<usize>,
    /// The id of that step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The part of the questions that were answered right before the run went on, 0 to 1.
    pub score: f64,
    /// What has to come out, in words.
    pub goal: String,
    /// How it is told.
    pub goal_checks: Vec<CheckState>,
    /// Whether it was played since it was opened.
    pub played: bool,
    /// Whether it is passed.
    pub passed: bool,
    /// Questions that were answered right before the run went on.
    pub foreseen: usize,
    /// Questions that it has.
    pub questions: usize,
    /// Once it is passed: a hash over the lesson, the answers and the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<String>,
    /// How the run compares with the author's, once it has settled and where the author left one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<AuthorState>,
    /// Files of the lesson that the reader has otherwise; they stay so until the lesson is started over.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
}

/// How the run compares with the author's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AuthorState {
    /// It has the same fingerprint.
    pub same: bool,
    /// Otherwise the index of the first event that is another one, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub differs_at: Option<usize>,
}

/// One step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StepState {
    /// Its id.
    pub id: String,
    /// It is shown.
    pub reached: bool,
    /// Nothing is left to do in it.
    pub done: bool,
    /// Markdown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What the learner is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionState>,
    /// There is something that helps.
    pub has_hint: bool,
    /// It, once it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What has to be so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckState>,
}

/// A question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct QuestionState {
    /// It.
    pub ask: String,
    /// What can be answered.
    pub options: Vec<String>,
    /// What was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<usize>,
    /// Whether that is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub right: Option<bool>,
    /// Why, once it was answered right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Something that has to be so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CheckState {
    /// In words.
    pub text: String,
    /// It is.
    pub met: bool,
}

/// A lesson in the list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LessonInfo {
    /// What it is known by.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is about.
    pub about: String,
    /// How long it takes.
    pub minutes: Option<u32>,
}

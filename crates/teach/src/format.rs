//! The shape of a lesson, in one language.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use vitrine_agent::gate::Breakpoint;
use vitrine_protocol::fault::Fault;
use vitrine_protocol::policy::Policy;
use vitrine_protocol::toy::ToyTool;
use vitrine_providers::scripted::Script;

use crate::check::Check;
use crate::happening::Pattern;

/// A lesson.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lesson {
    /// Where the schema is, for an editor.
    #[serde(default, rename = "$schema")]
    pub schema: Option<String>,
    /// What it is known by: in addresses, and where progress is kept.
    pub id: String,
    /// Its title; the session is named so.
    pub title: String,
    /// What it is about, in a sentence or two.
    #[serde(default)]
    pub about: String,
    /// How long it takes.
    #[serde(default)]
    pub minutes: Option<u32>,
    /// What it lays out; `null` where nothing may be at the start.
    #[serde(default)]
    pub files: BTreeMap<String, Option<String>>,
    /// The tools the model is told of; those that are on unless said otherwise.
    #[serde(default)]
    pub tools: Option<Vec<String>>,
    /// Tools of its own, beside those of the page.
    #[serde(default)]
    pub toys: Vec<ToyTool>,
    /// Which calls may run.
    #[serde(default)]
    pub policy: Option<Policy>,
    /// What is broken from the start.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// Where the run is held.
    #[serde(default)]
    pub pause: Vec<Breakpoint>,
    /// Put before what the model is told anyway.
    #[serde(default)]
    pub system: Option<String>,
    /// The user message that starts it.
    pub prompt: String,
    /// What the scripted model answers.
    pub model: Script,
    /// What the learner reads and does, in order.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// What has to come out.
    pub goal: Goal,
    /// What the author did to pass. Played by the authoring check alone.
    #[serde(default)]
    pub solution: Vec<Value>,
    /// The author's run.
    #[serde(default, rename = "fingerprint")]
    pub author: Option<Author>,
}

/// The author's run, to compare with.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Author {
    /// Its fingerprint.
    pub hash: String,
    /// The first characters of each event's own hash, one after the other: where another run goes another way shows in it.
    #[serde(default)]
    pub trail: String,
}

/// One step.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What checks and the learner's answers name it by.
    pub id: String,
    /// What has to happen before it is shown; nothing for one that is there from the start.
    #[serde(default)]
    pub at: Option<Pattern>,
    /// What the learner reads: Markdown.
    pub text: String,
    /// What the learner is asked before going on.
    #[serde(default)]
    pub question: Option<Question>,
    /// What helps, if it is asked for.
    #[serde(default)]
    pub hint: Option<String>,
    /// What has to be so for the step to be done.
    #[serde(default)]
    pub check: Vec<Check>,
}

/// A question with one right answer.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question.
    pub ask: String,
    /// What can be answered.
    pub options: Vec<String>,
    /// Which of them is right, from 0.
    pub answer: usize,
    /// Why, once it is answered.
    #[serde(default)]
    pub why: String,
}

/// What has to come out of a lesson.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// In words.
    #[serde(default)]
    pub text: String,
    /// How it is told.
    #[serde(default)]
    pub check: Vec<Check>,
}

impl Lesson {
    /// Every check with the step it belongs to; those of the goal after all steps.
    pub fn checks(&self) -> impl Iterator<Item = &Check> {
        self.steps.iter().flat_map(|step| &step.check).chain(&self.goal.check)
    }
}

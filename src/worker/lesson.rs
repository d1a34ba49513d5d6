//! The first lesson, and what the scripted model says when nobody wrote a script for the prompt.

use std::collections::BTreeMap;

use serde::Deserialize;
use vitrine_protocol::notification::Problem;
use vitrine_providers::scripted::{Call, Script, Turn};
use vitrine_vfs::{Workspace, WorkspacePath};

/// A text in both languages.
#[derive(Debug, Deserialize)]
struct Bilingual<T> {
    en: T,
    zh: T,
}

impl<T> Bilingual<T> {
    fn take(self, lang: &str) -> T {
        if lang == "zh" { self.zh } else { self.en }
    }
}

#[derive(Debug, Deserialize)]
struct File {
    title: Bilingual<String>,
    files: BTreeMap<String, String>,
    prompt: Bilingual<String>,
    script: Bilingual<Script>,
}

/// A lesson in one language.
#[derive(Debug)]
pub struct Lesson {
    /// Its title; the session is named so.
    pub title: String,
    /// The user message that starts it.
    pub prompt: String,
    /// What the model answers.
    pub script: Script,
    files: BTreeMap<String, String>,
}

/// The first lesson. The file is part of the build, so it fails only if the build is broken.
pub fn first(lang: &str) -> Result<Lesson, Problem> {
    let file: File = serde_json::from_str(include_str!("../../www/lessons/first.json"))
        .map_err(|error| Problem::new("internal", format!("the first lesson: {error}"), "report this as a bug"))?;
    Ok(Lesson {
        title: file.title.take(lang),
        prompt: file.prompt.take(lang),
        script: file.script.take(lang),
        files: file.files,
    })
}

impl Lesson {
    /// Puts the lesson's files into the workspace. A file that is there already stays as the reader has it.
    pub fn lay_out(&self, workspace: &Workspace) -> Result<(), Problem> {
        let missing = self.files.iter().filter_map(|(path, text)| {
            let path = WorkspacePath::parse(path).ok().filter(|path| !workspace.exists(path))?;
            Some((path, text.as_bytes().into()))
        });
        let missing: Vec<_> = missing.collect();
        if !missing.is_empty() {
            workspace.write_all(missing).map_err(|error| crate::files::problem(&error))?;
        }
        Ok(())
    }
}

/// What the scripted model answers to a prompt that no script was written for: it lists the files, for real, and says
/// what it is. It never pretends to have understood.
pub fn fallback(lang: &str, call_id: String) -> [Turn; 2] {
    let (first, second) = if lang == "zh" {
        (
            "我是脚本，不是 AI：无论你写什么，我都只会列出工作区里的文件。",
            "上面的列表是真的：调用、检查、执行都在这个页面里发生了。\n\n想得到真正的回答，请在右上角选择一个模型，例如你电脑上的模型服务器。",
        )
    } else {
        (
            "I am a script, not an AI: whatever you write, all I do is list the files of the workspace.",
            "The list above is real: the call, its checks and its execution all happened in this page.\n\nFor real answers choose a model at the top right, for example a model server on your own machine.",
        )
    };
    let call = Call { id: Some(call_id), name: "ls".into(), arguments: serde_json::Map::new(), raw_arguments: None };
    [
        Turn {
            text: Some(first.into()),
            calls: vec![call],
            stop: Some(vitrine_agent::message::StopReason::ToolUse),
            ..Turn::default()
        },
        Turn { text: Some(second.into()), ..Turn::default() },
    ]
}

/// Tokens a second of the scripted model, where no script says otherwise.
pub const TOKENS_PER_SECOND: f64 = 40.0;

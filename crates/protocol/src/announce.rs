//! What a screen reader hears of a run: its boundaries, never its tokens.
//!
//! The transcript itself is not a live region. A page has two: one polite (`role="status"`), one assertive
//! (`role="alert"`); it feeds every notification to an [`Announcer`] and puts what comes back into them.

use vitrine_agent::event::Event;
use vitrine_agent::message::{AssistantMessage, Message, StopReason, join_text};

use crate::failure::classify;
use crate::notification::{AgentState, Notification, PausedAt};
use crate::policy::Approval;

/// The least time between two changes of the polite region, in milliseconds. What falls due earlier is collected and put
/// through [`coalesce`]. Assertive texts do not wait.
pub const POLITE_INTERVAL_MS: u32 = 1000;

/// Which region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Politeness {
    /// When the reader pauses.
    Polite,
    /// At once.
    Assertive,
}

/// One text for one region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// Which region.
    pub politeness: Politeness,
    /// The words, in the announcer's language; error texts as they came, after what they mean.
    pub text: String,
}

/// The language of the words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    /// From a `lang` attribute: `zh` and its regions are Chinese, all else English.
    pub fn from_tag(tag: &str) -> Self {
        let primary = tag.split(['-', '_']).next().unwrap_or_default();
        if primary.eq_ignore_ascii_case("zh") { Self::Chinese } else { Self::English }
    }
}

/// Follows the notifications and says what is to be heard.
#[derive(Clone, Debug, Default)]
pub struct Announcer {
    language: Language,
    /// What there is to sum up when the run ends.
    last: Option<Summary>,
    paused_at: Option<PausedAt>,
    /// The call that was asked about last.
    asked: Option<String>,
}

/// The last answer of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Summary {
    Answer {
        n_words: usize,
    },
    Aborted,
    /// Why was said at once; that nothing is generated any more is not.
    Failed,
}

impl Announcer {
    /// An announcer that has heard nothing.
    pub fn new(language: Language) -> Self {
        Self { language, ..Self::default() }
    }

    /// What this notification gives to hear; mostly nothing. Costs no more than the notification.
    pub fn apply(&mut self, notification: &Notification) -> Vec<Announcement> {
        let text = match notification {
            Notification::Event(event) => return self.event(event).into_iter().collect(),
            Notification::Settled { .. } => self.end(),
            Notification::State(state) => self.state(state),
            Notification::Problem(problem) => return vec![assertive(format!("{} {}", problem.message, problem.help))],
            Notification::SessionOpened { .. } | Notification::Rewound(_) => {
                *self = Self::new(self.language);
                None
            }
            Notification::Approval(Some(approval)) => return self.approval(approval).into_iter().collect(),
            Notification::Part(Some(_)) => return vec![assertive(self.part())],
            Notification::Ready
            | Notification::Trace(_)
            | Notification::Sessions(_)
            | Notification::File(_)
            | Notification::Request(_)
            | Notification::Edited(_)
            | Notification::Lesson(_)
            | Notification::Toy(_)
            | Notification::Fault(_)
            | Notification::Approval(None)
            | Notification::Part(None)
            | Notification::Reply(_) => None,
        };
        text.map(polite).into_iter().collect()
    }

    /// The call that the run waits for; told once, however often the list is told anew.
    fn approval(&mut self, approval: &Approval) -> Option<Announcement> {
        let asked = approval.calls.iter().find(|call| call.asked && call.decision.is_none())?;
        if self.asked.as_deref() == Some(&asked.call_id) {
            return None;
        }
        self.asked = Some(asked.call_id.clone());
        let tool = &asked.tool;
        Some(assertive(self.say(&format!("May {tool} run? Decide"), &format!("允许运行 {tool} 吗？请决定"))))
    }

    fn part(&self) -> String {
        self.say("It is your turn to answer", "轮到你回答")
    }

    fn event(&mut self, event: &Event) -> Option<Announcement> {
        match event {
            Event::AgentStart => {
                self.last = None;
                Some(polite(self.say("Generating", "正在生成")))
            }
            Event::ToolExecutionStart { tool_name, .. } => {
                let text = self.say(&format!("Tool {tool_name} started"), &format!("工具 {tool_name} 开始"));
                Some(polite(text))
            }
            Event::ToolExecutionEnd { tool_name, is_error: false, .. } => Some(polite(
                self.say(&format!("Tool {tool_name} finished, no error"), &format!("工具 {tool_name} 完成，没有错误")),
            )),
            Event::ToolExecutionEnd { tool_name, is_error: true, .. } => {
                let text = self.say(&format!("Tool {tool_name} failed"), &format!("工具 {tool_name} 失败"));
                Some(polite(text))
            }
            Event::MessageEnd { message } => match &**message {
                Message::Assistant(message) => self.answer(message),
                Message::System(_) | Message::User(_) | Message::ToolResult(_) | Message::Other(_) => None,
            },
            Event::AgentEnd { .. } => self.end().map(polite),
            Event::TurnStart
            | Event::TurnEnd { .. }
            | Event::MessageStart { .. }
            | Event::MessageUpdate { .. }
            | Event::ToolExecutionUpdate { .. } => None,
        }
    }

    fn answer(&mut self, message: &AssistantMessage) -> Option<Announcement> {
        match message.stop_reason {
            StopReason::Error => {
                self.last = Some(Summary::Failed);
                let words = message.error_message.as_deref().unwrap_or_default();
                let heading = classify(message.stop_reason, Some(words))?.heading(self.language);
                let whole = || self.say(&format!("{heading}: {words}"), &format!("{heading}：{words}"));
                Some(assertive(if words.is_empty() { heading.to_owned() } else { whole() }))
            }
            StopReason::Aborted => {
                self.last = Some(Summary::Aborted);
                None
            }
            StopReason::Pending
            | StopReason::Stop
            | StopReason::Length
            | StopReason::ToolUse
            | StopReason::Deferred => {
                self.last = Some(Summary::Answer { n_words: count_words(&join_text(&message.content)) });
                None
            }
        }
    }

    /// The one summary of a run, whichever tells its end first.
    fn end(&mut self) -> Option<String> {
        match self.last.take()? {
            Summary::Answer { n_words: 1 } => Some(self.say("Response complete, 1 word", "回答完成，共 1 字")),
            Summary::Answer { n_words } => {
                Some(self.say(&format!("Response complete, {n_words} words"), &format!("回答完成，共 {n_words} 字")))
            }
            Summary::Aborted => Some(self.say("Stopped", "已停止")),
            Summary::Failed => Some(self.say("The answer failed", "回答失败")),
        }
    }

    fn state(&mut self, state: &AgentState) -> Option<String> {
        if self.paused_at == state.paused_at {
            return None;
        }
        self.paused_at.clone_from(&state.paused_at);
        let PausedAt { event, answer, .. } = self.paused_at.as_ref()?;
        Some(if *answer {
            self.say(&format!("Paused at what came of {event}"), &format!("已暂停，{event} 的结果尚未采用"))
        } else {
            self.say(&format!("Paused before {event}"), &format!("已暂停，下一步是 {event}"))
        })
    }

    fn say(&self, english: &str, chinese: &str) -> String {
        match self.language {
            Language::English => english.to_owned(),
            Language::Chinese => chinese.to_owned(),
        }
    }
}

fn polite(text: String) -> Announcement {
    Announcement { politeness: Politeness::Polite, text }
}

fn assertive(text: String) -> Announcement {
    Announcement { politeness: Politeness::Assertive, text }
}

/// Words as a reader counts them: runs of letters and digits between white space, and each Chinese, Japanese or Korean
/// character by itself. What is only punctuation is no word.
pub fn count_words(text: &str) -> usize {
    let mut n_words = 0;
    let mut in_word = false;
    for character in text.chars() {
        if is_cjk(character) {
            n_words += 1;
            in_word = false;
        } else if character.is_whitespace() {
            in_word = false;
        } else if character.is_alphanumeric() && !in_word {
            n_words += 1;
            in_word = true;
        }
    }
    n_words
}

fn is_cjk(character: char) -> bool {
    matches!(character,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Of the texts that fell due together, what is said: each assertive one first, then at most one polite one that holds
/// the polite texts in the order they came. What is the same is said once.
pub fn coalesce(announcements: Vec<Announcement>) -> Vec<Announcement> {
    let mut said: Vec<Announcement> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for announcement in announcements {
        match announcement.politeness {
            Politeness::Assertive if !said.contains(&announcement) => said.push(announcement),
            Politeness::Polite if !texts.contains(&announcement.text) => texts.push(announcement.text),
            Politeness::Assertive | Politeness::Polite => {}
        }
    }
    if !texts.is_empty() {
        said.push(polite(texts.join("; ")));
    }
    said
}

#[cfg(test)]
mod tests;

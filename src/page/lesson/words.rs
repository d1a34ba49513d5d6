//! The words of the lesson panel, in a table of their own: the first screen does without them.

use vitrine_protocol::announce::Language;

use crate::store::Store;
use crate::view::{View, live_text};

/// The words in one language.
#[allow(missing_docs, reason = "each is named after what it says")]
pub struct LessonWords {
    pub lessons: &'static str,
    pub lessons_about: &'static str,
    pub all: &'static str,
    pub close: &'static str,
    pub minutes: fn(u32) -> String,
    pub passed: &'static str,
    pub step: fn(usize, usize) -> String,
    pub start: &'static str,
    pub start_over: &'static str,
    pub start_over_detail: &'static str,
    pub differs: fn(&str) -> String,
    pub goal: &'static str,
    pub met: &'static str,
    pub not_met: &'static str,
    pub check: &'static str,
    pub right: &'static str,
    pub wrong: &'static str,
    pub hint: &'static str,
    pub foreseen: fn(usize, usize) -> String,
    pub receipt: &'static str,
    pub as_author: &'static str,
    pub unlike_author: fn(Option<usize>) -> String,
    pub next: &'static str,
    pub no_list: &'static str,
}

const EN: LessonWords = LessonWords {
    lessons: "Lessons",
    lessons_about: "Each is a few minutes with a scripted model. You cause what you read about, and it is checked.",
    all: "All lessons",
    close: "Close",
    minutes: |n| if n == 1 { "1 minute".to_owned() } else { format!("{n} minutes") },
    passed: "Passed",
    step: |at, of| format!("step {at} of {of}"),
    start: "Start",
    start_over: "Start over",
    start_over_detail: "Files of the lesson are written as the lesson has them. Files → Changes takes it back.",
    differs: |files| format!("You have these otherwise, and they stay so: {files}."),
    goal: "Goal",
    met: "done",
    not_met: "open",
    check: "Check answer",
    right: "Right.",
    wrong: "Not that. Try again.",
    hint: "Hint",
    foreseen: |right, of| format!("{right} of {of} foreseen before the run went on"),
    receipt: "Receipt",
    as_author: "Same run as the author's",
    unlike_author: |at| match at {
        Some(at) => format!("Another run than the author's, from event {at} on"),
        None => "So far the author's run; it goes on".to_owned(),
    },
    next: "Next lesson",
    no_list: "The list of lessons could not be loaded.",
};

const ZH: LessonWords = LessonWords {
    lessons: "课程",
    lessons_about: "每课几分钟，用脚本模型。你会亲手引发课文所说的事，并得到检验。",
    all: "全部课程",
    close: "关闭",
    minutes: |n| format!("{n} 分钟"),
    passed: "已通过",
    step: |at, of| format!("第 {at} 步，共 {of} 步"),
    start: "开始",
    start_over: "重新开始",
    start_over_detail: "课程的文件会恢复为课程自带的内容。可在“文件 → 改动”中撤回。",
    differs: |files| format!("这些文件你另有内容，将保持原样：{files}。"),
    goal: "目标",
    met: "完成",
    not_met: "未完成",
    check: "检查答案",
    right: "正确。",
    wrong: "不对，再试一次。",
    hint: "提示",
    foreseen: |right, of| format!("在放行之前猜对 {right} / {of}"),
    receipt: "凭证",
    as_author: "与作者的运行相同",
    unlike_author: |at| match at {
        Some(at) => format!("从第 {at} 个事件起与作者的运行不同"),
        None => "到此与作者的运行相同，作者的还在继续".to_owned(),
    },
    next: "下一课",
    no_list: "课程列表无法加载。",
};

/// The words in the language on screen; tracked.
pub fn lesson_words(store: Store) -> &'static LessonWords {
    use leptos::prelude::Get as _;
    match store.language.get() {
        Language::English => &EN,
        Language::Chinese => &ZH,
    }
}

/// One of them, as it is in the language on screen.
pub fn word(store: Store, pick: fn(&'static LessonWords) -> &'static str) -> View {
    live_text(move || pick(lesson_words(store)))
}

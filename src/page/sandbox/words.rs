//! The words of the sandbox, in a table of their own: the first screen does without them.

use leptos::prelude::Get as _;
use vitrine_protocol::announce::Language;

use crate::store::Store;
use crate::view::{View, live_text};

/// The words in one language.
#[allow(missing_docs, reason = "each is named after what it says")]
pub struct SandboxWords {
    pub about: &'static str,
    pub tools: &'static str,
    pub tools_about: &'static str,
    pub no_tools: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub schema: &'static str,
    pub code: &'static str,
    pub sequential: &'static str,
    pub save: &'static str,
    pub edit: &'static str,
    pub remove: &'static str,
    pub not_json: fn(usize, &str) -> String,
    pub script: &'static str,
    pub script_about: &'static str,
    pub prompt: &'static str,
    pub turns: &'static str,
    pub add_words: &'static str,
    pub add_call: &'static str,
    pub of_tool: &'static str,
    pub play: &'static str,
    pub save_file: &'static str,
    pub open_file: &'static str,
    pub no_lesson: &'static str,
    pub some_words: &'static str,
}

const EN: SandboxWords = SandboxWords {
    about: "Make tools, write what the scripted model answers, and play it.",
    tools: "Tools of your own",
    tools_about: "The body is JavaScript and gets args. It runs in a sandbox without page, storage or network, ten seconds at most. A tool that is saved is on, for every model.",
    no_tools: "None yet.",
    name: "Name",
    description: "What the model reads of it",
    schema: "Schema of its arguments",
    code: "Body: return the result",
    sequential: "Its calls run one after the other",
    save: "Save tool",
    edit: "Edit",
    remove: "Remove",
    not_json: |line, why| format!("Line {line} is no JSON: {why}"),
    script: "Script",
    script_about: "One turn a request, in order.",
    prompt: "Your message",
    turns: "Turns of the model, as JSON",
    add_words: "Add words",
    add_call: "Add a call",
    of_tool: "of the tool",
    play: "Play",
    save_file: "Save as lesson file",
    open_file: "Open a lesson file",
    no_lesson: "That file is no lesson.",
    some_words: "Done.",
};

const ZH: SandboxWords = SandboxWords {
    about: "制作工具，写好脚本模型的回答，然后播放。",
    tools: "自制工具",
    tools_about: "主体是 JavaScript，参数为 args。它在沙箱中运行，没有页面、存储和网络，最多十秒。保存后的工具对任何模型都开启。",
    no_tools: "还没有。",
    name: "名称",
    description: "模型读到的说明",
    schema: "参数的 schema",
    code: "主体：返回结果",
    sequential: "它的调用逐个执行",
    save: "保存工具",
    edit: "编辑",
    remove: "移除",
    not_json: |line, why| format!("第 {line} 行不是 JSON：{why}"),
    script: "脚本",
    script_about: "每次请求一轮，按顺序。",
    prompt: "你的消息",
    turns: "模型的各轮回答，JSON",
    add_words: "加一段话",
    add_call: "加一个调用",
    of_tool: "所用工具",
    play: "播放",
    save_file: "存为课程文件",
    open_file: "打开课程文件",
    no_lesson: "这个文件不是课程。",
    some_words: "完成。",
};

/// The words in the language on screen; tracked.
pub fn sandbox_words(store: Store) -> &'static SandboxWords {
    match store.language.get() {
        Language::English => &EN,
        Language::Chinese => &ZH,
    }
}

/// One of them, as it is in the language on screen.
pub fn word(store: Store, pick: fn(&'static SandboxWords) -> &'static str) -> View {
    live_text(move || pick(sandbox_words(store)))
}

//! Chinese. Terms a learner will meet in code keep their English name in parentheses at first use.

use vitrine_agent::event::CallState;
use vitrine_protocol::announce::Language;
use vitrine_protocol::failure::Failure;
use vitrine_protocol::numbers::dollars;
use vitrine_protocol::transcript::Executed;

use super::{Texts, Told};

fn state(state: CallState, executed: Executed) -> &'static str {
    match state {
        CallState::Requested => "已请求，未执行",
        CallState::Found | CallState::Prepared | CallState::Valid => "检查中",
        CallState::Admitted => "已放行",
        CallState::Executing => "执行中",
        CallState::Finalized | CallState::Recorded => "完成",
        CallState::NotFound => "没有这个工具",
        CallState::Invalid => "参数无效",
        CallState::Blocked => "被拦下",
        CallState::Truncated => "被截断，未执行",
        CallState::Aborted => match executed {
            Executed::No => "已中止，未执行",
            Executed::Perhaps => "已中止，可能执行了一部分",
            Executed::Yes => "已中止",
        },
        CallState::Threw => "出错",
    }
}

fn failure(failure: Failure) -> Told {
    let text = match failure {
        Failure::Key => "这次请求没有执行任何东西。你的消息还在；换一个密钥再试。",
        Failure::Overloaded => "它过载了，或者达到了限额。这次请求没有执行任何东西。稍等再试。",
        Failure::Unreachable => "模型面板里的连接测试会检查常见原因：离线、服务器不允许（CORS）、被浏览器拦下。",
        Failure::CutOff => "已经收到的都留着。没有结束的消息里的工具调用一个也没有执行。",
        Failure::Aborted => "你结束了这次运行。已经收到的都留着，没有再执行别的。",
        Failure::Length => "已经收到的都留着。其中的工具调用没有执行。",
        Failure::Other => "已经收到的都留着，你的消息也还在。",
    };
    Told { title: failure.heading(Language::Chinese), text }
}

fn verdict(code: &str) -> Told {
    match code {
        "ok" => Told { title: "服务器有回应", text: "它说的是这个协议，可以使用这个模型。" },
        "offline" => Told { title: "这台电脑离线了", text: "连上网络，再测一次。" },
        "mixed-content" => Told {
            title: "安全页面不能访问 http 地址",
            text: "请用服务器的 https 地址，或者在自己的电脑上用 http 打开本页。",
        },
        "csp" | "blocked-by-policy" => Told {
            title: "本页自己的策略拦下了这个地址",
            text: "需要由本页的管理者把这个地址加进 connect-src。",
        },
        "loopback" | "local-network-denied" => Told {
            title: "网页访问你的电脑之前，浏览器会先询问",
            text: "请在浏览器询问时（或在网站设置里）允许访问本地网络，再测一次。",
        },
        "cors" | "down-or-cors" => Told {
            title: "从本页连不上这个服务器",
            text: "要么这个地址没有服务在监听，要么服务器不允许来自这里的页面（CORS）。",
        },
        "status" => {
            Told { title: "服务器回答了一个错误", text: "已经连到服务器；它说的话在下面。" }
        }
        "not-a-model-server" => Told {
            title: "有东西回应，但不是模型服务器",
            text: "请检查基础 URL：它一般以 /v1 结尾。",
        },
        "invalid-url" | "bad-url" => {
            Told { title: "这不是网址", text: "请写完整，例如 http://localhost:11434/v1" }
        }
        _ => Told { title: "测试没有成功", text: "看到的情况在下面。" },
    }
}

fn cause(code: &str) -> &'static str {
    match code {
        "offline" => "是不是离线了？",
        "mixed-content" => "是不是安全页面在访问 http 地址？",
        "csp" | "blocked-by-policy" => "是不是被本页的策略拦下了？",
        "loopback" | "local-network-denied" => "浏览器是不是拒绝了访问你的电脑？",
        "cors" | "down-or-cors" => "服务器是不是不允许这样的页面（CORS），或者没有启动？",
        "status" => "服务器是不是回答了错误？",
        "not-a-model-server" => "那里是不是别的服务？",
        "invalid-url" | "bad-url" => "地址是不是写错了？",
        _ => "别的原因？",
    }
}

fn answer(code: &str) -> &'static str {
    match code {
        "no" => "不是",
        "likely" => "很可能",
        "yes" => "是",
        _ => "不清楚",
    }
}

/// The texts.
pub(super) static TEXTS: Texts = Texts {
    sessions_and_settings: "会话",
    first_lesson: "第一课",
    model: "模型",
    scripted: "脚本（不是 AI）",
    scripted_short: "脚本",
    language: "语言",
    theme: |theme| {
        let theme = match theme {
            "light" => "浅色",
            "dark" => "深色",
            _ => "跟随系统",
        };
        format!("主题：{theme}")
    },
    keys_and_help: "快捷键与帮助",
    panels: "面板",
    close: "关闭",

    idle: "空闲",
    running: "运行中",
    paused: "已暂停",
    waiting: "等你决定",
    starting: "正在启动",
    turn: |number| format!("轮次 {number}"),
    requests: |number| format!("{number} 次请求"),
    context: |share| format!("{share} 上下文"),
    cost_scripted: "$0，脚本",
    cost: dollars,
    stored_browser: "文件保存在本浏览器",
    stored_memory: "文件只在内存里",

    chat: "对话",
    conversation: "对话",
    you: "你",
    the_model: "模型",
    thinking: "正在思考",
    thought: "模型的思考",
    new_messages: "新消息",
    show_earlier: |number| format!("显示更早的（{number}）"),
    copy: "复制",
    copied: "已复制",
    copy_failed: "浏览器不允许：请选中后复制",
    load_image: |alt| if alt.is_empty() { "载入图片".into() } else { format!("载入图片：{alt}") },
    untitled: "新会话",

    message: "输入消息",
    send: "发送",
    stop: "停止",
    hint_send: "发送",
    hint_newline: "换行",
    hint_steer: "插话：在下一次请求之前读到",
    hint_follow_up: "运行结束后再说",
    steering: "插话",
    follow_up: "追加",
    take_back: "收回",
    queued: "等待中的消息",

    call_name: |name, subject, state| format!("工具调用，{name} {subject}，{state}"),
    state,
    model_asks: "模型请求",
    host_acts: "宿主执行",
    host_checks: "宿主检查",
    host_runs: "宿主执行",
    so_far: "目前",
    host_returns: "宿主返回",
    evidence: "证据",
    now_nothing: "此刻：什么都还没发生",
    now: "此刻",
    gates: ["存在", "预处理", "模式", "钩子"],
    gates_none: "四道检查，都还没有进行",
    gates_name: "四道检查",
    passed: "通过",
    refused: "未通过",
    not_tried: "没有进行",
    lamps: ["看到开始", "结束且无错误", "有 durationMs", "结果已入历史"],
    ended_with_error: "结束但有错误",
    lit: "是",
    unlit: "还没有",
    never: "不会有",
    not_started: "未开始",
    running_now: "执行中",
    never_ran: "没有执行",
    may_have_run: "可能执行了一部分",
    nothing_yet: "还没有",
    model_reads_this: "模型会读到这段话。",
    nothing_returned: "空文本",
    lines: |number| format!("{number} 行"),
    left_out: |lines, size| format!("此处略去 {lines} 行（{size}）"),
    show_all: "全部显示",
    show_more: |shown, pages| format!("继续显示（{shown} / {pages}）"),
    download: "下载",

    loop_: "循环",
    rail_name: |turn| format!("循环，第 {turn} 轮"),
    run: "运行",
    rail_message: "消息",
    rail_request: |number| format!("请求 #{number}"),
    rail_request_first: "系统提示、工具、消息",
    rail_request_more: |number| format!("多 {number} 条消息"),
    rail_not_asked: "没有发出请求",
    rail_check: "检查",
    rail_execute: "执行",
    rail_gates: "存在、预处理、模式、钩子",
    rail_same_id: "按同一个 toolCallId 返回",
    rail_user: |text| format!("用户：“{text}”"),
    quoted: |text| format!("“{text}”"),
    streaming: "正在生成",
    tokens: |number| format!("{number} token"),
    no_error: "没有错误",
    an_error: "有错误",
    not_yet: "尚未",
    rail_earlier: |number| format!("更早的 {number} 行没有画出"),
    loop_empty: [
        ("提问", "模型收到一次请求"),
        ("调用", "它可以请求一个工具（toolCall）"),
        ("检查", "由宿主决定"),
        ("执行", "由宿主动手"),
        ("回传", "下一次请求带上结果"),
    ],
    pause: "暂停",
    step: "单步",
    step_turn: "一轮",
    paused_at: |event| format!("在 {event} 之前"),
    paused_at_answer: |event| format!("{event} 的结果已到，尚未采用"),
    paused_at_call: "收到 toolCall，未执行",
    paused_asked: "模型已经请求，但什么都还没发生。",
    press_step: "请按“单步”。",
    paused_held: "在你按“单步”或“运行”之前，不会再发生任何事。",
    answering: "模型正在回答。",
    tools_running: "宿主正在执行。",
    answering_detail: |requests| format!("请求 #{requests}。暂停不会打断数据流。"),
    no_run: "没有运行。",
    no_run_detail: "发一条消息，然后在这里观察或暂停循环。",

    files: "文件",
    files_empty: "还没有文件。智能体的文件会出现在这里；也可以把文件或 zip 拖进来。",
    choose_files: "选择文件",
    add_files: "添加文件",
    download_all: "全部下载",
    left_out_of_archive: |n, first| format!("压缩包中有 {n} 项未导入，第一项是 {first}"),
    rest_is_there: "其余都已导入",
    file_written: "已写入",
    file_binary: |size| format!("不是文本（{size}）。"),
    file_pick: "选一个文件，在这里阅读。",
    file_empty: "这个文件是空的。",

    chat_empty: "让它在文件上做点事。",
    prompts: ["列出所有文件，说说各自的用途", "读 notes.md，用三行总结", "写一个 hello.md，放一句简短的问候"],
    lesson_eyebrow: "第一课，十秒钟",
    lesson_title: "谁在执行工具？",
    lesson_text: "模型打不开文件，它只能请求。按“运行”，看脚本模型怎样请求、本页怎样执行、结果怎样回去。它会在请求之后停一次。",
    lesson_steps: ["模型请求一个文件", "宿主检查并读取", "结果返回，模型回答"],
    run_it: "运行",
    or_use_a_model: "使用真实模型",
    no_key_needed: "不用密钥，数据不离开本页。",

    model_lede: "模型只负责回答。文件、工具和会话都留在这个浏览器里。",
    scripted_about: "演示课程用。数据不离开本页。",
    compatible: "OpenAI 兼容服务器",
    compatible_about: "你电脑上的 Ollama、LM Studio、llama.cpp，或任何支持 Chat Completions 的服务器。消息和你提到的文件会发到你填写的地址。",
    in_use: "使用中",
    use_it: "使用",
    base_url: "基础 URL",
    model_id: "模型",
    key: "密钥（可不填）",
    key_help: "只在内存里，刷新即消失。只发给这个地址。",
    key_held: "内存里有这个地址的密钥。",
    keys_not_here: "这里不能输入密钥：嵌入本组件的页面没有设置 allow-keys。",
    test_connection: "测试连接",
    testing: "正在测试……",
    forget_keys: "忘掉所有密钥",
    keys_kept: "密钥只在内存里，刷新即消失。",
    keys_forgotten: "已经没有任何密钥。",
    server_models: "这个服务器上的模型",
    need_url: "请先填写服务器地址。",
    need_model: "请先填写或选择模型。",
    verdict,
    cause,
    answer,
    status_code: |status| format!("状态码 {status}"),

    sessions: "会话",
    sessions_empty: "会话只保存在这个浏览器里。导出才能长期保留。",
    new_session: "新会话",
    import_session: "导入",
    export_session: |name| format!("导出 {name}"),
    export: "导出",
    rename: "改名",
    rename_session: |name| format!("给 {name} 改名"),
    remove: "删除",
    remove_session: |name| format!("删除 {name}"),
    remove_sure: |name| format!("永久删除“{name}”？"),
    keep: "保留",
    save: "保存",
    session_open: "已打开",
    messages: |number| format!("{number} 条消息"),

    keys_title: "快捷键",
    keys_composer: "在消息框里",
    keys_loop: "在循环面板里",
    keys_anywhere: "任何地方",
    key_send: "发送",
    key_newline: "换行",
    key_steer: "运行时：插话，在下一次请求之前读到",
    key_follow_up: "运行时：追加，运行要结束时读到",
    key_take_back: "收回等待中的消息",
    key_stop: "停止运行；关闭面板",
    key_step: "走到下一个事件",
    key_step_turn: "走到下一轮",
    key_run: "继续运行",
    key_panels: "对话、循环、文件",
    key_sheet: "这张表",
    key_lists: "在列表里移动",

    memory: Told {
        title: "文件只在内存里，刷新即丢失", text: "这个工作区没有名字，所以什么都不会保留。"
    },
    unavailable: Told {
        title: "文件只在内存里，刷新即丢失",
        text: "浏览器没有给本页存储空间（可能是无痕窗口）。导出会话才能保留。",
    },
    other_tab: Told {
        title: "这个工作区已在另一个标签页打开",
        text: "同一时间只有一个标签页能写。这里的文件只在内存里，刷新即丢失；关掉另一个标签页再刷新，就能使用保存的文件。",
    },
    recovered: |bytes| format!("上次没有正常结束：日志末尾有 {bytes} 字节读不出来，已丢弃。"),
    dismiss: "知道了",
    failure,
    try_again: "再试一次",
    unanswered: "回答没有到达",
    unanswered_kept: "模型回答时页面被关闭。你的消息还在，已经到达的部分回答没有保存。",
    edit_key: "修改密钥",
    switch_model: "换模型",
    details: "服务器的原话",
};

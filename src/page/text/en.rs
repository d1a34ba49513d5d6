//! English.

use vitrine_agent::event::CallState;
use vitrine_protocol::announce::Language;
use vitrine_protocol::failure::Failure;
use vitrine_protocol::numbers::dollars;
use vitrine_protocol::transcript::Executed;

use super::{Texts, Told};

/// One or many.
fn count(number: u64, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

fn state(state: CallState, executed: Executed) -> &'static str {
    match state {
        CallState::Requested => "asked, not executed",
        CallState::Found | CallState::Prepared | CallState::Valid => "checking",
        CallState::Admitted => "admitted",
        CallState::Executing => "executing",
        CallState::Finalized | CallState::Recorded => "done",
        CallState::NotFound => "not found",
        CallState::Invalid => "invalid",
        CallState::Blocked => "blocked",
        CallState::Truncated => "truncated, not executed",
        CallState::Aborted => match executed {
            Executed::No => "aborted, not executed",
            Executed::Perhaps => "aborted, may have run in part",
            Executed::Yes => "aborted",
        },
        CallState::Threw => "threw",
    }
}

fn failure(failure: Failure) -> Told {
    let text = match failure {
        Failure::Key => "Nothing was executed for this request. Your message is kept; enter another key and try again.",
        Failure::Overloaded => {
            "It is overloaded or a limit is reached. Nothing was executed for this request. Wait a little and try again."
        }
        Failure::Unreachable => {
            "The connection test in the model sheet looks at the usual causes: offline, refused by the server (CORS), blocked by the browser."
        }
        Failure::CutOff => "What arrived is kept. No tool call of a message that did not end was executed.",
        Failure::Aborted => "You ended the run. What arrived is kept; nothing more was executed.",
        Failure::Length => "What arrived is kept. Its tool calls were not executed.",
        Failure::Other => "What arrived is kept. Your message is kept too.",
    };
    Told { title: failure.heading(Language::English), text }
}

fn verdict(code: &str) -> Told {
    match code {
        "ok" => Told { title: "The server answers", text: "It speaks the protocol. You can use this model." },
        "offline" => Told { title: "This computer is offline", text: "Connect to a network, then test again." },
        "mixed-content" => Told {
            title: "A secure page may not call an http address",
            text: "Use the server's https address, or open this page over http on your own computer.",
        },
        "csp" | "blocked-by-policy" => Told {
            title: "This page's own policy blocks the address",
            text: "Whoever runs this page must add the address to connect-src.",
        },
        "loopback" | "local-network-denied" => Told {
            title: "The browser asks before a page may talk to your computer",
            text: "Allow local network access for this site when the browser asks, or in its site settings, then test again.",
        },
        "cors" | "down-or-cors" => Told {
            title: "The server could not be reached from this page",
            text: "Either nothing listens at the address, or the server does not allow pages from here (CORS).",
        },
        "status" => Told { title: "The server answered with an error", text: "It was reached; what it said is below." },
        "not-a-model-server" => Told {
            title: "Something answered, but not a model server",
            text: "Check the base URL: it usually ends in /v1.",
        },
        "invalid-url" | "bad-url" => {
            Told { title: "This is not a web address", text: "Write it whole, for example http://localhost:11434/v1" }
        }
        _ => Told { title: "The test did not succeed", text: "What was seen is below." },
    }
}

fn cause(code: &str) -> &'static str {
    match code {
        "offline" => "Are you offline?",
        "mixed-content" => "Does a secure page call an http address?",
        "csp" | "blocked-by-policy" => "Blocked by this page’s policy?",
        "loopback" | "local-network-denied" => "Did the browser refuse access to your own computer?",
        "cors" | "down-or-cors" => "Does the server refuse pages like this one (CORS), or is it down?",
        "status" => "Did the server answer with an error?",
        "not-a-model-server" => "Is something else answering there?",
        "invalid-url" | "bad-url" => "Is the address malformed?",
        _ => "Another cause?",
    }
}

fn answer(code: &str) -> &'static str {
    match code {
        "no" => "no",
        "likely" => "likely",
        "yes" => "yes",
        _ => "unknown",
    }
}

/// The texts.
pub(super) static TEXTS: Texts = Texts {
    sessions_and_settings: "Sessions",
    first_lesson: "First lesson",
    model: "Model",
    scripted: "Scripted (not an AI)",
    scripted_short: "Scripted",
    language: "Language",
    theme: |theme| {
        let theme = match theme {
            "light" => "light",
            "dark" => "dark",
            _ => "as the system",
        };
        format!("Theme: {theme}")
    },
    keys_and_help: "Keys and help",
    panels: "Panels",
    close: "Close",

    idle: "idle",
    running: "running",
    paused: "paused",
    waiting: "waiting for you",
    starting: "starting",
    turn: |number| format!("turn {number}"),
    requests: |number| count(number.into(), "request", "requests"),
    context: |share| format!("{share} context"),
    cost_scripted: "$0, scripted",
    cost: dollars,
    stored_browser: "files in this browser",
    stored_memory: "files in memory only",
    stored_for_good: "files kept in this browser",
    stored_while_room: "files in this browser, while it has room",
    stored_elsewhere: "read only",

    chat: "Chat",
    conversation: "Conversation",
    you: "you",
    the_model: "model",
    thinking: "thinking",
    thought: "thoughts of the model",
    new_messages: "New messages",
    show_earlier: |number| format!("Show earlier ({number})"),
    copy: "Copy",
    copied: "Copied",
    copy_failed: "The browser refused: select and copy",
    load_image: |alt| if alt.is_empty() { "Load image".into() } else { format!("Load image: {alt}") },
    untitled: "new session",

    message: "Message",
    send: "Send",
    stop: "Stop",
    hint_send: "sends",
    hint_newline: "new line",
    hint_steer: "steers: read before the next request",
    hint_follow_up: "follows up",
    steering: "steering",
    follow_up: "follow-up",
    take_back: "Take back",
    queued: "Messages waiting",

    call_name: |name, subject, state| format!("Tool call, {name} {subject}, {state}"),
    state,
    model_asks: "model asks",
    host_acts: "host acts",
    host_checks: "host checks",
    host_runs: "host runs",
    so_far: "so far",
    host_returns: "host returns",
    evidence: "evidence",
    now_nothing: "now: nothing has happened yet",
    now: "now",
    gates: ["found", "prepared", "schema", "hook"],
    gates_none: "Four gates, none tried yet",
    gates_name: "Four gates",
    passed: "passed",
    refused: "refused",
    not_tried: "not tried",
    lamps: ["start seen", "ended without error", "has durationMs", "toolResult in history"],
    ended_with_error: "ended with error",
    lit: "yes",
    unlit: "not yet",
    never: "never",
    not_started: "not started",
    running_now: "running",
    never_ran: "never ran",
    may_have_run: "may have run in part",
    nothing_yet: "nothing yet",
    model_reads_this: "The model reads this.",
    nothing_returned: "an empty text",
    lines: |number| count(number as u64, "line", "lines"),
    left_out: |lines, size| format!("{} left out here ({size})", count(lines as u64, "line", "lines")),
    show_all: "Show all",
    show_more: |shown, pages| format!("Show more ({shown} of {pages})"),
    download: "Download",

    loop_: "Loop",
    rail_name: |turn| format!("Loop, turn {turn}"),
    run: "Run",
    rail_message: "message",
    rail_request: |number| format!("request #{number}"),
    rail_request_first: "system, tools, messages",
    rail_request_more: |number| format!("+{}", count(number as u64, "message", "messages")),
    rail_not_asked: "no request was sent",
    rail_check: "check",
    rail_execute: "execute",
    rail_gates: "found, prepared, schema, hook",
    rail_same_id: "goes back under the same toolCallId",
    rail_user: |text| format!("user: “{text}”"),
    quoted: |text| format!("“{text}”"),
    streaming: "streaming",
    tokens: |number| count(number, "token", "tokens"),
    no_error: "no error",
    an_error: "error",
    not_yet: "not yet",
    rail_earlier: |number| format!("{number} earlier rows are not drawn"),
    loop_empty: [
        ("ask", "the model gets a request"),
        ("call", "it may ask for a tool"),
        ("check", "the host decides"),
        ("execute", "the host acts"),
        ("feed back", "the next request carries it"),
    ],
    pause: "Pause",
    step: "Step",
    step_turn: "Turn",
    paused_at: |event| format!("before {event}"),
    paused_at_answer: |event| format!("at what came of {event}, not taken in yet"),
    paused_at_call: "at toolCall received, not executed",
    paused_asked: "The model has asked. Nothing has happened yet.",
    press_step: "Press Step.",
    paused_held: "Nothing more happens until you press Step or Run.",
    answering: "The model is answering.",
    tools_running: "The host is acting.",
    answering_detail: |requests| format!("Request #{requests}. Pausing never breaks the stream."),
    no_run: "No run.",
    no_run_detail: "Send a message, then watch or pause the loop here.",

    files: "Files",
    files_empty: "No files yet. The agent’s files appear here; drop files or a zip.",
    choose_files: "Choose files",
    add_files: "Add files",
    open_folder: "Open a folder",
    folder_title: "Folder on this machine",
    folder_differs: |name, n| match n {
        0 => format!("{name}: same"),
        n => format!("{name}: {n} differ"),
    },
    folder_same: "The folder and the workspace are the same.",
    folder_out: "Would go to the folder",
    folder_in: "Changed outside",
    folder_conflicts: "Changed on both sides: yours to decide",
    folder_counts: |[added, changed, removed]| format!("{added} added, {changed} changed, {removed} removed"),
    folder_sides: ["as it was", "added", "changed", "removed"],
    folder_both: |here, there| format!("here {here}, there {there}"),
    folder_whose: |path| format!("{path}: whose it is to be"),
    folder_skip: "Leave both",
    folder_mine: "Keep mine",
    folder_theirs: "Take theirs",
    folder_save: "Save to the folder",
    folder_read: "Read in",
    folder_other: "Open another",
    folder_remove: "Remove there what was removed here",
    folder_left: |n| format!("{n} left alone, like .git and node_modules"),
    folder_done: |written, removed, read| format!("{written} written and {removed} removed there, {read} read in"),
    download_all: "Download all",
    left_out_of_archive: |n, first| {
        let entries = count(n, "entry of the archive was", "entries of the archive were");
        format!("{entries} left out, the first is {first}")
    },
    rest_is_there: "Everything else is here",

    file_written: "written",
    file_binary: |size| format!("Not text ({size})."),
    file_pick: "Choose a file to read it here.",
    file_empty: "This file is empty.",
    removed: |name| format!("{name} is removed."),
    tree: "Tree",
    changes: "Changes",
    more: "More",
    new_file: "New file",
    new_folder: "New folder",
    read: "Read",
    edit: "Edit",
    preview: "Preview",
    shown_as: "Shown as",
    show_changes: "Show changes",
    keep_snapshot: "Keep a snapshot",
    reset: "Reset to the start …",
    wider: "Wider, in the place of the loop",
    name: "Name",
    unsaved: "not saved",
    saved: "Saved",
    undo: "Undo",
    undone: "undone",
    undo_turn: "Undo this turn",
    restore: "Restore …",
    restore_sure: "Every file goes back to how it was at this snapshot. That is a change of its own and can be undone.",
    restored: "restored",
    file_gone: "This file is gone.",
    file_read: "read",
    file_unfit: "This file is no text, or too long to be edited here.",
    conflict_changed: "The file has changed while you were editing it",
    conflict_bytes: "The file has become something that is no text",
    conflict_gone: "The file was removed or renamed while you were editing it",
    keep_mine: "Keep mine",
    take_theirs: "Take theirs",
    compare: "Compare",
    compare_with: "Compare with",
    no_preview: "The preview could not be made.",
    difference: "Differences",
    no_difference: "Nothing is different.",
    diff_added: "new",
    diff_removed: "removed",
    diff_changed: "changed",
    diff_renamed: "renamed",
    diff_too_large: "Too large to be compared.",
    diff_binary: "Not text: there are no lines to compare.",
    diff_cut: "The rest is not shown.",
    whole_file: "Whole file",
    all_changes: "All changes",
    no_changes: "Nothing has changed yet.",
    all_files: "all files",
    by_import: "added from outside",
    by_tool: "tool",
    by_shell: "shell",
    by_other_tab: "another tab",
    snapshot: "Snapshot",
    snapshots: "Snapshots",
    snapshot_name: "Name of a new snapshot",
    now_files: "now",
    start_files: "the start",
    tools: "Tools",
    tools_about: "What the model may call. The next request tells it.",

    chat_empty: "Ask for work on files.",
    prompts: [
        "List the files and say what each is for",
        "Read notes.md and sum it up in three lines",
        "Write hello.md with a short greeting",
    ],
    lesson_eyebrow: "First lesson, ten seconds",
    lesson_title: "Who runs the tool?",
    lesson_text: "A model cannot open a file. It can only ask. Press Run and watch a scripted model ask, this page act, and the answer come back. It pauses once, right after the question.",
    lesson_steps: [
        "the model asks for a file",
        "the host checks and reads it",
        "the result goes back, the model answers",
    ],
    run_it: "Run",
    or_use_a_model: "Use a real model",
    no_key_needed: "No key, nothing leaves this page.",

    model_lede: "The model only answers. Files, tools and sessions stay in this browser.",
    scripted_about: "Plays the lesson. Nothing leaves this page.",
    compatible: "OpenAI-compatible server",
    compatible_about: "Ollama, LM Studio, llama.cpp on your computer, or any server that speaks Chat Completions. Messages and files you mention go to the address you name.",
    in_use: "In use",
    use_it: "Use",
    base_url: "Base URL",
    model_id: "Model",
    key: "Key (optional)",
    key_help: "Kept in memory, gone on reload. Sent only to this address.",
    key_held: "A key for this address is held in memory.",
    keys_not_here: "Keys cannot be entered here: this page embeds the agent without allow-keys.",
    test_connection: "Test connection",
    testing: "Testing …",
    forget_keys: "Forget all keys",
    keys_kept: "Keys are kept in memory, gone on reload.",
    keys_forgotten: "No key is held any more.",
    server_models: "Models on this server",
    need_url: "Write the server's address first.",
    need_model: "Write or choose a model first.",
    verdict,
    cause,
    answer,
    status_code: |status| format!("Status {status}"),

    sessions: "Sessions",
    sessions_empty: "Sessions are kept only in this browser. Export to keep.",
    new_session: "New session",
    import_session: "Import",
    export_session: |name| format!("Export {name}"),
    export: "Export",
    rename: "Rename",
    rename_session: |name| format!("Rename {name}"),
    remove: "Remove",
    remove_session: |name| format!("Remove {name}"),
    remove_sure: |name| format!("Remove “{name}” for good?"),
    keep: "Keep",
    save: "Save",
    session_open: "open",
    messages: |number| count(number.into(), "message", "messages"),

    keys_title: "Keys",
    keys_composer: "In the message field",
    keys_loop: "In the Loop panel",
    keys_anywhere: "Anywhere",
    key_send: "send",
    key_newline: "new line",
    key_steer: "while running: steer, read before the next request",
    key_follow_up: "while running: follow up, read when the run would end",
    key_take_back: "take waiting messages back",
    key_stop: "stop the run; close a sheet",
    key_step: "step to the next event",
    key_step_turn: "step to the next turn",
    key_run: "run on",
    key_panels: "Chat, Loop, Files",
    key_sheet: "this sheet",
    key_lists: "move in lists",

    memory: Told {
        title: "Files live in memory here and will be lost on reload",
        text: "This workspace has no name, so nothing of it is kept.",
    },
    unavailable: Told {
        title: "Files live in memory here and will be lost on reload",
        text: "This browser gives this page no storage (a private window, perhaps). Export a session to keep it.",
    },
    reads: Told {
        title: "Read only: another tab writes in this workspace",
        text: "Its files and sessions show here as they change. Take over to write here; the other tab then stops and reads.",
    },
    take_over: "Take over",
    composer_reads: "Read only: another tab writes",
    chat_reads: "What the other tab writes shows here.",
    recovered: |bytes| {
        format!(
            "The last stop was not clean: {} at the end of the log could not be read and were dropped.",
            count(bytes, "byte", "bytes")
        )
    },
    dismiss: "Dismiss",
    failure,
    try_again: "Try again",
    unanswered: "The answer did not come",
    unanswered_kept: "The page was closed while the model was answering. Your message is kept; what had come of the answer is not.",
    edit_key: "Edit key",
    switch_model: "Switch model",
    details: "What the server said",
};

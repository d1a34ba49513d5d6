//! Every text of the page, in every language. A language is one `Texts`: a text missing in it does not compile.
//!
//! Words of the protocol that a learner will meet again in code (`toolCall`, event names, `durationMs`) stay as they are.

mod en;
mod zh;

use leptos::prelude::*;
use vitrine_agent::event::CallState;
use vitrine_protocol::announce::Language;
use vitrine_protocol::failure::Failure;
use vitrine_protocol::transcript::Executed;

/// The texts of a language.
pub fn texts(language: Language) -> &'static Texts {
    match language {
        Language::English => &en::TEXTS,
        Language::Chinese => &zh::TEXTS,
    }
}

/// The `lang` attribute of a language.
pub fn tag(language: Language) -> &'static str {
    match language {
        Language::English => "en",
        Language::Chinese => "zh",
    }
}

/// One text in the language on screen. Every one is of this type, so the code that shows it exists once.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The language on screen.
    pub language: RwSignal<Language>,
    /// Which text of it.
    pub pick: fn(&'static Texts) -> &'static str,
}

impl Words {
    /// The text now; tracked.
    pub fn get(self) -> &'static str {
        (self.pick)(texts(self.language.get()))
    }
}

/// A title, what happened, and what to do.
#[derive(Clone, Copy, Debug)]
pub struct Told {
    /// The failure in a few words.
    pub title: &'static str,
    /// What follows from it, and what to do.
    pub text: &'static str,
}

/// All texts. Functions where a number or a name goes in.
#[allow(missing_docs, reason = "each field is named after its English text")]
#[derive(Debug)]
pub struct Texts {
    // Bars
    pub sessions_and_settings: &'static str,
    pub first_lesson: &'static str,
    pub model: &'static str,
    pub scripted: &'static str,
    pub scripted_short: &'static str,
    pub language: &'static str,
    pub theme: fn(&str) -> String,
    pub keys_and_help: &'static str,
    pub panels: &'static str,
    pub close: &'static str,
    // Status line
    pub idle: &'static str,
    pub running: &'static str,
    pub paused: &'static str,
    pub waiting: &'static str,
    pub starting: &'static str,
    pub turn: fn(u32) -> String,
    pub requests: fn(u32) -> String,
    pub context: fn(&str) -> String,
    pub cost_scripted: &'static str,
    pub cost: fn(f64) -> String,
    pub stored_browser: &'static str,
    pub stored_memory: &'static str,
    // Chat
    pub chat: &'static str,
    pub conversation: &'static str,
    pub you: &'static str,
    pub the_model: &'static str,
    pub thinking: &'static str,
    pub thought: &'static str,
    pub new_messages: &'static str,
    pub show_earlier: fn(usize) -> String,
    pub copy: &'static str,
    pub copied: &'static str,
    pub copy_failed: &'static str,
    pub load_image: fn(&str) -> String,
    pub untitled: &'static str,
    // Composer
    pub message: &'static str,
    pub send: &'static str,
    pub stop: &'static str,
    pub hint_send: &'static str,
    pub hint_newline: &'static str,
    pub hint_steer: &'static str,
    pub hint_follow_up: &'static str,
    pub steering: &'static str,
    pub follow_up: &'static str,
    pub take_back: &'static str,
    pub queued: &'static str,
    // Call card
    pub call_name: fn(&str, &str, &str) -> String,
    pub state: fn(CallState, Executed) -> &'static str,
    pub model_asks: &'static str,
    pub host_acts: &'static str,
    pub host_checks: &'static str,
    pub host_runs: &'static str,
    pub so_far: &'static str,
    pub host_returns: &'static str,
    pub evidence: &'static str,
    pub now_nothing: &'static str,
    pub now: &'static str,
    pub gates: [&'static str; 4],
    pub gates_none: &'static str,
    pub gates_name: &'static str,
    pub passed: &'static str,
    pub refused: &'static str,
    pub not_tried: &'static str,
    pub lamps: [&'static str; 4],
    pub ended_with_error: &'static str,
    pub lit: &'static str,
    pub unlit: &'static str,
    pub never: &'static str,
    pub not_started: &'static str,
    pub running_now: &'static str,
    pub never_ran: &'static str,
    pub may_have_run: &'static str,
    pub nothing_yet: &'static str,
    pub model_reads_this: &'static str,
    pub nothing_returned: &'static str,
    pub lines: fn(usize) -> String,
    pub left_out: fn(usize, &str) -> String,
    pub show_all: &'static str,
    pub show_more: fn(usize, usize) -> String,
    pub download: &'static str,
    // Loop
    pub loop_: &'static str,
    pub rail_name: fn(u32) -> String,
    pub run: &'static str,
    pub rail_message: &'static str,
    pub rail_request: fn(usize) -> String,
    pub rail_request_first: &'static str,
    pub rail_request_more: fn(usize) -> String,
    pub rail_not_asked: &'static str,
    pub rail_check: &'static str,
    pub rail_execute: &'static str,
    pub rail_gates: &'static str,
    pub rail_same_id: &'static str,
    pub rail_user: fn(&str) -> String,
    pub quoted: fn(&str) -> String,
    pub streaming: &'static str,
    pub tokens: fn(u64) -> String,
    pub no_error: &'static str,
    pub an_error: &'static str,
    pub not_yet: &'static str,
    pub rail_earlier: fn(usize) -> String,
    pub loop_empty: [(&'static str, &'static str); 5],
    pub pause: &'static str,
    pub step: &'static str,
    pub step_turn: &'static str,
    pub paused_at: fn(&str) -> String,
    pub paused_at_answer: fn(&str) -> String,
    pub paused_at_call: &'static str,
    pub paused_asked: &'static str,
    pub press_step: &'static str,
    pub paused_held: &'static str,
    pub answering: &'static str,
    pub tools_running: &'static str,
    pub answering_detail: fn(usize) -> String,
    pub no_run: &'static str,
    pub no_run_detail: &'static str,
    // Files
    pub files: &'static str,
    pub files_empty: &'static str,
    pub choose_files: &'static str,
    pub add_files: &'static str,
    pub download_all: &'static str,
    pub left_out_of_archive: fn(u64, &str) -> String,
    pub rest_is_there: &'static str,
    pub file_written: &'static str,
    pub file_binary: fn(&str) -> String,
    pub file_pick: &'static str,
    pub file_empty: &'static str,
    // Empty chat and the first lesson
    pub chat_empty: &'static str,
    pub prompts: [&'static str; 3],
    pub lesson_eyebrow: &'static str,
    pub lesson_title: &'static str,
    pub lesson_text: &'static str,
    pub lesson_steps: [&'static str; 3],
    pub run_it: &'static str,
    pub or_use_a_model: &'static str,
    pub no_key_needed: &'static str,
    // Model sheet
    pub model_lede: &'static str,
    pub scripted_about: &'static str,
    pub compatible: &'static str,
    pub compatible_about: &'static str,
    pub in_use: &'static str,
    pub use_it: &'static str,
    pub base_url: &'static str,
    pub model_id: &'static str,
    pub key: &'static str,
    pub key_help: &'static str,
    pub key_held: &'static str,
    pub keys_not_here: &'static str,
    pub test_connection: &'static str,
    pub testing: &'static str,
    pub forget_keys: &'static str,
    pub keys_kept: &'static str,
    pub keys_forgotten: &'static str,
    pub server_models: &'static str,
    pub need_url: &'static str,
    pub need_model: &'static str,
    pub verdict: fn(&str) -> Told,
    pub cause: fn(&str) -> &'static str,
    pub answer: fn(&str) -> &'static str,
    pub status_code: fn(u16) -> String,
    // Sessions sheet
    pub sessions: &'static str,
    pub sessions_empty: &'static str,
    pub new_session: &'static str,
    pub import_session: &'static str,
    pub export_session: fn(&str) -> String,
    pub export: &'static str,
    pub rename: &'static str,
    pub rename_session: fn(&str) -> String,
    pub remove: &'static str,
    pub remove_session: fn(&str) -> String,
    pub remove_sure: fn(&str) -> String,
    pub keep: &'static str,
    pub save: &'static str,
    pub session_open: &'static str,
    pub messages: fn(u32) -> String,
    // Key sheet
    pub keys_title: &'static str,
    pub keys_composer: &'static str,
    pub keys_loop: &'static str,
    pub keys_anywhere: &'static str,
    pub key_send: &'static str,
    pub key_newline: &'static str,
    pub key_steer: &'static str,
    pub key_follow_up: &'static str,
    pub key_take_back: &'static str,
    pub key_stop: &'static str,
    pub key_step: &'static str,
    pub key_step_turn: &'static str,
    pub key_run: &'static str,
    pub key_panels: &'static str,
    pub key_sheet: &'static str,
    pub key_lists: &'static str,
    // Notices
    pub memory: Told,
    pub unavailable: Told,
    pub other_tab: Told,
    pub recovered: fn(u64) -> String,
    pub dismiss: &'static str,
    pub failure: fn(Failure) -> Told,
    pub try_again: &'static str,
    pub unanswered: &'static str,
    pub unanswered_kept: &'static str,
    pub edit_key: &'static str,
    pub switch_model: &'static str,
    pub details: &'static str,
}

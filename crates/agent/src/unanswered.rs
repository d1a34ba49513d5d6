//! What a model reads in place of the result of a call that was cut short.
//!
//! Written by the loop and by the session, and recognised again where a session is read: its log keeps a call's result
//! and not how far the call had come.

/// The run was aborted before the call was executed. pi's words.
pub const ABORTED: &str = "Operation aborted";

/// The run was aborted while the call was executed, and did not wait for its end.
pub const INTERRUPTED: &str = "Interrupted by the user. The tool may have partly run.";

/// The run ended without a word. Nothing in a session says whether the call had begun, so this says both.
pub const LOST: &str = "No result: the page was closed before this call ended. The tool may not have run at all, or may \
                        have run in part; check before relying on it.";

//! Which files the agent has read and changed in this session, for the marks beside their names.

use vitrine_agent::event::Event;

use crate::notification::{FileChange, Notification};
use crate::path_set::PathSet;
use crate::transcript::subject_of;

/// Where the tools' relative paths begin.
const ROOT: &str = "/workspace/";

/// The marks, a fold over notifications.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    read: PathSet,
    changed: PathSet,
    /// Calls of `read` that have not ended, by id.
    reading: Vec<(String, String)>,
}

/// What the agent did to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    None,
    /// It read it.
    Read,
    /// It wrote it, and may have read it.
    Changed,
}

impl Marks {
    /// Takes one in; says whether a mark is another now.
    pub fn apply(&mut self, notification: &Notification) -> bool {
        match notification {
            Notification::SessionOpened { .. } | Notification::Rewound(_) => {
                *self = Self::default();
                true
            }
            Notification::File(change) => self.file(change),
            Notification::Event(Event::ToolExecutionStart { tool_call_id, tool_name, args })
                if &**tool_name == "read" =>
            {
                if let Some(path) = subject_of(args.as_str()) {
                    let path = path.strip_prefix(ROOT).or_else(|| path.strip_prefix("./")).unwrap_or(&path).to_owned();
                    self.reading.push((tool_call_id.to_string(), path));
                }
                false
            }
            Notification::Event(Event::ToolExecutionEnd { tool_call_id, is_error, .. }) => {
                let Some(at) = self.reading.iter().position(|(id, _)| **id == **tool_call_id) else { return false };
                let (_, path) = self.reading.swap_remove(at);
                !is_error && self.read.insert(&path)
            }
            Notification::Ready
            | Notification::Event(_)
            | Notification::Trace(_)
            | Notification::State(_)
            | Notification::Sessions(_)
            | Notification::Settled { .. }
            | Notification::Request(_)
            | Notification::Edited(_)
            | Notification::Lesson(_)
            | Notification::Toy(_)
            | Notification::Fault(_)
            | Notification::Approval(_)
            | Notification::Part(_)
            | Notification::Problem(_)
            | Notification::Reply(_) => false,
        }
    }

    fn file(&mut self, change: &FileChange) -> bool {
        match change.change.as_str() {
            "removed" => self.changed.remove(&change.path) | self.read.remove(&change.path),
            "written" | "renamed" if change.call_id.is_some() => self.changed.insert(&change.path),
            _ => false,
        }
    }

    /// The mark of a file.
    pub fn of(&self, path: &str) -> Mark {
        if self.changed.contains(path) {
            Mark::Changed
        } else if self.read.contains(path) {
            Mark::Read
        } else {
            Mark::None
        }
    }
}

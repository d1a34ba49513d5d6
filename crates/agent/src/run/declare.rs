//! Keeps what the transcript declares in line with the tools that can be called.

use std::collections::VecDeque;

use crate::message::{Message, SharedMessage, SystemMessage};
use crate::replay::{ToolSet, systems};

use super::RunTool;

/// Puts the change of tools, if there is any, into the messages that are about to go in.
///
/// The last system message among them bears it, whatever it claimed itself; without one, a new message goes first. Gives
/// the message that it made or corrected; one that was right already stays the very one it was.
pub(super) fn declare_tool_changes(
    declared: &ToolSet,
    tools: &[RunTool],
    pending: &mut VecDeque<SharedMessage>,
    timestamp: u64,
) -> Option<SharedMessage> {
    let wanted = tools.iter().map(|tool| &tool.spec);
    let Some(last) = pending.iter().rposition(|message| matches!(**message, Message::System(_))) else {
        let delta = declared.delta(wanted);
        if delta.is_empty() {
            return None;
        }
        let mut system = SystemMessage { timestamp, ..SystemMessage::default() };
        delta.put_into(&mut system);
        let made: SharedMessage = SharedMessage::new(Message::System(system));
        pending.push_front(made.clone());
        return Some(made);
    };
    let pending = pending.make_contiguous();
    let (before, rest) = pending.split_at_mut(last);
    let mut declared = declared.clone();
    systems(before).for_each(|system| declared.apply(system));
    let delta = declared.delta(wanted);
    let message = rest.first_mut()?;
    let Message::System(system) = &**message else { return None };
    let mut corrected = system.clone();
    delta.put_into(&mut corrected);
    if corrected == *system {
        return None;
    }
    *message = SharedMessage::new(Message::System(corrected));
    Some(message.clone())
}

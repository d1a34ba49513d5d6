//! [`EventWriter`] and [`EventReader`]: events as JSON for one listener, who is told nothing twice.
//!
//! A message stands in up to four of pi's events: where it begins, where it ends, in its turn and in its run. Between two
//! halves of one program that is three times too often, on both sides. Here a message that was told before is its number,
//! counted from 0 since the writer was made or a run began, and `message_update` has no `usage` while that is as it was.

use std::sync::Arc;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::Event;
use super::wire::{self, FlatEvent, Words};
use crate::json::read;
use crate::json::write::number;
use crate::message::{SharedMessage, Usage};

/// Writes the events of one run after the other for an [`EventReader`] that gets all of them.
#[derive(Debug, Default)]
pub struct EventWriter {
    told: Vec<SharedMessage>,
    usage: Arc<Usage>,
    /// Behind the message that was named last: the next one of a list is nearly always here.
    next: usize,
}

impl EventWriter {
    /// Appends the event as a JSON object. Stays in this crate, which is compiled for speed.
    #[inline(never)]
    pub fn write(&mut self, event: &Event, out: &mut String) {
        match event {
            Event::AgentStart => *self = Self::default(),
            // What begins is new. Its end, if it is the same, was told last.
            Event::MessageStart { .. } => self.next = self.told.len(),
            Event::MessageEnd { message } => self.look_back(message, 1),
            Event::TurnEnd { message, tool_results } => self.look_back(message, tool_results.len() + 1),
            Event::AgentEnd { .. } => self.next = 0,
            Event::TurnStart
            | Event::MessageUpdate { .. }
            | Event::ToolExecutionStart { .. }
            | Event::ToolExecutionUpdate { .. }
            | Event::ToolExecutionEnd { .. } => {}
        }
        event.write_in(self, out);
    }

    fn look_back(&mut self, message: &SharedMessage, reach: usize) {
        let n_told = self.told.len();
        let mut recent = self.told.iter().rev().take(reach);
        let back = recent.position(|told| SharedMessage::ptr_eq(told, message));
        self.next = back.map_or(n_told, |back| n_told - 1 - back);
    }
}

impl Words for EventWriter {
    fn message(&mut self, message: &SharedMessage, out: &mut String) {
        // From one message of a run to the next there is at most the beginning of that one between.
        for place in self.next..self.next + 2 {
            if self.told.get(place).is_some_and(|told| SharedMessage::ptr_eq(told, message)) {
                self.next = place + 1;
                return number(out, place as u64);
            }
        }
        message.write_json(out);
        self.told.push(message.clone());
        self.next = self.told.len();
    }

    fn usage(&mut self, usage: &Arc<Usage>) -> bool {
        let is_new = !Arc::ptr_eq(&self.usage, usage) && self.usage != *usage;
        if is_new {
            self.usage = usage.clone();
        }
        is_new
    }
}

/// Reads what an [`EventWriter`] has written, all of it and in order. An event that is written whole is read too.
#[derive(Debug, Default)]
pub struct EventReader {
    told: Vec<SharedMessage>,
    usage: Arc<Usage>,
}

impl EventReader {
    /// The event of a JSON object. Fails when it is none, or names a message that was not told.
    pub fn read(&mut self, json: &str) -> Result<Event, serde_json::Error> {
        let mut flat: FlatEvent<Told> = read(json)?;
        if flat.is("agent_start") {
            *self = Self::default();
        }
        flat.usage = Some(flat.usage.unwrap_or_else(|| self.usage.clone()));
        let event = wire::event(flat, |message| match message {
            Told::Number(place) => {
                let missing = || serde_json::Error::custom(format_args!("message {place} was not told"));
                self.told.get(place).cloned().ok_or_else(missing)
            }
            Told::Whole(message) => {
                self.told.push(message.clone());
                Ok(message)
            }
        })?;
        if let Event::MessageUpdate { usage, .. } = &event {
            self.usage = usage.clone();
        }
        Ok(event)
    }
}

/// A message, or the number of one.
enum Told {
    Whole(SharedMessage),
    Number(usize),
}

impl<'de> Deserialize<'de> for Told {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        if raw.starts_with('{') { read(raw).map(Self::Whole) } else { read(raw).map(Self::Number) }
            .map_err(D::Error::custom)
    }
}

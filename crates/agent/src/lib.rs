//! The agent loop: messages, events, the ports it needs, and [`Run`](run::Run), the loop as a machine.

pub mod event;
pub mod history;
pub mod json;
pub mod message;
pub mod model;
pub mod signal;
pub mod tool;

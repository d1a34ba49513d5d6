//! The agent loop: messages, events, the ports it needs, and [`Run`](run::Run), the loop as a machine.
//!
//! The crate knows no provider, no file, no clock and no browser. [`Run`](run::Run) takes inputs and gives outputs;
//! [`drive`](drive::drive) joins it to a [`Host`](host::Host), which is where the outside begins.

pub mod drive;
pub mod event;
pub mod gate;
pub mod history;
pub mod host;
pub mod json;
pub mod message;
pub mod model;
pub mod past;
pub mod queue;
pub mod record;
pub mod replay;
pub mod run;
pub mod signal;
pub mod tool;
pub mod unanswered;

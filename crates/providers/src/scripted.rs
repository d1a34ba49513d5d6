//! The scripted model: turns written down beforehand, played as a stream. Pure: the driver does the waiting.

mod playback;
mod script;

pub use playback::{Batch, Playback, Scripted};
pub use script::{Call, Part, Script, Turn};

//! What a person does to a run: what is broken in it on purpose ([`fault`]), and what stands in place of what was said
//! ([`edits`]). A host asks at each of its places what is different there. No IO, no clock.

pub mod edits;
pub mod fault;

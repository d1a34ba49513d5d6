//! What page and worker say to each other, and the fold from it to what is on screen. Types first; no business logic.

pub mod command;
pub mod notification;
pub mod transcript;

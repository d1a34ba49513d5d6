//! What page and worker say to each other, and the fold from it to what is on screen.
//!
//! Types first, then the decisions a page would otherwise get wrong, as pure functions: what a row shows
//! ([`transcript`]), what happened in which order ([`rail`]), what a screen reader hears ([`announce`]), how a huge output
//! is shown ([`output`]), what the files panel shows and does ([`tree`], [`marks`], [`editing`], [`change_list`]), what a key in the composer does ([`keys`]), whether to follow the end ([`scroll`]), what a name
//! hides ([`visible`]). No DOM, no timer, no clock.

pub mod added;
pub mod announce;
pub mod change_list;
pub mod changes;
pub mod command;
pub mod copy_as;
pub mod course;
pub mod edit;
pub mod editing;
pub mod failure;
pub mod fault;
pub mod folder;
pub mod form;
pub mod gates;
pub mod keys;
pub mod lanes;
pub mod lesson;
pub mod log;
pub mod marks;
pub mod notification;
pub mod numbers;
pub mod output;
pub mod part;
pub mod path_set;
pub mod policy;
pub mod rail;
pub mod reader;
pub mod requests;
pub mod rewind;
pub mod runs;
pub mod scroll;
pub mod toy;
pub mod transcript;
pub mod tree;
pub mod visible;

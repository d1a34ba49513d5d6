//! jq for the shell: `jaq`'s interpreter over values that are read, ordered, calculated with and written as jq 1.7 does it.
//!
//! Everything comes in with a [`Job`] and goes out with a [`Done`]: it reads no file, no clock and no environment. Not there:
//! modules (`import`, `include`), colours, and what of a regular expression can only be found by backtracking. A program may
//! run for ever and may nest without end: whoever runs it must be able to end its thread, and to lose its instance.
//!
//! Reading order: `run` (the command), `args`, `program` (compiled, and what is around it), `value`, `read` and `write`,
//! `natives` and `defs.jq` (the library).

mod args;
mod inputs;
mod natives;
mod program;
mod read;
mod run;
mod value;
mod write;

pub use run::{Done, Job, run, wanted};

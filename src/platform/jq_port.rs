//! jq's module, as the shell's worker sees it: what `jq.js` exports. An instance runs one command and is thrown away by
//! `shell_loader.js`: what a program did to its memory or its stack is nobody else's business.

use vitrine_jq::{Done, Job, wanted};
use wasm_bindgen::prelude::wasm_bindgen;

/// The files that a command line names, in the order in which [`Command::file`] takes them.
#[wasm_bindgen(js_name = wanted)]
pub fn wanted_files(args: Vec<String>) -> Vec<String> {
    wanted(&args)
}

/// A command, made ready, run, and asked what it came to.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Command {
    job: Job,
    done: Done,
}

/// With the words behind `jq`, names and values of the environment in turn, standard input and the time in seconds.
#[wasm_bindgen]
pub fn command(args: Vec<String>, env: Vec<String>, stdin: Vec<u8>, now_s: f64) -> Command {
    let mut env = env.into_iter();
    let pairs = std::iter::from_fn(|| Some((env.next()?, env.next()?)));
    Command { job: Job { args, env: pairs.collect(), stdin, now_s, files: Vec::new() }, done: Done::default() }
}

#[wasm_bindgen]
impl Command {
    /// What is in the next file.
    pub fn file(&mut self, bytes: Vec<u8>) {
        self.job.files.push(Ok(bytes));
    }

    /// Why the next file could not be read.
    pub fn no_file(&mut self, why: String) {
        self.job.files.push(Err(why));
    }

    /// Runs it and gives its exit code. It may take for ever, and may trap.
    pub fn run(&mut self) -> u8 {
        self.done = vitrine_jq::run(std::mem::take(&mut self.job));
        self.done.code
    }

    /// Standard output. Given once.
    pub fn stdout(&mut self) -> String {
        std::mem::take(&mut self.done.stdout)
    }

    /// Standard error. Given once.
    pub fn stderr(&mut self) -> String {
        std::mem::take(&mut self.done.stderr)
    }
}

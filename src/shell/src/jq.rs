//! `jq`: a command whose program is somewhere else, in a module that is loaded when it is first asked for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bashkit::time::{SystemTime, UNIX_EPOCH};
use bashkit::{Builtin, BuiltinContext, ExecResult, FileSystem, Result, normalize_path};

/// Said where the module is not there.
const INSTEAD: &str = "use `json get .path.to.0`, `json keys` and `json length`, which read standard input, for JSON, or grep, \
                       sed and awk; there is no python or node either";

/// Where jq runs. Both calls may be made at any time, one after the other.
#[async_trait]
pub trait Jq: Send + Sync {
    /// The files that a command line names.
    async fn wanted(&self, args: &[String]) -> std::result::Result<Vec<String>, JqError>;

    /// Runs a command to its end.
    async fn run(&self, job: JqJob) -> std::result::Result<JqDone, JqError>;
}

/// What a command is run with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JqJob {
    /// The words behind `jq`.
    pub args: Vec<String>,
    /// What is in each of the files that are wanted, in that order; or why it could not be read.
    pub files: Vec<std::result::Result<Vec<u8>, String>>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// The environment.
    pub env: Vec<(String, String)>,
    /// The time, in seconds since 1970.
    pub now_s: f64,
}

/// What a command came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JqDone {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
}

/// Why a command did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JqError {
    /// jq could not be loaded.
    Absent(String),
    /// It stopped: the program took more memory or went deeper than there is, or a bug.
    Stopped(String),
}

/// The command.
pub struct Command(pub Arc<dyn Jq>);

#[async_trait]
impl Builtin for Command {
    async fn execute(&self, context: BuiltinContext<'_>) -> Result<ExecResult> {
        let mut job = JqJob {
            args: context.args.to_vec(),
            files: Vec::new(),
            stdin: context.stdin.map(|stdin| stdin.as_bytes().to_vec()).unwrap_or_default(),
            env: context.env.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
            now_s: now_s(),
        };
        job.env.sort_unstable();
        let wanted = match self.0.wanted(&job.args).await {
            Ok(wanted) => wanted,
            Err(error) => return Ok(failed(&error)),
        };
        for file in wanted {
            job.files.push(read(&context.fs, context.cwd, &file).await);
        }
        Ok(match self.0.run(job).await {
            Ok(done) => {
                let mut result = ExecResult::with_code(done.stdout, i32::from(done.code));
                result.stderr = done.stderr.into();
                result
            }
            Err(error) => failed(&error),
        })
    }
}

async fn read(files: &Arc<dyn FileSystem>, folder: &Path, file: &str) -> std::result::Result<Vec<u8>, String> {
    let path = if file.starts_with('/') { PathBuf::from(file) } else { folder.join(file) };
    files.read_file(&normalize_path(&path)).await.map_err(|error| match error {
        bashkit::Error::Io(error) if error.kind() == std::io::ErrorKind::NotFound => {
            "No such file or directory".to_owned()
        }
        bashkit::Error::Io(error) => error.to_string(),
        other => other.to_string(),
    })
}

fn failed(error: &JqError) -> ExecResult {
    match error {
        JqError::Absent(why) => ExecResult::err(format!("bash: jq: not available ({why}): {INSTEAD}\n"), 127),
        JqError::Stopped(why) => {
            let words = "it took more memory or went deeper than there is";
            ExecResult::err(format!("jq: error: the program was stopped: {words} ({why})\n"), 5)
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "the shell's own clock, which in a browser is the browser's")]
fn now_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Command")
    }
}

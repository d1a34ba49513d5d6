//! `bash`: runs a command in the shell of the workspace, which lives on from call to call.

mod keep;
mod mirror;
mod output;
mod result;
mod shell;

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use futures_util::future::{LocalBoxFuture, ready, select};
use futures_util::{FutureExt as _, pin_mut};
use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::tool::{Invocation, Tool, ToolError, ToolOutput, ToolSpec};
use vitrine_schema::SchemaError;
use vitrine_vfs::{Author, Workspace};

use crate::bash::keep::Keep;
use crate::bash::output::Output;
use crate::definition::{Definition, text};
use crate::mutation_queue::MutationQueue;
use crate::paths::Paths;
use crate::truncate;

pub use mirror::{Mirror, apply};
pub use shell::{End, Finished, OnOutput, Shell, ShellCommand};

/// Updates come at most so often.
const UPDATE_MS: f64 = 100.0;
/// The longest time that a timer takes.
const MAX_TIMEOUT_MS: f64 = 2_147_483_647.0;

/// The tool.
pub struct Bash {
    definition: Definition,
    workspace: Workspace,
    paths: Paths,
    shell: Rc<dyn Shell>,
    queue: MutationQueue,
}

impl Bash {
    /// The tool over a shell, whose changes come into the workspace by themselves. `queue` is the one of all tools that change
    /// its files.
    pub fn new(
        workspace: Workspace,
        paths: Paths,
        shell: Rc<dyn Shell>,
        queue: MutationQueue,
    ) -> Result<Self, SchemaError> {
        let description = format!(
            "Run a bash command in the workspace. Gives what it prints to stdout and stderr: the last {} lines or {}KB of it, \
             whichever comes first; what is longer is kept whole in a file that the result names. Folder, variables and \
             functions live on from one call to the next. It is a shell of its own with the usual commands for files and \
             text (grep, find, sed, awk, sort, jq and more); there is no network, and no git, node or python. Give a timeout \
             in seconds for what may take long.",
            truncate::MAX_LINES,
            truncate::MAX_BYTES / 1024
        );
        let parameters = json!({
            "type": "object",
            "required": ["command"],
            "properties": {
                "command": {"type": "string", "description": "The bash command to run"},
                "timeout": {"type": "number", "description": "Seconds after which it is ended (optional, no limit otherwise)"},
            },
        });
        let definition = Definition::new("bash", &description, &parameters)?.strict();
        Ok(Self { definition, workspace, paths, shell, queue })
    }
}

impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.definition.spec
    }

    fn prepare(&self, arguments: &Json) -> Result<Value, String> {
        self.definition.prepare(arguments)
    }

    /// What the command changed is in storage when this is ready, also when it was ended.
    fn execute(&self, invocation: Invocation) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        let timeout = invocation.arguments.get("timeout").filter(|timeout| !timeout.is_null()).cloned();
        let timeout_ms = match timeout_ms(timeout.as_ref()) {
            Ok(timeout_ms) => timeout_ms,
            Err(message) => return ready(Err(ToolError(message))).boxed_local(),
        };
        if invocation.signal.is_aborted() {
            return ready(Err(ToolError("Command aborted".to_owned()))).boxed_local();
        }
        (invocation.on_update)(ToolOutput::default());
        // Asked for here and not when it is first polled: a command and the other tools' changes happen in the order of their
        // calls, since nobody knows what a command will change.
        let ticket = self.queue.ticket_of_all();
        let keep = Keep::new(self.workspace.by(Author::ToolCall(invocation.call_id.clone())), self.paths.clone());
        let shell = self.shell.clone();
        async move {
            {
                let (turn, aborted) = (ticket.turn(), invocation.signal.aborted());
                pin_mut!(turn, aborted);
                select(turn, aborted).await;
            }
            if invocation.signal.is_aborted() {
                return Err(ToolError("Command aborted".to_owned()));
            }
            let printed = Rc::new(RefCell::new(Printed::default()));
            let hearing = printed.clone();
            let began_ms = shell.now_ms();
            let run = shell.run(ShellCommand {
                call_id: invocation.call_id.clone(),
                text: text(&invocation.arguments, "command").to_owned(),
                timeout_ms,
                signal: invocation.signal.clone(),
                on_output: Box::new(move |bytes| hearing.borrow_mut().push(bytes)),
            });
            let finished = watch(&shell, &printed, run, &keep, &invocation.on_update).await;
            let mut printed = printed.borrow_mut();
            printed.output.finish();
            let wall_ms = shell.now_ms() - began_ms;
            result::result(printed.output.text(), finished, timeout.as_ref(), wall_ms, |text| keep.all(text))
        }
        .boxed_local()
    }
}

impl std::fmt::Debug for Bash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bash").field("definition", &self.definition).finish_non_exhaustive()
    }
}

/// What was printed, and whether it was shown.
#[derive(Debug, Default)]
struct Printed {
    output: Output,
    is_new: bool,
    waker: Option<Waker>,
}

impl Printed {
    fn push(&mut self, bytes: &[u8]) {
        self.output.push(bytes);
        self.is_new = true;
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// Waits for the end, and shows what was printed meanwhile: at once after a pause, and every [`UPDATE_MS`] in a flood.
async fn watch(
    shell: &Rc<dyn Shell>,
    printed: &RefCell<Printed>,
    mut run: LocalBoxFuture<'static, Finished>,
    keep: &Keep,
    on_update: &dyn Fn(ToolOutput),
) -> Finished {
    let mut pause = None::<LocalBoxFuture<'static, ()>>;
    poll_fn(|context| {
        if let Poll::Ready(finished) = run.poll_unpin(context) {
            return Poll::Ready(finished);
        }
        loop {
            if let Some(timer) = &mut pause {
                if timer.poll_unpin(context).is_pending() {
                    return Poll::Pending;
                }
                pause = None;
            }
            let update = {
                let mut printed = printed.borrow_mut();
                if !std::mem::take(&mut printed.is_new) {
                    printed.waker = Some(context.waker().clone());
                    return Poll::Pending;
                }
                result::update(printed.output.text(), |text| keep.begun(text))
            };
            on_update(update);
            pause = Some(shell.sleep(UPDATE_MS as u32));
        }
    })
    .await
}

/// Milliseconds, none for no limit. The error is what the model reads.
fn timeout_ms(timeout: Option<&Value>) -> Result<Option<u32>, String> {
    let Some(timeout) = timeout else { return Ok(None) };
    match timeout.as_f64() {
        Some(seconds) if !seconds.is_finite() => Err("Invalid timeout: must be a finite number of seconds".to_owned()),
        None => Err("Invalid timeout: must be a finite number of seconds".to_owned()),
        Some(seconds) if seconds * 1000.0 > MAX_TIMEOUT_MS => {
            Err(format!("Invalid timeout: maximum is {} seconds", MAX_TIMEOUT_MS / 1000.0))
        }
        Some(seconds) if seconds <= 0.0 => Ok(None),
        Some(seconds) => Ok(Some((seconds * 1000.0).ceil() as u32)),
    }
}

//! A lesson is played: its files, tools and rules; then its run.

use std::rc::Rc;

use vitrine_agent::gate::Gate;
use vitrine_protocol::notification::Problem;
use vitrine_teach::{Lesson, Progress};
use vitrine_tools::Switch;
use vitrine_vfs::{Author, Workspace, WorkspacePath};

use super::{Before, Classroom, open, tell};
use crate::desk::Desk;
use crate::outbox::Answer;
use crate::run::{self, Claim};
use crate::{approval, changes, files, models, sessions, tamper};

/// Plays the open lesson, or the first one, in a session of its own. `fresh`: everything as the lesson has it.
pub async fn play(desk: &Rc<Desk>, fresh: bool) -> Result<Answer, Problem> {
    if desk.active.borrow().is_some() {
        return Err(run::busy());
    }
    let lesson = match desk.lesson.lesson() {
        Some(lesson) => lesson,
        None => {
            open(desk, None, None).await?;
            desk.lesson.lesson().ok_or_else(|| Problem::new("no-lesson", "the lesson was closed", "open it again"))?
        }
    };
    let is_used = desk.sessions.current.lock().await.is_stored();
    if is_used {
        sessions::create(desk).await?;
    }
    let gate = Gate::new();
    let mut breakpoints = desk.breakpoints.borrow().clone();
    breakpoints.extend(lesson.pause.iter().cloned());
    gate.set_breakpoints(breakpoints);
    let claim = Claim::new(desk, gate)?;
    lay_out(&desk.workspace.by(Author::Import), &lesson, fresh)?;
    changes::set_start(desk);
    begin(desk, &lesson, fresh)?;
    sessions::name_current(desk, &lesson.title).await;
    desk.model.replace(models::scripted_model());
    desk.scripts.load(lesson.model.clone());
    tell(desk);
    run::run(claim, Some(run::user(&lesson.prompt, Vec::new()))).await
}

/// The files that the reader has otherwise than the lesson.
pub fn differing(workspace: &Workspace, lesson: &Lesson) -> Vec<String> {
    let differs = |(path, text): &(&String, &Option<String>)| {
        let Ok(path) = WorkspacePath::parse(path) else { return false };
        match text {
            Some(text) => workspace.exists(&path) && workspace.read(&path).ok().as_deref() != Some(text.as_bytes()),
            None => workspace.exists(&path),
        }
    };
    lesson.files.iter().filter(differs).map(|(path, _)| path.clone()).collect()
}

/// Puts the lesson's files into the workspace. What is there already stays as the reader has it, unless all is to be fresh.
fn lay_out(workspace: &Workspace, lesson: &Lesson, fresh: bool) -> Result<(), Problem> {
    let mut missing = Vec::new();
    for (path, text) in &lesson.files {
        let Ok(path) = WorkspacePath::parse(path) else { continue };
        match text {
            Some(text) if fresh || !workspace.exists(&path) => {
                if workspace.read(&path).ok().as_deref() != Some(text.as_bytes()) {
                    missing.push((path, text.as_bytes().into()));
                }
            }
            None if fresh && workspace.exists(&path) => {
                workspace.remove(&path).map_err(|error| files::problem(&error))?;
            }
            Some(_) | None => {}
        }
    }
    if !missing.is_empty() {
        workspace.write_all(missing).map_err(|error| files::problem(&error))?;
    }
    Ok(())
}

/// Tools, rules and faults are the lesson's; what the reader had is kept for when it is put by.
fn begin(desk: &Desk, lesson: &Lesson, fresh: bool) -> Result<(), Problem> {
    keep(&desk.lesson, desk, lesson, fresh);
    desk.tools.set_toys(lesson.toys.clone())?;
    if let Some(names) = &lesson.tools {
        // Asked when the lesson was read.
        let _ = desk.tools.switch_to(names);
    }
    if let Some(policy) = &lesson.policy {
        approval::set_policy(desk, policy.clone())?;
    }
    tamper::clear_faults(desk);
    for fault in &lesson.faults {
        tamper::fault(desk, fault.clone())?;
    }
    Ok(())
}

fn keep(classroom: &Classroom, desk: &Desk, lesson: &Lesson, fresh: bool) {
    let mut slot = classroom.0.borrow_mut();
    let Some(open) = &mut *slot else { return };
    if open.before.is_none() {
        let on = desk.tools.switches().into_iter().filter(|(_, switch)| *switch == Switch::On);
        let tools = on.map(|(name, _)| name).collect();
        open.before = Some(Before { tools, toys: desk.tools.toys(), policy: desk.approvals.policy() });
    }
    if fresh {
        open.progress = Progress::new(lesson);
        open.state = Default::default();
    }
    open.state.differs = differing(&desk.workspace, lesson);
    open.state.played = true;
}

/// Tools and rules are the reader's again.
pub fn put_back(desk: &Desk, before: Before) {
    // They were these.
    let _ = desk.tools.set_toys(before.toys);
    let _ = desk.tools.switch_to(&before.tools);
    let _ = approval::set_policy(desk, before.policy);
    tamper::clear_faults(desk);
}

//! The open lesson: where it comes from, what the learner answers, and what of the run it is shown.

mod author;
mod play;
mod source;

use std::cell::RefCell;
use std::rc::Rc;

use vitrine_protocol::lesson::LessonState;
use vitrine_protocol::notification::{Notification, Problem};
use vitrine_protocol::policy::Policy;
use vitrine_protocol::toy::ToyTool;
use vitrine_teach::{Files, Happening, Lesson, Progress};
use vitrine_vfs::Workspace;

use crate::desk::Desk;
use crate::files::contents_of;
use crate::outbox::Answer;
pub use play::play;
pub use source::list;

/// Where a lesson is open, or none.
#[derive(Default)]
pub struct Classroom(RefCell<Option<Open>>);

struct Open {
    /// As it was read, for another language.
    text: String,
    lesson: Rc<Lesson>,
    progress: Progress,
    /// What of it is not the course of the steps.
    state: LessonState,
    /// What the reader had before it was played.
    before: Option<Before>,
}

struct Before {
    tools: Vec<String>,
    toys: Vec<ToyTool>,
    policy: Policy,
}

impl Classroom {
    /// Takes over what another desk had.
    pub fn take_from(&self, old: &Self) {
        self.0.replace(old.0.take());
    }

    fn lesson(&self) -> Option<Rc<Lesson>> {
        self.0.borrow().as_ref().map(|open| open.lesson.clone())
    }
}

impl Open {
    /// As the learner sees it.
    fn state(&self) -> LessonState {
        let LessonState { played, receipt, author, differs, .. } = self.state.clone();
        LessonState { played, receipt, author, differs, ..self.progress.state(&self.lesson) }
    }
}

struct InWorkspace<'a>(&'a Workspace);

impl Files for InWorkspace<'_> {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        contents_of(self.0, path)
    }
}

/// Reads a lesson, and shows it in place of the one before.
pub async fn open(desk: &Rc<Desk>, url: Option<&str>, text: Option<String>) -> Result<Answer, Problem> {
    let text = match (url, text) {
        (_, Some(text)) => text,
        (Some(url), None) => source::fetch(url).await?,
        (None, None) => source::FIRST.to_owned(),
    };
    let lesson = Rc::new(source::read(desk, &text)?);
    close(desk);
    let differs = play::differing(&desk.workspace, &lesson);
    let state = LessonState { differs, ..LessonState::default() };
    let progress = Progress::new(&lesson);
    desk.lesson.0.replace(Some(Open { text, lesson, progress, state, before: None }));
    tell(desk);
    Answer::json(&desk.lesson.0.borrow().as_ref().map(Open::state))
}

/// Puts the lesson by.
pub fn close(desk: &Desk) -> Answer {
    let open = desk.lesson.0.take();
    let was_open = open.is_some();
    if let Some(before) = open.and_then(|open| open.before) {
        play::put_back(desk, before);
    }
    if was_open {
        desk.outbox.tell(&Notification::Lesson(None));
    }
    Answer::done()
}

/// The reader chose another language: the lesson is told in it. Its script goes on as it began.
pub fn speak(desk: &Desk) {
    let text = desk.lesson.0.borrow().as_ref().map(|open| open.text.clone());
    let lesson = text.and_then(|text| source::read(desk, &text).ok());
    if let (Some(lesson), Some(open)) = (lesson, &mut *desk.lesson.0.borrow_mut()) {
        open.lesson = Rc::new(lesson);
    }
    tell(desk);
}

/// The learner answers a question.
pub fn answer(desk: &Desk, step: &str, option: usize) -> Result<Answer, Problem> {
    let right = on_open(desk, |open| open.progress.answer(&open.lesson, step, option))?;
    let Some(right) = right else {
        let message = format!("no question with an option {option} is open in a step {step:?}");
        return Err(Problem::new("no-such-question", message, "see `steps` of the lesson for what is asked"));
    };
    look(desk);
    tell(desk);
    Answer::json(&serde_json::json!({ "right": right }))
}

/// The learner asks for what helps.
pub fn hint(desk: &Desk, step: &str) -> Result<Answer, Problem> {
    if !on_open(desk, |open| open.progress.hint(&open.lesson, step))? {
        let message = format!("a step {step:?} has no hint to show");
        return Err(Problem::new("no-such-step", message, "see `steps` of the lesson for those that have one"));
    }
    tell(desk);
    Ok(Answer::done())
}

/// What the model is told, with the lesson's words before it.
pub fn system(desk: &Desk, words: &str) -> String {
    match desk.lesson.lesson().and_then(|lesson| lesson.system.clone()) {
        Some(before) => format!("{before}\n\n{words}"),
        None => words.to_owned(),
    }
}

/// Something happened that the lesson may be about.
pub fn happened(desk: &Desk, happening: &Happening<'_>) {
    let changed = match &mut *desk.lesson.0.borrow_mut() {
        Some(open) if open.state.played => open.progress.happened(&open.lesson, happening),
        Some(_) | None => return,
    };
    // Files are looked at where a call or the run is over.
    let is_over = match happening {
        Happening::Settled { .. } => true,
        Happening::Event(event) => event.kind() == "tool_execution_end",
        _ => false,
    };
    let changed = (is_over && look(desk)) || changed;
    if let Happening::Settled { .. } = happening {
        author::compare(desk);
        tell(desk);
    } else if changed {
        tell(desk);
    }
}

/// A file is another one now, whoever changed it.
pub fn files_changed(desk: &Desk) {
    if look(desk) {
        tell(desk);
    }
}

/// Looks at files and answers. Whether the learner is elsewhere now.
fn look(desk: &Desk) -> bool {
    let mut slot = desk.lesson.0.borrow_mut();
    let Some(open) = &mut *slot else { return false };
    // Before it was played nothing that is there is of the learner's doing.
    open.state.played && open.progress.look(&open.lesson, &InWorkspace(&desk.workspace))
}

fn on_open<T>(desk: &Desk, act: impl FnOnce(&mut Open) -> T) -> Result<T, Problem> {
    let mut slot = desk.lesson.0.borrow_mut();
    let open = slot.as_mut();
    open.map(act).ok_or_else(|| Problem::new("no-lesson", "no lesson is open", "open one first"))
}

/// Tells the page where the learner is.
fn tell(desk: &Desk) {
    author::receipt(desk);
    let state = desk.lesson.0.borrow().as_ref().map(Open::state);
    if let Some(state) = state {
        desk.outbox.tell_unread(&state, |json| Notification::Lesson(Some(json)));
    }
}

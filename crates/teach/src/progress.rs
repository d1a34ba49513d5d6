//! [`Progress`]: how far a learner is in a lesson.

use vitrine_agent::event::Event;
use vitrine_protocol::lesson::{CheckState, LessonState, QuestionState, StepState};

use crate::check::{Check, Files, Standing};
use crate::format::{Lesson, Question, Step};
use crate::happening::Happening;

/// How far. Belongs to one [`Lesson`], which every call is given.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    steps: Vec<StepProgress>,
    goal: Vec<Standing>,
}

#[derive(Clone, Debug, Default)]
struct StepProgress {
    /// How often its anchor has come since the step before it was shown.
    count: u32,
    is_reached: bool,
    /// Whether the run went on since it was shown.
    went_on: bool,
    /// The first answer was right, and was given before the run went on.
    foresaw: Option<bool>,
    chosen: Option<usize>,
    wants_hint: bool,
    checks: Vec<Standing>,
}

impl StepProgress {
    fn is_answered(&self, question: &Question) -> bool {
        self.chosen == Some(question.answer)
    }

    fn is_done(&self, step: &Step) -> bool {
        self.is_reached
            && step.question.as_ref().is_none_or(|question| self.is_answered(question))
            && all_met(&self.checks, &step.check)
    }
}

fn all_met(standings: &[Standing], checks: &[Check]) -> bool {
    standings.iter().zip(checks).all(|(standing, check)| standing.is_met(check))
}

impl Progress {
    /// At the start.
    pub fn new(lesson: &Lesson) -> Self {
        let fresh = |checks: &[Check]| vec![Standing::default(); checks.len()];
        let steps = lesson.steps.iter();
        let steps = steps.map(|step| StepProgress { checks: fresh(&step.check), ..StepProgress::default() });
        let mut progress = Self { steps: steps.collect(), goal: fresh(&lesson.goal.check) };
        progress.open(lesson);
        progress
    }

    /// Something happened. Whether the learner is elsewhere now.
    pub fn happened(&mut self, lesson: &Lesson, happening: &Happening<'_>) -> bool {
        if let Happening::Event(event) = happening {
            if goes_on(event) {
                for step in self.steps.iter_mut().filter(|step| step.is_reached) {
                    step.went_on = true;
                }
            }
            // No pattern is about these, and they are most of what happens.
            if matches!(event, Event::MessageUpdate { .. }) {
                return false;
            }
        }
        self.changes(lesson, |progress| {
            for (standing, check) in progress.all(lesson) {
                standing.happened(check, happening);
            }
            progress.anchor(lesson, happening);
        })
    }

    /// Looks at files and answers. Whether the learner is elsewhere now.
    pub fn look(&mut self, lesson: &Lesson, files: &dyn Files) -> bool {
        self.changes(lesson, |progress| {
            let answered: Vec<&str> = std::iter::zip(&progress.steps, &lesson.steps)
                .filter(|(step, said)| said.question.as_ref().is_some_and(|question| step.is_answered(question)))
                .map(|(_, said)| said.id.as_str())
                .collect();
            for (standing, check) in progress.all(lesson) {
                standing.look(check, files, |id| answered.contains(&id));
            }
        })
    }

    /// The learner answers a question; whether it is right. `None` where no question is open.
    pub fn answer(&mut self, lesson: &Lesson, id: &str, option: usize) -> Option<bool> {
        let at = lesson.steps.iter().position(|step| step.id == id)?;
        let question = lesson.steps.get(at)?.question.as_ref()?;
        let step = self.steps.get_mut(at).filter(|step| step.is_reached && option < question.options.len())?;
        let is_right = option == question.answer;
        if step.foresaw.is_none() {
            step.foresaw = Some(is_right && !step.went_on);
        }
        // An answer that was right stays.
        if !step.is_answered(question) {
            step.chosen = Some(option);
        }
        self.open(lesson);
        Some(is_right)
    }

    /// The learner asks for what helps; whether there is anything.
    pub fn hint(&mut self, lesson: &Lesson, id: &str) -> bool {
        let at = lesson.steps.iter().position(|step| step.id == id && step.hint.is_some());
        let step = at.and_then(|at| self.steps.get_mut(at)).filter(|step| step.is_reached);
        step.map(|step| step.wants_hint = true).is_some()
    }

    /// Whether every step is done and the goal is met.
    pub fn has_passed(&self, lesson: &Lesson) -> bool {
        self.each(lesson).all(|(step, said)| step.is_done(said)) && all_met(&self.goal, &lesson.goal.check)
    }

    /// The questions that were answered right before the run went on.
    pub fn foreseen(&self) -> usize {
        self.steps.iter().filter(|step| step.foresaw == Some(true)).count()
    }

    /// What was answered, by the ids of the steps.
    pub fn answers<'a>(&'a self, lesson: &'a Lesson) -> impl Iterator<Item = (&'a str, usize)> {
        self.each(lesson).filter_map(|(step, said)| Some((said.id.as_str(), step.chosen?)))
    }

    /// As the learner sees it.
    pub fn state(&self, lesson: &Lesson) -> LessonState {
        let steps: Vec<StepState> = self.each(lesson).map(|(step, said)| step_state(step, said)).collect();
        let questions = lesson.steps.iter().filter(|step| step.question.is_some()).count();
        let current = steps.iter().position(|step| !step.done);
        LessonState {
            step: current.and_then(|at| steps.get(at)).map(|step| step.id.clone()),
            score: if questions == 0 { 1.0 } else { self.foreseen() as f64 / questions as f64 },
            id: lesson.id.clone(),
            title: lesson.title.clone(),
            about: lesson.about.clone(),
            minutes: lesson.minutes,
            prompt: lesson.prompt.clone(),
            current,
            goal: lesson.goal.text.clone(),
            goal_checks: check_states(&self.goal, &lesson.goal.check),
            foreseen: self.foreseen(),
            questions,
            passed: self.has_passed(lesson),
            steps,
            ..LessonState::default()
        }
    }

    fn each<'a>(&'a self, lesson: &'a Lesson) -> impl Iterator<Item = (&'a StepProgress, &'a Step)> {
        self.steps.iter().zip(&lesson.steps)
    }

    /// Every check with how far it is.
    fn all<'a>(&'a mut self, lesson: &'a Lesson) -> impl Iterator<Item = (&'a mut Standing, &'a Check)> {
        self.steps.iter_mut().flat_map(|step| &mut step.checks).chain(&mut self.goal).zip(lesson.checks())
    }

    fn changes(&mut self, lesson: &Lesson, act: impl FnOnce(&mut Self)) -> bool {
        let before = self.look_of(lesson);
        act(self);
        self.open(lesson);
        before != self.look_of(lesson)
    }

    /// What the learner would notice.
    fn look_of(&self, lesson: &Lesson) -> Vec<bool> {
        let reached = self.steps.iter().map(|step| step.is_reached);
        let standings = self.steps.iter().flat_map(|step| &step.checks).chain(&self.goal);
        reached.chain(standings.zip(lesson.checks()).map(|(standing, check)| standing.is_met(check))).collect()
    }

    /// Shows the first step that is not shown yet if this is what it waits for.
    fn anchor(&mut self, lesson: &Lesson, happening: &Happening<'_>) {
        let Some(at) = self.steps.iter().position(|step| !step.is_reached) else { return };
        let (Some(step), Some(anchor)) =
            (self.steps.get_mut(at), lesson.steps.get(at).and_then(|step| step.at.as_ref()))
        else {
            return;
        };
        if anchor.fits(happening) {
            step.count += 1;
            step.is_reached = step.count >= anchor.nth.unwrap_or(1);
        }
    }

    /// Shows the steps that wait for nothing but the one before them being done.
    fn open(&mut self, lesson: &Lesson) {
        for at in 0..self.steps.len() {
            let before = at.checked_sub(1).and_then(|at| Some(self.steps.get(at)?.is_done(lesson.steps.get(at)?)));
            let waits = lesson.steps.get(at).is_none_or(|step| step.at.is_some());
            if let Some(step) = self.steps.get_mut(at)
                && !waits
                && before.unwrap_or(true)
            {
                step.is_reached = true;
            }
        }
    }
}

/// Whether an event is of something new, and not of what had begun being over.
fn goes_on(event: &Event) -> bool {
    match event {
        Event::AgentStart
        | Event::TurnStart
        | Event::MessageStart { .. }
        | Event::MessageUpdate { .. }
        | Event::ToolExecutionStart { .. } => true,
        Event::ToolExecutionUpdate { .. }
        | Event::MessageEnd { .. }
        | Event::ToolExecutionEnd { .. }
        | Event::TurnEnd { .. }
        | Event::AgentEnd { .. } => false,
    }
}

fn step_state(step: &StepProgress, said: &Step) -> StepState {
    let id = said.id.clone();
    if !step.is_reached {
        // What comes is not given away.
        return StepState { id, ..StepState::default() };
    }
    StepState {
        id,
        reached: true,
        done: step.is_done(said),
        text: said.text.clone(),
        question: said.question.as_ref().map(|question| QuestionState {
            ask: question.ask.clone(),
            options: question.options.clone(),
            chosen: step.chosen,
            right: step.chosen.map(|chosen| chosen == question.answer),
            why: step.is_answered(question).then(|| question.why.clone()).filter(|why| !why.is_empty()),
        }),
        has_hint: said.hint.is_some(),
        hint: said.hint.clone().filter(|_| step.wants_hint),
        checks: check_states(&step.checks, &said.check),
    }
}

fn check_states(standings: &[Standing], checks: &[Check]) -> Vec<CheckState> {
    let state =
        |(standing, check): (&Standing, &Check)| CheckState { text: check.text.clone(), met: standing.is_met(check) };
    standings.iter().zip(checks).map(state).collect()
}

//! One random run, from its seed to its end.

use std::collections::BTreeMap;

use vitrine_agent::history::History;
use vitrine_agent::model::ModelInfo;
use vitrine_agent::past::Past;
use vitrine_agent::record::Recorder;
use vitrine_agent::run::{Input, Now, Output, Run, RunConfig, Start};
use vitrine_agent::signal::AbortSignal;

use crate::inputs::{Random, user};
use crate::replayed::{self, Played};
use crate::returned::{self, Kept};
use crate::rules::Rules;

/// How the world behaves once the run has been aborted.
#[derive(Clone, Copy)]
enum Ending {
    /// It answers everything as before.
    Answers,
    /// It answers nothing more, and says that waiting is over.
    Silence,
}

/// Plays a seed to its end, and gives how often each output came.
pub fn play(seed: u64) -> BTreeMap<&'static str, usize> {
    let mut random = Random(seed);
    let config = config(&mut random);
    let mut world = World::new(config.clone());
    let mut seen = BTreeMap::new();
    let mut questions: Vec<Output> = Vec::new();
    let aborts_at = 1 + random.below(150);
    let ending = if random.one_in(2) { Ending::Answers } else { Ending::Silence };
    let mut n_inputs = 0;
    while !world.run.is_done() {
        while let Some(output) = world.run.poll_output() {
            *seen.entry(output.kind()).or_insert(0) += 1;
            world.rules.see(&output, &world.run);
            world.outputs.push(replayed::text(&output, &world.run));
            if let Output::Emit(event) = &output {
                world.events.push(serde_json::to_string(event).unwrap());
            }
            if !matches!(output, Output::Emit(_) | Output::Trace(_)) {
                questions.push(output);
            }
            // Inputs come between any two outputs.
            if random.one_in(40) {
                world.handle(random.stray());
            } else if random.one_in(2_000) {
                world.handle(Input::Fail("the host failed".to_owned()));
            }
        }
        if world.run.is_done() {
            break;
        }
        n_inputs += 1;
        assert!(n_inputs < aborts_at + 400, "the run does not end");
        if n_inputs == aborts_at {
            world.handle(Input::Abort);
        }
        let is_silent = n_inputs > aborts_at && matches!(ending, Ending::Silence);
        if is_silent || n_inputs > aborts_at + 200 {
            world.handle(Input::GraceOver);
        } else if random.one_in(6) {
            let stray = random.stray();
            world.handle(stray);
        } else {
            assert!(!questions.is_empty(), "the run waits for nothing");
            let place = random.below(questions.len() as u64) as usize;
            let input = random.answer(&questions[place]);
            let keeps_asking = match &questions[place] {
                Output::CallModel(_) => world.run.is_streaming(),
                Output::Execute { .. } => matches!(input, Input::Update { .. }),
                _ => false,
            };
            world.handle(input);
            if !keeps_asking {
                questions.remove(place);
            }
        }
    }
    assert!(world.run.poll_output().is_none(), "nothing follows the end");
    world.rules.end(&world.run);
    // Each takes four times as long as the run.
    if seed.is_multiple_of(4) {
        let (outputs, places) = (&world.outputs, &world.places);
        replayed::check(&Played { recording: world.recorder.text().unwrap(), outputs, places, config: &config });
        let kept = Kept { past: &world.past, inputs: &world.inputs, events: &world.events };
        let last = world.events.len() - 1;
        for at in [0, last, random.below(last as u64 + 1) as usize, random.below(last as u64 + 1) as usize] {
            returned::check(&kept, at);
        }
    }
    seen
}

/// A run, and who looks on.
struct World {
    run: Run,
    rules: Rules,
    recorder: Recorder,
    past: Past,
    inputs: Vec<(u64, Input, Now)>,
    events: Vec<String>,
    outputs: Vec<String>,
    /// How many outputs there were before each input.
    places: Vec<usize>,
    now: Now,
}

impl World {
    fn new(config: RunConfig) -> Self {
        let now = Now { wall_ms: 1_000, monotonic_ms: 0.1 };
        let recorder = Recorder::new(&config, now);
        let past = Past::new(config.clone(), now);
        let run = Run::new(config, now).unwrap();
        Self {
            run,
            rules: Rules::default(),
            recorder,
            past,
            inputs: Vec::new(),
            events: Vec::new(),
            outputs: Vec::new(),
            places: Vec::new(),
            now,
        }
    }

    fn handle(&mut self, input: Input) {
        // A time whose digits are many, so that one that is lost shows.
        self.now = Now { wall_ms: self.now.wall_ms + 1, monotonic_ms: self.now.monotonic_ms * 1.1 };
        self.rules.hear(&input, &self.run);
        self.places.push(self.outputs.len());
        self.recorder.record(&self.run, &input, self.now);
        returned::note(&mut self.past, &mut self.inputs, &self.run, &input, self.now);
        self.run.handle(input, self.now);
    }
}

fn config(random: &mut Random) -> RunConfig {
    let history: History = (0..random.below(3)).map(|_| user("before")).collect();
    let continues = !history.is_empty() && random.one_in(3);
    let mut prompts = random.messages();
    prompts.push(user("go"));
    RunConfig {
        start: if continues { Start::Continue } else { Start::Prompts(prompts) },
        history,
        model: ModelInfo::default(),
        reasoning: None,
        tools: random.tools(),
        execution: random.mode(),
        signal: AbortSignal::new(),
    }
}

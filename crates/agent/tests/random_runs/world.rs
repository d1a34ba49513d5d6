//! One random run, from its seed to its end.

use std::collections::BTreeMap;

use vitrine_agent::history::History;
use vitrine_agent::model::ModelInfo;
use vitrine_agent::run::{Input, Now, Output, Run, RunConfig, Start};
use vitrine_agent::signal::AbortSignal;

use crate::inputs::{Random, user};
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
    let mut run = new_run(&mut random);
    let mut rules = Rules::default();
    let mut seen = BTreeMap::new();
    let mut questions: Vec<Output> = Vec::new();
    let aborts_at = 1 + random.below(150);
    let ending = if random.one_in(2) { Ending::Answers } else { Ending::Silence };
    let mut n_inputs = 0;
    while !run.is_done() {
        while let Some(output) = run.poll_output() {
            *seen.entry(output.kind()).or_insert(0) += 1;
            rules.see(&output, &run);
            if !matches!(output, Output::Emit(_) | Output::Trace(_)) {
                questions.push(output);
            }
            // Inputs come between any two outputs.
            if random.one_in(40) {
                handle(&mut run, &mut rules, random.stray());
            } else if random.one_in(2_000) {
                handle(&mut run, &mut rules, Input::Fail("the host failed".to_owned()));
            }
        }
        if run.is_done() {
            break;
        }
        n_inputs += 1;
        assert!(n_inputs < aborts_at + 400, "the run does not end");
        if n_inputs == aborts_at {
            handle(&mut run, &mut rules, Input::Abort);
        }
        let is_silent = n_inputs > aborts_at && matches!(ending, Ending::Silence);
        if is_silent || n_inputs > aborts_at + 200 {
            handle(&mut run, &mut rules, Input::GraceOver);
        } else if random.one_in(6) {
            let stray = random.stray();
            handle(&mut run, &mut rules, stray);
        } else {
            assert!(!questions.is_empty(), "the run waits for nothing");
            let place = random.below(questions.len() as u64) as usize;
            let input = random.answer(&questions[place]);
            let keeps_asking = match &questions[place] {
                Output::CallModel(_) => run.is_streaming(),
                Output::Execute { .. } => matches!(input, Input::Update { .. }),
                _ => false,
            };
            handle(&mut run, &mut rules, input);
            if !keeps_asking {
                questions.remove(place);
            }
        }
    }
    assert!(run.poll_output().is_none(), "nothing follows the end");
    rules.end(&run);
    seen
}

fn handle(run: &mut Run, rules: &mut Rules, input: Input) {
    rules.hear(&input, run);
    run.handle(input, Now::default());
}

fn new_run(random: &mut Random) -> Run {
    let history: History = (0..random.below(3)).map(|_| user("before")).collect();
    let continues = !history.is_empty() && random.one_in(3);
    let mut prompts = random.messages();
    prompts.push(user("go"));
    let config = RunConfig {
        start: if continues { Start::Continue } else { Start::Prompts(prompts) },
        history,
        model: ModelInfo::default(),
        reasoning: None,
        tools: random.tools(),
        execution: random.mode(),
        signal: AbortSignal::new(),
    };
    Run::new(config, Now::default()).unwrap()
}

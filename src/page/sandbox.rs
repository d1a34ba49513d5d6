//! The free sandbox: tools of the reader's own, and a script for the scripted model; both are saved as a lesson file.

mod words;

use std::cell::RefCell;

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_agent::json::Json;
use vitrine_protocol::command::Command;
use vitrine_protocol::toy::{self, Sandbox, ToyTool};
use vitrine_protocol::visible::visible;

use crate::place::Panel;
use crate::sandbox::words::{SandboxWords, sandbox_words, word};
use crate::store::Store;
use crate::view::{Element, ElementRef, button, classed, effect, element, keyed, live_text, when};

thread_local! {
    /// What was put together last, for when the tab is drawn again.
    static LAST: RefCell<Option<Sandbox>> = const { RefCell::new(None) };
}

/// A tool to begin with.
const FIRST_NAME: &str = "add";
const FIRST_DESCRIPTION: &str = "Adds two numbers";
const FIRST_SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "a": { "type": "number" },
    "b": { "type": "number" }
  },
  "required": ["a", "b"]
}"#;
const FIRST_CODE: &str = "return args.a + args.b;";

/// What a call of one of the page's tools has to have, as much of its schema as it takes to begin one.
fn parameters(tool: &str) -> &'static str {
    match tool {
        "read" => r#"{"properties":{"path":{}},"required":["path"]}"#,
        "write" => r#"{"properties":{"path":{},"content":{}},"required":["path","content"]}"#,
        "edit" => r#"{"properties":{"path":{},"edits":{"type":"array"}},"required":["path","edits"]}"#,
        "bash" => r#"{"properties":{"command":{}},"required":["command"]}"#,
        "grep" | "find" => r#"{"properties":{"pattern":{}},"required":["pattern"]}"#,
        _ => "{}",
    }
}

/// Draws it.
pub fn sandbox(store: Store) -> Element {
    let last = LAST.with(|last| last.borrow().clone()).unwrap_or_default();
    let toys = RwSignal::new(last.toys.clone());
    let (prompt, turns) = (RwSignal::new(last.prompt), RwSignal::new(last.turns));
    let problem = RwSignal::new(String::new());
    effect(move || {
        let now = Sandbox { prompt: prompt.get(), turns: turns.get(), toys: toys.get() };
        LAST.with(|last| last.replace(Some(now)));
    });
    let bench = Bench { store, toys, prompt, turns, problem };
    classed("div", "scroll whatif")
        .test_id("sandbox")
        .child(classed("p", "q2").child(word(store, |t| t.about)))
        .child(element("h3").child(word(store, |t| t.tools)))
        .child(classed("p", "q2").child(word(store, |t| t.tools_about)))
        .child(tools(bench))
        .child(element("h3").child(word(store, |t| t.script)))
        .child(classed("p", "q2").child(word(store, |t| t.script_about)))
        .child(script(bench))
        .child(
            classed("p", "q2 wrong")
                .attr("role", "alert")
                .test_id("sandbox-problem")
                .child(live_text(move || problem.get())),
        )
}

/// What is being put together.
#[derive(Clone, Copy)]
struct Bench {
    store: Store,
    toys: RwSignal<Vec<ToyTool>>,
    prompt: RwSignal<String>,
    turns: RwSignal<String>,
    problem: RwSignal<String>,
}

impl Bench {
    fn sandbox(self) -> Sandbox {
        Sandbox {
            prompt: self.prompt.get_untracked(),
            turns: self.turns.get_untracked(),
            toys: self.toys.get_untracked(),
        }
    }

    /// As a lesson file; otherwise says what is wrong.
    fn lesson(self) -> Option<String> {
        match self.sandbox().lesson() {
            Ok(lesson) => {
                self.problem.set(String::new());
                Some(lesson)
            }
            Err(error) => {
                self.problem.set((sandbox_words(self.store).not_json)(error.line, &error.message));
                None
            }
        }
    }

    /// These are the tools from now on, if the worker takes them.
    fn set_toys(self, toys: Vec<ToyTool>, done: impl FnOnce() + 'static) {
        self.store.ask_all(Command::SetToys { toys: toys.clone() }, None, move |answer| match answer {
            Ok(_) => {
                self.problem.set(String::new());
                self.toys.set(toys);
                done();
            }
            Err(problem) => self.problem.set(format!("{}. {}.", problem.message, problem.help)),
        });
    }
}

/// A field with its label over it.
fn labelled(
    store: Store,
    pick: fn(&'static SandboxWords) -> &'static str,
    tag: &'static str,
    id: &str,
    reference: ElementRef,
) -> Element {
    let field = classed(tag, "field mono").attr("spellcheck", "false").test_id(id).reached_by(reference);
    element("label").child(element("span").child(word(store, pick))).child(field)
}

fn tools(bench: Bench) -> Element {
    let store = bench.store;
    let [name, description, schema, code, sequential] = std::array::from_fn(|_| ElementRef::new());
    let show = move |toy: &ToyTool| {
        let parts = [
            (name, &*toy.name),
            (description, &*toy.description),
            (schema, toy.parameters.as_str()),
            (code, &*toy.code),
        ];
        for (field, text) in parts {
            if let Some(field) = field.get() {
                field.set_value(text);
            }
        }
        if let Some(field) = sequential.get() {
            field.set_checked(toy.sequential);
        }
    };
    let save = move || {
        let parameters = match Json::parse(schema.value()) {
            Ok(parameters) => parameters,
            Err(error) => {
                bench.problem.set((sandbox_words(store).not_json)(error.line(), &error.to_string()));
                return;
            }
        };
        let toy = ToyTool {
            name: name.value().trim().to_owned(),
            description: description.value(),
            parameters,
            code: code.value(),
            sequential: sequential.get().is_some_and(|field| field.checked()),
        };
        let mut toys = bench.toys.get_untracked();
        match toys.iter_mut().find(|other| other.name == toy.name) {
            Some(other) => *other = toy,
            None => toys.push(toy),
        }
        bench.set_toys(toys, || {});
    };
    let line = move |toy: ToyTool| {
        let (shown, said) = (toy.clone(), visible(&toy.description).into_owned());
        let gone = toy.name.clone();
        let remove = move || {
            let mut toys = bench.toys.get_untracked();
            toys.retain(|other| other.name != gone);
            bench.set_toys(toys, || {});
        };
        let named = |pick: fn(&'static SandboxWords) -> &'static str| {
            let name = toy.name.clone();
            move || format!("{}: {name}", pick(sandbox_words(store)))
        };
        let text =
            element("div").child(classed("b", "mono").child(toy.name.as_str())).child(classed("p", "q2").child(said));
        classed("li", "faultline")
            .test_id("toy")
            .child(text)
            .child(
                button("btn quiet")
                    .live_attr("aria-label", named(|t| t.edit))
                    .on_click(move || show(&shown))
                    .child(word(store, |t| t.edit)),
            )
            .child(
                button("btn quiet")
                    .live_attr("aria-label", named(|t| t.remove))
                    .on_click(remove)
                    .child(word(store, |t| t.remove)),
            )
    };
    let key = |toy: &ToyTool| serde_json::to_string(toy).unwrap_or_default();
    let first = [(name, FIRST_NAME), (description, FIRST_DESCRIPTION), (schema, FIRST_SCHEMA), (code, FIRST_CODE)];
    let form = classed("div", "benchform")
        .child(labelled(store, |t| t.name, "input", "toy-name", name))
        .child(labelled(store, |t| t.description, "input", "toy-description", description))
        .child(labelled(store, |t| t.schema, "textarea", "toy-schema", schema))
        .child(labelled(store, |t| t.code, "textarea", "toy-code", code))
        .child(
            classed("label", "tickbox")
                .child(element("input").attr("type", "checkbox").test_id("toy-sequential").reached_by(sequential))
                .child(element("span").child(word(store, |t| t.sequential))),
        )
        .child(element("div").child(button("btn").test_id("toy-save").on_click(save).child(word(store, |t| t.save))));
    for (field, text) in first {
        if let Some(field) = field.get() {
            field.set_value(text);
        }
    }
    let none = move || classed("p", "q2").child(word(store, |t| t.no_tools));
    element("div")
        .child(when(move || bench.toys.with(Vec::is_empty), none))
        .child(element("ul").child(keyed(move || bench.toys.get(), key, line)))
        .child(form)
}

fn script(bench: Bench) -> Element {
    let store = bench.store;
    let [prompt, turns, tool] = std::array::from_fn(|_| ElementRef::new());
    let take = move || {
        bench.prompt.set(prompt.value());
        bench.turns.set(turns.value());
    };
    let show = move || {
        for (field, signal) in [(prompt, bench.prompt), (turns, bench.turns)] {
            if let Some(field) = field.get() {
                field.set_value(&signal.get_untracked());
            }
        }
    };
    let add = move |turn: serde_json::Value| {
        take();
        bench.turns.update(|turns| *turns = toy::with_turn(turns, turn));
        show();
    };
    let add_words = move || add(toy::words(sandbox_words(store).some_words));
    let add_call = move || {
        let name = tool.value();
        let own = bench.toys.with_untracked(|toys| toys.iter().find(|toy| toy.name == name).cloned());
        add(match own {
            Some(own) => toy::call(&name, own.parameters.as_str()),
            None => toy::call(&name, parameters(&name)),
        });
    };
    let play = move || {
        take();
        let Some(lesson) = bench.lesson() else { return };
        store.ask_all(Command::OpenLesson { url: None, text: Some(lesson) }, None, move |answer| match answer {
            Ok(_) => {
                store.show(Panel::Loop);
                store.following.set(true);
                store.send(Command::PlayLesson { fresh: true });
            }
            Err(problem) => bench.problem.set(problem.message),
        });
    };
    let save = move || {
        take();
        if let Some(lesson) = bench.lesson() {
            dom::download("sandbox.json", lesson.as_bytes(), "application/json");
        }
    };
    let open = move || {
        dom::pick_files(".json", move |files| {
            let text = files.into_iter().next().map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
            let Some(read) = text.as_deref().and_then(Sandbox::of_lesson) else {
                bench.problem.set(sandbox_words(store).no_lesson.to_owned());
                return;
            };
            bench.prompt.set(read.prompt);
            bench.turns.set(read.turns);
            show();
            bench.set_toys(read.toys, || {});
        });
    };
    let names = move || store.state.with(|state| state.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>());
    let names = Memo::new(move |_| names());
    let option = |name: String| element("option").attr("value", &name).child(visible(&name).as_ref());
    let chooser = classed("select", "field")
        .test_id("turn-tool")
        .live_attr("aria-label", move || sandbox_words(store).of_tool)
        .reached_by(tool)
        .child(keyed(move || names.get(), String::clone, option));
    let act = |class: &str, id: &str, pick: fn(&'static SandboxWords) -> &'static str| {
        button(class).test_id(id).child(word(store, pick))
    };
    let fields = classed("div", "benchform")
        .child(labelled(store, |t| t.prompt, "input", "sandbox-prompt", prompt))
        .child(labelled(store, |t| t.turns, "textarea", "sandbox-turns", turns))
        .on("change", move |_| take());
    show();
    fields
        .child(
            classed("div", "acts")
                .child(act("btn", "add-words", |t| t.add_words).on_click(add_words))
                .child(act("btn", "add-call", |t| t.add_call).on_click(add_call))
                .child(chooser),
        )
        .child(
            classed("div", "acts")
                .child(
                    act("btn primary", "sandbox-play", |t| t.play)
                        .live_flag("disabled", move || store.busy())
                        .on_click(play),
                )
                .child(act("btn", "sandbox-save", |t| t.save_file).on_click(save))
                .child(act("btn quiet", "sandbox-open", |t| t.open_file).on_click(open)),
        )
}

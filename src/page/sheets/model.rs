//! The model sheet: the scripted model, or a server by its address, with a test that explains what is in the way.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine::platform::node::Event;
use vitrine_agent::model::ModelInfo;
use vitrine_protocol::changes::ToolSwitch;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::{AgentState, Cause, ConnectionReport, Problem};

use crate::bars::yes_or_no;
use crate::chat::notice::notice;
use crate::glyphs::{Glyph, glyph};
use crate::store::{Store, read};
use crate::text::Words;
use crate::view::{
    Element, ElementRef, View, button, choose, classed, effect, element, live, live_text, nothing, view, when,
};

/// Where a test stands.
#[derive(Clone, PartialEq)]
enum Test {
    None,
    Running,
    Done(ConnectionReport),
    Failed(Problem),
    Missing(Missing),
}

/// A field that must be filled first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    Url,
    Model,
}

/// The choice of models.
pub fn model_sheet(store: Store) -> [Element; 3] {
    let scripted = move || store.state.with(|state| matches!(&*state.model.api, "" | "scripted"));
    let use_scripted = move || {
        let model = ModelInfo {
            api: "scripted".into(),
            id: "scripted".into(),
            provider: "scripted".into(),
            ..ModelInfo::default()
        };
        store.ask(Command::SetModel { model }, None, move |_| store.sheet.set(None));
    };
    let words = move || if scripted() { store.t().in_use } else { store.t().use_it };
    let use_it = button("btn")
        .test_id("use-scripted")
        .live_flag("disabled", scripted)
        .on_click(use_scripted)
        .child(live_text(words));
    let lede = classed("p", "lede").child(store.text(|t| t.model_lede));
    let choices = classed("div", "scroll")
        .child(option(scripted, store.text(|t| t.scripted), store.text(|t| t.scripted_about)).child(use_it))
        .child(
            option(move || !scripted(), store.text(|t| t.compatible), store.text(|t| t.compatible_about))
                .child(server_form(store)),
        )
        .child(when(move || store.state.with(|state| !state.tools.is_empty()), move || tool_switches(store)));
    [lede, choices, keys_foot(store)]
}

/// A choice with its mark, name and what it is.
fn option(chosen: impl Fn() -> bool + 'static, name: Words, about: Words) -> Element {
    classed("div", "optrow")
        .child(choose(chosen, |&chosen| glyph(if chosen { Glyph::Tick } else { Glyph::Dot })))
        .child(element("b").child(name))
        .child(element("p").child(about))
}

/// Which tools the model may call.
fn tool_switches(store: Store) -> Element {
    let names =
        store.state.with_untracked(|state| state.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>());
    let one = move |name: String| {
        let (shown, named) = (name.clone(), name.clone());
        let is_on = move |state: &AgentState| state.tools.iter().any(|tool| tool.on && tool.name == shown);
        let switch = move || {
            let names = store.state.with_untracked(|state| {
                let stays = |tool: &&ToolSwitch| tool.on != (tool.name == named);
                state.tools.iter().filter(stays).map(|tool| tool.name.clone()).collect()
            });
            store.send(Command::SetTools { names });
        };
        button("chip")
            .test_id("tool-switch")
            .attr("role", "switch")
            .live_attr("aria-checked", move || yes_or_no(store.state.with(&is_on)))
            .on_click(switch)
            .child(classed("i", "check"))
            .child(classed("b", "mono").child(name))
    };
    let switches = classed("div", "models").attr("role", "group").words("aria-label", store.text(|t| t.tools));
    classed("div", "optrow tools")
        .child(glyph(Glyph::Call))
        .child(element("b").child(store.text(|t| t.tools)))
        .child(element("p").child(store.text(|t| t.tools_about)))
        .child(classed("div", "form").child(switches.child(names.into_iter().map(one).collect::<Vec<_>>())))
}

/// What becomes of keys, and how to be rid of them.
fn keys_foot(store: Store) -> Element {
    let forgotten = RwSignal::new(false);
    let forget = move || store.ask(Command::ForgetKeys {}, None, move |_| forgotten.set(true));
    let words = move || if forgotten.get() { store.t().keys_forgotten } else { store.t().keys_kept };
    classed("div", "foot")
        .child(element("span").child(live_text(words)))
        .child(classed("span", "sp"))
        .child(button("btn deny").test_id("forget-keys").on_click(forget).child(store.text(|t| t.forget_keys)))
}

fn server_form(store: Store) -> Element {
    let (url, id, key) = (ElementRef::new(), ElementRef::new(), ElementRef::new());
    let test = RwSignal::new(Test::None);
    let now = store.state.with_untracked(|state| state.model.clone());
    let now = if &*now.api == "openai-completions" { now } else { ModelInfo::default() };
    let model = move || ModelInfo {
        api: "openai-completions".into(),
        id: id.value().trim().into(),
        provider: "openai-compatible".into(),
        base_url: url.value().trim().to_owned(),
        ..ModelInfo::default()
    };
    // The key goes to the worker and leaves the field; nothing of the page keeps it.
    let hand_key = move |base_url: &str, then: Box<dyn FnOnce()>| {
        let typed = Some(key.value()).filter(|key| !key.trim().is_empty());
        match (typed, dom::origin_of(base_url)) {
            (Some(typed), Some(origin)) => {
                let command = Command::SetKey { key: typed.trim().to_owned(), origin };
                store.ask_all(command, None, move |answer| match answer {
                    Ok(_) => {
                        if let Some(field) = key.get() {
                            field.set_value("");
                        }
                        then();
                    }
                    Err(problem) => test.set(Test::Failed(problem)),
                });
            }
            (_, None) | (None, _) => then(),
        }
    };
    let run_test = move || {
        let model = model();
        if model.base_url.is_empty() {
            return test.set(Test::Missing(Missing::Url));
        }
        test.set(Test::Running);
        let base_url = model.base_url.clone();
        let ask = move || {
            store.ask_all(Command::TestConnection { model }, None, move |answer| {
                let report = answer.and_then(|value| read::<ConnectionReport>(value.json.as_ref()));
                test.try_set(match report {
                    Ok(report) => Test::Done(report),
                    Err(problem) => Test::Failed(problem),
                });
            });
        };
        hand_key(&base_url, Box::new(ask));
    };
    let submit = move |event: &Event| {
        event.prevent_default();
        let model = model();
        let missing = match &model {
            model if model.base_url.is_empty() => Some(Missing::Url),
            model if model.id.is_empty() => Some(Missing::Model),
            _ => None,
        };
        if let Some(missing) = missing {
            return test.set(Test::Missing(missing));
        }
        let base_url = model.base_url.clone();
        let choose = move || {
            store.ask_all(Command::SetModel { model }, None, move |answer| match answer {
                Ok(_) => store.sheet.set(None),
                Err(problem) => drop(test.try_set(Test::Failed(problem))),
            });
        };
        hand_key(&base_url, Box::new(choose));
    };
    let url_field = field(url, "base-url")
        .attr("type", "url")
        .attr("inputmode", "url")
        .attr("spellcheck", "false")
        .attr("placeholder", "http://localhost:11434/v1")
        .attr("value", &now.base_url);
    let id_field = field(id, "model-id").attr("spellcheck", "false").attr("value", &now.id);
    let submit_button = classed("button", "btn primary").attr("type", "submit").test_id("use-model");
    let test_button = button("btn").test_id("test-connection").on_click(run_test);
    let acts = classed("div", "acts")
        .child(submit_button.child(store.text(|t| t.use_it)))
        .child(test_button.child(store.text(|t| t.test_connection)));
    let told = ElementRef::new();
    let answers =
        element("div").attr("aria-live", "polite").reached_by(told).child(live(move || result(store, test.get(), id)));
    // On a phone the answer is below the fold, and nothing else would change.
    effect(move || {
        if !matches!(test.get(), Test::None)
            && let Some(told) = told.get()
        {
            dom::reveal(&told);
        }
    });
    classed("form", "form")
        .on("submit", submit)
        .flag("novalidate", true)
        .child(element("label").child(store.text(|t| t.base_url)).child(url_field))
        .child(element("label").child(store.text(|t| t.model_id)).child(id_field))
        .child(key_field(store, key))
        .child(acts)
        .child(answers)
}

fn field(reference: ElementRef, test_id: &str) -> Element {
    classed("input", "field").attr("autocomplete", "off").reached_by(reference).test_id(test_id)
}

fn key_field(store: Store, key: ElementRef) -> Element {
    if !store.allow_keys {
        return classed("p", "help").child(store.text(|t| t.keys_not_here));
    }
    let is_held = move || store.state.with(|state| state.has_key);
    let help = live_text(move || if is_held() { store.t().key_held } else { store.t().key_help });
    element("label")
        .child(store.text(|t| t.key))
        .child(field(key, "key").attr("type", "password"))
        .child(classed("span", "help").child(help))
}

fn result(store: Store, test: Test, id: ElementRef) -> View {
    let t = store.t();
    view(match test {
        Test::None => return nothing(),
        Test::Running => classed("p", "q2").child(t.testing),
        Test::Missing(Missing::Url) => classed("p", "is-danger").child(t.need_url),
        Test::Missing(Missing::Model) => classed("p", "is-danger").child(t.need_model),
        Test::Failed(problem) => notice("notice danger", Glyph::Triangle, &problem.message, &problem.help),
        Test::Done(report) => report_view(store, report, id),
    })
}

fn report_view(store: Store, report: ConnectionReport, id: ElementRef) -> Element {
    let t = store.t();
    let told = (t.verdict)(&report.verdict);
    let (class, shape) = if report.ok { ("notice good", Glyph::Tick) } else { ("notice danger", Glyph::Triangle) };
    let status = report.status.filter(|_| !report.ok).map(|status| element("p").child((t.status_code)(status)));
    let has_detail = !report.ok && !report.detail.is_empty();
    let detail = has_detail.then(|| element("pre").attr("tabindex", "0").child(report.detail));
    let causes = report.causes.into_iter().map(|cause| cause_view(store, cause)).collect::<Vec<_>>();
    let models = (!report.models.is_empty()).then(|| {
        let chips = report.models.into_iter().take(100).map(|name| model_chip(name, id)).collect::<Vec<_>>();
        [classed("p", "q2").child(t.server_models), classed("div", "models").child(chips)]
    });
    notice(class, shape, told.title, told.text)
        .test_id("connection")
        .attr("data-verdict", &report.verdict)
        .child(status)
        .child(classed("ul", "causes").child(causes))
        .child(models)
        .child(detail)
}

/// A model the server has: chosen, its name goes into the field.
fn model_chip(name: String, id: ElementRef) -> Element {
    let label = classed("b", "clip").child(name.as_str());
    let put = move || {
        if let Some(field) = id.get() {
            field.set_value(&name);
            dom::focus(&field);
        }
    };
    classed("button", "chip").attr("type", "button").on_click(put).child(label)
}

fn cause_view(store: Store, cause: Cause) -> Element {
    let t = store.t();
    let clear = cause.answer == "no";
    let (class, shape) = if clear { ("", Glyph::Tick) } else { ("is-danger", Glyph::Cross) };
    let fix = cause.fix.filter(|_| !clear).map(|fix| classed("p", "fix q2").child(element("code").child(fix)));
    classed("li", class)
        .child(glyph(shape))
        .child(element("span").child((t.cause)(&cause.code)))
        .child(classed("b", if clear { "q2" } else { "" }).child((t.answer)(&cause.answer)))
        .child(fix)
}

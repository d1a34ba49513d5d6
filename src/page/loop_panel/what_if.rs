//! What a person may set up before the next event: breakpoints, faults, and whose part they play.

use leptos::prelude::*;
use vitrine_agent::json::Json;
use vitrine_protocol::command::{Breakpoint, Command};
use vitrine_protocol::edit::Edit;
use vitrine_protocol::fault::{Fault, FaultKind, FaultOf};
use vitrine_protocol::log::KINDS;
use vitrine_protocol::part::Part;
use vitrine_protocol::policy::PolicyRule;
use vitrine_protocol::visible::visible;

use crate::bars::yes_or_no;
use crate::loop_panel::words::{LoopWords, loop_words, word};
use crate::store::Store;
use crate::view::{Element, ElementRef, button, classed, element, keyed, live_text, when};

/// Draws all three.
pub fn what_if(store: Store) -> Element {
    let title = |pick: fn(&'static LoopWords) -> &'static str| element("h3").child(word(store, pick));
    classed("div", "scroll whatif")
        .test_id("what-if")
        .child(title(|t| t.faults))
        .child(classed("p", "q2").child(word(store, |t| t.faults_detail)))
        .child(faults(store))
        .child(title(|t| t.breakpoints))
        .child(breakpoints(store))
        .child(title(|t| t.part))
        .child(parts(store))
        .child(title(|t| t.rules))
        .child(rules(store))
        .child(title(|t| t.prompt))
        .child(classed("p", "q2").child(word(store, |t| t.prompt_detail)))
        .child(system_prompt(store))
}

fn faults(store: Store) -> Element {
    let (reason, nth, some) = (ElementRef::new(), ElementRef::new(), ElementRef::new());
    let wanted = move |kind: FaultKind| Fault {
        reason: Some(reason.value()).filter(|reason| kind.has_reason() && !reason.trim().is_empty()),
        nth: nth.value().trim().parse().ok().filter(|nth| *nth > 1),
        of: some.get().filter(|some| kind == FaultKind::Terminate && some.checked()).map(|_| FaultOf::Some),
        ..Fault::new(kind)
    };
    let armed = move |kind: FaultKind| store.state.with(|state| state.faults.iter().any(|fault| fault.kind == kind));
    let one = |kind: FaultKind| {
        let arm = move || {
            if !store.state.with_untracked(|state| state.faults.iter().any(|fault| fault.kind == kind)) {
                store.send(Command::Fault { fault: wanted(kind) });
            }
        };
        let words = move || if armed(kind) { loop_words(store).armed } else { loop_words(store).arm };
        classed("li", "faultline")
            .child(
                element("div")
                    .child(element("b").child(live_text(move || (loop_words(store).fault)(kind).0)))
                    .child(classed("p", "q2").child(live_text(move || (loop_words(store).fault)(kind).1))),
            )
            .child(
                button("btn")
                    .test_id("fault")
                    .attr("data-fault", kind.as_str())
                    .live_attr("aria-pressed", move || yes_or_no(armed(kind)))
                    .live_attr("aria-label", move || {
                        let t = loop_words(store);
                        format!("{}: {}", (t.fault)(kind).0, words())
                    })
                    .live_class("on", move || armed(kind))
                    .on_click(arm)
                    .child(live_text(words)),
            )
    };
    let disarm = move || {
        button("btn quiet")
            .test_id("clear-faults")
            .on_click(move || store.send(Command::ClearFaults {}))
            .child(word(store, |t| t.disarm))
    };
    let field = |reference: ElementRef, id: &str, pick: fn(&'static LoopWords) -> &'static str| {
        element("label")
            .child(element("span").child(word(store, pick)))
            .child(classed("input", "field").attr("spellcheck", "false").test_id(id).reached_by(reference))
    };
    let more = classed("div", "breakform")
        .child(field(reason, "fault-reason", |t| t.fault_reason))
        .child(field(nth, "fault-nth", |t| t.fault_nth).attr("inputmode", "numeric"))
        .child(
            classed("label", "tickbox")
                .child(element("input").attr("type", "checkbox").test_id("fault-some").reached_by(some))
                .child(element("span").child(word(store, |t| t.fault_some))),
        );
    element("div")
        .child(more)
        .child(element("ul").child(FaultKind::ALL.map(one)))
        .child(when(move || store.state.with(|state| !state.faults.is_empty()), disarm))
}

fn breakpoints(store: Store) -> Element {
    let set = move |list: Vec<Breakpoint>| {
        store.breakpoints.set(list.clone());
        store.send(Command::SetBreakpoints { breakpoints: list });
    };
    let fields = [ElementRef::new(), ElementRef::new(), ElementRef::new(), ElementRef::new(), ElementRef::new()];
    let [event, tool, path, stop_reason, nth] = fields;
    let add = move || {
        let text = |field: ElementRef| Some(field.value().trim().to_owned()).filter(|text| !text.is_empty());
        let breakpoint = Breakpoint {
            event: text(event),
            tool: text(tool),
            path: text(path),
            stop_reason: text(stop_reason),
            nth: text(nth).and_then(|nth| nth.parse().ok()).filter(|nth| *nth > 0),
        };
        let mut list = store.breakpoints.get_untracked();
        if breakpoint != Breakpoint::default() && !list.contains(&breakpoint) {
            list.push(breakpoint);
            set(list);
            for field in fields.into_iter().filter_map(ElementRef::get) {
                field.set_value("");
            }
        }
    };
    let option = |value: &str| element("option").attr("value", value);
    let field = |reference: ElementRef, id: &str, pick: fn(&'static LoopWords) -> &'static str| {
        element("label")
            .child(element("span").child(word(store, pick)))
            .child(classed("input", "field").attr("spellcheck", "false").test_id(id).reached_by(reference))
    };
    let events = classed("select", "field")
        .test_id("break-event")
        .reached_by(event)
        .child(option("").child(word(store, |t| t.any)))
        .child(KINDS.map(|kind| option(kind).child(kind)).into_iter().collect::<Vec<_>>());
    let form = classed("div", "breakform")
        .on("keydown", move |event| {
            if event.key() == "Enter" && !event.composes() {
                event.prevent_default();
                add();
            }
        })
        .child(element("label").child(element("span").child(word(store, |t| t.event))).child(events))
        .child(field(tool, "break-tool", |t| t.tool))
        .child(field(path, "break-path", |t| t.path))
        .child(field(stop_reason, "break-stop", |t| t.stop_reason))
        .child(field(nth, "break-nth", |t| t.nth).attr("inputmode", "numeric"))
        .child(button("btn").test_id("break-add").on_click(add).child(word(store, |t| t.add)));
    let line = move |breakpoint: Breakpoint| {
        let said = said(&breakpoint);
        let name = said.clone();
        let remove = move || {
            let mut list = store.breakpoints.get_untracked();
            list.retain(|other| *other != breakpoint);
            set(list);
        };
        classed("li", "faultline").test_id("breakpoint").child(classed("span", "mono").child(said)).child(
            button("btn quiet")
                .live_attr("aria-label", move || format!("{}: {name}", loop_words(store).remove))
                .on_click(remove)
                .child(word(store, |t| t.remove)),
        )
    };
    let none = move || classed("p", "q2").child(word(store, |t| t.no_breakpoints));
    element("div")
        .child(when(move || store.breakpoints.with(Vec::is_empty), none))
        .child(element("ul").child(keyed(move || store.breakpoints.get(), said, line)))
        .child(form)
}

/// All conditions of a breakpoint.
fn said(breakpoint: &Breakpoint) -> String {
    let Breakpoint { event, tool, path, stop_reason, nth } = breakpoint;
    let parts = [("event", event), ("tool", tool), ("path", path), ("stopReason", stop_reason)];
    let parts = parts.iter().filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} = {value}")));
    let nth = nth.map(|nth| format!("nth = {nth}"));
    parts.chain(nth).collect::<Vec<_>>().join(", ")
}

fn parts(store: Store) -> Element {
    let one = |part: Part, id: &str| {
        let is_played = move || store.state.with(|state| state.part == part);
        element("button")
            .attr("type", "button")
            .test_id(id)
            .live_attr("aria-pressed", move || yes_or_no(is_played()))
            .on_click(move || store.send(Command::PlayPart { part }))
            .child(live_text(move || (loop_words(store).play)(part)))
    };
    classed("span", "seg")
        .attr("role", "group")
        .live_attr("aria-label", move || loop_words(store).part)
        .child(one(Part::None, "part-none"))
        .child(one(Part::Model, "part-model"))
        .child(one(Part::Harness, "part-harness"))
}

/// The rules of the policy, each to be taken back.
fn rules(store: Store) -> Element {
    let all = move || store.state.with(|state| state.policy.rules.clone());
    let line = move |rule: PolicyRule| {
        let said = rule_said(&rule);
        let name = said.clone();
        let remove = move || {
            let mut policy = store.state.with_untracked(|state| state.policy.clone());
            policy.rules.retain(|other| *other != rule);
            store.send(Command::SetPolicy { policy });
        };
        classed("li", "faultline").test_id("rule").child(classed("span", "mono").child(said)).child(
            button("btn quiet")
                .live_attr("aria-label", move || format!("{}: {name}", loop_words(store).remove))
                .on_click(remove)
                .child(word(store, |t| t.remove)),
        )
    };
    let none = move || classed("p", "q2").child(word(store, |t| t.no_rules));
    element("div").child(when(move || all().is_empty(), none)).child(element("ul").child(keyed(all, rule_said, line)))
}

fn rule_said(rule: &PolicyRule) -> String {
    let text = serde_json::to_string(rule).unwrap_or_default();
    visible(&text).into_owned()
}

/// Another system prompt for every later request.
fn system_prompt(store: Store) -> Element {
    let text = ElementRef::new();
    let put = move || {
        let system = text.value();
        if let Ok(edit) = Json::from_serialize(&Edit::System { system }) {
            store.send(Command::Edit { edit });
        }
    };
    classed("div", "benchform")
        .child(
            classed("textarea", "field")
                .test_id("system-prompt")
                .live_attr("aria-label", move || loop_words(store).prompt)
                .reached_by(text),
        )
        .child(
            element("div")
                .child(button("btn").test_id("system-set").on_click(put).child(word(store, |t| t.prompt_set))),
        )
}

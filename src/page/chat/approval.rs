//! The question whether a call may run: docked above the composer, with what the call would do and four answers.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_agent::json::Json;
use vitrine_protocol::command::Command;
use vitrine_protocol::policy::{ApprovalCall, Decision, DecisionKind, Effect};
use vitrine_protocol::visible::visible;

use crate::files::patch_lines;
use crate::store::Store;
use crate::view::{Element, ElementRef, View, button, choose, classed, effect, element, nothing, view};

/// Draws it, while something is asked.
pub fn approval(store: Store) -> View {
    let asked = move || {
        store.approval.with(|approval| {
            let calls = approval.as_ref().map(|approval| approval.calls.as_slice()).unwrap_or_default();
            let is_open = |call: &&ApprovalCall| call.decision.is_none();
            let first = calls.iter().find(is_open).cloned();
            first.map(|call| (call, calls.iter().filter(is_open).count()))
        })
    };
    choose(asked, move |asked| asked.as_ref().map(|(call, n_open)| question(store, call, *n_open)))
}

/// The heading of a dock that waits for the reader. It has the focus when it appears, unless they are writing; no button has, since
/// a stray Enter would decide.
pub fn heading(id: &str, words: String) -> Element {
    let place = ElementRef::new();
    effect(move || {
        let Some(place) = place.get() else { return };
        if !dom::is_writing(&place) {
            dom::focus(&place);
        }
    });
    element("h3").attr("id", id).attr("tabindex", "-1").reached_by(place).child(words)
}

/// Denies the call that is asked about, as Escape does. Whether there is one.
pub fn deny(store: Store) -> bool {
    let open = store.approval.with_untracked(|approval| {
        let calls = approval.as_ref()?.calls.iter();
        calls.clone().find(|call| call.decision.is_none()).map(|call| call.call_id.clone())
    });
    let is_asked = open.is_some();
    if let Some(call_id) = open {
        decide(store, call_id, DecisionKind::Deny, None, None);
    }
    is_asked
}

fn decide(store: Store, call_id: String, decision: DecisionKind, reason: Option<String>, args: Option<Json>) {
    store.send(Command::Decide { decisions: vec![Decision { call_id, decision, reason, args }] });
}

fn question(store: Store, call: &ApprovalCall, n_open: usize) -> Element {
    let t = store.t();
    let (reason, args) = (ElementRef::new(), ElementRef::new());
    let tool = visible(&call.tool).into_owned();
    let act = {
        let call_id = call.call_id.clone();
        move |decision, reason, args| decide(store, call_id.clone(), decision, reason, args)
    };
    let plain = |class: &str, id: &str, words: String, decision: DecisionKind| {
        let act = act.clone();
        button(class).test_id(id).on_click(move || act(decision, None, None)).child(words)
    };
    let acts = classed("div", "acts")
        .child(plain("btn primary", "allow", t.allow_once.to_owned(), DecisionKind::Allow))
        .child(plain("btn", "allow-session", (t.allow_session)(&tool), DecisionKind::AllowSession))
        .child(plain("btn", "deny", t.deny.to_owned(), DecisionKind::Deny));
    let deny_why = {
        let act = act.clone();
        move || {
            let text = reason.value();
            act(DecisionKind::Deny, (!text.trim().is_empty()).then_some(text), None);
        }
    };
    let why = classed("div", "why").child(element("label").attr("for", "deny-reason").child(t.deny_why)).child(
        classed("div", "inline")
            .child(classed("input", "field").attr("id", "deny-reason").test_id("deny-reason").reached_by(reason))
            .child(button("btn").test_id("deny-why").on_click(deny_why).child(t.deny_with_reason)),
    );
    let with_args = move || match Json::parse(args.value()) {
        Ok(json) if json.as_str().trim_start().starts_with('{') => act(DecisionKind::Allow, None, Some(json)),
        Ok(_) | Err(_) => store.say_now(store.text(|t| t.args_invalid).get()),
    };
    let raw = element("details")
        .child(element("summary").child(t.raw_arguments))
        .child(
            classed("textarea", "field mono")
                .attr("rows", "4")
                .attr("spellcheck", "false")
                .words("aria-label", store.text(|t| t.raw_arguments))
                .test_id("approval-args")
                .reached_by(args)
                .child(call.args.as_str()),
        )
        .child(button("btn").test_id("allow-edited").on_click(with_args).child(t.allow_edited));
    let more = (n_open > 1).then(|| classed("span", "tag").child((t.more_calls)(n_open - 1)));
    classed("section", "approval")
        .attr("aria-labelledby", "approval-question")
        .test_id("approval")
        .attr("data-call-id", &call.call_id)
        .child(
            element("header")
                .child(heading("approval-question", asks(store, &tool, &call.effect)))
                .child(classed("span", "sp"))
                .child(more),
        )
        .child(classed("div", "in").child(effect_view(store, &call.effect)).child(raw).child(acts).child(why))
}

/// What is asked, in one sentence.
fn asks(store: Store, tool: &str, effect: &Effect) -> String {
    let t = store.t();
    match effect {
        Effect::Diff { path, added, removed, .. } => (t.ask_change)(tool, &visible(path), *added, *removed),
        Effect::Command { .. } | Effect::Call | Effect::Fails { .. } => (t.ask_run)(tool),
    }
}

fn effect_view(store: Store, effect: &Effect) -> View {
    match effect {
        Effect::Diff { patch, .. } if patch.is_empty() => view(classed("p", "q").child(store.t().no_difference)),
        Effect::Diff { patch, .. } => {
            view(classed("div", "payload scroll").attr("tabindex", "0").child(patch_lines(store, patch)))
        }
        Effect::Command { command } => {
            // Its lines stay lines; all else that hides is spelled out.
            let lines: Vec<_> = command.split('\n').map(visible).collect();
            view(classed("pre", "payload").child(lines.join("\n")))
        }
        Effect::Fails { message } => view(classed("p", "q").child((store.t().would_fail)(message))),
        Effect::Call => nothing(),
    }
}

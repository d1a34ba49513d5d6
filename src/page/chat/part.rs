//! Playing a part: the reader in the model's place, with a form that knows the tools, or in the harness's, with the call.

use leptos::prelude::*;
use vitrine_agent::tool::ToolSpec;
use vitrine_protocol::command::Command;
use vitrine_protocol::form::{self, Field, FieldKind};
use vitrine_protocol::part::{HarnessAction, Part, PartRequest};
use vitrine_protocol::visible::visible;

use crate::chat::approval::heading;
use crate::loop_panel::words::{loop_words, word};
use crate::store::Store;
use crate::view::{Element, ElementRef, View, button, choose, classed, element, keyed, live};

/// Draws what the reader is to answer, while there is something.
pub fn part(store: Store) -> View {
    choose(
        move || store.part.get(),
        move |part| {
            let part = part.as_ref()?;
            match part.part {
                Part::None => None,
                Part::Model => Some(model(store, part)),
                Part::Harness => Some(harness(store, part)),
            }
        },
    )
}

fn panel(part: &str, title: String, detail: View) -> Element {
    classed("section", "approval")
        .attr("aria-labelledby", "part-question")
        .test_id("part")
        .attr("data-part", part)
        .child(element("header").child(heading("part-question", title)))
        .child(classed("div", "in").child(classed("p", "q2").child(detail)))
}

fn model(store: Store, part: &PartRequest) -> Element {
    let (text, tool) = (ElementRef::new(), ElementRef::new());
    let calls = RwSignal::new(Vec::<(String, String)>::new());
    let tools = StoredValue::new(part.tools.clone());
    let spec_of = move |name: &str| tools.with_value(|tools| tools.iter().find(|tool| tool.name == name).cloned());
    let chosen = RwSignal::new(part.tools.first().map(|tool| tool.name.clone()).unwrap_or_default());
    let form = StoredValue::new_local(Vec::<(Field, ElementRef)>::new());
    let draw_form = move |name: &String| {
        let spec = spec_of(name);
        let fields = spec.as_ref().map(|spec| form::fields(spec.parameters.as_str())).unwrap_or_default();
        let fields: Vec<_> = fields.into_iter().map(|field| (field, ElementRef::new())).collect();
        let drawn = fields.iter().map(|(field, reference)| field_view(store, field, *reference)).collect::<Vec<_>>();
        form.set_value(fields);
        let about = spec.map(|ToolSpec { description, .. }| {
            classed("p", "q2 about").attr("tabindex", "0").child(visible(&description).as_ref())
        });
        classed("div", "breakform").child(about).child(drawn)
    };
    let add = move || {
        let arguments = form.with_value(|form| {
            let fields: Vec<Field> = form.iter().map(|(field, _)| field.clone()).collect();
            let typed: Vec<String> = form.iter().map(|(_, reference)| reference.value()).collect();
            form::arguments(&fields, &typed)
        });
        calls.update(|calls| calls.push((chosen.get_untracked(), arguments)));
    };
    let answer = move || {
        if let Some(content) = calls.with_untracked(|calls| form::answer(&text.value(), calls)) {
            store.send(Command::AnswerAsModel { content, stop_reason: None });
        }
    };
    let options =
        part.tools.iter().map(|tool| element("option").attr("value", &tool.name).child(visible(&tool.name).as_ref()));
    let choice = classed("select", "field")
        .live_attr("aria-label", move || loop_words(store).tool)
        .test_id("part-tool")
        .reached_by(tool)
        .on("change", move |_| chosen.set(tool.value()))
        .child(options.collect::<Vec<_>>());
    let call = |(_, (name, arguments)): (usize, (String, String))| {
        classed("li", "mono").test_id("part-call").child(format!("{} {}", visible(&name), visible(&arguments)))
    };
    let each = move || calls.get().into_iter().enumerate().collect::<Vec<_>>();
    let number = part.request.unwrap_or_default();
    let title = (loop_words(store).you_are_model)(number);
    panel("model", title, word(store, |t| t.you_are_model_detail)).child(
        classed("div", "in")
            .child(
                classed("textarea", "field")
                    .attr("rows", "2")
                    .live_attr("aria-label", move || loop_words(store).your_text)
                    .live_attr("placeholder", move || loop_words(store).your_text)
                    .test_id("part-text")
                    .reached_by(text),
            )
            .child(element("ul").child(keyed(each, |(at, (name, args))| format!("{at} {name} {args}"), call)))
            .child(choice)
            .child(choose(move || chosen.get(), draw_form))
            .child(
                classed("div", "acts")
                    .child(button("btn").test_id("part-add").on_click(add).child(word(store, |t| t.add_call)))
                    .child(
                        button("btn primary").test_id("part-answer").on_click(answer).child(word(store, |t| t.answer)),
                    ),
            ),
    )
}

fn field_view(store: Store, field: &Field, reference: ElementRef) -> Element {
    let tag = if field.kind == FieldKind::Text { "textarea" } else { "input" };
    let (name, required) = (visible(&field.name).into_owned(), field.required);
    let label = live(move || {
        let required = required.then(|| classed("span", "q2").child(format!(" ({})", loop_words(store).required)));
        [element("span").child(name.as_str()).child(required)]
    });
    element("label").attr("title", &field.description).child(label).child(
        classed(tag, "field mono")
            .attr("rows", "1")
            .attr("spellcheck", "false")
            .test_id("part-field")
            .attr("data-name", &field.name)
            .reached_by(reference),
    )
}

fn harness(store: Store, part: &PartRequest) -> Element {
    let (text, failed) = (ElementRef::new(), RwSignal::new(false));
    let call_id = part.call_id.clone().unwrap_or_default();
    let tool = visible(part.tool.as_deref().unwrap_or_default()).into_owned();
    let act = |class: &str, id: &str, action: HarnessAction, words: View| {
        let call_id = call_id.clone();
        let answer = move || {
            let said = Some(text.value()).filter(|said| action != HarnessAction::Run && !said.is_empty());
            let is_error = action == HarnessAction::Result && failed.get_untracked();
            let said = if action == HarnessAction::Result { said.or(Some(String::new())) } else { said };
            store.send(Command::AnswerAsHarness { call_id: call_id.clone(), action, text: said, is_error });
        };
        button(class).test_id(id).on_click(answer).child(words)
    };
    let args = part.args.as_ref().map(|args| classed("pre", "payload").child(visible(args.as_str()).as_ref()));
    let title = (loop_words(store).you_are_harness)(&tool);
    let fails = element("label")
        .child(
            element("input")
                .attr("type", "checkbox")
                .test_id("part-failed")
                .on("change", move |_| failed.update(|failed| *failed = !*failed)),
        )
        .child(" ")
        .child(word(store, |t| t.is_error));
    panel("harness", title, word(store, |t| t.you_are_harness_detail)).child(
        classed("div", "in")
            .child(args)
            .child(
                classed("textarea", "field mono")
                    .attr("rows", "2")
                    .live_attr("aria-label", move || loop_words(store).reason_or_result)
                    .live_attr("placeholder", move || loop_words(store).reason_or_result)
                    .test_id("part-text")
                    .reached_by(text),
            )
            .child(fails)
            .child(
                classed("div", "acts")
                    .child(act("btn primary", "part-run", HarnessAction::Run, word(store, |t| t.run_it)))
                    .child(act("btn", "part-result", HarnessAction::Result, word(store, |t| t.result)))
                    .child(act("btn", "part-reject", HarnessAction::Reject, word(store, |t| t.reject))),
            ),
    )
}

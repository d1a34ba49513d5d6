//! Putting something else in place of a call's arguments or result. What was there stays, struck, above what is there now.

use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_agent::json::Json;
use vitrine_agent::message::UserContent;
use vitrine_protocol::command::Command;
use vitrine_protocol::edit::{Edit, EditedPart};
use vitrine_protocol::visible::visible;

use crate::chat::call::Head;
use crate::chat::row::PartView;
use crate::loop_panel::words::{loop_words, word};
use crate::store::Store;
use crate::view::{Element, ElementRef, View, button, choose, classed, effect, element, view};

/// What a person last put in its place; tracked.
pub fn value_of(store: Store, head: Memo<Option<Head>>, what: EditedPart) -> Option<Json> {
    let id = head.with(|head| head.as_ref().map(|head| head.id.clone()))?;
    store.edited.with(|edited| {
        let of_call = edited.iter().rev().find(|edited| edited.what == what && edited.call_id.as_ref() == Some(&id));
        of_call.map(|edited| edited.value.clone())
    })
}

/// What was put in its place, and the way to do so while it can be done.
pub fn edit(part: &PartView, head: Memo<Option<Head>>, what: EditedPart) -> View {
    let store = part.store;
    let writes = RwSignal::new(false);
    let can = move || {
        let state = head.with(|head| head.as_ref().map(|head| head.state));
        state.is_some_and(|state| what.is_open(state, store.busy()))
    };
    let part = part.clone();
    let key = move || (value_of(store, head, what), can().then(|| writes.get()));
    choose(key, move |(value, writing)| {
        let words: fn(Store) -> View = match what {
            EditedPart::Args => |store| word(store, |t| t.edit_args),
            _ => |store| word(store, |t| t.edit_result),
        };
        let id = if what == EditedPart::Args { "edit-args" } else { "edit-result" };
        let now = value.as_ref().map(|value| {
            let text = text_of(value);
            classed("div", "edited")
                .test_id("edited")
                .child(classed("span", "tag").child(word(store, |t| t.edited)))
                .child(classed("pre", "payload").child(visible(&text).as_ref()))
        });
        let act = match writing {
            None => None,
            Some(false) => Some(button("btn quiet").test_id(id).on_click(move || writes.set(true)).child(words(store))),
            Some(true) => Some(form(&part, head, what, writes)),
        };
        (now.is_some() || act.is_some()).then(|| {
            let name = classed("dt", "q2").child(word(store, |t| t.edit));
            view(element("div").child(name).child(element("dd").child(now).child(act)))
        })
    })
}

/// A text as it is; anything else as JSON.
fn text_of(value: &Json) -> String {
    match value.to_value().as_str() {
        Some(text) => text.to_owned(),
        None => value.as_str().to_owned(),
    }
}

fn form(part: &PartView, head: Memo<Option<Head>>, what: EditedPart, writes: RwSignal<bool>) -> Element {
    let store = part.store;
    let field = ElementRef::new();
    effect(move || {
        if let Some(field) = field.get() {
            dom::focus(&field);
        }
    });
    let is_args = what == EditedPart::Args;
    let original = part.call(|card| {
        let result = || card.result.as_ref().map(|result| result.text.clone()).unwrap_or_default();
        if is_args { card.arguments.clone() } else { result() }
    });
    let save = move || {
        let Some(call_id) = head.with_untracked(|head| head.as_ref().map(|head| head.id.clone())) else { return };
        let edit = if is_args {
            match Json::parse(field.value()) {
                Ok(args) if args.as_str().trim_start().starts_with('{') => Edit::Args { call_id, args },
                Ok(_) | Err(_) => {
                    store.say_now(store.text(|t| t.args_invalid).get());
                    return;
                }
            }
        } else {
            Edit::Result { call_id, result: UserContent::Text(field.value()), is_error: None }
        };
        let Ok(edit) = Json::from_serialize(&edit) else { return };
        store.ask(Command::Edit { edit }, None, move |_| {
            writes.try_set(false);
        });
    };
    classed("div", "editform")
        .on("keydown", move |event| {
            if event.key() == "Escape" && !event.composes() {
                event.prevent_default();
                event.stop_propagation();
                writes.set(false);
            }
        })
        .child(
            classed("textarea", "field mono")
                .attr("rows", "3")
                .attr("spellcheck", "false")
                .live_attr("aria-label", move || {
                    let t = loop_words(store);
                    if is_args { t.edit_args } else { t.edit_result }
                })
                .test_id("edit-text")
                .reached_by(field)
                .child(original.unwrap_or_default()),
        )
        .child(
            classed("div", "acts")
                .child(button("btn").test_id("edit-save").on_click(save).child(word(store, |t| t.save)))
                .child(button("btn quiet").on_click(move || writes.set(false)).child(word(store, |t| t.cancel))),
        )
}

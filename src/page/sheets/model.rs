//! The model sheet: the scripted model, or a server by its address, with a test that explains what is in the way.

use leptos::ev::SubmitEvent;
use leptos::html;
use leptos::prelude::*;
use vitrine::platform::dom;
use vitrine_agent::model::ModelInfo;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::{Cause, ConnectionReport, Problem};

use crate::glyphs::{Glyph, glyph};
use crate::store::{Store, read};

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
pub fn model_sheet(store: Store) -> impl IntoView {
    let scripted = Memo::new(move |_| store.state.with(|state| matches!(state.model.api.as_str(), "" | "scripted")));
    let use_scripted = move |_| {
        let model = ModelInfo {
            api: "scripted".into(),
            id: "scripted".into(),
            provider: "scripted".into(),
            ..ModelInfo::default()
        };
        store.ask(Command::SetModel { model }, None, move |_| store.sheet.set(None));
    };
    let forgotten = RwSignal::new(false);
    let forget = move |_| store.ask(Command::ForgetKeys {}, None, move |_| forgotten.set(true));
    view! {
        <p class="lede">{store.text(|t| t.model_lede)}</p>
        <div class="scroll">
            <div class="optrow">
                {move || glyph(if scripted.get() { Glyph::Tick } else { Glyph::Dot })}
                <b>{store.text(|t| t.scripted)}</b>
                <p>{store.text(|t| t.scripted_about)}</p>
                <button class="btn" type="button" data-testid="use-scripted" disabled=move || scripted.get() on:click=use_scripted>
                    {move || if scripted.get() { store.t().in_use } else { store.t().use_it }}
                </button>
            </div>
            <div class="optrow">
                {move || glyph(if scripted.get() { Glyph::Dot } else { Glyph::Tick })}
                <b>{store.text(|t| t.compatible)}</b>
                <p>{store.text(|t| t.compatible_about)}</p>
                {server_form(store)}
            </div>
        </div>
        <footer>
            <span>{move || if forgotten.get() { store.t().keys_forgotten } else { store.t().keys_kept }}</span>
            <span class="sp"></span>
            <button class="btn deny" type="button" data-testid="forget-keys" on:click=forget>
                {store.text(|t| t.forget_keys)}
            </button>
        </footer>
    }
}

fn server_form(store: Store) -> impl IntoView {
    let (url, id, key) = (NodeRef::<html::Input>::new(), NodeRef::<html::Input>::new(), NodeRef::<html::Input>::new());
    let test = RwSignal::new(Test::None);
    let now = store.state.with_untracked(|state| state.model.clone());
    let now = if now.api == "openai-completions" { now } else { ModelInfo::default() };
    let model = move || ModelInfo {
        api: "openai-completions".into(),
        id: id.get_untracked().map(|field| field.value().trim().to_owned()).unwrap_or_default(),
        provider: "openai-compatible".into(),
        base_url: url.get_untracked().map(|field| field.value().trim().to_owned()).unwrap_or_default(),
        ..ModelInfo::default()
    };
    // The key goes to the worker and leaves the field; nothing of the page keeps it.
    let hand_key = move |base_url: &str, then: Box<dyn FnOnce()>| {
        let typed = key.get_untracked().map(|field| field.value()).filter(|key| !key.trim().is_empty());
        match (typed, dom::origin_of(base_url)) {
            (Some(typed), Some(origin)) => {
                let command = Command::SetKey { key: typed.trim().to_owned(), origin };
                store.ask_all(command, None, move |answer| match answer {
                    Ok(_) => {
                        if let Some(field) = key.get_untracked() {
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
    let run_test = move |_| {
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
    let submit = move |event: SubmitEvent| {
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
    let key_field = if store.allow_keys {
        let held = move || store.state.with(|state| state.has_key);
        view! {
            <label>
                {store.text(|t| t.key)}
                <input class="field" type="password" autocomplete="off" node_ref=key data-testid="key" />
                <span class="help">{move || if held() { store.t().key_held } else { store.t().key_help }}</span>
            </label>
        }
        .into_any()
    } else {
        view! { <p class="help">{store.text(|t| t.keys_not_here)}</p> }.into_any()
    };
    view! {
        <form class="form" on:submit=submit novalidate=true>
            <label>
                {store.text(|t| t.base_url)}
                <input
                    class="field"
                    type="url"
                    inputmode="url"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="http://localhost:11434/v1"
                    value=now.base_url
                    node_ref=url
                    data-testid="base-url"
                />
            </label>
            <label>
                {store.text(|t| t.model_id)}
                <input
                    class="field"
                    autocomplete="off"
                    spellcheck="false"
                    value=now.id
                    node_ref=id
                    data-testid="model-id"
                />
            </label>
            {key_field}
            <div class="acts">
                <button class="btn primary" type="submit" data-testid="use-model">{store.text(|t| t.use_it)}</button>
                <button class="btn" type="button" data-testid="test-connection" on:click=run_test>
                    {store.text(|t| t.test_connection)}
                </button>
            </div>
            <div aria-live="polite">{move || result(store, test.get(), id)}</div>
        </form>
    }
}

fn result(store: Store, test: Test, id: NodeRef<html::Input>) -> AnyView {
    let t = store.t();
    match test {
        Test::None => ().into_any(),
        Test::Running => view! { <p class="q2">{t.testing}</p> }.into_any(),
        Test::Missing(missing) => {
            let words = match missing {
                Missing::Url => t.need_url,
                Missing::Model => t.need_model,
            };
            view! { <p class="is-danger">{words}</p> }.into_any()
        }
        Test::Failed(problem) => view! {
            <section class="notice danger">
                {glyph(Glyph::Triangle)}
                <h4>{problem.message}</h4>
                <p>{problem.help}</p>
            </section>
        }
        .into_any(),
        Test::Done(report) => report_view(store, report, id).into_any(),
    }
}

fn report_view(store: Store, report: ConnectionReport, id: NodeRef<html::Input>) -> impl IntoView {
    let t = store.t();
    let told = (t.verdict)(&report.verdict);
    let (class, shape) = if report.ok { ("notice good", Glyph::Tick) } else { ("notice danger", Glyph::Triangle) };
    let status = report.status.filter(|_| !report.ok).map(|status| view! { <p>{(t.status_code)(status)}</p> });
    let detail = (!report.ok && !report.detail.is_empty()).then(|| view! { <pre tabindex="0">{report.detail}</pre> });
    let causes = report.causes.into_iter().map(|cause| cause_view(store, cause)).collect_view();
    let models = (!report.models.is_empty()).then(|| {
        let chips = report.models.into_iter().take(100).map(|name| {
            let choose = name.clone();
            let put = move |_| {
                if let Some(field) = id.get_untracked() {
                    field.set_value(&choose);
                    dom::focus(&field);
                }
            };
            view! { <button class="chip" type="button" on:click=put><b class="clip">{name}</b></button> }
        });
        view! {
            <p class="q2">{t.server_models}</p>
            <div class="models">{chips.collect_view()}</div>
        }
    });
    view! {
        <section class=class data-testid="connection" data-verdict=report.verdict>
            {glyph(shape)}
            <h4>{told.title}</h4>
            <p>{told.text}</p>
            {status}
            <ul class="causes">{causes}</ul>
            {models}
            {detail}
        </section>
    }
}

fn cause_view(store: Store, cause: Cause) -> impl IntoView {
    let t = store.t();
    let clear = cause.answer == "no";
    let (class, shape) = if clear { ("", Glyph::Tick) } else { ("is-danger", Glyph::Cross) };
    let fix = cause.fix.filter(|_| !clear).map(|fix| view! { <p class="fix q2"><code>{fix}</code></p> });
    view! {
        <li class=class>
            {glyph(shape)}
            <span>{(t.cause)(&cause.code)}</span>
            <b class:q2=clear>{(t.answer)(&cause.answer)}</b>
            {fix}
        </li>
    }
}

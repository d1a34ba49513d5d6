//! Choosing a model, and testing whether its server can be reached from this page.

use futures_util::StreamExt as _;
use serde::Deserialize;
use vitrine::platform::url::{http_origin, is_plain};
use vitrine::platform::{fetch, permission, worker_port};
use vitrine_agent::model::ModelInfo;
use vitrine_protocol::notification::{Cause, ConnectionReport, Problem};
use vitrine_providers::connection::{self, Attempt, Permission, Verdict};
use vitrine_providers::{error, openai_completions};

use crate::desk::Desk;
use crate::outbox::Answer;

/// How much of a list of models is read.
const LIST_BYTES: usize = 1 << 20;

/// Chooses the model of the next request. Nothing is sent.
pub fn set_model(desk: &Desk, mut model: ModelInfo) -> Result<Answer, Problem> {
    let invalid = |message: String, help: &str| Err(Problem::new("invalid-model", message, help));
    match &*model.api {
        "scripted" => model = crate::models::scripted_model(),
        "openai-completions" => {
            if model.id.trim().is_empty() {
                return invalid("the model has no id".into(), "give the id the server knows it by");
            }
            let Some(origin) = http_origin(&model.base_url) else {
                return invalid(
                    format!("not the address of a model server: \"{}\"", model.base_url),
                    "give an absolute address, like http://localhost:11434/v1",
                );
            };
            if !is_plain(&model.base_url) {
                return invalid(
                    format!("the address has a user, a query or a fragment: \"{}\"", model.base_url),
                    "give scheme, host and path alone; a key has a field of its own",
                );
            }
            if model.provider.is_empty() {
                // The host names whose API it is, as well as anything the reader did not say.
                let host = origin.split_once("://").map_or(origin.as_str(), |(_, host)| host);
                model.provider = host.into();
            }
        }
        other => {
            return invalid(format!("no such api: \"{other}\""), "use scripted or openai-completions");
        }
    }
    desk.model.replace(model);
    desk.tell_state();
    Ok(Answer::done())
}

/// Asks the server for its models. The one request this sends is the reader's own.
pub async fn test(desk: &Desk, model: &ModelInfo) -> Result<Answer, Problem> {
    let key = desk.keys.borrow().for_url(&model.base_url).map(str::to_owned);
    let keys = desk.keys.borrow().all();
    let known: Vec<&str> = keys.iter().map(String::as_str).collect();
    let mut report = match http_origin(&model.base_url) {
        None => diagnosed(&model.base_url, "", Permission::Unknown),
        Some(_) => {
            let request = openai_completions::models_request(model, key.as_deref());
            let request = fetch::Request {
                method: request.method.to_owned(),
                url: request.url,
                headers: request.headers,
                body: None,
            };
            match fetch::send(request).await {
                Ok(response) => answered(response).await,
                Err(error) => diagnosed(&model.base_url, &error.message, local_network().await),
            }
        }
    };
    report.detail = error::redact(&report.detail, &known);
    Answer::json(&report)
}

/// The server answered: is it a model server?
async fn answered(mut response: fetch::Response) -> ConnectionReport {
    let status = response.status;
    let mut body = Vec::new();
    while let Some(Ok(piece)) = response.body.next().await {
        body.extend_from_slice(&piece);
        if body.len() > LIST_BYTES {
            break;
        }
    }
    let report = |verdict: &str, detail: String, models| ConnectionReport {
        ok: verdict == "ok",
        verdict: verdict.into(),
        status: Some(status),
        detail,
        causes: Vec::new(),
        models,
    };
    if !(200..300).contains(&status) {
        return report("status", error::from_response(status, &body).message, Vec::new());
    }
    #[derive(Deserialize)]
    struct List {
        data: Vec<Listed>,
    }
    #[derive(Deserialize)]
    struct Listed {
        id: String,
    }
    // Text and not bytes: everything else is read from text, and a second reader would be a second copy of all of it.
    let text = String::from_utf8_lossy(&body);
    match serde_json::from_str::<List>(&text) {
        Ok(list) => report("ok", String::new(), list.data.into_iter().map(|model| model.id).collect()),
        Err(_) => report("not-a-model-server", text.chars().take(300).collect(), Vec::new()),
    }
}

/// No answer: each cause that was looked at, the likeliest last.
fn diagnosed(base_url: &str, failure: &str, local_network: Permission) -> ConnectionReport {
    let diagnosis = connection::diagnose(&Attempt {
        page_origin: &worker_port::page_origin(),
        base_url,
        online: worker_port::is_online(),
        csp_violation: None,
        error: failure,
        local_network,
    });
    let verdict = diagnosis.verdict;
    let mut causes: Vec<Cause> = [Verdict::Offline, Verdict::MixedContent, Verdict::LocalNetworkDenied]
        .into_iter()
        .filter(|other| *other != verdict && verdict != Verdict::BadUrl)
        .map(|other| {
            let asks = other == Verdict::LocalNetworkDenied && local_network == Permission::Prompt;
            Cause { code: other.as_str().into(), answer: if asks { "likely" } else { "no" }.into(), fix: None }
        })
        .collect();
    let fixes: Vec<&str> =
        diagnosis.causes.iter().map(|cause| cause.command.as_str()).filter(|command| !command.is_empty()).collect();
    causes.push(Cause {
        code: verdict.as_str().into(),
        answer: if verdict == Verdict::DownOrCors { "likely" } else { "yes" }.into(),
        fix: (!fixes.is_empty()).then(|| fixes.join("\n")),
    });
    ConnectionReport {
        ok: false,
        verdict: verdict.as_str().into(),
        status: None,
        detail: diagnosis.text(),
        causes,
        models: Vec::new(),
    }
}

async fn local_network() -> Permission {
    match permission::query("local-network-access").await.as_deref() {
        Some("granted") => Permission::Granted,
        Some("prompt") => Permission::Prompt,
        Some("denied") => Permission::Denied,
        _ => Permission::Unknown,
    }
}

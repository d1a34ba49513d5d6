//! OpenAI Chat Completions over `fetch`: the IO round the pure request and decoder.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;

use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use vitrine::platform::js_error::JsError;
use vitrine::platform::{clock, fetch, worker_port};
use vitrine_agent::model::{ModelEvent, ModelInfo, ModelRequest, ModelStream};
use vitrine_providers::connection::{self, Attempt};
use vitrine_providers::error::{self, ProviderError};
use vitrine_providers::http::HttpRequest;
use vitrine_providers::openai_completions::{self, DecodeOptions, Decoder};

use super::pump::{Sink, pump};
use crate::desk::Desk;
use crate::requests;

/// How long a stream may be silent, where the model's `compat.idleTimeoutMs` does not say.
const IDLE_MS: u64 = 300_000;
/// How long to wait for usage and the end once the finish reason was read.
const ENDING_MS: u64 = 1_000;
/// How much of an error body is read.
const ERROR_BODY_BYTES: usize = 64 << 10;

/// Sends the request and streams its answer. A server that refuses a field by name is asked once more, its way.
pub fn stream(desk: &Rc<Desk>, mut request: ModelRequest) -> ModelStream {
    let desk = desk.clone();
    let http = build(&desk, &request);
    pump(move |sink| async move {
        let keys = desk.keys.borrow().all();
        let send = |events: Vec<ModelEvent>| {
            let known: Vec<&str> = keys.iter().map(String::as_str).collect();
            sink.send(events.into_iter().map(|event| redact(event, &known)).collect())
        };
        let Some(refusal) = converse(&request, http, &send, &sink).await else { return };
        let refusal = match openai_completions::adapt(&request.model, &refusal) {
            Some(model) => {
                remember(&desk, &request.model, &model);
                request.model = model.into();
                match converse(&request, build(&desk, &request), &send, &sink).await {
                    Some(refusal) => refusal,
                    None => return,
                }
            }
            None => refusal,
        };
        send(Decoder::new(DecodeOptions::from_request(&request)).fail(refusal));
    })
}

/// Makes a request, and notes it as it will be sent.
fn build(desk: &Desk, request: &ModelRequest) -> HttpRequest {
    let http = {
        let keys = desk.keys.borrow();
        openai_completions::request(request, keys.for_url(&request.model.base_url), &mut desk.bodies.borrow_mut())
    };
    // The closing turn of an aborted run asks nobody.
    if !request.signal.is_aborted() {
        requests::note(desk, &http, &http.url, true);
    }
    http
}

/// Later requests to this model begin with what the server taught.
fn remember(desk: &Desk, asked: &ModelInfo, adapted: &ModelInfo) {
    let mut model = desk.model.borrow_mut();
    if *model == *asked {
        model.clone_from(adapted);
    }
}

/// One exchange. Every way out sends `Done` or `Error`, unless nobody listens any more or the server refused: then
/// nothing was sent yet and the refusal is given back.
async fn converse(
    request: &ModelRequest,
    http: HttpRequest,
    send: &impl Fn(Vec<ModelEvent>) -> bool,
    sink: &Sink,
) -> Option<ProviderError> {
    let idle_ms = idle_ms(request);
    let signal = &request.signal;
    let mut decoder = Decoder::new(DecodeOptions::from_request(request));
    // `fetch` sends when it is first polled, so the closing turn of an aborted run must not come that far.
    if signal.is_aborted() {
        send(decoder.abort());
        return None;
    }

    let outgoing = fetch::Request {
        method: http.method.to_owned(),
        url: http.url,
        headers: http.headers,
        body: String::from_utf8(http.body).ok(),
    };
    let answered = pin!(async {
        let response = fetch::send(outgoing).await?;
        if (200..300).contains(&response.status) {
            return Ok(Ok(response));
        }
        let status = response.status;
        Ok(Err(error::from_response(status, &body_text(response).await)))
    });
    let response = match first(answered, signal.aborted(), idle_ms).await {
        Waited::Ready(Ok(Ok(response))) => response,
        Waited::Ready(Ok(Err(refusal))) => return Some(refusal),
        Waited::Ready(Err(error)) => {
            send(decoder.fail(unreachable_error(&request.model.base_url, &error)));
            return None;
        }
        Waited::Aborted => {
            send(decoder.abort());
            return None;
        }
        Waited::Idle => {
            send(decoder.fail(ProviderError::stalled(idle_ms)));
            return None;
        }
    };

    let mut response = response;
    let last_byte_ms = Cell::new(clock::monotonic_ms());
    let silence = pin!(silent_for(&last_byte_ms, idle_ms));
    let aborted = pin!(signal.aborted());
    let mut end = select(aborted, silence);
    loop {
        let wait_ms = if decoder.is_ending() { ENDING_MS } else { u64::MAX };
        let interrupted = pin!(within(wait_ms, &mut end));
        let piece = match select(response.body.next(), interrupted).await {
            Either::Left((piece, _)) => piece,
            Either::Right((Ended::Aborted, _)) => {
                send(decoder.abort());
                return None;
            }
            Either::Right((Ended::Silent, _)) => {
                send(decoder.fail(ProviderError::stalled(idle_ms)));
                return None;
            }
            Either::Right((Ended::Overdue, _)) => None,
        };
        let events = match piece {
            Some(Ok(bytes)) => {
                last_byte_ms.set(clock::monotonic_ms());
                decoder.push(&bytes)
            }
            // An abort in mid-stream arrives as an error of the body.
            Some(Err(_)) if signal.is_aborted() => decoder.abort(),
            Some(Err(error)) => decoder.fail(ProviderError::network(&error.message)),
            None => decoder.finish(),
        };
        // Dropping the response cancels the body: the server may keep the connection open for as long as it likes.
        if !send(events) || decoder.is_complete() || !sink.is_wanted() {
            return None;
        }
    }
}

enum Waited<T> {
    Ready(T),
    Aborted,
    Idle,
}

/// The head of the answer, an abort or the idle timer, whichever is first.
async fn first<F: Future + Unpin>(future: F, aborted: impl Future<Output = ()>, idle_ms: u64) -> Waited<F::Output> {
    let (aborted, idle) = (pin!(aborted), pin!(sleep(idle_ms)));
    match select(future, select(aborted, idle)).await {
        Either::Left((value, _)) => Waited::Ready(value),
        Either::Right((Either::Left(_), _)) => Waited::Aborted,
        Either::Right((Either::Right(_), _)) => Waited::Idle,
    }
}

enum Ended {
    Aborted,
    Silent,
    Overdue,
}

/// Waits for the end of the stream by abort or silence, but no longer than `ms`.
async fn within(
    ms: u64,
    end: &mut (impl Future<Output = Either<((), impl Sized), ((), impl Sized)>> + Unpin),
) -> Ended {
    let overdue = pin!(async { if ms == u64::MAX { std::future::pending().await } else { sleep(ms).await } });
    match select(end, overdue).await {
        Either::Left((Either::Left(_), _)) => Ended::Aborted,
        Either::Left((Either::Right(_), _)) => Ended::Silent,
        Either::Right(_) => Ended::Overdue,
    }
}

/// Ready when nothing has come for `idle_ms`. One timer a period, however many pieces come.
async fn silent_for(last_byte_ms: &Cell<f64>, idle_ms: u64) {
    loop {
        let silent_ms = clock::monotonic_ms() - last_byte_ms.get();
        let left_ms = idle_ms as f64 - silent_ms;
        if left_ms <= 0.0 {
            return;
        }
        sleep(left_ms.ceil() as u64).await;
    }
}

async fn sleep(ms: u64) {
    // A browser's timer takes a signed 32-bit number.
    clock::sleep(u32::try_from(ms).unwrap_or(u32::MAX).min(i32::MAX as u32)).await;
}

fn idle_ms(request: &ModelRequest) -> u64 {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Compat {
        idle_timeout_ms: Option<u64>,
    }
    let compat = request.model.compat.as_ref();
    let compat: Option<Compat> = compat.and_then(|compat| serde_json::from_str(compat.as_str()).ok());
    compat.and_then(|compat| compat.idle_timeout_ms).filter(|&ms| ms > 0).unwrap_or(IDLE_MS)
}

/// The body of an error answer, as much as a reader could want.
async fn body_text(mut response: fetch::Response) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(Ok(piece)) = response.body.next().await {
        body.extend_from_slice(&piece);
        if body.len() >= ERROR_BODY_BYTES {
            body.truncate(ERROR_BODY_BYTES);
            break;
        }
    }
    body
}

/// No answer at all: the browser does not say why, so the likely causes are named.
fn unreachable_error(base_url: &str, error: &JsError) -> ProviderError {
    let diagnosis = connection::diagnose(&Attempt {
        page_origin: &worker_port::page_origin(),
        base_url,
        online: worker_port::is_online(),
        csp_violation: None,
        error: &error.message,
        local_network: connection::Permission::Unknown,
    });
    ProviderError { message: diagnosis.text(), ..ProviderError::network(&error.message) }
}

/// A server may echo the key in its error.
fn redact(event: ModelEvent, keys: &[&str]) -> ModelEvent {
    match event {
        ModelEvent::Error { reason, message } => ModelEvent::Error { reason, message: error::redact(&message, keys) },
        other => other,
    }
}

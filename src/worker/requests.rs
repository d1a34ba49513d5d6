//! The requests of this visit: what each said, kept so that it can be read byte by byte.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use vitrine::platform::clock;
use vitrine_agent::model::ModelRequest;
use vitrine_protocol::notification::Problem;
use vitrine_protocol::requests::{RequestInfo, Weigher};
use vitrine_providers::http::HttpRequest;
use vitrine_providers::openai_completions;
use vitrine_teach::Happening;

use crate::desk::Desk;
use crate::lesson;
use crate::outbox::Answer;

/// Bytes of bodies that are kept. Older requests keep their parts and lose their bytes.
const MAX_BYTES: usize = 24 << 20;
/// Requests that are listed.
const MAX_REQUESTS: usize = 1000;
/// A body up to this length goes to a host page with the request.
const TOLD_BYTES: usize = 1 << 20;

/// The log.
#[derive(Default)]
pub struct Requests(RefCell<State>);

#[derive(Default)]
struct State {
    kept: VecDeque<Kept>,
    weigher: Weigher,
    n_bytes: usize,
    n_requests: u32,
}

struct Kept {
    info: RequestInfo,
    body: Option<Arc<[u8]>>,
}

impl Requests {
    /// Another session is open.
    pub fn reset(&self) {
        self.0.take();
    }

    /// The next one has nothing to be compared with.
    pub fn forget_last(&self) {
        self.0.borrow_mut().weigher.reset();
    }
}

/// A request that a script, a person or a fault answers: noted as what Chat Completions would be sent. Gives its number; none for
/// the closing turn of an aborted run, which asks nobody.
pub fn note_unsent(desk: &Desk, request: &ModelRequest) -> Option<u32> {
    if request.signal.is_aborted() {
        return None;
    }
    let http = openai_completions::request(request, None, &mut desk.bodies.borrow_mut());
    Some(note(desk, &http, &format!("{}:{}", request.model.api, request.model.id), false))
}

/// Keeps a request, tells the page, and gives its number.
pub fn note(desk: &Desk, http: &HttpRequest, url: &str, sent: bool) -> u32 {
    let mut state = desk.requests.0.borrow_mut();
    state.n_requests += 1;
    let info = RequestInfo {
        number: state.n_requests,
        event: desk.visit.n_events(),
        run_id: desk.active.borrow().as_ref().map(|active| active.run_id.clone()).unwrap_or_default(),
        turn: desk.turn.get(),
        url: url.to_owned(),
        method: http.method.to_owned(),
        headers: masked(http),
        bytes: http.body.len(),
        started_at: clock::wall_ms(),
        sent,
        sections: state.weigher.weigh(&http.body),
    };
    let number = info.number;
    let told = (http.body.len() <= TOLD_BYTES).then(|| String::from_utf8_lossy(&http.body));
    desk.outbox.tell_request(&info, told.as_deref());
    state.n_bytes += http.body.len();
    state.kept.push_back(Kept { info, body: Some(http.body.as_slice().into()) });
    state.trim();
    drop(state);
    lesson::happened(desk, &Happening::Request(http.body.as_slice()));
    number
}

impl State {
    /// Lets go of the oldest bodies, and of the oldest requests.
    fn trim(&mut self) {
        for kept in &mut self.kept {
            if self.n_bytes <= MAX_BYTES {
                break;
            }
            self.n_bytes -= kept.body.take().map_or(0, |body| body.len());
        }
        if self.kept.len() > MAX_REQUESTS {
            let oldest = self.kept.pop_front();
            self.n_bytes -= oldest.and_then(|kept| kept.body).map_or(0, |body| body.len());
        }
    }
}

/// Headers without what is secret.
fn masked(http: &HttpRequest) -> Vec<(String, String)> {
    let header = |(name, value): &(String, String)| {
        let is_secret = name == "authorization" || name.contains("key") || name.contains("token");
        let shown = match value.strip_prefix("Bearer ") {
            Some(_) if is_secret => "Bearer ••••".to_owned(),
            None if is_secret => "••••".to_owned(),
            Some(_) | None => value.clone(),
        };
        (name.clone(), shown)
    };
    http.headers.iter().map(header).collect()
}

/// All that are listed.
pub fn list(desk: &Desk) -> Result<Answer, Problem> {
    let state = desk.requests.0.borrow();
    Answer::json(&state.kept.iter().map(|kept| &kept.info).collect::<Vec<_>>())
}

/// The body of one.
pub fn read(desk: &Desk, number: u32) -> Result<Answer, Problem> {
    let state = desk.requests.0.borrow();
    let kept = state.kept.iter().find(|kept| kept.info.number == number);
    match kept.map(|kept| &kept.body) {
        Some(Some(body)) => Ok(Answer::bytes(body.clone())),
        Some(None) => Err(Problem::new(
            "not-kept",
            format!("the body of request {number} is not kept any more: {} MB are", MAX_BYTES >> 20),
            "look at a later request; each carries what those before it did",
        )),
        None => Err(Problem::new(
            "no-such-request",
            format!("there is no request {number} in this visit"),
            "see `requests` for those there are",
        )),
    }
}

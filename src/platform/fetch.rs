//! `fetch`: one request whose body arrives piece by piece.
//!
//! The browser itself moves the pieces (`pipeTo`), so a piece costs one call into wasm and no awaited promise.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc;
use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{AbortController, QueuingStrategy, WritableStream};

use super::js_error::JsError;

/// What to send.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: String,
    /// Absolute.
    pub url: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// UTF-8; none for `GET`.
    pub body: Option<String>,
}

/// What came back, so far its head.
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// Headers that CORS lets a page see, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body's pieces; the stream ends with the body. An `Err` is the last item.
    pub body: mpsc::UnboundedReceiver<Result<Vec<u8>, JsError>>,
    _abort: AbortOnDrop,
}

impl std::fmt::Debug for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Response").field("status", &self.status).field("headers", &self.headers).finish()
    }
}

/// Ends the request when nobody wants its answer any more.
struct AbortOnDrop(Option<AbortController>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        if let Some(controller) = &self.0 {
            controller.abort();
        }
    }
}

/// Sends. Dropping the future, or the response before its body's end, cancels the request.
///
/// Cookies and cached credentials are never sent, and a redirect to another origin is refused: it would carry the key
/// to a server the reader did not name.
pub async fn send(request: Request) -> Result<Response, JsError> {
    let abort = AbortOnDrop(Some(AbortController::new()?));
    let signal = abort.0.as_ref().map(AbortController::signal);
    let method = if request.method == "GET" { gloo_net::http::Method::GET } else { gloo_net::http::Method::POST };
    let mut builder = gloo_net::http::RequestBuilder::new(&request.url)
        .method(method)
        .credentials(web_sys::RequestCredentials::Omit)
        .redirect(web_sys::RequestRedirect::Error)
        .referrer_policy(web_sys::ReferrerPolicy::NoReferrer)
        .cache(web_sys::RequestCache::NoStore)
        .abort_signal(signal.as_ref());
    for (name, value) in &request.headers {
        builder = builder.header(name, value);
    }
    let built = match request.body {
        Some(body) => builder.body(body),
        None => builder.build(),
    };
    let response = built.map_err(js_error)?.send().await.map_err(js_error)?;
    let headers = response.headers().entries().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
    let (sender, body) = mpsc::unbounded();
    if let Some(stream) = response.body() {
        pipe(&stream, sender)?;
    }
    Ok(Response { status: response.status(), headers, body, _abort: abort })
}

fn js_error(error: gloo_net::Error) -> JsError {
    match error {
        gloo_net::Error::JsError(error) => JsError { name: error.name, message: error.message },
        gloo_net::Error::GlooError(message) => JsError { name: "Error".into(), message },
    }
}

type Pieces = mpsc::UnboundedSender<Result<Vec<u8>, JsError>>;

/// Lets the browser push the stream's chunks into `sender`. The closures live until the pipe has ended.
fn pipe(stream: &web_sys::ReadableStream, sender: Pieces) -> Result<(), JsError> {
    let sender = Rc::new(RefCell::new(Some(sender)));
    let pieces = sender.clone();
    let write = Closure::<dyn FnMut(JsValue)>::new(move |chunk: JsValue| {
        if let (Some(sender), Ok(chunk)) = (&*pieces.borrow(), chunk.dyn_into::<Uint8Array>()) {
            // The receiver may be gone; the request is being cancelled then.
            let _ = sender.unbounded_send(Ok(chunk.to_vec()));
        }
    });
    let sink = Object::new();
    Reflect::set(&sink, &JsValue::from_str("write"), write.as_ref())?;
    // Without it the browser reads ahead by one chunk, and drops what it had not read when the connection breaks.
    let strategy = QueuingStrategy::new();
    strategy.set_high_water_mark(f64::from(u32::MAX));
    let writable = WritableStream::new_with_underlying_sink_and_strategy(&sink, &strategy)?;
    let piped = wasm_bindgen_futures::JsFuture::from(stream.pipe_to(&writable));
    wasm_bindgen_futures::spawn_local(async move {
        let end = piped.await;
        let sender = sender.take();
        if let (Err(error), Some(sender)) = (end, sender) {
            let _ = sender.unbounded_send(Err(error.into()));
        }
        drop(write);
    });
    Ok(())
}

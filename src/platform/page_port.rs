//! The page's side: `mount`, which the loader calls, and [`Link`], the line to the worker.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use futures_channel::oneshot;
use futures_util::future::LocalBoxFuture;
use js_sys::{Array, Function, Promise, Reflect, Uint8Array};
use vitrine::platform::dom;
use vitrine::platform::picker::PickedFolder;
use vitrine_agent::json::Json;
use vitrine_protocol::command::Command;
use vitrine_protocol::notification::{Notification, NotificationReader, Problem};
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::future_to_promise;
use web_sys::{Blob, HtmlElement, MessageEvent, Worker};

/// What the element's attributes say, read by the loader.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `app`, `embed`, `chat`.
    pub mode: String,
    /// `en` or `zh`.
    pub lang: String,
    /// `auto`, `light` or `dark`.
    pub theme: String,
    /// Text to put into the composer.
    pub prompt: String,
    /// Whether keys may be typed here.
    pub allow_keys: bool,
}

impl Settings {
    /// Of the loader's object. Field by field: a reader of any JavaScript value would cost more than all of them.
    fn of(object: &JsValue) -> Self {
        // Fails only for what is no object.
        let field = |name: &str| Reflect::get(object, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED);
        let text = |name: &str| field(name).as_string();
        Self {
            mode: text("mode").unwrap_or_default(),
            lang: text("lang").unwrap_or_default(),
            theme: text("theme").unwrap_or_default(),
            prompt: text("prompt").unwrap_or_default(),
            allow_keys: field("allowKeys").is_truthy(),
        }
    }
}

/// Where and how to draw: what [`serve`] hands to the page.
pub struct Mount {
    /// Inside the element's shadow root; emptied and filled by the page.
    pub parent: HtmlElement,
    /// The element's attributes.
    pub settings: Settings,
    /// The line to the worker.
    pub link: Link,
}

/// A reply that went well.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplyValue {
    /// The value, if there is one.
    pub json: Option<Json>,
    /// Bytes, for commands that read some.
    pub bytes: Option<Vec<u8>>,
    /// A blob, for commands that make one. Only for the host page, which knows what to do with it.
    blob: Option<JsValue>,
}

impl ReplyValue {
    /// Offers the blob as a file to keep. `false` when there is none, or the browser will not.
    pub fn save(&self, name: &str) -> bool {
        let blob = self.blob.as_ref().and_then(|blob| blob.dyn_ref::<Blob>());
        blob.is_some_and(|blob| dom::download_blob(name, blob))
    }
}

type Answer = Result<ReplyValue, Problem>;

/// An answer that is still to come.
pub type Answering = LocalBoxFuture<'static, Answer>;

/// The line to the worker. Clones share it.
#[derive(Clone)]
pub struct Link(Rc<Inner>);

/// The code of the problem that says the worker is gone.
const STOPPED: &str = "worker-stopped";

type Listener = Rc<dyn Fn(&[Notification])>;
type AttributeListener = Rc<dyn Fn(&str, &str)>;

/// A command on its way.
struct Outgoing {
    id: u64,
    command: String,
    /// A `Uint8Array` of its own, a `Blob`, or nothing.
    attached: JsValue,
}

struct Inner {
    worker: Worker,
    next_id: Cell<u64>,
    waiting: RefCell<BTreeMap<u64, oneshot::Sender<Answer>>>,
    listeners: RefCell<Vec<Listener>>,
    on_attribute: RefCell<Option<AttributeListener>>,
    /// Messages for a worker that is not up yet; `None` once it is.
    outbox: RefCell<Option<Vec<Outgoing>>>,
    reader: RefCell<NotificationReader>,
    on_message: OnceCell<Closure<dyn FnMut(MessageEvent)>>,
    on_error: OnceCell<Closure<dyn FnMut(web_sys::Event)>>,
    /// Why nothing will be answered any more.
    dead: RefCell<Option<Problem>>,
}

impl Link {
    fn new(worker: Worker, deliver: Function) -> Self {
        let link = Self(Rc::new(Inner {
            worker,
            next_id: Cell::new(1),
            waiting: RefCell::default(),
            listeners: RefCell::default(),
            on_attribute: RefCell::default(),
            outbox: RefCell::new(Some(Vec::new())),
            reader: RefCell::default(),
            on_message: OnceCell::new(),
            on_error: OnceCell::new(),
            dead: RefCell::default(),
        }));
        let weak = Rc::downgrade(&link.0);
        let on_message = Closure::new(move |event: MessageEvent| {
            let Some(inner) = weak.upgrade() else { return };
            let data: Array = event.data().unchecked_into();
            let text = data.get(0);
            Self(inner).receive(&text, data.get(1), &deliver);
        });
        link.0.worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        let _ = link.0.on_message.set(on_message);

        let weak = Rc::downgrade(&link.0);
        let on_error = Closure::new(move |_: web_sys::Event| {
            if let Some(inner) = weak.upgrade() {
                Self(inner).fail(&Problem::new(
                    STOPPED,
                    "the worker that runs the agent stopped",
                    "reload the page; files and sessions that were saved are still there",
                ));
            }
        });
        link.0.worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        let _ = link.0.on_error.set(on_error);
        link
    }

    /// Sends a command. Ready when the worker has answered; commands sent before it is up wait for it, in order.
    pub fn send(&self, command: &Command, bytes: Option<Vec<u8>>) -> LocalBoxFuture<'static, Answer> {
        // Every command is plain data with string keys.
        let attached = bytes.map_or(JsValue::UNDEFINED, |bytes| Uint8Array::from(bytes.as_slice()).into());
        self.send_text(serde_json::to_string(command).unwrap_or_default(), attached)
    }

    /// Opens a folder that was picked.
    pub fn open_folder(&self, folder: PickedFolder) -> Answering {
        let command = Command::OpenFolder { ignored: false };
        self.send_text(serde_json::to_string(&command).unwrap_or_default(), folder.into_handle())
    }

    /// Sends a command's JSON text, unread.
    fn send_text(&self, command: String, attached: JsValue) -> LocalBoxFuture<'static, Answer> {
        if let Some(problem) = self.0.dead.borrow().clone() {
            return Box::pin(std::future::ready(Err(problem)));
        }
        let id = self.0.next_id.replace(self.0.next_id.get() + 1);
        let (sender, receiver) = oneshot::channel();
        self.0.waiting.borrow_mut().insert(id, sender);
        let message = Outgoing { id, command, attached };
        match &mut *self.0.outbox.borrow_mut() {
            Some(outbox) => outbox.push(message),
            None => self.post(message),
        }
        Box::pin(async move {
            receiver.await.unwrap_or_else(|_| {
                Err(Problem::new("closed", "the agent was closed before it answered", "open the page again"))
            })
        })
    }

    /// Calls `listener` with every batch, in order. For as long as the link lives.
    pub fn on_notifications(&self, listener: impl Fn(&[Notification]) + 'static) {
        self.0.listeners.borrow_mut().push(Rc::new(listener));
    }

    /// Calls `listener` with name and value when the element's `lang` or `theme` changes.
    pub fn on_attribute(&self, listener: impl Fn(&str, &str) + 'static) {
        *self.0.on_attribute.borrow_mut() = Some(Rc::new(listener));
    }

    fn post(&self, Outgoing { id, command, attached }: Outgoing) {
        // The worker counts as JavaScript does: ids are whole numbers far below 2^53.
        let message = Array::of2(&JsValue::from_f64(id as f64), &JsValue::from_str(&command));
        let transfer = Array::new();
        if let Some(bytes) = attached.dyn_ref::<Uint8Array>() {
            transfer.push(&bytes.buffer());
        }
        message.push(&attached);
        // Fails only for what cannot be cloned; text, a buffer and a blob can.
        let _ = self.0.worker.post_message_with_transfer(&message, &transfer);
    }

    fn receive(&self, text: &JsValue, attached: JsValue, deliver: &Function) {
        let Some(batch) = text.as_string() else { return };
        let notifications = match self.0.reader.borrow_mut().read(&batch) {
            Ok(notifications) => notifications,
            Err(error) => vec![Notification::Problem(Problem::new(
                "version-mismatch",
                format!("page and worker do not understand each other: {error}"),
                "reload the page without its cache; the two files must be of one build",
            ))],
        };
        if notifications.contains(&Notification::Ready) {
            for message in self.0.outbox.borrow_mut().take().unwrap_or_default() {
                self.post(message);
            }
        }
        // The screen first, then the host page's listeners, then whoever waits for a reply: a promise resolves after
        // its change has taken effect.
        let listeners = self.0.listeners.borrow().clone();
        for listener in listeners {
            listener(&notifications);
        }
        // A listener of the host page that throws must not stop the page.
        let _ = deliver.call1(&JsValue::UNDEFINED, text);
        let (mut bytes, mut blob) = match attached.dyn_into::<Uint8Array>() {
            Ok(bytes) => (Some(bytes.to_vec()), None),
            Err(other) => (None, Some(other).filter(JsValue::is_object)),
        };
        for notification in notifications {
            let reply = match notification {
                Notification::Reply(reply) => reply,
                Notification::Problem(problem) if problem.code == STOPPED => {
                    self.bury(&problem);
                    continue;
                }
                _ => continue,
            };
            let Some(waiting) = self.0.waiting.borrow_mut().remove(&reply.id) else { continue };
            let answer = match reply.problem {
                Some(problem) => Err(problem),
                None => Ok(ReplyValue { json: reply.ok, bytes: bytes.take(), blob: blob.take() }),
            };
            // Nobody may be waiting any more.
            let _ = waiting.send(answer);
        }
    }

    /// Nothing will be answered any more: says so to whoever waits, and to whoever asks from now on.
    fn bury(&self, problem: &Problem) {
        self.0.dead.replace(Some(problem.clone()));
        for (_, waiting) in self.0.waiting.take() {
            let _ = waiting.send(Err(problem.clone()));
        }
    }

    /// The same, on screen too.
    fn fail(&self, problem: &Problem) {
        self.bury(problem);
        let listeners = self.0.listeners.borrow().clone();
        for listener in listeners {
            listener(&[Notification::Problem(problem.clone())]);
        }
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("waiting", &self.0.waiting.borrow().len()).finish()
    }
}

/// Takes the view off the screen again when dropped.
type Unmount = Box<dyn std::any::Any>;

type Draw = fn(Mount) -> Unmount;

thread_local! {
    static DRAW: Cell<Option<Draw>> = const { Cell::new(None) };
}

/// Called once by the page's `main`: `draw` is what `mount` will call for each element.
pub fn serve(draw: fn(Mount) -> Unmount) {
    console_error_panic_hook::set_once();
    DRAW.set(Some(draw));
}

/// One element's hold on the page: its line to the worker and what is on screen.
#[wasm_bindgen]
#[expect(missing_debug_implementations, reason = "an exported class; nothing in Rust prints it")]
pub struct Handle {
    link: Link,
    _view: Option<Unmount>,
}

/// Draws the agent into `parent` and joins it to `worker`. `deliver` gets each batch of notifications as text.
#[wasm_bindgen]
pub fn mount(parent: HtmlElement, worker: Worker, settings: &JsValue, deliver: Function) -> Handle {
    let settings = Settings::of(settings);
    let link = Link::new(worker, deliver);
    let view = DRAW.get().map(|draw| draw(Mount { parent, settings, link: link.clone() }));
    Handle { link, _view: view }
}

#[wasm_bindgen]
impl Handle {
    /// Sends a command (JSON text; a `Uint8Array` or a `Blob` beside it). Resolves to `[text?, bytes or blob?]`; rejects
    /// with `{code, message, help}` as JSON text.
    pub fn call(&self, command: String, attached: JsValue) -> Promise {
        // The caller keeps its bytes; a part of a large buffer goes without the rest.
        let attached = match attached.dyn_ref::<Uint8Array>() {
            Some(bytes) => bytes.slice(0, bytes.length()).into(),
            None => attached,
        };
        // Sent at once: a promise's own code runs a moment later, when the element may be closed.
        let answer = self.link.send_text(command, attached);
        future_to_promise(async move {
            match answer.await {
                Ok(value) => {
                    let json = value.json.map_or(JsValue::UNDEFINED, |json| JsValue::from_str(json.as_str()));
                    let bytes = value.bytes.map(|bytes| Uint8Array::from(bytes.as_slice()).into());
                    Ok(Array::of2(&json, &bytes.or(value.blob).unwrap_or_default()).into())
                }
                Err(problem) => {
                    Err(JsValue::from_str(&serde_json::to_string(&problem).unwrap_or_else(|_| problem.to_string())))
                }
            }
        })
    }

    /// An attribute of the element changed.
    pub fn set_attribute(&self, name: &str, value: &str) {
        let listener = self.link.0.on_attribute.borrow().clone();
        if let Some(listener) = listener {
            listener(name, value);
        }
    }

    /// Stops the worker and takes the view off the screen.
    pub fn close(self) {
        self.link.0.worker.terminate();
        self.link.fail(&Problem::new("closed", "the agent was closed", "connect the element again"));
    }
}

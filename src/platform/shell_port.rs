//! The shell's side of the line to its host: one message in at a time, and out at once, since a command never yields.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use js_sys::{Array, Uint8Array};
use vitrine_shell::{Exit, FromShell, ToShell};
use vitrine_shell_module::{Events, Session};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::jq_link::JqLink;

/// Which command runs, and the last feed that was there before it: what is told carries both. Atomic because the shell asks
/// for what could cross threads, though here is only one.
#[derive(Default)]
struct Now {
    id: AtomicU64,
    seen: AtomicU64,
}

/// Listens to the host and says that it does.
pub fn listen() {
    std::panic::set_hook(Box::new(|panic| {
        console_error_panic_hook::hook(panic);
        post(FromShell::Broken { why: panic.to_string() });
    }));
    let (session, now) = (Rc::new(RefCell::new(None::<Session>)), Arc::new(Now::default()));
    let (waiting, is_busy) =
        (Rc::new(RefCell::new(std::collections::VecDeque::new())), Rc::new(std::cell::Cell::new(false)));
    let listener = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let data: Array = event.data().unchecked_into();
        let Some(text) = data.get(0).as_string() else { return };
        let bytes = data.get(1).dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default();
        // Host and shell are of one build, so there is nothing that cannot be read.
        let Ok(message) = ToShell::decode(&text, bytes) else { return };
        waiting.borrow_mut().push_back(message);
        if is_busy.replace(true) {
            return;
        }
        let (session, now, waiting, is_busy) = (session.clone(), now.clone(), waiting.clone(), is_busy.clone());
        // A command that sleeps lets the next message in, which then waits here for its turn.
        wasm_bindgen_futures::spawn_local(async move {
            loop {
                let next = waiting.borrow_mut().pop_front();
                let Some(message) = next else { break };
                // Taken out while it is used, so that nothing is borrowed across a wait.
                let mut shell = session.borrow_mut().take();
                take(&mut shell, &now, message).await;
                session.replace(shell);
            }
            is_busy.set(false);
        });
    });
    scope().set_onmessage(Some(listener.as_ref().unchecked_ref()));
    // It listens as long as it lives.
    listener.forget();
    post(FromShell::Ready);
}

async fn take(session: &mut Option<Session>, now: &Arc<Now>, message: ToShell) {
    match message {
        ToShell::Open { root, state } => {
            let (printing, changing) = (now.clone(), now.clone());
            let events = Events {
                on_output: Arc::new(move |_, bytes: &[u8]| {
                    post(FromShell::Output { id: printing.id.load(Ordering::Relaxed), bytes: bytes.to_vec() });
                }),
                on_change: Arc::new(move |change| {
                    post(FromShell::Changed {
                        id: changing.id.load(Ordering::Relaxed),
                        seen: changing.seen.load(Ordering::Relaxed),
                        changes: [change].into_iter().collect(),
                    });
                }),
            };
            *session = Some(Session::open(&root, state.as_deref(), events, Arc::new(JqLink)));
        }
        ToShell::Feed { number, changes } => {
            now.seen.store(number, Ordering::Relaxed);
            if let (Some(session), Ok(changes)) = (session, changes.unpack()) {
                changes.into_iter().for_each(|change| session.apply(change));
            }
        }
        ToShell::Run { id, command, env } => {
            now.id.store(id, Ordering::Relaxed);
            let Some(session) = session else { return };
            let ended = session.run(&command, &env).await;
            post(FromShell::Exit(Exit { id, code: ended.code, refused: ended.refused, state: session.state() }));
        }
    }
}

fn post(message: FromShell) {
    let (text, bytes) = message.encode();
    let bytes = Uint8Array::from(bytes.as_slice());
    let message = Array::of2(&JsValue::from_str(&text), &bytes);
    // Fails only for what cannot be cloned; text and a buffer can.
    let _ = scope().post_message_with_transfer(&message, &Array::of1(&bytes.buffer()));
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

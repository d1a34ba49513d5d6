//! The host's side of the line to the shell: a worker of its own, which can be ended whatever it does.

use std::rc::Rc;

use js_sys::{Array, Reflect, Uint8Array};
use vitrine_shell::{FromShell, ToShell};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

/// A shell's worker. Dropping it ends it at once, in the middle of whatever it does.
pub struct ShellLink {
    worker: Worker,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl ShellLink {
    /// Starts a worker, which says [`FromShell::Ready`] when it takes messages. What is wrong with it comes as
    /// [`FromShell::Broken`]. Nothing comes after the link was dropped.
    pub fn start(on_message: impl Fn(FromShell) + 'static) -> Result<Self, String> {
        let worker = Worker::new_with_options(
            &super::url::beside("shell_loader.js").map_err(|error| error.to_string())?,
            &options(),
        )
        .map_err(words)?;
        let on_message = Rc::new(on_message);
        let on_broken = on_message.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let data: Array = event.data().unchecked_into();
            let bytes = data.get(1).dyn_into::<Uint8Array>().map(|bytes| bytes.to_vec()).unwrap_or_default();
            let text = data.get(0).as_string().unwrap_or_default();
            // Host and shell are of one build, so there is nothing that cannot be read.
            if let Ok(message) = FromShell::decode(&text, bytes) {
                on_message(message);
            }
        });
        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            // It is told to whoever waits for the shell; unhandled it would be an error of the page as well.
            event.prevent_default();
            // The event of a script that could not be loaded is a plain one, without a message.
            let message =
                Reflect::get(&event, &JsValue::from_str("message")).ok().and_then(|message| message.as_string());
            let why = message.filter(|message| !message.is_empty());
            on_broken(FromShell::Broken { why: why.unwrap_or_else(|| "its files could not be loaded".to_owned()) });
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Self { worker, _on_message: on_message, _on_error: on_error })
    }

    /// Says something. Only after [`FromShell::Ready`]: what comes before is lost.
    pub fn post(&self, message: ToShell) {
        let (text, bytes) = message.encode();
        let bytes = Uint8Array::from(bytes.as_slice());
        let message = Array::of2(&JsValue::from_str(&text), &bytes);
        // Fails only for what cannot be cloned; text and a buffer can.
        let _ = self.worker.post_message_with_transfer(&message, &Array::of1(&bytes.buffer()));
    }
}

impl Drop for ShellLink {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

impl std::fmt::Debug for ShellLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ShellLink")
    }
}

fn options() -> WorkerOptions {
    let options = WorkerOptions::new();
    options.set_type(WorkerType::Module);
    options.set_name("vitrine shell");
    options
}

fn words(error: JsValue) -> String {
    super::js_error::JsError::from(error).to_string()
}

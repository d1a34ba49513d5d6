//! The shell's side of the line to jq's module, which is loaded when a command first asks for it.

use async_trait::async_trait;
use js_sys::Promise;
use send_wrapper::SendWrapper;
use vitrine_shell_module::{Jq, JqDone, JqError, JqJob};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// jq's module, with an instance that has run nothing. From `shell_loader.js`.
    #[wasm_bindgen(catch, js_name = vitrineJq)]
    fn load() -> Result<Promise, JsValue>;

    type Module;

    #[wasm_bindgen(method, catch)]
    fn wanted(this: &Module, args: Vec<String>) -> Result<Vec<String>, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn command(
        this: &Module,
        args: Vec<String>,
        env: Vec<String>,
        stdin: Vec<u8>,
        now_s: f64,
    ) -> Result<JsCommand, JsValue>;

    type JsCommand;

    #[wasm_bindgen(method, catch)]
    fn file(this: &JsCommand, bytes: Vec<u8>) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn no_file(this: &JsCommand, why: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    fn run(this: &JsCommand) -> Result<u8, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn stdout(this: &JsCommand) -> Result<String, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn stderr(this: &JsCommand) -> Result<String, JsValue>;
}

/// jq in a module of its own.
#[derive(Clone, Copy, Debug)]
pub struct JqLink;

#[async_trait]
impl Jq for JqLink {
    async fn wanted(&self, args: &[String]) -> Result<Vec<String>, JqError> {
        let args = args.to_vec();
        SendWrapper::new(async move { module().await?.wanted(args).map_err(stopped) }).await
    }

    async fn run(&self, job: JqJob) -> Result<JqDone, JqError> {
        SendWrapper::new(async move { come(&module().await?, job).map_err(stopped) }).await
    }
}

/// A fresh instance. Not `async` at the import itself: its glue would wait for the result of the call even when it threw.
async fn module() -> Result<Module, JqError> {
    let loaded = async { JsFuture::from(load()?).await }.await;
    loaded.map(JsCast::unchecked_into).map_err(|error| JqError::Absent(words(&error)))
}

/// The instance's memory goes with it, so that nothing is freed here.
fn come(module: &Module, job: JqJob) -> Result<JqDone, JsValue> {
    let JqJob { args, files, stdin, env, now_s } = job;
    let env = env.into_iter().flat_map(|(name, value)| [name, value]).collect();
    let command = module.command(args, env, stdin, now_s)?;
    for file in files {
        match file {
            Ok(bytes) => command.file(bytes)?,
            Err(why) => command.no_file(&why)?,
        }
    }
    let code = command.run()?;
    Ok(JqDone { stdout: command.stdout()?, stderr: command.stderr()?, code })
}

fn stopped(error: JsValue) -> JqError {
    JqError::Stopped(words(&error))
}

fn words(error: &JsValue) -> String {
    let message = js_sys::Reflect::get(error, &JsValue::from_str("message")).ok();
    message.and_then(|message| message.as_string()).unwrap_or_else(|| "it says nothing".to_owned())
}

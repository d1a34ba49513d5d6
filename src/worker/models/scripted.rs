//! The scripted model: plays written turns at their own speed.

use std::cell::RefCell;

use futures_util::future::{Either, select};
use vitrine::platform::clock;
use vitrine_agent::model::{ModelRequest, ModelStream};
use vitrine_providers::scripted::{Call, Script, Scripted, Turn};

use super::pump::pump;

/// The script of the open session.
#[derive(Debug, Default)]
pub struct ScriptPlayer(RefCell<Scripted>);

impl ScriptPlayer {
    /// Starts a script, in place of the one before.
    pub fn load(&self, script: Script) {
        self.0.replace(Scripted::new(script));
    }

    /// Goes back to an earlier place in it.
    pub fn go_back(&self, place: Scripted) {
        self.0.replace(place);
    }

    /// The place in it.
    pub fn place(&self) -> Scripted {
        self.0.borrow().clone()
    }

    /// Makes sure the next prompt is answered, by what the scripted model says of itself.
    pub fn top_up(&self, lang: &str, call_id: String) {
        if self.0.borrow().pending_turns() == 0 {
            let turns = fallback(lang, call_id).into();
            self.load(Script { turns, tokens_per_second: Some(TOKENS_PER_SECOND), seed: 1 });
        }
    }
}

/// Plays the next turn. A turn is taken at the call, as pi's faux provider does.
pub fn stream(player: &ScriptPlayer, request: ModelRequest) -> ModelStream {
    let mut playback = player.0.borrow_mut().play(&request);
    pump(|sink| async move {
        let mut due_ms = clock::monotonic_ms();
        while let Some(batch) = playback.next() {
            due_ms += batch.delay_ms;
            let wait_ms = due_ms - clock::monotonic_ms();
            if wait_ms >= 1.0 {
                let aborted = std::pin::pin!(request.signal.aborted());
                let slept = std::pin::pin!(clock::sleep(wait_ms as u32));
                if let Either::Left(_) = select(aborted, slept).await {
                    sink.send(playback.abort());
                    return;
                }
            }
            if request.signal.is_aborted() {
                sink.send(playback.abort());
                return;
            }
            if !sink.send(batch.events) {
                return;
            }
        }
    })
}

/// What the scripted model answers to a prompt that no script was written for: it lists the files, for real, and says
/// what it is. It never pretends to have understood.
fn fallback(lang: &str, call_id: String) -> [Turn; 2] {
    let (first, second) = if lang == "zh" {
        (
            "我是脚本，不是 AI：无论你写什么，我都只会列出工作区里的文件。",
            "上面的列表是真的：调用、检查、执行都在这个页面里发生了。\n\n想得到真正的回答，请在右上角选择一个模型，例如你电脑上的模型服务器。",
        )
    } else {
        (
            "I am a script, not an AI: whatever you write, all I do is list the files of the workspace.",
            "The list above is real: the call, its checks and its execution all happened in this page.\n\nFor real answers choose a model at the top right, for example a model server on your own machine.",
        )
    };
    let call = Call { id: Some(call_id), name: "ls".into(), arguments: serde_json::Map::new(), raw_arguments: None };
    [
        Turn {
            text: Some(first.into()),
            calls: vec![call],
            stop: Some(vitrine_agent::message::StopReason::ToolUse),
            ..Turn::default()
        },
        Turn { text: Some(second.into()), ..Turn::default() },
    ]
}

/// Tokens a second of the scripted model, where no script says otherwise.
const TOKENS_PER_SECOND: f64 = 40.0;

//! Commands: what the page asks of the worker. Each has an id and gets one [`Reply`](crate::notification::Reply).
//!
//! A command crosses as its id, its JSON text and, for what carries file contents, bytes beside them, never inside. The
//! page hands a host page's commands on as they are; the worker reads them, and answers by id what it cannot read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
pub use vitrine_agent::gate::Breakpoint;
use vitrine_agent::json::Json;
use vitrine_agent::message::{ImageBlock, StopReason};
use vitrine_agent::model::ModelInfo;

use crate::changes::Side;
use crate::fault::Fault;
use crate::folder::FolderChoice;
use crate::part::{HarnessAction, Part};
use crate::policy::{Decision, Policy};
use crate::rewind::RewindTo;
use crate::toy::ToyTool;

/// What the page asks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "command", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Command {
    /// Sent once, first: which workspace, in which language. Reply: [`Opened`](crate::notification::Opened).
    Open {
        /// A name keeps files and sessions in this browser; `None` is a throw-away workspace in memory.
        workspace: Option<String>,
        /// `en` or `zh`: the language of the scripted model's words.
        lang: String,
    },
    /// Asks to write a workspace that another tab writes. Reply: once this tab does.
    TakeOver {},
    /// Whether a person can see the tab: one that is seen becomes the writer when there is none.
    SetSeen {
        /// Whether.
        seen: bool,
    },
    /// The reader chose another language: the scripted model speaks it from its next words on.
    SetLanguage {
        /// `en` or `zh`.
        lang: String,
    },
    /// Starts a run. Reply: a [`RunResult`](crate::notification::RunResult), once the session has settled.
    Prompt {
        /// What the person wrote.
        text: String,
        /// Images beside it.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        images: Vec<ImageBlock>,
    },
    /// Reads a lesson and shows it; nothing is laid out and nothing runs. Reply: [`LessonState`](crate::lesson::LessonState).
    OpenLesson {
        /// The name of one of the site's own, or an address.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// Or the lesson itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Puts the lesson by; tools and policy are again as they were. Reply once that is so.
    CloseLesson {},
    /// Reply: [`LessonInfo`](crate::lesson::LessonInfo) list: the lessons of the site.
    ListLessons {},
    /// Plays the open lesson, or the first one: its files, its scripted turns, its pauses. Replies like `Prompt`.
    PlayLesson {
        /// Everything as the lesson has it, files of the reader's that have its names, too; and the steps from the start.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        fresh: bool,
    },
    /// Takes the reader's own tools in place of those there were. Refused (`invalid-tool`) as a whole.
    SetToys {
        /// All of them.
        toys: Vec<ToyTool>,
    },
    /// What the sandbox says of a call.
    AnswerToy {
        /// Which.
        call: u64,
        /// What the code returned.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<Json>,
        /// Or what it threw.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// Answers the question of a step. Reply: `{right: boolean}`.
    AnswerLesson {
        /// The step's id.
        step: String,
        /// Which of the options.
        option: usize,
    },
    /// Shows what helps in a step.
    HintLesson {
        /// The step's id.
        step: String,
    },
    /// Goes on from the history as it is. Replies like `Prompt`.
    Continue {},
    /// Puts a user message in before the next request of the run; without a run it waits for the next one.
    Steer {
        /// What the person wrote.
        text: String,
        /// Images beside it.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        images: Vec<ImageBlock>,
    },
    /// Keeps a user message until the run would stop.
    FollowUp {
        /// What the person wrote.
        text: String,
        /// Images beside it.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        images: Vec<ImageBlock>,
    },
    /// Takes every queued message back. Reply: `{steering: string[], followUp: string[]}`.
    ClearQueue {},
    /// Ends the run. Reply once it has settled.
    Abort {},
    /// Chooses the model of the next request.
    SetModel {
        /// Which.
        model: ModelInfo,
    },
    /// Keeps a key in the worker's memory, for one origin.
    SetKey {
        /// The key. Never leaves the worker but in the header of a request to `origin`.
        key: String,
        /// `scheme://host:port` the key may be sent to.
        origin: String,
    },
    /// Drops every key.
    ForgetKeys {},
    /// Sends one small request to a model server. Reply: [`ConnectionReport`](crate::notification::ConnectionReport).
    TestConnection {
        /// Which server.
        model: ModelInfo,
    },
    /// Sets where the run pauses by itself.
    SetBreakpoints {
        /// The whole list.
        breakpoints: Vec<Breakpoint>,
    },
    /// Pauses before the next output.
    Pause {},
    /// Lets the run go on to the next event.
    Step {},
    /// Lets the run go on to the next turn.
    StepTurn {},
    /// Lets a run that is held at a question go on until the answer has come, and holds it there before it goes in.
    StepToAnswer {},
    /// Lets a paused run go on.
    Resume {},
    /// Puts something in place of what the model asked, a tool gave or a request says. Refused (`too-late`) where that is over.
    Edit {
        /// An [`Edit`](crate::edit::Edit), read by the worker alone: it may hold a whole history.
        edit: Json,
    },
    /// Reply: [`RequestInfo`](crate::requests::RequestInfo) list of this visit to the session, oldest first.
    ListRequests {},
    /// Reply: bytes, the body of a request.
    ReadRequest {
        /// Its number.
        number: u32,
    },
    /// Reply: [`LedgerLine`](crate::runs::LedgerLine) list: every entry of the session and whether a request carries it.
    ReadLedger {},
    /// Reply: [`Fingerprint`](crate::runs::Fingerprint) of the events so far.
    Fingerprint {
        /// With the first characters of each event's own hash.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        trail: bool,
    },
    /// Reply: [`RunInfo`](crate::runs::RunInfo) list of this visit, those on branches that were left, too.
    ListRuns {},
    /// Compares the events of two runs. Reply: [`RunDiff`](crate::runs::RunDiff).
    DiffRuns {
        /// One.
        a: String,
        /// The other.
        b: String,
    },
    /// Goes back, files and all; a run that goes on is ended first. Reply: [`WentTo`](crate::rewind::WentTo).
    Rewind {
        /// Where to.
        to: RewindTo,
    },
    /// Breaks something on purpose, once: the next thing it can act on.
    Fault {
        /// What.
        fault: Fault,
    },
    /// Takes back every fault that has not acted.
    ClearFaults {},
    /// Says which calls may run, from the next one on.
    SetPolicy {
        /// The mode and its exceptions.
        policy: Policy,
    },
    /// Decides calls that are asked about; those of the same response that are not yet may be decided, too.
    Decide {
        /// Each call once.
        decisions: Vec<Decision>,
    },
    /// Puts a person in the place of the model or of the harness.
    PlayPart {
        /// Whose.
        part: Part,
    },
    /// The model's answer, where a person plays it.
    AnswerAsModel {
        /// Text and tool call blocks, read by the worker alone.
        content: Json,
        /// Why it stops; by its content if not given.
        #[serde(skip_serializing_if = "Option::is_none")]
        stop_reason: Option<StopReason>,
    },
    /// What becomes of a call, where a person plays the harness.
    AnswerAsHarness {
        /// The call.
        call_id: String,
        /// What becomes of it.
        action: HarnessAction,
        /// The reason, or the result.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// Whether the result says that the call failed.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    /// Reply: [`FileInfo`](crate::notification::FileInfo) list of a folder, sorted by name.
    ListFiles {
        /// The folder; empty is the root.
        path: String,
    },
    /// Reply: bytes, a [listing](crate::tree) of everything.
    ListTree {},
    /// Reply: bytes, a document that shows a file and stands by itself. Refused where a file has no preview.
    Preview {
        /// The file.
        path: String,
    },
    /// Reply: bytes.
    ReadFile {
        /// The file.
        path: String,
    },
    /// Writes the bytes beside the command.
    WriteFile {
        /// The file; its folders are made.
        path: String,
    },
    /// Makes a folder and its parents.
    MakeFolder {
        /// The folder.
        path: String,
    },
    /// Removes a file, or a folder with what is in it.
    RemoveFile {
        /// Which.
        path: String,
    },
    /// Moves a file or a folder.
    RenameFile {
        /// From.
        path: String,
        /// To.
        to: String,
    },
    /// Reply: one [`FileInfo`](crate::notification::FileInfo).
    StatFile {
        /// Which.
        path: String,
    },
    /// Reply: [`Changed`](crate::changes::Changed) list of this visit, oldest first.
    ListChanges {},
    /// Reply: [`FileDiff`](crate::changes::FileDiff) list of a change.
    DiffChange {
        /// Its number.
        change: u64,
    },
    /// Takes changes back as one: all of them, or none if a later one stands in the way (`changed-since`). Reply: the
    /// [`Changed`](crate::changes::Changed) that this is.
    UndoChanges {
        /// Their numbers, in any order.
        changes: Vec<u64>,
    },
    /// Reply: bytes, a file of a change before or after it.
    ReadVersion {
        /// The change's number.
        change: u64,
        /// Which.
        side: Side,
        /// The file, where the change is about several. Of a renamed one, where it is now.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// Keeps the workspace as it is now, to be gone back to. Reply: [`SnapshotInfo`](crate::changes::SnapshotInfo).
    Snapshot {
        /// What the reader calls it.
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Reply: [`SnapshotInfo`](crate::changes::SnapshotInfo) list, oldest first.
    ListSnapshots {},
    /// Makes the workspace what it was. That is a change, and can be taken back.
    Restore {
        /// The snapshot's id.
        snapshot: String,
    },
    /// Reply: [`FileDiff`](crate::changes::FileDiff) list.
    DiffSnapshots {
        /// The one before.
        from: String,
        /// The one after; now, if none is named.
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<String>,
    },
    /// Switches tools: these are on, all others off. The next request says so.
    SetTools {
        /// The names of tools.
        names: Vec<String>,
    },
    /// Unpacks the archive beside the command over what is there: all of it or nothing. Reply:
    /// [`Imported`](crate::notification::Imported).
    ImportZip {},
    /// Reply: a blob, the whole workspace as an archive.
    ExportZip {},
    /// Opens the folder beside the command, in the place of another, and takes in what only it has. Reply:
    /// [`FolderPlan`](crate::folder::FolderPlan).
    OpenFolder {
        /// Also what is usually left alone: `.git`, `node_modules`, …
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        ignored: bool,
    },
    /// Compares the open folder with the workspace. Reply: [`FolderPlan`](crate::folder::FolderPlan).
    FolderPlan {},
    /// Does what is chosen of the last comparison. Reply: [`FolderPlan`](crate::folder::FolderPlan).
    SyncFolder {
        /// Write to the folder what was added or changed here.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        save: bool,
        /// Remove from the folder what was removed here.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        remove: bool,
        /// Bring here what was added, changed or removed there.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        read: bool,
        /// Of files that both have changed, by path, whose it is to be.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        conflicts: BTreeMap<String, FolderChoice>,
    },
    /// Reply: [`SessionInfo`](crate::notification::SessionInfo) list, newest first.
    ListSessions {},
    /// Makes a saved session the current one. Reply: its `SessionInfo`.
    OpenSession {
        /// Its id.
        session_id: String,
    },
    /// Starts a new session. Reply: its `SessionInfo`. Nothing is stored before its first user message.
    CreateSession {},
    /// Names a session. Reply: its `SessionInfo`.
    RenameSession {
        /// Its id.
        session_id: String,
        /// The name; line feeds become spaces.
        name: String,
    },
    /// Removes a session for good.
    RemoveSession {
        /// Its id.
        session_id: String,
    },
    /// Reply: `{text, fileName}`: the session's JSON Lines.
    ExportSession {
        /// Its id.
        session_id: String,
    },
    /// Stores the bytes beside the command as a session and opens it. Reply: its `SessionInfo`.
    ImportSession {},
}

mod wire {
    //! The flat shape that commands are read through. serde's own way with tagged enums keeps every field in a buffer,
    //! which a model's raw `compat` does not survive and which is several times this code.

    use serde::Deserializer;
    use serde::de::{DeserializeOwned, Error as _};
    use serde_json::Error;
    use serde_json::value::RawValue;

    use super::*;

    impl<'de> Deserialize<'de> for Command {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let raw = Box::<RawValue>::deserialize(deserializer)?;
            from_text(raw.get()).map_err(D::Error::custom)
        }
    }

    /// The fields of every command, unread: a command takes no notice of those that are not its own.
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Flat<'a> {
        command: String,
        #[serde(borrow)]
        workspace: Option<&'a RawValue>,
        lang: Option<&'a RawValue>,
        text: Option<&'a RawValue>,
        images: Option<&'a RawValue>,
        model: Option<&'a RawValue>,
        key: Option<&'a RawValue>,
        origin: Option<&'a RawValue>,
        breakpoints: Option<&'a RawValue>,
        path: Option<&'a RawValue>,
        to: Option<&'a RawValue>,
        session_id: Option<&'a RawValue>,
        name: Option<&'a RawValue>,
        names: Option<&'a RawValue>,
        seen: Option<&'a RawValue>,
        change: Option<&'a RawValue>,
        changes: Option<&'a RawValue>,
        side: Option<&'a RawValue>,
        snapshot: Option<&'a RawValue>,
        from: Option<&'a RawValue>,
        ignored: Option<&'a RawValue>,
        save: Option<&'a RawValue>,
        remove: Option<&'a RawValue>,
        read: Option<&'a RawValue>,
        conflicts: Option<&'a RawValue>,
        edit: Option<&'a RawValue>,
        fault: Option<&'a RawValue>,
        policy: Option<&'a RawValue>,
        decisions: Option<&'a RawValue>,
        part: Option<&'a RawValue>,
        content: Option<&'a RawValue>,
        stop_reason: Option<&'a RawValue>,
        call_id: Option<&'a RawValue>,
        action: Option<&'a RawValue>,
        is_error: Option<&'a RawValue>,
        number: Option<&'a RawValue>,
        url: Option<&'a RawValue>,
        fresh: Option<&'a RawValue>,
        toys: Option<&'a RawValue>,
        call: Option<&'a RawValue>,
        value: Option<&'a RawValue>,
        error: Option<&'a RawValue>,
        trail: Option<&'a RawValue>,
        step: Option<&'a RawValue>,
        option: Option<&'a RawValue>,
        a: Option<&'a RawValue>,
        b: Option<&'a RawValue>,
    }

    fn from_text(text: &str) -> Result<Command, Error> {
        let flat: Flat<'_> = serde_json::from_str(text)?;
        let path = || field("path", flat.path);
        let session_id = || field("sessionId", flat.session_id);
        let images = || flat.images.map_or(Ok(Vec::new()), |images| field("images", Some(images)));
        let flag = |name, raw: Option<&RawValue>| raw.map_or(Ok(false), |raw| field::<bool>(name, Some(raw)));
        let text = |name, raw: Option<&RawValue>| raw.map(|_| field::<String>(name, raw)).transpose();
        Ok(match flat.command.as_str() {
            "open" => Command::Open { workspace: text("workspace", flat.workspace)?, lang: field("lang", flat.lang)? },
            "takeOver" => Command::TakeOver {},
            "setSeen" => Command::SetSeen { seen: field("seen", flat.seen)? },
            "setLanguage" => Command::SetLanguage { lang: field("lang", flat.lang)? },
            "prompt" => Command::Prompt { text: field("text", flat.text)?, images: images()? },
            "openLesson" => Command::OpenLesson { url: text("url", flat.url)?, text: text("text", flat.text)? },
            "closeLesson" => Command::CloseLesson {},
            "listLessons" => Command::ListLessons {},
            "playLesson" => Command::PlayLesson { fresh: flag("fresh", flat.fresh)? },
            "answerLesson" => {
                Command::AnswerLesson { step: field("step", flat.step)?, option: field("option", flat.option)? }
            }
            "setToys" => Command::SetToys { toys: field("toys", flat.toys)? },
            "answerToy" => Command::AnswerToy {
                call: field("call", flat.call)?,
                value: flat.value.map(|value| field("value", Some(value))).transpose()?,
                error: text("error", flat.error)?,
            },
            "hintLesson" => Command::HintLesson { step: field("step", flat.step)? },
            "continue" => Command::Continue {},
            "steer" => Command::Steer { text: field("text", flat.text)?, images: images()? },
            "followUp" => Command::FollowUp { text: field("text", flat.text)?, images: images()? },
            "clearQueue" => Command::ClearQueue {},
            "abort" => Command::Abort {},
            "setModel" => Command::SetModel { model: field("model", flat.model)? },
            "setKey" => Command::SetKey { key: field("key", flat.key)?, origin: field("origin", flat.origin)? },
            "forgetKeys" => Command::ForgetKeys {},
            "testConnection" => Command::TestConnection { model: field("model", flat.model)? },
            "setBreakpoints" => Command::SetBreakpoints { breakpoints: field("breakpoints", flat.breakpoints)? },
            "pause" => Command::Pause {},
            "step" => Command::Step {},
            "stepTurn" => Command::StepTurn {},
            "stepToAnswer" => Command::StepToAnswer {},
            "resume" => Command::Resume {},
            "edit" => Command::Edit { edit: field("edit", flat.edit)? },
            "listRequests" => Command::ListRequests {},
            "readRequest" => Command::ReadRequest { number: field("number", flat.number)? },
            "readLedger" => Command::ReadLedger {},
            "fingerprint" => Command::Fingerprint { trail: flag("trail", flat.trail)? },
            "listRuns" => Command::ListRuns {},
            "diffRuns" => Command::DiffRuns { a: field("a", flat.a)?, b: field("b", flat.b)? },
            "rewind" => Command::Rewind { to: field("to", flat.to)? },
            "fault" => Command::Fault { fault: field("fault", flat.fault)? },
            "clearFaults" => Command::ClearFaults {},
            "setPolicy" => Command::SetPolicy { policy: field("policy", flat.policy)? },
            "decide" => Command::Decide { decisions: field("decisions", flat.decisions)? },
            "playPart" => Command::PlayPart { part: field("part", flat.part)? },
            "answerAsModel" => Command::AnswerAsModel {
                content: field("content", flat.content)?,
                stop_reason: flat.stop_reason.map(|reason| field("stopReason", Some(reason))).transpose()?,
            },
            "answerAsHarness" => Command::AnswerAsHarness {
                call_id: field("callId", flat.call_id)?,
                action: field("action", flat.action)?,
                text: text("text", flat.text)?,
                is_error: flag("isError", flat.is_error)?,
            },
            "listFiles" => Command::ListFiles { path: path()? },
            "listTree" => Command::ListTree {},
            "preview" => Command::Preview { path: path()? },
            "readFile" => Command::ReadFile { path: path()? },
            "writeFile" => Command::WriteFile { path: path()? },
            "makeFolder" => Command::MakeFolder { path: path()? },
            "removeFile" => Command::RemoveFile { path: path()? },
            "renameFile" => Command::RenameFile { path: path()?, to: field("to", flat.to)? },
            "statFile" => Command::StatFile { path: path()? },
            "listChanges" => Command::ListChanges {},
            "diffChange" => Command::DiffChange { change: field("change", flat.change)? },
            "undoChanges" => Command::UndoChanges { changes: field("changes", flat.changes)? },
            "readVersion" => Command::ReadVersion {
                change: field("change", flat.change)?,
                side: field("side", flat.side)?,
                path: text("path", flat.path)?,
            },
            "snapshot" => Command::Snapshot { name: text("name", flat.name)? },
            "listSnapshots" => Command::ListSnapshots {},
            "restore" => Command::Restore { snapshot: field("snapshot", flat.snapshot)? },
            "diffSnapshots" => Command::DiffSnapshots { from: field("from", flat.from)?, to: text("to", flat.to)? },
            "setTools" => Command::SetTools { names: field("names", flat.names)? },
            "importZip" => Command::ImportZip {},
            "exportZip" => Command::ExportZip {},
            "openFolder" => Command::OpenFolder { ignored: flag("ignored", flat.ignored)? },
            "folderPlan" => Command::FolderPlan {},
            "syncFolder" => Command::SyncFolder {
                save: flag("save", flat.save)?,
                remove: flag("remove", flat.remove)?,
                read: flag("read", flat.read)?,
                conflicts: flat.conflicts.map_or(Ok(BTreeMap::new()), |named| field("conflicts", Some(named)))?,
            },
            "listSessions" => Command::ListSessions {},
            "openSession" => Command::OpenSession { session_id: session_id()? },
            "createSession" => Command::CreateSession {},
            "renameSession" => Command::RenameSession { session_id: session_id()?, name: field("name", flat.name)? },
            "removeSession" => Command::RemoveSession { session_id: session_id()? },
            "exportSession" => Command::ExportSession { session_id: session_id()? },
            "importSession" => Command::ImportSession {},
            unknown => return Err(Error::custom(format_args!("unknown command `{unknown}`"))),
        })
    }

    /// Reads one field. The error names it, whether it is missing or is not what it should be.
    fn field<T: DeserializeOwned>(name: &'static str, raw: Option<&RawValue>) -> Result<T, Error> {
        let raw = raw.ok_or_else(|| Error::missing_field(name))?;
        serde_json::from_str(raw.get()).map_err(|error| Error::custom(format_args!("field `{name}`: {error}")))
    }
}

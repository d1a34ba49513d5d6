/**
 * What a host page may rely on. Everything else inside the element may change.
 *
 * Methods reject with a {@link VitrineError}: what happened, a stable `code`, and what to do. A promise resolves after
 * its change has taken effect and is on screen.
 */

export interface VitrineError extends Error {
  name: "VitrineError";
  /** Stable, kebab-case. */
  code: string;
  /** What to do. */
  help: string;
}

export interface TextContent { type: "text"; text: string; textSignature?: string }
export interface ThinkingContent { type: "thinking"; thinking: string; thinkingSignature?: string; redacted?: boolean }
export interface ImageContent { type: "image"; data: string; mimeType: string }
export interface ToolCall {
  type: "toolCall";
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  /** Why the arguments were refused; they are `{}` then and nothing ran. */
  argumentsError?: string;
}

export type StopReason = "pending" | "stop" | "length" | "toolUse" | "error" | "aborted" | "deferred";

export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning?: number;
  totalTokens: number;
  /** US dollars. */
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number };
}

export interface SystemMessage {
  role: "system";
  content: string | TextContent[];
  sections?: Record<string, string | null>;
  toolsAdded?: ToolDeclaration[];
  toolsRemoved?: { name: string }[];
  timestamp: number;
}
export interface ToolDeclaration { name: string; description: string; parameters: unknown }
export interface UserMessage { role: "user"; content: string | (TextContent | ImageContent)[]; timestamp: number }
export interface AssistantMessage {
  role: "assistant";
  content: (TextContent | ThinkingContent | ToolCall)[];
  api: string;
  provider: string;
  model: string;
  responseModel?: string;
  responseId?: string;
  thinkingLevel?: string;
  usage: Usage;
  stopReason: StopReason;
  errorMessage?: string;
  timestamp: number;
  durationMs?: number;
}
export interface ToolResultMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: (TextContent | ImageContent)[];
  details?: unknown;
  isError: boolean;
  /** Present only if the tool really ran. */
  durationMs?: number;
  timestamp: number;
}
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;

export interface ToolResult {
  content: (TextContent | ImageContent)[];
  details?: unknown;
  structuredContent?: unknown;
  isError?: boolean;
  terminate?: boolean;
}

export type AssistantMessageEvent =
  | { type: "text_start" | "thinking_start"; contentIndex: number }
  | { type: "text_delta" | "thinking_delta" | "toolcall_delta"; contentIndex: number; delta: string }
  | { type: "text_end" | "thinking_end"; contentIndex: number; content: string }
  | { type: "toolcall_start"; contentIndex: number; id: string; toolName: string }
  | { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall };

/** Names, payloads and order are those of pi's JSON mode. */
export type AgentEvent =
  | { type: "agent_start" }
  | { type: "turn_start" }
  | { type: "message_start" | "message_end"; message: Message }
  | { type: "message_update"; usage: Usage; assistantMessageEvent: AssistantMessageEvent }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: unknown }
  | { type: "tool_execution_update"; toolCallId: string; toolName: string; args: unknown; partialResult: ToolResult }
  | { type: "tool_execution_end"; toolCallId: string; toolName: string; result: ToolResult; isError: boolean; durationMs?: number }
  | { type: "turn_end"; message: Message; toolResults: ToolResultMessage[] }
  | { type: "agent_end"; messages: Message[] };

/** A step in the life of a call. The first eight in order; the others end it early and are still followed by `recorded`. */
export interface CallTrace {
  seq: number;
  /** Monotonic milliseconds. */
  at: number;
  callId: string;
  name: string;
  state:
    | "requested" | "found" | "prepared" | "valid" | "admitted" | "executing" | "finalized" | "recorded"
    | "not-found" | "invalid" | "blocked" | "truncated" | "aborted" | "threw";
  reason?: string;
}

export interface Model {
  /** `scripted` or `openai-completions`. */
  api: string;
  id: string;
  /** Where the server is, e.g. `http://localhost:11434/v1`. Nothing is sent there before a prompt. */
  baseUrl?: string;
  provider?: string;
  /** Tokens the model can read. */
  contextWindow?: number;
  /** Tokens it may write. */
  maxTokens?: number;
  reasoning?: boolean;
  /** What is different about the server, by the names of pi's compat flags. */
  compat?: Record<string, unknown>;
}

export interface AgentState {
  status: "idle" | "running" | "paused" | "waiting";
  runId?: string;
  /** The turn of the run, from 1. */
  turn: number;
  model: Model;
  /** Whether a key is held for the model's origin. */
  hasKey: boolean;
  /** Of the session. */
  usage: Usage;
  /** Model requests of the session. */
  requests: number;
  /** Tokens the next request is estimated to carry. */
  contextTokens: number;
  /** Tokens the model can read; 0 = not known. */
  contextWindow: number;
  /** Messages that wait for the next request. */
  steering: string[];
  /** Messages that wait for the end of the run. */
  followUp: string[];
  /** `event` is what would be done next; with `answer` it has been done, and what came of it would go in next. */
  pausedAt?: { event: string; callId?: string; answer?: true };
  storage: Storage;
  /** The tools there are, in the order in which the model is told of those that are on. */
  tools: { name: string; on: boolean }[];
  /** Which calls may run. */
  policy: Policy;
  /** Faults that have not acted. */
  faults: Fault[];
  /** Whose part a person plays. */
  part: "none" | "model" | "harness";
  /** A person has edited something in the session, or a fault has acted. */
  modified: boolean;
}

/** Where files and sessions are kept, and whether this tab may change them. */
export interface Storage {
  /** `unavailable`: memory, because the browser has no storage for the page, or lost it. */
  kind: "browser" | "memory" | "unavailable";
  /** Of the tabs that have a workspace open one is the writer. A reader asks it for what it shows; `takeOver()` changes that. */
  role: "writer" | "reader";
  /** Why it is not the browser's. */
  reason?: string;
  /** What could not be read after the last stop. */
  droppedBytes: number;
  /** The same one by one, at most two hundred: the file, if that is known; `madeGood` if it was written whole later on. */
  damages?: { path?: string; bytes: number; madeGood: boolean }[];
}

export interface RunResult {
  runId: string;
  /** Of the last assistant message. */
  stopReason: StopReason;
  errorMessage?: string;
  /** The text of the last assistant message. */
  text: string;
  turns: number;
  /** Whether it was ended by `abort()`. */
  aborted: boolean;
}

export interface FileInfo {
  /** From the root, without a leading slash. */
  path: string;
  name: string;
  kind: "file" | "folder";
  /** Bytes; 0 for a folder. */
  size: number;
}

export interface SessionInfo {
  id: string;
  name: string;
  /** Milliseconds since 1970. */
  createdAt: number;
  changedAt: number;
  /** System messages are not counted. */
  nMessages: number;
  current: boolean;
}

/** What stood between the page and a model server; each cause that was looked at, the likeliest last. */
export interface ConnectionReport {
  /** The server answered as a model server does. */
  ok: boolean;
  verdict: "ok" | "offline" | "mixed-content" | "csp" | "loopback" | "cors" | "status" | "not-a-model-server" | "invalid-url";
  /** The HTTP status, if there was one. */
  status?: number;
  /** In words, without any key. */
  detail: string;
  causes: { code: string; answer: "no" | "likely" | "yes"; fix?: string }[];
  /** Model ids the server lists. */
  models: string[];
}

/** All given fields must match; the run pauses before the event happens. */
export interface Breakpoint {
  event?: AgentEvent["type"];
  tool?: string;
  /** A glob over the path argument. */
  path?: string;
  stopReason?: StopReason;
  /** Only the n-th match of the run, from 1. */
  nth?: number;
}

export interface Files {
  /** Entries of a folder, sorted by name. Default: the root. */
  list(path?: string): Promise<FileInfo[]>;
  read(path: string): Promise<Uint8Array>;
  /** As UTF-8; bytes that are not are replaced. */
  readText(path: string): Promise<string>;
  /** Resolves once the bytes are stored. Folders are made. */
  write(path: string, data: string | Blob | ArrayBuffer | ArrayBufferView): Promise<void>;
  writeText(path: string, text: string): Promise<void>;
  mkdir(path: string): Promise<void>;
  /** A folder goes with what is in it. */
  remove(path: string): Promise<void>;
  rename(path: string, to: string): Promise<void>;
  stat(path: string): Promise<FileInfo>;
  /**
   * Unpacks a zip over what is there, as one change: all of it or nothing. An archive that would leave the workspace, does not fit
   * into it or lists one file twice is refused (`archive-refused`).
   */
  importZip(archive: Blob | ArrayBuffer | ArrayBufferView): Promise<Imported>;
  /** The whole workspace as a zip. */
  exportZip(): Promise<Blob>;
  /**
   * Opens a folder of the reader's own (File System Access API) and takes in, as one change, what only it has. Nothing is written to it.
   * Without a handle the reader picks one, for which a click must be fresh; where folders cannot be picked: code `not-supported`.
   * `.git`, `node_modules` and what systems leave behind are left alone on both sides unless `ignored` asks for them. It is open
   * until the element is closed or another one is opened.
   */
  openFolder(handle?: FileSystemDirectoryHandle, options?: { ignored?: boolean }): Promise<FolderPlan>;
  /** Compares the open folder with the workspace: also how to see what was edited outside. */
  folderPlan(): Promise<FolderPlan>;
  /**
   * Does what is chosen of the last comparison, and compares again. What was changed since is not touched: it is in `done.held`. Files
   * that both have changed stay as they are on both sides unless `conflicts` says whose it is to be.
   */
  syncFolder(choices?: {
    /** Write to the folder what was added or changed here. */
    save?: boolean;
    /** Remove from the folder what was removed here. */
    remove?: boolean;
    /** Bring here, as one change, what was added, changed or removed there. */
    read?: boolean;
    conflicts?: Record<string, "mine" | "theirs">;
  }): Promise<FolderPlan>;
  /** What was changed in this visit, by whomever, oldest first: the last thousand changes. */
  changes(): Promise<Changed[]>;
  /** What a change did to each file. Rejects with `change-not-found`, or `change-gone` when that is not known any more. */
  diffChange(change: number): Promise<FileDiff[]>;
  /**
   * A file as it was before or after a change. `path` says which, where the change is about several; of a renamed file, where it
   * is now. Rejects with `file-not-found` where it is not there on that side.
   */
  readVersion(change: number, side: "before" | "after", path?: string): Promise<Uint8Array>;
  /**
   * Takes changes back as one: at the paths they touched, what was there before is there again; the rest stays. All of them or
   * none: `changed-since` if what one of them left is not there any more, and the message names the paths. Several changes of
   * one file are no obstacle to each other. What comes of it is a change, and can be taken back.
   */
  undo(changes: number | number[]): Promise<Changed>;
  /** Keeps the workspace as it is, to be gone back to, after a reload too. */
  snapshot(name?: string): Promise<SnapshotInfo>;
  /** Oldest first. `start` is the workspace as this visit found it, or as the lesson laid it out. */
  snapshots(): Promise<SnapshotInfo[]>;
  /** Makes the workspace what it was. That is a change, and can be taken back. */
  restore(snapshot: string): Promise<void>;
  /** What differs between two snapshots, or between one and now. */
  diff(from: string, to?: string): Promise<FileDiff[]>;
}

/** A change of the workspace. What is made as one, an archive for example, is one. */
export interface Changed {
  /** A later change has a larger one. `vitrine-file` has it, too. */
  id: number;
  /** Where it was; of several paths the folder that has all of them, of a rename the old path. */
  path: string;
  /** Where a rename went. */
  to?: string;
  change: "written" | "made" | "removed" | "renamed" | "restored";
  /** How many paths were touched one by one. */
  paths: number;
  by: "user" | "import" | "tool" | "shell" | "other-tab";
  /** The tool call, and the run and turn it was made in. */
  callId?: string;
  runId?: string;
  turn?: number;
  /** Milliseconds since 1970. */
  atMs: number;
  /** It was taken back, and that was not taken back in turn. */
  undone: boolean;
  /** It did something that is not undone, and what it takes is still known. A later change may stand in the way. */
  canUndo: boolean;
}

export interface FileDiff {
  /** Where it is, or was if it is gone. */
  path: string;
  /** Where it was before it was renamed. */
  from?: string;
  change: "added" | "removed" | "changed" | "renamed";
  /** One of the two versions is no UTF-8 text. */
  binary: boolean;
  /** A unified diff; absent for what is no text, too large, or the same under another name. */
  patch?: string;
  bytesBefore?: number;
  bytesAfter?: number;
  tooLarge?: true;
}

export interface SnapshotInfo {
  id: string;
  name?: string;
  /** Milliseconds since 1970. */
  atMs: number;
}

/** The folder that is open, as it was just now. */
export interface FolderPlan {
  name: string;
  /** The files in which the two differ, by path: what happened on each side since both were last in step, and where it would go. */
  items: { path: string; here: FolderSide; there: FolderSide; way: "out" | "in" | "conflict" }[];
  /** What is left alone on both sides: `ignored`, `too-large` or `name`. */
  skipped: { path: string; code: string; reason: string }[];
  /** What this command has done: files written to and removed from the folder, files taken in, and what was chosen and not done. */
  done: { written: number; removed: number; read: number; held: { path: string; code: string; reason: string }[] };
}

export type FolderSide = "same" | "added" | "changed" | "removed";

export interface Imported {
  /** Files written. */
  files: number;
  /** Folders that the archive lists. */
  folders: number;
  /** Bytes of the files. */
  bytes: number;
  /** What was left out (links, encrypted entries, what macOS keeps beside files), and why. */
  skipped: { path: string; code: "mac-metadata" | "link" | "encrypted" | "packing"; reason: string }[];
}

export interface Sessions {
  /** Newest first. */
  list(): Promise<SessionInfo[]>;
  open(id: string): Promise<SessionInfo>;
  /** Nothing is stored before its first user message. */
  create(): Promise<SessionInfo>;
  rename(id: string, name: string): Promise<SessionInfo>;
  remove(id: string): Promise<void>;
  /** `jsonl` is pi's session file, version 3; `events` the events of the open session, one JSON a line. */
  export(id: string, format?: "jsonl" | "events"): Promise<string>;
  /** Stores and opens a pi session file. Never overwrites one. */
  import(source: string | Blob): Promise<SessionInfo>;
}

export interface Debug {
  pause(): Promise<void>;
  /** To the next event that is not a `message_update`. */
  step(): Promise<void>;
  /** To the next turn. */
  stepTurn(): Promise<void>;
  /**
   * Held at a question of the loop (`execute`, `call_model`, …): lets it be done, and holds before its answer goes in. A response
   * comes in pieces: from there this leads to the next. Held at an event it is `run()`.
   */
  stepToAnswer(): Promise<void>;
  /** To the next breakpoint or the end. */
  run(): Promise<void>;
  breakpoints: Breakpoint[];
  /**
   * Puts something in place of what the model asked, a tool gave or a request says; told as `vitrine-edited`, and `state.modified`
   * is true from then on. The history stays as it is: a result that is in it already is another one only in later requests.
   * Rejects with `too-late` (the call has begun), `call-not-found` or `invalid-argument`.
   */
  edit(edit: Edit): Promise<void>;
  /** Breaks something once: the next call, batch or response it can act on, or the n-th. Told as `vitrine-fault` when it acts. */
  fault(fault: Fault): Promise<void>;
  /** Takes back every fault that has not acted. */
  clearFaults(): Promise<void>;
  /**
   * Goes back. To `{event: n}`: a run of this visit stands just before its event `events[n]`, held, with the files as they were, and
   * goes on from there (`run()`, `step()`): what it waited for is asked anew, so a live model gets a new request; a response that had
   * begun arrives as it did. To an entry's id: nothing runs, and the next prompt begins another branch. What came after stays in
   * the session, on its branch. A run that goes on is ended first. Told as `vitrine-rewound`; the events of the run up to there are
   * told anew after it. Rejects with `no-such-event` or `entry-not-found`, and then nothing has changed.
   */
  rewind(to: string | { entryId: string } | { event: number }): Promise<{ entryId?: string; event: number; filesRestored: boolean }>;
  /** Every entry of the session, on all branches, and what the next request carries of it. */
  ledger(): Promise<LedgerLine[]>;
  /** The body of a request, byte for byte. */
  readRequest(number: number): Promise<Uint8Array>;
  /** The runs of this visit, those on branches that were left first. */
  runs(): Promise<{ runId: string; prompt: string; events: number; hash: string; left: boolean }[]>;
  /** Compares two of them by event, without times and with ids numbered anew. */
  diffRuns(a: string, b: string): Promise<{ same: number; first?: { a?: AgentEvent; b?: AgentEvent }; a: string[]; b: string[] }>;
  /** What the events so far come to. `trail`, if asked for: the first four characters of each event's own hash, one after the other. */
  fingerprint(trail?: boolean): Promise<{ hash: string; events: number; modified: boolean; trail?: string }>;
  /** Puts a person in the place of the model or the harness; what they are to answer is told as `vitrine-part`. */
  playPart(part: "none" | "model" | "harness"): Promise<void>;
  /** The answer of who plays the model. Without a stop reason it is `toolUse` where there are calls, else `stop`. */
  answerAsModel(content: (TextContent | ToolCall)[], stopReason?: StopReason): Promise<void>;
  /** What becomes of the call that who plays the harness was given: it does not run (`text` is the reason), it runs, or `text` is its result. */
  answerAsHarness(answer: { callId: string; action: "reject" | "run" | "result"; text?: string; isError?: boolean }): Promise<void>;
}

/** One entry of the session beside what the next request carries of it. */
export interface LedgerLine {
  entryId: string;
  parentId?: string;
  /** Its type in the session's file. */
  kind: string;
  role?: string;
  /** The start of what it says. */
  text: string;
  onBranch: boolean;
  inRequest: "whole" | "edited" | "omitted" | "summarised" | "off-branch" | "screen-only" | "failed-attempt";
  /** What the request says in its place. */
  instead?: string;
}

/** A request to the model. */
export interface ModelRequest {
  /** From 1, in this visit to the session. */
  number: number;
  /** How many events had been told before it. */
  event: number;
  runId: string;
  turn: number;
  url: string;
  method: string;
  /** What is secret is masked. */
  headers: Record<string, string>;
  /** Absent for one of more than a megabyte: see `debug.readRequest`. */
  body?: string;
  bytes: number;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** Whether it left the page. A script, a person and a fault answer without; the body is what Chat Completions would be sent. */
  sent: boolean;
  /** The body in its parts. `tokens` are estimated; `sameAsBefore` compares with the request before. */
  sections: { kind: "system" | "tools" | "message" | "other"; role?: string; bytes: number; tokens: number; label: string; sameAsBefore: boolean }[];
}

/** What a person puts in place of something. */
export type Edit =
  /** Other arguments for a call that has not begun to run. They are checked as the model's. */
  | { callId: string; args: Record<string, unknown> }
  /** Another result. Before the call runs, it never does. */
  | { callId: string; result: string | (TextContent | ImageContent)[]; isError?: boolean }
  /** The system prompt of every later request. */
  | { system: string }
  /** All messages of the next request, and of no other. */
  | { request: { messages: Message[] } };

export type FaultKind =
  | "unknown-tool" | "invalid-arguments" | "missing-file" | "length" | "block" | "throw" | "slow" | "abort" | "drop-result"
  | "late-update" | "terminate" | "reverse-order" | "context-overflow" | "overloaded" | "malformed-stream";

export interface Fault {
  kind: FaultKind;
  /** Of `block` and `throw`: what the model reads. */
  reason?: string;
  /** Of `terminate`: every call of the batch, or every one but the last. */
  of?: "all" | "some";
  /** Not the first it could act on, but the n-th from now. */
  nth?: number;
}

/** Which calls may run. The first rule that a call fits decides; for others the mode does. Rules hold a model to what was said; they are no safety boundary: a search reads what lies under its path, and a command has many spellings. */
export interface Policy {
  /** Every call runs; changes are asked about; files may be changed and all else is asked about; only tools that read are offered. */
  mode: "auto" | "ask" | "edits" | "read-only";
  rules: PolicyRule[];
}

export interface PolicyRule {
  tool: string;
  /** A glob over the path that the call leads to, from the root of the workspace, whatever way it was written. */
  path?: string;
  /** The words that a command begins with: only one alone is allowed by them; denied or asked about is any of several in a chain. */
  command?: string;
  decision: "allow" | "deny" | "ask";
  /** What the model reads where it is denied. */
  reason?: string;
}

/** Calls of one response that are asked about. */
export interface Approval {
  id: number;
  calls: {
    callId: string;
    tool: string;
    args: Record<string, unknown>;
    /** What it would do, from the tool itself. */
    effect:
      | { kind: "diff"; path: string; patch: string; added: number; removed: number }
      | { kind: "command"; command: string }
      | { kind: "fails"; message: string }
      | { kind: "call" };
    /** The run waits for this one; those after it may be decided before. */
    asked: boolean;
    decision?: "allow" | "allow-session" | "deny";
  }[];
}

export interface Decision {
  callId: string;
  /** `allow-session` adds a rule to `state.policy`, which can be taken back. */
  decision: "allow" | "allow-session" | "deny";
  /** Of `deny`: the call's result, which the model reads. */
  reason?: string;
  /** Other arguments. Rejects with `invalid-arguments` where they do not fit, and the call goes on waiting. */
  args?: Record<string, unknown>;
}

/** What who plays a part is to answer. */
export type PartRequest =
  | { part: "model"; request: number; tools?: { name: string; description: string; parameters: object }[] }
  | { part: "harness"; callId: string; tool: string; args: Record<string, unknown> };

/** A tool of the reader's own making. `sequential`: a batch with a call of it runs one call after the other. */
export interface ToyTool {
  name: string;
  description: string;
  /** A JSON Schema of `type`, `properties`, `required`, `items` and `description`. */
  parameters: object;
  code: string;
  sequential?: boolean;
}

/** A lesson as the learner sees it. Steps that are not reached say nothing but their id. */
export interface LessonState {
  id: string;
  title: string;
  about: string;
  minutes?: number;
  /** The user message that starts it. */
  prompt: string;
  steps: LessonStep[];
  /** The index of the first step that is not done; absent once all are. */
  current?: number;
  /** The id of that step. */
  step?: string;
  /** The part of the questions that were answered right before the run went on, 0 to 1. */
  score: number;
  goal: string;
  goalChecks: LessonCheck[];
  /** It was played since it was opened. */
  played: boolean;
  passed: boolean;
  /** Questions answered right, at the first try, before the run went on. */
  foreseen: number;
  questions: number;
  /** Once it is passed: SHA-256 over the lesson, the answers and the run. */
  receipt?: string;
  /** Once the session has settled: whether this is the author's run, and otherwise the first event that is another. */
  author?: { same: boolean; differsAt?: number };
  /** Files of the lesson that are here with another content. */
  differs?: string[];
}

/** A step of a lesson. `text`, `hint` and `why` are Markdown. */
export interface LessonStep {
  id: string;
  reached: boolean;
  done: boolean;
  text?: string;
  question?: { ask: string; options: string[]; chosen?: number; right?: boolean; why?: string };
  hasHint: boolean;
  hint?: string;
  checks?: LessonCheck[];
}

/** Something that has to be so, and whether it is. */
export interface LessonCheck {
  text: string;
  met: boolean;
}

/** The lessons of the site, and the open one. */
export interface Lessons {
  /** In the order in which they are meant, in the language on screen. */
  list(): Promise<{ id: string; title: string; about: string; minutes?: number }[]>;
  /** Answers the question of a step by the index of the option. Rejects with `no-such-question` where it is not open. */
  answer(step: string, option: number): Promise<{ right: boolean }>;
  /** Shows what helps in a step. */
  hint(step: string): Promise<void>;
  /** Puts the lesson by: tools and policy are again as they were before it was played. */
  close(): Promise<void>;
}

/**
 * Attributes: `mode` (`app` | `embed` | `chat`), `lang` (`en` | `zh`), `theme` (`auto` | `light` | `dark`), `workspace`
 * (a name; absent = throw-away), `tools` (the names of those that are on), `model` (`scripted` | `<api>:<model id>`), `base-url`, `prompt`, `lesson` (a name or an address), `loading` (`lazy` |
 * `eager` | `click`), `allow-keys`.
 *
 * Events, all bubbling and composed: `vitrine-ready`, `vitrine-event` ({@link AgentEvent}), `vitrine-trace`
 * ({@link CallTrace}), `vitrine-settled` (`{aborted}`), `vitrine-file` (`{path, change, callId?, id}`), `vitrine-error`
 * (`{code, message, help}`), `vitrine-approval` ({@link Approval}, or `null` when nothing is asked any more; a host page that
 * prevents its default answers by `decide`, and nothing is shown), `vitrine-part` ({@link PartRequest} or `null`), `vitrine-fault`
 * (`{kind, callId?}`: a fault has acted), `vitrine-edited` (`{what, callId?, value}`), `vitrine-request` ({@link ModelRequest}), `vitrine-rewound` (`{events}`: so many stand),
 * `vitrine-lesson` ({@link LessonState}: `step`, `passed`, `score`, `receipt` and the rest, whenever the learner is elsewhere in it).
 *
 * Styling: custom properties `--vitrine-*`; everything else stays inside the shadow root.
 */
export class VitrineAgent extends HTMLElement {
  /** Wasm and worker are up. Rejects if they cannot start or are closed before; reading it starts a lazy element only when a method is called. */
  readonly ready: Promise<void>;
  readonly state: AgentState;
  /** Messages now on the branch. Begins anew, as `state` and `events` do, when a closed element starts again. */
  readonly transcript: Message[];
  /** All events since the session was opened; after going back, those that lead to where it is. */
  readonly events: AgentEvent[];
  /** The requests to the model since the session was opened, those of branches that were left, too. */
  readonly requests: ModelRequest[];
  readonly files: Files;
  readonly sessions: Sessions;
  readonly debug: Debug;

  /** Resolves when the session has settled. Rejects with code `busy` while a run goes on. */
  prompt(content: string | (TextContent | ImageContent)[]): Promise<RunResult>;
  /** Goes on from the transcript as it is. */
  continue(): Promise<RunResult>;
  /**
   * Plays the open lesson, or the first one: its files, its scripted turns, its pauses. Files that are there already stay as they are,
   * unless `fresh` asks for everything as the lesson has it, and for its steps from the start.
   */
  play(options?: { fresh?: boolean }): Promise<RunResult>;
  /**
   * Reads a lesson and shows it; nothing is laid out and nothing runs before {@link play}. Given is the name of one of the site's own
   * (`only-asks`), an address, the lesson itself, or its JSON text. The attribute `lesson` and, in the app, `?lesson=` do the same.
   * A link may name a lesson of its own site alone (`lesson-elsewhere`): nothing is sent anywhere else before the reader acts.
   * Rejects with `lesson-not-loaded`, or with `invalid-lesson` and what is wrong with it line by line.
   */
  openLesson(lesson: string | object): Promise<LessonState>;
  /** The open lesson as the learner sees it; `undefined` or `null` while none is open. */
  readonly lesson: LessonState | null | undefined;
  readonly lessons: Lessons;
  /** Read before the next request of the run. */
  steer(content: string | (TextContent | ImageContent)[]): Promise<void>;
  /** Read when the run would stop. */
  followUp(content: string | (TextContent | ImageContent)[]): Promise<void>;
  /** Ends the run; resolves once it has settled. What arrived is kept. */
  abort(): Promise<void>;
  /**
   * Becomes the tab that writes the workspace, when `state.storage.role` is `reader`; the one that does now ends its run, stores
   * what it has and reads. What would change something rejects with code `read-only` in a reader. Rejects with `not-taken-over`
   * when the other does not let go.
   */
  takeOver(): Promise<void>;
  /** Takes back what waits to be read. */
  clearQueue(): Promise<{ steering: string[]; followUp: string[] }>;
  setModel(model: Model): Promise<void>;
  /** Sends one small request to a model server. Rejects for nothing the server does: the report says it. */
  testConnection(model: Model): Promise<ConnectionReport>;
  /** Keeps a key in the worker's memory, bound to one origin; gone on reload. */
  setKey(key: string, where: { origin: string; remember?: "memory" }): Promise<void>;
  forgetKeys(): Promise<void>;
  /**
   * These tools are on, all others off; the next request says so to the model. Rejects with `unknown-tool` for a name that is not
   * in `state.tools`. The attribute `tools` does the same when the element starts.
   */
  setTools(names: string[]): Promise<void>;
  /**
   * Tools whose bodies are JavaScript, in place of those there were: `code` is the body of an asynchronous function of `args`, and runs in
   * a sandbox without page, storage or network, for ten seconds at most. What it returns is the result: a string, `{content, details?,
   * structuredContent?, isError?, terminate?}` as a tool of pi's, or anything else as JSON; what it throws is an error. Rejects with
   * `invalid-tool`, and then all stay as they were.
   */
  setToyTools(tools: ToyTool[]): Promise<void>;
  /** SHA-256 of the events so far in their canonical form, in hex: the same for a run that did the same, in every browser. */
  fingerprint(): Promise<string>;
  /** Says which calls may run, from the next one on. A mode `read-only` changes what the next request declares. */
  setPolicy(policy: Partial<Policy>): Promise<void>;
  /** Decides calls that the last `vitrine-approval` lists: all that are named, or none. Rejects with `not-asked`. */
  decide(decisions: Decision | Decision[]): Promise<void>;
  /** Frees the worker; what it had said can still be read. Connecting the element again starts a new one. */
  close(): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "vitrine-agent": VitrineAgent;
  }
  interface HTMLElementEventMap {
    "vitrine-ready": CustomEvent<Record<string, never>>;
    "vitrine-event": CustomEvent<AgentEvent>;
    "vitrine-trace": CustomEvent<CallTrace>;
    "vitrine-settled": CustomEvent<{ aborted: boolean }>;
    "vitrine-file": CustomEvent<{ path: string; change: string; callId?: string; id: number }>;
    "vitrine-approval": CustomEvent<Approval | null>;
    "vitrine-part": CustomEvent<PartRequest | null>;
    "vitrine-fault": CustomEvent<{ kind: FaultKind; callId?: string }>;
    "vitrine-edited": CustomEvent<{ what: "args" | "result" | "system" | "request"; callId?: string; value: unknown }>;
    "vitrine-request": CustomEvent<ModelRequest>;
    "vitrine-rewound": CustomEvent<{ events: number }>;
    "vitrine-lesson": CustomEvent<LessonState>;
    "vitrine-error": CustomEvent<{ code: string; message: string; help: string }>;
  }
}

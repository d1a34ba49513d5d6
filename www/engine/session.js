// A session: an append-only tree of entries, its leaf, and the file that it is written as.

import { wasm } from "./wasm.js";

const randomId = () => crypto.getRandomValues(new Uint32Array(1))[0].toString(16).padStart(8, "0");

const unknown = (id) => new Error(`Entry ${id} not found`);

const isContent = (content) => typeof content === "string" || Array.isArray(content);

const isEditable = ({ type, message }) =>
  type === "custom_message" || (type === "message" && ["user", "assistant", "toolResult"].includes(message?.role));

/** One conversation. What it was given stays the objects it is; a file that was read is written back as it was. */
export class Session {
  #log;
  #header;
  #entries = [];
  #byId = new Map();
  #leaf = null;

  /** Use `Session.parse`. */
  constructor(log) {
    this.#log = log;
    this.#header = JSON.parse(log.header());
    for (const line of log.lines().split("\n")) if (line !== "") this.#add(JSON.parse(line));
  }

  /** Reads the text of a file: a header, then entries. Lines that cannot be read are left out. Throws without a header. */
  static parse(jsonl) {
    if (typeof jsonl !== "string") throw new TypeError(`engine: expected a string, got ${typeof jsonl}`);
    const log = new wasm.SessionLog(jsonl);
    const failure = log.failure();
    if (failure === undefined) return new Session(log);
    log.free();
    throw new Error(failure);
  }

  get header() {
    return this.#header;
  }

  /** All entries, in the order of the file. */
  get entries() {
    return [...this.#entries];
  }

  /** The id of the entry that the next one follows; `null` when it will be a root. */
  get leaf() {
    return this.#leaf;
  }

  /** The roots, each with what follows it. */
  get tree() {
    const nodes = this.#entries.map((entry) => {
      const label = this.#log.label(entry.id);
      return label === undefined ? { entry, children: [] } : { entry, children: [], label };
    });
    const roots = [];
    for (const [number, parent] of JSON.parse(this.#log.parents()).entries()) {
      (parent < 0 ? roots : nodes[parent].children).push(nodes[number]);
    }
    const age = ({ entry }) => Date.parse(entry.timestamp) || 0;
    for (const { children } of nodes) children.sort((one, other) => age(one) - age(other));
    return roots;
  }

  /** The name it was given last. */
  get name() {
    return this.#entries.findLast(({ type }) => type === "session_info")?.name || undefined;
  }

  /** The whole file. */
  toJsonl() {
    return `${this.#log.header()}\n${this.#log.lines()}`;
  }

  getHeader() {
    return this.#header;
  }

  getSessionId() {
    return this.#header.id;
  }

  getCwd() {
    return this.#header.cwd;
  }

  getSessionName() {
    return this.name;
  }

  getEntries() {
    return this.entries;
  }

  getTree() {
    return this.tree;
  }

  getEntry(id) {
    return this.#byId.get(id);
  }

  getLeafId() {
    return this.#leaf;
  }

  getLeafEntry() {
    return this.#byId.get(this.#leaf);
  }

  getChildren(id) {
    return this.#entries.filter(({ parentId }) => parentId === id);
  }

  getLabel(id) {
    return typeof id === "string" ? this.#log.label(id) : undefined;
  }

  /** The entries from a root to an entry, or to the leaf. */
  getBranch(id = this.#leaf) {
    return typeof id !== "string" ? [] : JSON.parse(this.#log.path(id)).map((number) => this.#entries[number]);
  }

  appendMessage(message) {
    return this.#append("message", { message });
  }

  appendThinkingLevelChange(thinkingLevel) {
    return this.#append("thinking_level_change", { thinkingLevel });
  }

  appendModelChange(provider, modelId) {
    return this.#append("model_change", { provider, modelId });
  }

  /** Gives the entry, as in pi. */
  appendUsage(kind, provider, model, usage, note) {
    return this.#byId.get(this.#append("usage", { kind, provider, model, usage, note }));
  }

  /** `firstKeptEntryId` of `null` keeps nothing. Prompt and tools are kept with it. */
  appendCompaction(summary, firstKeptEntryId, tokensBefore, details, fromHook, usage) {
    return this.#append("compaction", (id, now) => {
      const system = this.#log.checkpoint(this.#leaf ?? "", now);
      const kept = firstKeptEntryId ?? id;
      const body = { summary, firstKeptEntryId: kept, tokensBefore, details, usage, fromHook };
      return system === undefined ? body : { ...body, systemMessage: JSON.parse(system) };
    });
  }

  appendCustomEntry(customType, data) {
    return this.#append("custom", { customType, data });
  }

  appendCustomMessageEntry(customType, content, display, details) {
    return this.#append("custom_message", { customType, content, display, details });
  }

  /** Line breaks become spaces. */
  appendSessionInfo(name) {
    return this.#append("session_info", { name: String(name).replace(/[\r\n]+/g, " ").trim() });
  }

  /** Replaces the content of an earlier entry of the branch from here on; `null` leaves the entry out. */
  appendContextEdit(targetId, replacement) {
    if (replacement !== null && !isContent(replacement?.content)) {
      throw new Error("Context edit replacement must be null or contain string/array content");
    }
    const target = this.#known(targetId);
    if (!this.getBranch().includes(target)) throw new Error(`Entry ${targetId} is not on the active branch`);
    if (!isEditable(target)) throw new Error(`Entry ${targetId} does not contribute editable model content`);
    return this.#append("context_edit", { targetId, replacement: replacement && this.#fitting(target, replacement) });
  }

  /** Marks an entry; without a label, takes its mark away. */
  appendLabelChange(targetId, label) {
    this.#known(targetId);
    return this.#append("label", { targetId, label });
  }

  /** Moves the leaf: the next entry follows this one. The move itself is not written. */
  branch(id) {
    this.#known(id);
    this.#leaf = id;
  }

  /** Moves the leaf before the first entry. */
  resetLeaf() {
    this.#leaf = null;
  }

  /** Moves the leaf and says there what happened on the branch that was left. */
  branchWithSummary(id, summary, details, fromHook, usage) {
    if (id !== null) this.#known(id);
    const left = this.#leaf;
    this.#leaf = id;
    try {
      return this.#append("branch_summary", { fromId: left ?? "root", summary, details, usage, fromHook });
    } catch (error) {
      this.#leaf = left;
      throw error;
    }
  }

  /** What a model reads at an entry, or at the leaf: `{messages, thinkingLevel, model}`. */
  buildContext(leaf = this.#leaf) {
    if (leaf !== null) this.#known(leaf);
    const context = JSON.parse(this.#log.context(leaf ?? ""));
    context.messages = context.messages.map((message) => (typeof message === "number" ? this.#messageOf(message) : message));
    return context;
  }

  buildSessionContext() {
    return this.buildContext();
  }

  /** Gives the memory back at once. It cannot be used any more then. */
  free() {
    this.#log.free();
  }

  #known(id) {
    const entry = this.#byId.get(id);
    if (!entry) throw unknown(id);
    return entry;
  }

  #messageOf(number) {
    const { message } = this.#entries[number];
    return message.content === null || message.content === undefined ? { ...message, content: [] } : message;
  }

  /** Assistant messages and results have no content but blocks. */
  #fitting({ message }, { content }) {
    const needsBlocks = message?.role === "assistant" || message?.role === "toolResult";
    return { content: needsBlocks && typeof content === "string" ? [{ type: "text", text: content }] : content };
  }

  #newId() {
    for (let n = 0; n < 100; n += 1) {
      const id = randomId();
      if (!this.#byId.has(id)) return id;
    }
    return crypto.randomUUID();
  }

  /** Appends an entry; `body` may need its id and its time. A value that cannot be written leaves all as it was. */
  #append(type, body) {
    const [id, now] = [this.#newId(), Date.now()];
    const fields = typeof body === "function" ? body(id, now) : body;
    const entry = { type, id, parentId: this.#leaf, timestamp: new Date(now).toISOString() };
    // As in a file, where a field that is not set is not there.
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) entry[name] = value;
    // As JavaScript writes it: half a surrogate pair stays what it is.
    if (!this.#log.push(JSON.stringify(entry))) throw new Error(`engine: no entry: ${type}`);
    this.#add(entry);
    return id;
  }

  #add(entry) {
    this.#entries.push(entry);
    if (!this.#byId.has(entry.id)) this.#byId.set(entry.id, entry);
    this.#leaf = entry.id;
  }
}

// <vitrine-agent>: reads the attributes, starts page and worker, and is the public API. What it promises: vitrine.d.ts.
// Everything is found relative to this file, never to the document.

const BUILD = "__VITRINE_BUILD__";
const here = (name) => {
  const url = new URL(name, import.meta.url);
  if (!BUILD.startsWith("__")) url.searchParams.set("v", BUILD);
  return url.href;
};

/** A module, started. */
const load = async (name) => {
  const module = await import(here(`${name}.js`));
  // A server that was updated under an open page hands out the new module whatever address is asked for.
  if ((module.BUILD ?? BUILD) !== BUILD) throw new Error(`${name}.js is of another build; reload the page`);
  await module.default({ module_or_path: here(`${name}_bg.wasm`) });
  return module;
};

/** The page module, loaded once for all elements. A failed load may be tried again. */
let pageModule;
const loadPage = () =>
  (pageModule ??= load("page")
    .then((page) => {
      // Nothing waits for the Markdown parser: without it, messages stand as they were written.
      load("markdown").then(page.take_markdown).catch(() => {});
      page.take_import((name) => import(here(name)));
      return page;
    })
    .catch((error) => {
      pageModule = undefined;
      throw error;
    }));

const sheets = {};
const loadStyle = (name) =>
  (sheets[name] ??= fetch(here(name))
    .then((answer) => {
      if (!answer.ok) throw new Error(`${name}: status ${answer.status}`);
      return answer.text();
    })
    .then((text) => new CSSStyleSheet().replace(text)));

class VitrineError extends Error {
  /** @param {{code: string, message: string, help: string}} problem */
  constructor({ code, message, help }) {
    super(message);
    this.name = "VitrineError";
    this.code = code;
    this.help = help;
  }
}

/** Why the modules could not start, in words a reader can act on. */
const startProblem = (error) => {
  const text = String(error?.message ?? error);
  if (/unsafe-eval|Content Security Policy|CompileError.*blocked|call to WebAssembly/i.test(text))
    return {
      code: "csp",
      message: "this page's Content-Security-Policy does not allow WebAssembly",
      help: "add 'wasm-unsafe-eval' to script-src",
    };
  return {
    code: "start-failed",
    message: `the agent could not start: ${text}`,
    help: "check that page.js, worker.js and their .wasm files stand beside vitrine.js and that the page may load them",
  };
};

const invalid = (message, help) => new VitrineError({ code: "invalid-argument", message, help });

const closed = () => new VitrineError({ code: "closed", message: "the agent was closed before it answered", help: "connect the element again" });

/** Text and images of a prompt, as the worker takes them. */
const contentOf = (content) => {
  const help = "give a text, or a list of text and image blocks";
  if (typeof content === "string") return { text: content };
  if (!Array.isArray(content)) throw invalid(`not a message: ${content}`, help);
  const texts = [];
  const images = [];
  for (const block of content) {
    if (block?.type === "text" && typeof block.text === "string") texts.push(block.text);
    else if (block?.type === "image" && typeof block.data === "string") images.push({ data: block.data, mimeType: block.mimeType });
    else throw invalid(`not a text or image block: ${JSON.stringify(block)}`, help);
  }
  return { text: texts.join("\n"), ...(images.length ? { images } : {}) };
};

/** Bytes of whatever holds some. */
const bytesOf = async (data) => {
  if (typeof data === "string") return new TextEncoder().encode(data);
  if (data instanceof Blob) return new Uint8Array(await data.arrayBuffer());
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  throw invalid(`no bytes: ${data}`, "give a string, a Blob, an ArrayBuffer or a view of one");
};

/** A folder that the reader picks. */
const pickFolder = () => {
  if (!globalThis.showDirectoryPicker)
    throw new VitrineError({ code: "not-supported", message: "this browser opens no folders", help: "use a zip, or a browser with the File System Access API" });
  return showDirectoryPicker({ mode: "readwrite" });
};

/** Where a lesson comes from, as the worker takes it. */
const lessonSource = (lesson) =>
  typeof lesson !== "string" ? { text: JSON.stringify(lesson) }
    : /^\s*\{/.test(lesson) ? { text: lesson }
      : { url: /^[a-z0-9-]+$/.test(lesson) ? lesson : new URL(lesson, document.baseURI).href };

const NO_TOKENS = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
/** The state of an agent that has not started. */
const AT_REST = {
  status: "idle", turn: 0, model: { api: "scripted", id: "scripted", provider: "scripted" }, hasKey: false, usage: NO_TOKENS,
  requests: 0, contextTokens: 0, contextWindow: 0, steering: [], followUp: [], storage: { kind: "memory", role: "writer", droppedBytes: 0 }, tools: [],
  policy: { mode: "auto", rules: [] }, faults: [], part: "none", modified: false,
};

export class VitrineAgent extends HTMLElement {
  static observedAttributes = ["lang", "theme"];

  #shadow = this.attachShadow({ mode: "open" });
  #handle;
  #worker;
  #reader;
  #observer;
  #closing;
  #rests = false;
  #generation = 0;
  #started;
  #ready = Promise.withResolvers?.() ?? VitrineAgent.#deferred();
  #state = AT_REST;
  #events = [];
  #requests = [];
  /** Where in this tab's storage `#left` is kept. */
  #place;
  #left = {};
  #messages = [];
  #breakpoints = [];
  #lesson;

  static #deferred() {
    const deferred = {};
    deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
    return deferred;
  }

  constructor() {
    super();
    // A failed start is told by an event and on screen; nobody has to await `ready`.
    this.#ready.promise.catch(() => {});
  }

  connectedCallback() {
    clearTimeout(this.#closing);
    for (const type of ["pagehide", "pageshow"]) addEventListener(type, this);
    if (this.#started) return;
    this.#forget();
    if (!this.#shadow.childElementCount) this.#shadow.append(document.createElement("slot"));
    for (const button of this.querySelectorAll("[data-vitrine-play]")) {
      button.disabled = false;
      button.onclick = () => {
        button.disabled = true;
        // A failed start is told by the start itself.
        this.play().catch(({ code, message, help }) => this.#handle && this.#tell("vitrine-error", { code, message, help }));
      };
    }
    const loading = this.getAttribute("loading") ?? (this.getAttribute("mode") === "app" ? "eager" : "lazy");
    if (loading === "eager") this.#start();
    else if (loading === "click") this.addEventListener("click", () => this.#start(), { once: true });
    else {
      this.#observer = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting)) this.#start();
      }, { rootMargin: "200px" });
      this.#observer.observe(this);
    }
  }

  /** A page that is put by and may come back (bfcache) writes nothing meanwhile: it gives its workspace up, and begins anew. */
  handleEvent({ type, persisted }) {
    if (type === "pagehide" ? !persisted || this.#state.storage.kind !== "browser" : !this.#rests) return;
    this.#rests = !this.#rests;
    if (this.#rests) this.close();
    else this.#start();
  }

  disconnectedCallback() {
    // Frameworks move nodes: only an element that stays away is closed.
    this.#closing = setTimeout(() => this.close(), 0);
  }

  attributeChangedCallback(name, before, now) {
    if (before !== now) this.#handle?.set_attribute(name, now ?? "");
  }

  #settings() {
    const isApp = this.getAttribute("mode") === "app";
    // A link may say how the app looks and what stands in its composer. It may not choose a server: that needs the reader.
    const link = new URLSearchParams(isApp ? location.search : "");
    const at = (name) => (["lang", "theme", "prompt", "lesson"].includes(name) ? link.get(name) : null) ?? this.getAttribute(name) ?? undefined;
    const around = isApp ? navigator.language : (this.closest("[lang]")?.getAttribute("lang") ?? navigator.language);
    return {
      mode: at("mode") ?? "embed",
      lang: (at("lang") ?? around).toLowerCase().startsWith("zh") ? "zh" : "en",
      theme: at("theme") ?? "auto",
      workspace: at("workspace"),
      lesson: at("lesson"),
      prompt: at("prompt") ?? "",
      allowKeys: at("mode") === "app" || this.hasAttribute("allow-keys"),
    };
  }

  async #start() {
    if (this.#started) return;
    this.#started = true;
    this.#forget();
    this.#observer?.disconnect();
    const generation = ++this.#generation;
    try {
      const worker = new Worker(here("worker_loader.js"), { type: "module", name: "vitrine" });
      this.#worker = worker;
      // A cached worker may be up before the page module: what it says until then is kept, or its first word is lost.
      const early = [];
      worker.onmessage = (event) => early.push(event.data);
      const broken = new Promise((_, reject) => worker.addEventListener("error", (event) => {
        reject(new Error(event.message || "worker_loader.js could not be loaded"));
      }, { once: true }));
      const parts = Promise.all([loadPage(), loadStyle("style.css"), import(here("event_reader.js"))]);
      const [page, style, { EventReader }] = await Promise.race([parts, broken]);
      if (generation !== this.#generation) return;
      const settings = this.#settings();
      const parent = document.createElement("div");
      parent.className = "vitrine";
      parent.dataset.mode = settings.mode;
      this.#shadow.adoptedStyleSheets = [style];
      // Of what is drawn late; without it, it is drawn plainly.
      loadStyle("late.css").then((late) => this.#shadow.adoptedStyleSheets.push(late)).catch(() => delete sheets["late.css"]);
      this.#reader = new EventReader();
      this.#handle = page.mount(parent, worker, settings, (batch) => {
        if (generation === this.#generation) this.#deliver(batch);
      });
      for (const data of early) worker.dispatchEvent(new MessageEvent("message", { data }));
      const opened = await Promise.race([
        this.#ask({ command: "open", workspace: settings.workspace, lang: settings.lang }),
        broken,
      ]);
      if (generation !== this.#generation) return;
      this.#state = opened.state;
      await this.#resume(settings.workspace);
      if (generation !== this.#generation) return;
      // The static transcript stays until the live one can take its place.
      this.#shadow.replaceChildren(parent);
      await this.#initial();
      if (generation !== this.#generation) return;
      this.#ready.resolve();
      this.#tell("vitrine-ready", {});
    } catch (error) {
      if (generation !== this.#generation) return;
      const problem = error instanceof VitrineError ? error : startProblem(error);
      this.#showProblem(problem);
      this.#tell("vitrine-error", { code: problem.code, message: problem.message, help: problem.help });
      this.#ready.reject(new VitrineError(problem));
      this.#handle?.close();
      this.#worker?.terminate();
      // Whatever is asked from now on meets the rejected `ready`.
      this.#handle = this.#worker = undefined;
    }
  }

  /** What this tab had open before a reload: the session and the model, never a key. */
  async #resume(workspace) {
    if (workspace === undefined) return;
    this.#place = `vitrine/${workspace}`;
    let left = {};
    try {
      left = JSON.parse(sessionStorage.getItem(this.#place) ?? "{}");
    } catch {
      // Storage is refused, or holds what is not ours: the tab begins anew.
    }
    this.#left = left;
    const { session, model } = left;
    const generation = this.#generation;
    // A session that was removed, or a model that is no longer known, is no reason not to start.
    if (session) await this.#ask({ command: "openSession", sessionId: session }).catch(() => {});
    if (generation === this.#generation && model && model.api !== "scripted") await this.#ask({ command: "setModel", model }).catch(() => {});
  }

  #remember(change) {
    if (!this.#place) return;
    this.#left = { ...this.#left, ...change };
    try {
      sessionStorage.setItem(this.#place, JSON.stringify(this.#left));
    } catch {
      // Storage is refused: a reload begins anew.
    }
  }

  /** What the attributes say. */
  async #initial() {
    const { lesson } = this.#settings();
    // A lesson that cannot be had is no reason not to start. One that a link names is of this site: nothing is sent elsewhere yet.
    try {
      const source = lesson && lessonSource(lesson);
      if (/:/.test(source?.url) && lesson !== this.getAttribute("lesson") && new URL(source.url).origin !== location.origin)
        throw { code: "lesson-elsewhere", message: `a lesson of another site: ${source.url}`, help: "open the file by hand" };
      if (source) await this.#ask({ command: "openLesson", ...source });
    } catch ({ code = "invalid-argument", message, help = "give a lesson's name or address" }) {
      const problem = { code, message, help };
      this.#handle.set_attribute("problem", JSON.stringify(problem));
      this.#tell("vitrine-error", problem);
    }
    const names = this.getAttribute("tools")?.match(/[^\s,]+/g) ?? [];
    if (this.hasAttribute("tools")) await this.#ask({ command: "setTools", names });
    const model = this.getAttribute("model");
    const baseUrl = this.getAttribute("base-url");
    if (!model || model === "scripted") return;
    const [api, ...id] = model.split(":");
    await this.#ask({ command: "setModel", model: { api, id: id.join(":"), ...(baseUrl ? { baseUrl } : {}) } });
  }

  #showProblem({ message, help }) {
    const note = document.createElement("p");
    note.setAttribute("role", "alert");
    note.style.cssText = "font:14px/1.5 system-ui,sans-serif;border:1px solid;border-radius:6px;padding:10px 12px;margin:0 0 12px";
    note.textContent = `${message}. ${help}.`;
    this.#shadow.replaceChildren(note, document.createElement("slot"));
  }

  #tell(type, detail) {
    return this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable: type === "vitrine-approval" }));
  }

  #deliver(batch) {
    for (const note of JSON.parse(batch)) {
      switch (note.type) {
        case "event":
          this.#events.push(this.#reader.read(note.event));
          if (note.event.type === "message_end") this.#messages.push(note.event.message);
          this.#tell("vitrine-event", note.event);
          break;
        case "trace":
          this.#tell("vitrine-trace", note.trace);
          break;
        case "state":
          if (JSON.stringify(note.state.model) !== JSON.stringify(this.#state.model)) this.#remember({ model: note.state.model });
          this.#state = note.state;
          break;
        case "sessions":
          this.#remember({ session: note.sessions.find((session) => session.current)?.id });
          break;
        case "sessionOpened":
          this.#messages = note.messages;
          this.#events = [];
          this.#requests = [];
          break;
        case "settled":
          this.#tell("vitrine-settled", { aborted: note.aborted });
          break;
        case "file":
          this.#tell("vitrine-file", note.file);
          break;
        case "problem":
          this.#tell("vitrine-error", note.problem);
          break;
        case "request":
          this.#requests.push({ ...note.request, headers: Object.fromEntries(note.request.headers), body: note.body ?? undefined });
          this.#tell("vitrine-request", this.#requests.at(-1));
          break;
        case "rewound":
          this.#events.length = note.rewound.events;
          this.#messages = note.rewound.messages;
          this.#tell("vitrine-rewound", { events: note.rewound.events });
          break;
        case "approval":
          // A host page that answers itself needs no dock.
          if (!this.#tell("vitrine-approval", note.approval)) this.#handle?.set_attribute("answered-by", "host");
          break;
        case "lesson":
          this.#lesson = note.lesson;
          if (note.lesson) this.#tell("vitrine-lesson", note.lesson);
          break;
        case "toy":
          // A tool that the reader made runs in a sandbox that is loaded with the first call.
          import(here("toys.js")).then(({ run }) => run(this, note.toy)).catch(({ message }) => ({ error: message }))
            .then((answer) => answer && this.#ask({ ...answer, command: "answerToy", call: note.toy.call })).catch(() => {});
          break;
        case "part":
        case "fault":
        case "edited":
          this.#tell(`vitrine-${note.type}`, note[note.type]);
          break;
      }
    }
  }

  /** What was known of an earlier start: nothing of it is on screen or in the worker of the next. */
  #forget() {
    this.#state = AT_REST;
    this.#events = [];
    this.#requests = [];
    this.#messages = [];
    this.#breakpoints = [];
    this.#lesson = undefined;
    this.#place = undefined;
    this.#left = {};
  }

  /** A command from outside: starts the element, and is kept until the workspace is open. */
  async #call(command, bytes) {
    if (!this.#started) this.#start();
    const generation = this.#generation;
    await this.ready;
    if (generation !== this.#generation) throw closed();
    return this.#ask(command, bytes);
  }

  /** A command to the worker as it stands; the start itself speaks to it so. */
  async #ask(command, bytes) {
    if (!this.#handle) throw closed();
    let answer;
    try {
      answer = await this.#handle.call(JSON.stringify(command), bytes);
    } catch (problem) {
      throw new VitrineError(JSON.parse(problem));
    }
    const [json, data] = answer;
    return data ?? (json === undefined ? undefined : JSON.parse(json));
  }

  /** Wasm and worker are up. */
  get ready() {
    return this.#ready.promise;
  }
  get state() {
    return structuredClone(this.#state);
  }
  get transcript() {
    return structuredClone(this.#messages);
  }
  get requests() {
    return structuredClone(this.#requests);
  }
  async fingerprint() {
    return (await this.#call({ command: "fingerprint" })).hash;
  }
  get events() {
    return structuredClone(this.#events);
  }

  async prompt(content) {
    return this.#call({ command: "prompt", ...contentOf(content) });
  }
  /** Plays the open lesson, or the first one. */
  play(options) {
    return this.#call({ ...options, command: "playLesson" });
  }
  continue() {
    return this.#call({ command: "continue" });
  }
  async steer(content) {
    await this.#call({ command: "steer", ...contentOf(content) });
  }
  async followUp(content) {
    await this.#call({ command: "followUp", ...contentOf(content) });
  }
  /** Takes back what waits to be read. */
  clearQueue() {
    return this.#call({ command: "clearQueue" });
  }
  /** Becomes the tab that writes the workspace; the one that does now stops and reads. */
  takeOver() {
    return this.#call({ command: "takeOver" });
  }
  async abort() {
    await this.#call({ command: "abort" });
  }
  async setModel(model) {
    await this.#call({ command: "setModel", model });
  }
  /** These tools are on, all others off. */
  async setTools(names) {
    await this.#call({ command: "setTools", names });
  }
  /** The reader's own tools, in place of those there were. */
  async setToyTools(toys) {
    await this.#call({ command: "setToys", toys });
  }
  /** Asks a model server for its models, and says what is in the way. */
  testConnection(model) {
    return this.#call({ command: "testConnection", model });
  }
  async setKey(key, { origin, remember = "memory" } = {}) {
    if (remember !== "memory")
      throw new VitrineError({ code: "not-supported", message: `keys cannot be kept in "${remember}"`, help: 'use remember: "memory"' });
    await this.#call({ command: "setKey", key, origin });
  }
  async forgetKeys() {
    await this.#call({ command: "forgetKeys" });
  }

  /** Which calls may run: a mode, and rules that go before it. */
  async setPolicy({ mode = "auto", rules = [] } = {}) {
    await this.#call({ command: "setPolicy", policy: { mode, rules } });
  }
  /** Decides calls that `vitrine-approval` lists. */
  async decide(decisions) {
    await this.#call({ command: "decide", decisions: [decisions].flat() });
  }

  /** Reads a lesson and shows it; nothing runs. Its name, its address, or the lesson itself. */
  async openLesson(lesson) {
    return this.#call({ command: "openLesson", ...lessonSource(lesson) });
  }
  /** The open lesson, as the learner sees it. */
  get lesson() {
    return structuredClone(this.#lesson);
  }

  lessons = Object.freeze(this.#members({ list: "listLessons", answer: "answerLesson step option", hint: "hintLesson step", close: "closeLesson" }));
  debug = Object.freeze(this.#debugApi());
  files = Object.freeze(this.#filesApi());
  sessions = Object.freeze(this.#sessionsApi());

  /** Members that ask a command, each given as its name and those of its arguments. */
  #members(table) {
    return Object.fromEntries(Object.entries(table).map(([member, line]) => {
      const [command, ...names] = line.split(" ");
      return [member, (...values) => this.#call({ command, ...Object.fromEntries(names.map((name, at) => [name, values[at]])) })];
    }));
  }

  #debugApi() {
    const element = this;
    return {
      ...this.#members({ pause: "pause", step: "step", stepTurn: "stepTurn", stepToAnswer: "stepToAnswer", run: "resume", edit: "edit edit", fault: "fault fault", clearFaults: "clearFaults", ledger: "readLedger",
        runs: "listRuns", fingerprint: "fingerprint trail", diffRuns: "diffRuns a b", readRequest: "readRequest number",
        playPart: "playPart part", answerAsModel: "answerAsModel content stopReason" }),
      rewind: (to) => this.#call({ command: "rewind", to: typeof to === "object" ? to : { entryId: to } }),
      answerAsHarness: (answer) => this.#call({ ...answer, command: "answerAsHarness" }),
      get breakpoints() {
        return structuredClone(element.#breakpoints);
      },
      set breakpoints(list) {
        const breakpoints = structuredClone(list);
        element.#call({ command: "setBreakpoints", breakpoints }).catch((problem) => element.#tell("vitrine-error", problem));
        // After the call, which may be what starts the element: a start begins without any.
        element.#breakpoints = breakpoints;
      },
    };
  }

  #filesApi() {
    const utf8 = new TextDecoder();
    const write = async (path, data) => this.#call({ command: "writeFile", path }, await bytesOf(data));
    const members = this.#members({
      read: "readFile path", mkdir: "makeFolder path", remove: "removeFile path", rename: "renameFile path to", stat: "statFile path",
      exportZip: "exportZip", folderPlan: "folderPlan", changes: "listChanges", diffChange: "diffChange change", readVersion: "readVersion change side path",
      snapshot: "snapshot name", snapshots: "listSnapshots", restore: "restore snapshot", diff: "diffSnapshots from to",
    });
    return {
      ...members,
      // The picker first: it opens only while a click is fresh.
      openFolder: async (handle, options) => this.#call({ ...options, command: "openFolder" }, handle ?? await pickFolder()),
      syncFolder: (choices) => this.#call({ ...choices, command: "syncFolder" }),
      list: (path = "") => this.#call({ command: "listFiles", path }),
      readText: async (path) => utf8.decode(await members.read(path)),
      write,
      writeText: write,
      undo: (ids) => this.#call({ command: "undoChanges", changes: [ids].flat() }),
      // A blob goes as it is: the worker reads of it what it needs.
      importZip: async (archive) => this.#call({ command: "importZip" }, archive instanceof Blob ? archive : await bytesOf(archive)),
    };
  }

  #sessionsApi() {
    return {
      ...this.#members({
        list: "listSessions", open: "openSession sessionId", create: "createSession",
        rename: "renameSession sessionId name", remove: "removeSession sessionId",
      }),
      export: async (sessionId, format = "jsonl") => {
        if (format === "jsonl") return (await this.#call({ command: "exportSession", sessionId })).text;
        const current = (await this.#call({ command: "listSessions" })).find((session) => session.current);
        // Events are not stored: the open session has those of this visit.
        if (format === "events" && (!current || current.id === sessionId)) return this.#events.map((event) => JSON.stringify(event) + "\n").join("");
        throw new VitrineError(format === "events"
          ? { code: "not-open", message: "only the open session has events", help: "open the session and run it, or export jsonl" }
          : { code: "invalid-argument", message: `no such export format: ${format}`, help: "use jsonl or events" });
      },
      import: async (source) => this.#call({ command: "importSession" }, await bytesOf(source)),
    };
  }

  /** Frees the worker; what it had said can still be read. Connecting the element again starts a new one. */
  close() {
    this.#generation += 1;
    this.#observer?.disconnect();
    if (!this.isConnected) for (const type of ["pagehide", "pageshow"]) removeEventListener(type, this);
    this.#handle?.close();
    this.#worker?.terminate();
    this.#handle = this.#worker = undefined;
    this.#state = { ...this.#state, status: "idle", runId: undefined, pausedAt: undefined };
    // Who waits for a start that was given up is told; who waits for one that is still to come goes on waiting.
    if (this.#started) {
      this.#ready.reject(closed());
      this.#ready = VitrineAgent.#deferred();
      this.#ready.promise.catch(() => {});
    }
    this.#started = false;
    this.#shadow.replaceChildren(document.createElement("slot"));
  }
}

if (!customElements.get("vitrine-agent")) customElements.define("vitrine-agent", VitrineAgent);

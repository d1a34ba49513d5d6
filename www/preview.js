// A preview: a sandboxed frame that shows a document it is handed, and the lines of its console under it. Loaded with the
// first preview. What goes into the document is the worker's decision; this only keeps it where it can do nothing.

const WORDS = {
  en: { console: "Console", blocked: (what) => `blocked, there is no network in a preview: ${what}`, stopped: "Stopped. A change of the file starts it again.", more: "More lines are not shown." },
  zh: { console: "控制台", blocked: (what) => `已拦截，预览中没有网络：${what}`, stopped: "已停止。文件改动后会重新开始。", more: "更多的行不再显示。" },
};
/** Lines that are kept; a page may write any number. */
const LINES = 200;

const make = (tag, className, text = "") => {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = text;
  return node;
};

/**
 * Shows the document `text` in `place`. `put(text)` shows another; `stop()` ends what runs in it, even in an endless loop
 * where the browser gives a sandboxed frame a process of its own; `close()` frees all. `tell` hears nothing.
 */
export const open = (kind, place, name, _before, text, lang) => {
  const words = WORDS[lang] ?? WORDS.en;
  const stage = make("div", "stage");
  const list = make("ul", "console scroll");
  list.setAttribute("role", "log");
  list.setAttribute("aria-label", words.console);
  list.dataset.testid = "preview-console";
  list.tabIndex = 0;
  place.append(stage, list);

  let frame;
  let current;
  const write = (level, text) => {
    if (list.childElementCount > LINES) return;
    const full = list.childElementCount === LINES;
    const line = make("li", full ? "" : level, full ? words.more : text);
    line.dataset.level = level;
    list.append(line);
    list.scrollTop = list.scrollHeight;
  };
  const hear = ({ source, data }) => {
    if (!frame || source !== frame.contentWindow || !Array.isArray(data)) return;
    const [level, text] = data.map(String);
    const known = ["log", "info", "debug", "warn", "error"].includes(level);
    if (level === "blocked") write("warn", words.blocked(text.slice(0, 400)));
    else if (known) write(level, text.slice(0, 4000));
  };
  const stop = () => {
    frame?.remove();
    frame = undefined;
  };
  const put = (html) => {
    if (frame && html === current) return;
    current = html;
    list.replaceChildren();
    if (frame?.dataset.up) return frame.contentWindow.postMessage(html, "*");
    if (frame) return;
    stage.replaceChildren();
    const fresh = make("iframe", kind);
    fresh.setAttribute("sandbox", "allow-scripts");
    fresh.setAttribute("referrerpolicy", "no-referrer");
    fresh.title = name;
    fresh.dataset.testid = "preview";
    fresh.onload = () => {
      fresh.dataset.up = "yes";
      // To whatever is in the frame: it has no origin to name, and nothing can put another document there.
      fresh.contentWindow.postMessage(current, "*");
    };
    const url = new URL("preview.html", import.meta.url);
    url.search = new URL(import.meta.url).search;
    fresh.src = url.href;
    frame = fresh;
    stage.append(fresh);
  };
  addEventListener("message", hear);
  put(text);
  return {
    put,
    text: () => current,
    focus: () => frame?.focus(),
    stop() {
      stop();
      stage.replaceChildren(make("p", "q note", words.stopped));
    },
    close() {
      removeEventListener("message", hear);
      stop();
      place.replaceChildren();
    },
  };
};

// The sandbox of the reader's own tools: a frame without origin and without network, in which each call is a worker that can be
// ended. Loaded with the first call.

let frame;
let ready;
const waiting = new Map();

const open = () =>
  (ready ??= new Promise((resolve) => {
    frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.setAttribute("referrerpolicy", "no-referrer");
    frame.setAttribute("aria-hidden", "true");
    frame.tabIndex = -1;
    frame.style.display = "none";
    frame.onload = resolve;
    const url = new URL("toys.html", import.meta.url);
    url.search = new URL(import.meta.url).search;
    frame.src = url.href;
    addEventListener("message", ({ source, data }) => {
      if (source !== frame.contentWindow) return;
      const { call, value, error } = data ?? {};
      waiting.get(call)?.(typeof error === "string" ? { error } : { value });
      waiting.delete(call);
    });
    document.body.append(frame);
  }));

let n = 0;
/** Numbers of calls as the frame knows them, by element: several share it. */
const numbers = new WeakMap();

/** Runs a call of an element's agent, and gives what is to be told of it; or stops it, and gives nothing. */
export async function run(element, { call, code, args }) {
  await open();
  const own = numbers.get(element) ?? new Map();
  numbers.set(element, own);
  if (code === undefined) {
    const number = own.get(call);
    frame.contentWindow.postMessage({ call: number, stop: true }, "*");
    waiting.get(number)?.();
    waiting.delete(number);
    return undefined;
  }
  const number = ++n;
  own.set(call, number);
  const answer = await new Promise((resolve) => {
    waiting.set(number, resolve);
    frame.contentWindow.postMessage({ call: number, code, args }, "*");
  });
  own.delete(call);
  return answer;
}

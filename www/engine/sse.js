// Server-sent events from bytes, however they are cut.

import { bytesOf } from "./bytes.js";
import { wasm } from "./wasm.js";

const encoder = new TextEncoder();
const NO_BYTES = "engine: a stream is fed with bytes or text";

/**
 * Reads one stream. `onEvent` gets `{event?, data}`. What the reader refuses goes to `onError`, or is thrown where there is
 * none; it reads nothing more then.
 */
export const sseParser = ({ onEvent, onError }) => {
  const reader = new wasm.SseReader();
  let isOver = false;

  const close = () => {
    isOver = true;
    reader.free();
  };

  const tell = (text) => {
    const failure = reader.failure();
    const list = text === "" ? [] : JSON.parse(text);
    if (failure !== undefined) close();
    for (let at = 0; at < list.length; at += 2) {
      const data = list[at + 1];
      onEvent(list[at] === "" ? { data } : { event: list[at], data });
    }
    if (failure === undefined) return;
    const error = new Error(failure);
    if (!onError) throw error;
    onError(error);
  };

  return {
    feed(bytes) {
      if (isOver) return;
      tell(reader.push(typeof bytes === "string" ? encoder.encode(bytes) : bytesOf(bytes, NO_BYTES)));
    },
    end() {
      if (isOver) return;
      const text = reader.finish();
      tell(text);
      if (!isOver) close();
    },
  };
};

// Streams that tell too much, too little or out of order.

const final = "whole";
const one = (name, events, more = {}) => ({ name, responses: [{ events, final, ...more }, "two"] });

export default [
  one("in order", ["start", "text_start", "text_delta", "text_end", "done"]),
  one("slowly", ["wait", "start", "wait", "text_delta", "wait", "done"]),
  one("nothing before the end", ["done"]),
  one("an error alone", ["error"], { final: { blocks: [], stop: "error", error: "down" } }),
  one("an error after a start", ["start", "text_delta", "error"], { final: { blocks: ["so"], stop: "error", error: "down" } }),
  one("updates before the start", ["text_delta", "text_end", "start", "text_delta", "done"]),
  {
    ...one("two starts", ["start", "text_delta", "start", "text_delta", "done"]),
    differs: { because: "a response begins once; pi also keeps its message twice in the context", lines: [["message_start assistant", [], 2]] },
  },
  one("unknown events", ["start", "what", "text_delta", "done"]),
  one("two ends", ["start", "done", "done", "error"]),
  one("more after the end", ["start", "done", "text_delta", "start"]),
  one("an end without a last event", ["start", "text_delta", "end"]),
  one("an end and nothing else", ["end"]),
  one("a last event that is called done with an error in it", ["start", "done"], { final: { blocks: [], stop: "aborted", error: "stopped" } }),
  one("every kind of update", ["start", "thinking_start", "thinking_delta", "thinking_end", "text_start", "toolcall_start", "toolcall_delta", "toolcall_end", "done"]),
  { name: "calls of a stream that told none of them", tools: { a: {} }, responses: [{ events: ["done"], final: { blocks: [{ call: "a" }] } }, "two"] },
  { name: "a stream function that throws in the second turn", tools: { a: {} }, responses: [[{ call: "a" }], { throws: "boom" }] },
  { name: "low-level: a stream function that throws", entry: "loop", responses: [{ throws: "boom" }] },
  { name: "an abort while a stream is silent", responses: [{ events: ["start", "wait", "text_delta", "error"], final: { blocks: ["so"], stop: "aborted", error: "Request was aborted" } }], when: [{ event: "message_start assistant", do: [["abort"]] }] },
];

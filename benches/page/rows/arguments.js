// One big tool call: its JSON, and the answer of a Chat Completions server that streams it in pieces of 20 characters.

const PIECE = 20;

/** JSON of about `size` characters: one long string, or many small objects. */
export function argumentsText(shape, size) {
  if (shape === "string") {
    const line = "const value = compute(index, \\\"name\\\");\\n";
    return `{"path":"src/big.ts","content":"${line.repeat(Math.ceil(size / line.length))}"}`;
  }
  const item = '{"line":12,"text":"a few words here","done":true},';
  return `{"path":"src/big.ts","edits":[${item.repeat(Math.ceil(size / item.length)).slice(0, -1)}]}`;
}

export function pieces(text) {
  const all = [];
  for (let from = 0; from < text.length; from += PIECE) all.push(text.slice(from, from + PIECE));
  return all;
}

/** The body of the answer, in network chunks. */
export function answerChunks(text, chunkBytes = 16 * 1024) {
  const event = (delta, finish = null) =>
    `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "bench", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const call = (fields) => ({ tool_calls: [{ index: 0, ...fields }] });
  const body = [
    event({ role: "assistant", ...call({ id: "call_1", type: "function", function: { name: "write", arguments: "" } }) }),
    ...pieces(text).map((piece) => event(call({ function: { arguments: piece } }))),
    event({}, "tool_calls"),
    "data: [DONE]\n\n",
  ].join("");
  const bytes = new TextEncoder().encode(body);
  const chunks = [];
  for (let from = 0; from < bytes.length; from += chunkBytes) chunks.push(bytes.slice(from, from + chunkBytes));
  return chunks;
}

/** The server of the answer, for clients that take a `fetch`. */
export const fetchOf = (chunks) => async () =>
  new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    }),
    { status: 200, headers: { "content-type": "text/event-stream" } },
  );

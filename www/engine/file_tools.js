// The built-in tools over a workspace in memory, as tools for a loop or an agent.

import { handleOf } from "./files.js";
import { jsonText } from "./json_text.js";
import { wasm } from "./wasm.js";

/** One tool. The Rust half checks the arguments once more, for whoever calls `execute` without a loop. */
const toolOf = (tools, spec) => ({
  ...spec,
  label: spec.name,
  async execute(toolCallId, args, signal) {
    const answer = tools.run(spec.name, String(toolCallId), jsonText(args ?? {}), Boolean(signal?.aborted));
    const result = JSON.parse(answer);
    if (result.error !== undefined) throw new Error(result.error);
    const output = { content: result.content, details: result.details ?? undefined };
    if (result.structuredContent !== null) output.structuredContent = result.structuredContent;
    if (result.isError) output.isError = true;
    if (result.terminate) output.terminate = true;
    return output;
  },
});

/** The tools named, or all there are. A name that none has is an error. */
export const createTools = (workspace, { cwd = "/", names } = {}) => {
  if (typeof cwd !== "string") throw new TypeError(`engine: a path must be a string, got ${typeof cwd}`);
  const tools = new wasm.FileTools(handleOf(workspace), cwd, names && jsonText([...names].map(String)));
  const failure = tools.failure();
  if (failure !== undefined) {
    tools.free();
    throw new Error(failure);
  }
  return JSON.parse(tools.specs()).map((spec) => toolOf(tools, spec));
};

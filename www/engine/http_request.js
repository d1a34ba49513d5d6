// The HTTP request of a response: what Rust builds, with what the options add.

import { identityHeaders } from "./identity.js";
import { jsonText } from "./json_text.js";
import { withNumbers } from "./kept_messages.js";
import { normalizeContext } from "./transcript.js";
import { withReadableContent } from "./transform.js";
import { wasm } from "./wasm.js";

const API = "openai-completions";

/** Throws for a model whose api is not spoken here. */
export const assertApi = ({ api }) => {
  if (api !== API) throw new Error(`No API provider registered for api: ${api}`);
};

/** The level asked for, `off` too. */
const levelOf = ({ reasoning, reasoningEffort }) => {
  const level = reasoning ?? reasoningEffort;
  return level === undefined || level === null ? undefined : String(level);
};

/** A key is a text; nothing is none. */
const keyOf = ({ apiKey }) => (apiKey === undefined || apiKey === null ? undefined : String(apiKey));

const RETENTIONS = ["none", "short", "long"];

/** What is asked of one request, for Rust (`crates/providers/src/openai_completions/options.rs`). */
const optionsOf = (model, options) => {
  const { sessionId, cacheRetention, thinkingBudgets, temperature, toolChoice, samplingParams } = options;
  return {
    sessionId: sessionId === undefined || sessionId === null ? undefined : String(sessionId),
    cacheRetention: RETENTIONS.includes(cacheRetention) ? cacheRetention : undefined,
    thinkingBudgets: thinkingBudgets ?? undefined,
    temperature,
    toolChoice: toolChoice || undefined,
    modelSamplingParams: model.samplingParams ?? undefined,
    samplingParamsByThinkingLevel: model.samplingParamsByThinkingLevel ?? undefined,
    samplingParams: samplingParams ?? undefined,
  };
};

/**
 * A key must go to nobody but the server it is for: an address that is none of its own would be one of the page's. An
 * address with neither scheme nor host is no server's.
 */
const assertAddress = ({ baseUrl }) => {
  try {
    if (/^\s*https?:\/\/[^/?#\s]/i.test(baseUrl) && new URL(baseUrl.trim()).host !== "") return;
  } catch {
    // It is none.
  }
  throw new Error(`The base URL must be an absolute address (http or https), not ${jsonText(baseUrl ?? null)}`);
};

/** An exchange in Rust, to be freed. Throws when there is nothing that could be sent. */
export const exchangeOf = (model, context, options) => {
  assertAddress(model);
  const asked = options.maxTokens > 0 ? { ...model, maxTokens: Math.floor(options.maxTokens) } : model;
  const messages = withReadableContent(normalizeContext(context).messages, model);
  const more = jsonText(optionsOf(model, options));
  const text = jsonText(asked);
  const exchange = withNumbers(
    messages,
    (numbers) => new wasm.Exchange(text, numbers, levelOf(options), keyOf(options), more),
  );
  const failure = exchange.failure();
  if (failure === undefined) return exchange;
  exchange.free();
  throw new Error(failure);
};

/** Later headers win, whatever the case of their names; `null` takes one away. */
const mergeHeaders = (exchange, ...more) => {
  const flat = JSON.parse(exchange.headers());
  const merged = new Map();
  for (let at = 0; at < flat.length; at += 2) merged.set(flat[at], flat[at + 1]);
  for (const [name, value] of more.flatMap((headers) => Object.entries(headers ?? {}))) {
    if (value === null) merged.delete(name.toLowerCase());
    else if (value !== undefined) merged.set(name.toLowerCase(), String(value));
  }
  return Object.fromEntries(merged);
};

/** What is to be sent for an exchange as it stands: `{method, url, headers, body}`. */
export const httpRequestOf = (exchange, model, options) => ({
  method: "POST",
  url: exchange.url(),
  headers: mergeHeaders(exchange, identityHeaders(model, options.identity), model.headers, options.headers),
  body: exchange.body(),
});

/** The request that `stream` would send first: `{method, url, headers, body}`, the body as JSON text. */
export const buildRequest = (model, context, options = {}) => {
  assertApi(model);
  const exchange = exchangeOf(model, context, options);
  try {
    return httpRequestOf(exchange, model, options);
  } finally {
    exchange.free();
  }
};

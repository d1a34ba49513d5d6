// When a history is to be cut, where, and what of it has to be summed up. Who sums it up is no concern of this.

import { messagesOf, projected } from "./session_view.js";
import { contextTokens, estimateAll, estimateTokens } from "./tokens.js";

export { estimateTokens };

/** Whether there is too little room left in the window. */
export const shouldCompact = (tokens, contextWindow, { enabled, reserveTokens }) =>
  Boolean(enabled) && tokens > contextWindow - reserveTokens;

/** Roles a turn begins with. */
const BEGINS = new Set(["user", "bashExecution", "custom", "branchSummary", "compactionSummary"]);

const isCompaction = ({ entry }) => entry.type === "compaction";
const beginsTurn = (place) => !isCompaction(place) && place.messages.some(({ role }) => BEGINS.has(role));
/** A result must follow its call, so nothing is cut before one. */
const canBeFirst = (place) => beginsTurn(place) || (!isCompaction(place) && place.messages.some(({ role }) => role === "assistant"));

/**
 * The place from `start` on, before `end`, at which what is kept begins, so that about so many tokens are kept. `advance`
 * may move the cut, once it is known that not everything can be kept.
 */
const cut = (places, start, end, keepTokens, advance = (at) => at) => {
  const candidates = [];
  for (let at = start; at < end; at += 1) if (canBeFirst(places[at])) candidates.push(at);
  if (candidates.length === 0) return { firstKeptEntryIndex: start, turnStartIndex: -1, isSplitTurn: false };
  let [first] = candidates;
  let kept = 0;
  for (let at = end - 1; at >= start; at -= 1) {
    const tokens = estimateAll(places[at].messages);
    kept += tokens;
    if (tokens > 0 && kept >= keepTokens) {
      // Results alone may be too much: then their call is kept with them.
      first = advance(candidates.find((candidate) => candidate >= at) ?? candidates.at(-1));
      break;
    }
  }
  // What no model reads goes with what follows it.
  while (first > start && !isCompaction(places[first - 1]) && places[first - 1].messages.length === 0) first -= 1;
  if (beginsTurn(places[first])) return { firstKeptEntryIndex: first, turnStartIndex: -1, isSplitTurn: false };
  let turn = first;
  while (turn >= start && !beginsTurn(places[turn])) turn -= 1;
  const isSplitTurn = turn >= start;
  return { firstKeptEntryIndex: first, turnStartIndex: isSplitTurn ? turn : -1, isSplitTurn };
};

/** Where entries, of a branch and in order, are cut so that about `keepRecentTokens` are kept. */
export const findCutPoint = (entries, startIndex, endIndex, keepRecentTokens) => {
  const places = entries.map((entry) => ({ entry, messages: messagesOf(entry) }));
  return cut(places, startIndex, endIndex, keepRecentTokens);
};

/** Whether there was something to read before an edit took it out. */
const isHidden = ({ entry, messages }) => messages.length === 0 && entry.type !== "context_edit" && messagesOf(entry).length > 0;
const isShown = ({ messages }) => messages.length > 0;

/**
 * Answers that were tried and taken out again may stand at the end. The cut goes behind the last input then, unless an
 * edit among them says something new of what comes before.
 */
const behindHidden = (places, end) => (at) => {
  const rest = places.slice(at + 1, end);
  const hidden = new Set(rest.filter(isHidden).map(({ entry }) => entry.id));
  const isClosed = rest.every((place) => !isCompaction(place) && !isShown(place));
  const hasAnswer = rest.some((place) => isHidden(place) && place.entry.type === "message" && place.entry.message.role === "assistant");
  const saysMore = rest.some(
    ({ entry }) => entry.type === "context_edit" && entry.replacement !== null && !hidden.has(entry.targetId),
  );
  return isClosed && hasAnswer && !saysMore ? at + 1 : at;
};

const FILE_TOOLS = { read: "read", write: "written", edit: "edited" };

/** The files that calls have named, by what was done to them. */
const fileOperations = (messages, previous) => {
  const files = { read: new Set(), written: new Set(), edited: new Set() };
  const { readFiles, modifiedFiles } = (previous && !previous.fromHook && previous.details) || {};
  if (Array.isArray(readFiles)) for (const path of readFiles) files.read.add(path);
  if (Array.isArray(modifiedFiles)) for (const path of modifiedFiles) files.edited.add(path);
  for (const { role, content, nestedCalls } of messages) {
    let calls = [];
    if (role === "toolResult") calls = nestedCalls?.calls ?? [];
    else if (role === "assistant" && Array.isArray(content)) calls = content.filter((block) => block?.type === "toolCall");
    for (const { name, arguments: args } of calls) {
      const done = Object.hasOwn(FILE_TOOLS, name) ? FILE_TOOLS[name] : undefined;
      if (done && typeof args?.path === "string" && args.path !== "") files[done].add(args.path);
    }
  }
  return files;
};

/** What has been counted for a message holds until something before it changes. */
const isTrustedIn = (places, path) => (messageAt) => {
  let seen = 0;
  const place = places.find(({ messages }) => (seen += messages.length) > messageAt);
  const changed = path.findLastIndex(({ type }) => type === "context_edit" || type === "compaction");
  return path.findIndex(({ id }) => id === place.entry.id) > changed;
};

/**
 * What a compaction of a branch has to sum up and what it keeps; nothing when there is nothing to sum up. The entries are
 * those of the branch, in order.
 */
export const prepareCompaction = (pathEntries, settings) => {
  if (pathEntries.at(-1)?.type === "compaction") return undefined;
  const places = projected(pathEntries);
  const messages = places.flatMap((place) => place.messages);
  const previousAt = places.findIndex((place) => isCompaction(place) && isShown(place));
  const previous = places[previousAt]?.entry;
  const [start, end] = [previousAt + 1, places.length];
  const found = cut(places, start, end, settings.keepRecentTokens, behindHidden(places, end));
  const { firstKeptEntryIndex, turnStartIndex, isSplitTurn } = found;
  const firstKeptEntryId = places[firstKeptEntryIndex]?.entry.id;
  if (!firstKeptEntryId) return undefined;
  const toSum = (from, to) =>
    places
      .slice(from, to)
      .filter((place) => !isCompaction(place))
      .flatMap((place) => place.messages.filter(({ role }) => role !== "system"));
  const messagesToSummarize = toSum(start, isSplitTurn ? turnStartIndex : firstKeptEntryIndex);
  const turnPrefixMessages = isSplitTurn ? toSum(turnStartIndex, firstKeptEntryIndex) : [];
  if (messagesToSummarize.length + turnPrefixMessages.length === 0) return undefined;
  return {
    firstKeptEntryId,
    messagesToSummarize,
    turnPrefixMessages,
    isSplitTurn,
    tokensBefore: contextTokens(messages, isTrustedIn(places, pathEntries)),
    previousSummary: previous?.summary,
    fileOps: fileOperations([...messagesToSummarize, ...turnPrefixMessages], previous),
    settings,
  };
};

// Entries of a session as the messages a model reads.

const timeOf = ({ timestamp }) => new Date(timestamp).getTime();

const isNothing = (value) => value === null || value === undefined;

/** A message of a file, which may have no content. */
const whole = (message) => {
  if (!isNothing(message.content)) return message;
  if (message.role === "system") return { ...message, content: "" };
  return ["user", "assistant", "toolResult"].includes(message.role) ? { ...message, content: [] } : message;
};

/** What an entry says by itself. */
export const messagesOf = (entry) => {
  switch (entry.type) {
    case "message":
      return [whole(entry.message)];
    case "custom_message": {
      const { customType, content, display, details } = entry;
      return [{ role: "custom", customType, content: content ?? [], display, details, timestamp: timeOf(entry) }];
    }
    case "branch_summary": {
      const { summary, fromId } = entry;
      return summary ? [{ role: "branchSummary", summary, fromId, timestamp: timeOf(entry) }] : [];
    }
    case "compaction": {
      const { summary, tokensBefore, systemMessage } = entry;
      const message = { role: "compactionSummary", summary, tokensBefore, timestamp: timeOf(entry) };
      return systemMessage ? [systemMessage, message] : [message];
    }
    default:
      return [];
  }
};

const EDITABLE = new Set(["user", "assistant", "toolResult", "custom"]);
const HAS_BLOCKS = new Set(["assistant", "toolResult"]);

const edited = (message, { content }) => {
  if (!EDITABLE.has(message.role)) return message;
  const needsBlocks = HAS_BLOCKS.has(message.role) && typeof content === "string";
  return { ...message, content: needsBlocks ? [{ type: "text", text: content }] : content };
};

/** The entries a model reads of a branch: the last compaction, what it keeps, what follows. */
const shown = (path) => {
  const last = path.findLastIndex(({ type }) => type === "compaction");
  if (last < 0) return path;
  const first = path.findIndex(({ id }) => id === path[last].firstKeptEntryId);
  const kept = first < 0 ? [] : path.slice(first, last);
  const isSystem = ({ type, message }) => type === "message" && message.role === "system";
  return [path[last], ...kept.filter((entry) => !isSystem(entry)), ...path.slice(last + 1)];
};

/** The same as places: `{entry, messages}`, with the edits of later entries. */
export const projected = (path) => {
  const entries = shown(path);
  const edits = new Map(entries.filter(({ type }) => type === "context_edit").map((edit) => [edit.targetId, edit.replacement]));
  return entries.map((entry, at) => {
    // An older compaction is summed up in the newer one, and stands where it was.
    if (entry.type === "compaction" && at > 0) return { entry, messages: [] };
    const messages = messagesOf(entry);
    const replacement = edits.get(entry.id);
    if (replacement === undefined) return { entry, messages };
    return { entry, messages: replacement === null ? [] : messages.map((message) => edited(message, replacement)) };
  });
};

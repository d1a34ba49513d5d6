// The prompt and the tools are state of the transcript: what its system messages add up to.

/** The texts of a content, joined. */
export const contentText = (content, separator = "\n") =>
  typeof content === "string"
    ? content
    : content
        .filter((block) => block.type === "text")
        .map((block) => block.text)
        .join(separator);

const paragraphs = (parts) => parts.filter((part) => part.length > 0).join("\n\n");

const systemsOf = (messages) => messages.filter((message) => message.role === "system");

/** What the model is told of a tool: nothing that runs and nothing that is only shown. */
export const toToolDeclaration = (tool) => {
  const declaration = {
    name: tool.name,
    description: tool.description,
    parameters: JSON.parse(JSON.stringify(tool.parameters)),
  };
  if (tool.constrainedSampling !== undefined) declaration.constrainedSampling = tool.constrainedSampling;
  return declaration;
};

/** The system message a transcript begins with, at time 0; nothing when there is nothing to say. */
export const createInitialSystemMessage = (systemPrompt, tools) => {
  const content = systemPrompt ?? "";
  const hasTools = Boolean(tools?.length);
  if (content.length === 0 && !hasTools) return undefined;
  const message = { role: "system", content };
  if (hasTools) message.toolsAdded = tools;
  message.timestamp = 0;
  return message;
};

/** Puts a prompt and tools that stand beside the messages at their head. */
export const normalizeContext = ({ systemPrompt, tools, messages }) => {
  const first = createInitialSystemMessage(systemPrompt, tools);
  return { messages: first ? [first, ...messages] : messages };
};

/** The tools that are declared after all of the messages. */
export const getCurrentTools = (messages) => {
  const tools = new Map();
  for (const system of systemsOf(messages)) {
    for (const { name } of system.toolsRemoved ?? []) tools.delete(name);
    for (const tool of system.toolsAdded ?? []) tools.set(tool.name, tool);
  }
  return [...tools.values()];
};

/** One system message that says what all of them say; nothing when there is none. */
export const getCurrentSystemMessage = (messages) => {
  const systems = systemsOf(messages);
  if (systems.length === 0) return undefined;
  const sections = new Map();
  for (const system of systems) {
    for (const [name, value] of Object.entries(system.sections ?? {})) {
      if (value === null) sections.delete(name);
      else sections.set(name, value);
    }
  }
  const tools = getCurrentTools(systems);
  const message = { role: "system", content: paragraphs(systems.map((system) => contentText(system.content))) };
  if (sections.size > 0) message.sections = Object.fromEntries(sections);
  if (tools.length > 0) message.toolsAdded = tools;
  message.timestamp = systems.find(({ timestamp }) => timestamp !== undefined)?.timestamp ?? 0;
  return message;
};

/** A system message as a whole prompt: its content, then its sections. */
export const getSystemMessageText = (message) => {
  const sections = Object.values(message.sections ?? {}).filter((value) => value !== null);
  return paragraphs([contentText(message.content), ...sections]);
};

/** The prompt after all of the messages; empty when there is none. */
export const getCurrentSystemPrompt = (messages) => {
  const message = getCurrentSystemMessage(messages);
  return message ? getSystemMessageText(message) : "";
};

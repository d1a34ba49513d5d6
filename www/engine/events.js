// Events that are made in more than one place, field by field.

export const messageEvent = (isStart, message) => ({ type: isStart ? "message_start" : "message_end", message });

/** The end of a call; without `durationMs` if its tool did not run. */
export const callEndEvent = ({ toolCall, result, isError, durationMs }) => {
  const event = { type: "tool_execution_end", toolCallId: toolCall.id, toolName: toolCall.name, result, isError };
  if (durationMs !== undefined) event.durationMs = durationMs;
  return event;
};

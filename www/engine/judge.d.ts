/** A history for another model, and what became of a response. */

import type { AssistantMessage, Message, Model } from "./messages.js";

/**
 * The messages as `model` may be sent them: every call answered, failed answers left out, images and reasoning only for who
 * can read them. Messages that need no change stay the objects they are. Without a function, `model.api` decides the ids
 * of other models' calls.
 */
export declare function transformMessages<T extends { role: string } = Message>(
  messages: readonly T[],
  model: Model,
  normalizeToolCallId?: (id: string, model: Model, message: AssistantMessage) => string,
): T[];

type Judged = Pick<AssistantMessage, "stopReason"> & Partial<AssistantMessage>;

/** Whether the context did not fit: the provider said so, or the numbers do when the window is known. */
export declare function isContextOverflow(message: Judged, contextWindow?: number): boolean;
/** Whether the same request may succeed later. */
export declare function isRetryableError(message: Judged): boolean;
/** The same by the name it has in pi. */
export declare function isRetryableAssistantError(message: Judged): boolean;
/** Whether an answer was cut off before the limit that was asked for. */
export declare function isRecoverableLength(message: Judged, maxTokens: number): boolean;

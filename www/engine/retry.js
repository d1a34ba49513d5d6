// Whether and when a request is sent again.

const DEFAULT_MAX_DELAY_MS = 60_000;

/** Whether an answer that is none says that the next one may be. */
export const mayRetry = ({ status, headers }) => {
  const advice = headers.get("x-should-retry");
  if (advice === "true") return true;
  if (advice === "false") return false;
  return status === 408 || status === 409 || status === 429 || status >= 500;
};

/** What the server asks for, in milliseconds; nothing when it does not say. */
const askedDelayMs = (headers) => {
  const milliseconds = Number.parseFloat(headers.get("retry-after-ms") ?? "");
  if (Number.isFinite(milliseconds)) return milliseconds;
  const after = headers.get("retry-after");
  if (!after) return undefined;
  const seconds = Number.parseFloat(after);
  const delay = Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1000;
  return Number.isFinite(delay) ? delay : undefined;
};

/**
 * How long to wait before try `attempt + 1`, in milliseconds. Throws when the server asks for more than `maxRetryDelayMs`;
 * 0 allows everything. `text` is what the server said. Without headers there was no answer.
 */
export const retryDelayMs = (attempt, headers, { maxRetryDelayMs = DEFAULT_MAX_DELAY_MS }, text) => {
  const asked = headers && askedDelayMs(headers);
  if (asked === undefined) return Math.min(500 * 2 ** attempt, 8000) * (1 - Math.random() / 4);
  if (maxRetryDelayMs > 0 && asked > maxRetryDelayMs) {
    const [wanted, allowed] = [asked, maxRetryDelayMs].map((delay) => `${Math.ceil(delay / 1000)}s`);
    throw new Error(`Server requested ${wanted} retry delay (max: ${allowed}). ${text}`);
  }
  return asked;
};

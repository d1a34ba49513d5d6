// Whose program it is that asks, for the providers that count it.

/** How requests of loops name the program that makes them; `config.identity` replaces it field by field. */
export const DEFAULT_AGENT_IDENTITY = {
  attribution: { name: "vitrine", url: "https://github.com/vitrine-agent/vitrine", categories: ["cli-agent"] },
};

const FIELDS = ["userAgent", "attribution", "version"];

/** Identities field by field: of two that have a field the later one's counts. */
export const mergeClientIdentity = (...sources) => {
  let merged;
  for (const source of sources) {
    if (!source) continue;
    merged = { ...merged };
    for (const field of FIELDS) if (source[field] !== undefined) merged[field] = source[field];
  }
  return merged;
};

const isHost = (baseUrl, host) => {
  try {
    return new URL(baseUrl).hostname === host;
  } catch {
    return false;
  }
};

const attributionHeaders = ({ provider, baseUrl }, { name, url, categories = [] }) => {
  if (provider === "openrouter" || String(baseUrl).includes("openrouter.ai")) {
    const headers = { "HTTP-Referer": url, "X-OpenRouter-Title": name };
    if (categories.length > 0) headers["X-OpenRouter-Categories"] = categories.join(",");
    return headers;
  }
  if (provider === "nvidia" || isHost(baseUrl, "integrate.api.nvidia.com")) {
    return { "X-BILLING-INVOKE-ORIGIN": name.charAt(0).toUpperCase() + name.slice(1) };
  }
  if (["opencode", "opencode-go"].includes(provider) || isHost(baseUrl, "opencode.ai")) {
    return { "x-opencode-client": name };
  }
  return {};
};

/** A page has a name of its own, and its servers would have to allow another. */
const mayNameItself = typeof process === "object" && Boolean(process.versions?.node);

/** The headers that name the program to a model's provider. */
export const identityHeaders = (model, identity) => {
  const { attribution, userAgent } = identity ?? {};
  const headers = attribution ? attributionHeaders(model, attribution) : {};
  if (mayNameItself && typeof userAgent?.custom === "string") headers["user-agent"] = userAgent.custom;
  return headers;
};

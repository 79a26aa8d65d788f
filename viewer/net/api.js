// Asking the server.
import { tell } from "../app/signals.js";

/** How long an answer may take. */
const PATIENCE_MS = 15_000;

/** Why there is no answer. `kind`: `offline`, `signed-out` or `refused`. */
export class ApiError extends Error {
  constructor(kind, status, body = {}) {
    super(body.error ?? kind);
    this.kind = kind;
    this.status = status;
    this.code = body.code ?? kind;
    this.hint = body.hint;
  }
}

/** Half a pair of surrogates, which a text field may hold, is no JSON. */
function wellFormed(_, value) {
  return typeof value === "string" ? value.toWellFormed() : value;
}

async function ask(method, path, options) {
  const { body, signal, keepalive = false, patience: most = PATIENCE_MS } = options;
  const patience = AbortSignal.timeout(most);
  let answer;
  try {
    answer = await fetch(path, {
      method,
      keepalive,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body, wellFormed),
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    tell("unreachable");
    throw new ApiError("offline", 0);
  }
  if (answer.status === 401) {
    tell("signed-out");
    throw new ApiError("signed-out", 401);
  }
  const value = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new ApiError("refused", answer.status, value);
  return value;
}

function withQuery(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value != null && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

export const api = {
  get: (path, query, options = {}) => ask("GET", withQuery(path, query), options),
  post: (path, body, options = {}) => ask("POST", path, { ...options, body }),
};

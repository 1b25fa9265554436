import { storedKey } from "./key.js";

/** The agent's routes of the Worker that served this page. */
export const AGENT = "/v1/agents/main";

/** @param {string} session */
const pathOf = (session) => `${AGENT}/sessions/${encodeURIComponent(session)}`;

/** A refusal, in the server's words. `status` 0: no answer came at all. */
export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   * @param {string | null} id What the operator finds in the log.
   */
  constructor(status, code, message, id) {
    super(message);
    this.status = status;
    this.code = code;
    this.id = id;
  }

  /** Whether the same request may well succeed later. */
  get isTransient() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/**
 * A page of the history; an empty one when the session does not exist yet.
 * @param {string} session
 * @param {{ before?: number, signal: AbortSignal }} options
 * @returns {Promise<import('../src/shared/session-api.ts').HistoryPage | null>}
 */
export async function fetchHistory(session, { before, signal }) {
  const query = new URLSearchParams({
    limit: "30",
    ...(before === undefined ? {} : { before: String(before) }),
  });
  try {
    return await (await request(`${pathOf(session)}?${query}`, { signal })).json();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

/**
 * Hands a turn over. The key makes it safe to call again after a failure: it is the same turn.
 * @param {string} session
 * @param {{ key: string, body: string, signal: AbortSignal }} turn
 */
export async function postTurn(session, { key, body, signal }) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    "idempotency-key": key,
  };
  await request(`${pathOf(session)}/turns`, { method: "POST", headers, body, signal });
}

/** Ends the running turn. Safe to call twice. @param {string} session */
export async function postStop(session) {
  const headers = { "content-type": "application/json", accept: "application/json" };
  await request(`${pathOf(session)}/stop`, { method: "POST", headers, body: "{}" });
}

/**
 * The session's events after a cursor, as a server-sent event stream.
 * @param {string} session
 * @param {string} after
 * @param {AbortSignal} signal
 */
export async function openEvents(session, after, signal) {
  const headers = { accept: "text/event-stream", "last-event-id": after };
  const { body } = await request(`${pathOf(session)}/events`, {
    headers,
    signal,
    cache: "no-store",
  });
  if (!body) throw new ApiError(0, "offline", "The events did not come.", null);
  return body;
}

/**
 * Asks with the stored key; what is not a success is thrown as an `ApiError`.
 * @param {string} path
 * @param {RequestInit} init
 */
export async function request(path, init) {
  const headers = new Headers(init.headers);
  const key = storedKey();
  if (key !== "") headers.set("authorization", `Bearer ${key}`);
  const response = await fetch(path, { ...init, headers }).catch((error) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError(0, "offline", "Carrel cannot be reached.", null);
  });
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  const {
    code = "http",
    message = `The server answered ${response.status}.`,
    id = null,
  } = body?.error ?? {};
  throw new ApiError(
    response.status,
    String(code),
    String(message),
    id === null ? null : String(id),
  );
}

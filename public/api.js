import { AGENT_ID } from "./address.js";
import { storedKey } from "./key.js";

/**
 * @typedef {import('../src/shared/session-api.ts').PermissionsView} PermissionsView
 * @typedef {import('../src/shared/permissions.ts').Rule} Rule
 *
 * A person's decision on a call. `input`: arguments in the place of the model's; `always`: rules to keep.
 * @typedef {{ decision: 'approve', digest: string, input?: Record<string, unknown>, always?: Rule[] }
 *   | { decision: 'deny', digest: string, reason?: string }} Decision
 */

/** The agent's routes of the Worker that served this page. */
export const AGENT = `/v1/agents/${encodeURIComponent(AGENT_ID)}`;

const JSON_BOTH_WAYS = { "content-type": "application/json", accept: "application/json" };

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

  /** The refusal for a person: the server's words, what else helps, and the id for the operator. */
  get text() {
    const id = this.id === null ? "" : ` (${this.id})`;
    return `${this.message}${id}${HELP[this.status] ?? ""}`;
  }
}

/** @type {Partial<Record<number, string>>} */
const HELP = {
  429: " The server takes no more of these for now; what you wrote is kept.",
};

/** What went wrong, for a person. @param {unknown} error */
export function textOf(error) {
  if (error instanceof ApiError) return error.text;
  return error instanceof Error ? error.message : String(error);
}

/** Whether what was asked for is no more: the conversation was deleted. @param {unknown} error @returns {error is ApiError} */
export const isGone = (error) => error instanceof ApiError && error.status === 410;

/** Whether somebody or something came first. @param {unknown} error */
export const isConflict = (error) => error instanceof ApiError && error.status === 409;

/** Whether there is no such thing, or not for this person. @param {unknown} error */
export const isMissing = (error) => error instanceof ApiError && error.status === 404;

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
    if (isMissing(error)) return null;
    throw error;
  }
}

/**
 * A page of this person's conversations with the agent, the newest first.
 * @param {string | null} cursor
 * @returns {Promise<{
 *   sessions: import('../src/shared/registry-api.ts').SessionSummary[], cursor: string | null,
 * }>}
 */
export async function fetchSessions(cursor) {
  const query = new URLSearchParams({ limit: "50", ...(cursor === null ? {} : { cursor }) });
  return (await request(`${AGENT}/sessions?${query}`, { cache: "no-store" })).json();
}

/**
 * Hands a turn over. The key makes it safe to call again after a failure: it is the same turn.
 * @param {string} session
 * @param {{ key: string, body: string, signal: AbortSignal }} turn
 */
export async function postTurn(session, { key, body, signal }) {
  const headers = { ...JSON_BOTH_WAYS, "idempotency-key": key };
  await request(`${pathOf(session)}/turns`, { method: "POST", headers, body, signal });
}

/** Ends the running turn. Safe to call twice. @param {string} session */
export async function postStop(session) {
  await send("POST", `${pathOf(session)}/stop`, {});
}

/**
 * Decides on a call that waits. Safe to call twice: the first decision counts, and another one is a conflict.
 * @param {string} session
 * @param {string} call
 * @param {Decision} decision
 * @returns {Promise<{ call: import('../src/shared/session-api.ts').AnswerOutcome }>}
 */
export const postDecision = (session, call, decision) =>
  send("POST", `${pathOf(session)}/calls/${encodeURIComponent(call)}`, decision);

/** Stops a task. Safe to call twice. @param {string} session @param {string} task */
export async function postCancel(session, task) {
  await send("POST", `${pathOf(session)}/tasks/${encodeURIComponent(task)}/cancel`, {});
}

/** Begins the conversation anew; a conflict while a turn goes on. @param {string} session */
export async function postClear(session) {
  await send("POST", `${pathOf(session)}/clear`, {});
}

/** @param {string} session @param {string} title */
export async function patchTitle(session, title) {
  await send("PATCH", pathOf(session), { title });
}

/** Deletes it with all that belongs to it. One that is gone already is as good. @param {string} session */
export async function deleteSession(session) {
  try {
    await request(pathOf(session), { method: "DELETE" });
  } catch (error) {
    if (!isGone(error) && !isMissing(error)) throw error;
  }
}

/** @param {string} session @returns {Promise<PermissionsView>} */
export const fetchPermissions = async (session) =>
  (await request(`${pathOf(session)}/permissions`, { cache: "no-store" })).json();

/**
 * @param {string} session
 * @param {import('../src/shared/session-api.ts').PermissionsChange} change What is absent stays.
 * @returns {Promise<PermissionsView>}
 */
export const putPermissions = (session, change) =>
  send("PUT", `${pathOf(session)}/permissions`, change);

/** The session's plan with its text. @param {string} session @returns {Promise<import('../src/shared/plan.ts').Plan & { text: string | null }>} */
export const fetchPlan = async (session) =>
  (await request(`${pathOf(session)}/plan`, { cache: "no-store" })).json();

/** Begins or ends plan mode. @param {string} session @param {boolean} active @returns {Promise<import('../src/shared/plan.ts').Plan>} */
export const putPlan = (session, active) => send("PUT", `${pathOf(session)}/plan`, { active });

/** @param {string} session @param {import('../src/shared/permissions.ts').PermissionMode} mode */
export async function putMode(session, mode) {
  await send("PUT", `${pathOf(session)}/mode`, { mode });
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} body
 */
async function send(method, path, body) {
  const init = { method, headers: JSON_BOTH_WAYS, body: JSON.stringify(body) };
  return (await request(path, init)).json().catch(() => null);
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

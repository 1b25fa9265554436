import { AGENT, request } from "../api.js";

/**
 * @typedef {import('../../src/shared/memory-api.ts').MemoryOverview} MemoryOverview
 * @typedef {import('../../src/shared/memory-api.ts').Undone} Undone
 * @typedef {import('../../src/shared/workspace-api.ts').SearchAnswer} SearchAnswer
 * @typedef {MemoryOverview['entries'][number]} Entry
 * @typedef {import('../../src/shared/memory-api.ts').Source} Source
 * @typedef {import('../../src/shared/memory-api.ts').RunSummary} Run
 */

const MEMORY = `${AGENT}/memory`;

/** What the agent remembers for this person. @returns {Promise<MemoryOverview>} */
export const fetchMemory = async () => (await request(MEMORY, { cache: "no-store" })).json();

/**
 * Takes back what a run did, or what last made an entry what it is.
 * @param {{ run: string } | { entry: string }} what
 * @param {string} key Of the click: the same key is the same wish, however often it is sent.
 * @returns {Promise<Undone>}
 */
export const postUndo = (what, key) => post("undo", what, key);

/**
 * Takes entries out of memory for good, with what they were made of.
 * @param {readonly string[]} entries
 * @param {string} key As of `postUndo`.
 * @returns {Promise<{ entries: number, paths: readonly string[], messages: number }>} `messages` told of them.
 */
export const postForget = (entries, key) => post("forget", { entries }, key);

/**
 * The best of what is remembered, noted, known or was said.
 * @param {string} query
 * @param {{ limit: number, signal: AbortSignal }} options
 * @returns {Promise<SearchAnswer>}
 */
export async function fetchSearch(query, { limit, signal }) {
  const search = new URLSearchParams({ q: query, limit: String(limit) });
  return (await request(`${AGENT}/search?${search}`, { cache: "no-store", signal })).json();
}

/**
 * @param {string} action
 * @param {unknown} body
 * @param {string} key
 */
async function post(action, body, key) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    "idempotency-key": key,
  };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return (await request(`${MEMORY}/${action}`, init)).json();
}

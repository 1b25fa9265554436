import { AGENT_ID, isSessionId } from "../address.js";
import { whenOf } from "../dates.js";

/**
 * What of the person's conversations is known to the page. `isWhole`: the list has all of them.
 * @typedef {{ current: string | null, titles: ReadonlyMap<string, string>, isWhole: boolean }} Conversations
 *
 * A conversation as a text names it; `session` is the one to open, or `null` where there is none for this person.
 * @typedef {{ session: string | null, name: string }} Named
 */

const DAY = /^memory\/(archive\/)?(?:.*\/)?(\d{4}-\d{2}-\d{2})\.md$/;

/**
 * The conversation that `<agent>/<session>` stands for, as this person knows it.
 * @param {string} address Without an agent: this page's.
 * @param {Conversations} conversations
 * @param {string} [agentId]
 * @returns {Named}
 */
export function conversationOf(address, { current, titles, isWhole }, agentId = AGENT_ID) {
  const cut = address.indexOf("/");
  const [agent, session] =
    cut < 0 ? [agentId, address] : [address.slice(0, cut), address.slice(cut + 1)];
  if (agent !== agentId) return { session: null, name: `a conversation with “${agent}”` };
  if (session === current) return { session, name: "this conversation" };
  const title = titles.get(session);
  if (title !== undefined) return { session, name: title === "" ? "a conversation" : `“${title}”` };
  return isWhole || !isSessionId(session)
    ? { session: null, name: "a conversation that is not in your list" }
    : { session, name: "an earlier conversation" };
}

const LOG = /^agents\/([^/]+)\/sessions\/[^/]+$/;

/**
 * The conversation in which something was said that was found in its log.
 * @param {{ path: string, said: { session: string } }} hit
 */
export function addressOf({ path, said }) {
  const [, agent] = LOG.exec(path) ?? [];
  return agent === undefined ? said.session : `${agent}/${said.session}`;
}

/**
 * What a file of the memory is called to the person.
 * @param {string} path
 * @param {number} now
 */
export function fileName(path, now) {
  const [, archive, day = ""] = DAY.exec(path) ?? [];
  const at = Date.parse(day);
  if (Number.isNaN(at)) return path;
  const notes = archive ? "archived notes" : "notes";
  const when = whenOf(at, now);
  return /^(today|yesterday)$|ago$/.test(when) ? `${notes}, ${when}` : `${notes} of ${when}`;
}

/**
 * A place in such a file.
 * @param {{ path: string, line: number | null }} place
 * @param {number} now
 */
export const placeName = ({ path, line }, now) =>
  line === null ? fileName(path, now) : `${fileName(path, now)}, line ${line}`;

/**
 * Sources, the newest first; those of no known time come last, in their order.
 * @template {{ at: number | null }} Source
 * @param {readonly Source[]} sources
 */
export const newestFirst = (sources) =>
  sources.toSorted((a, b) => (b.at ?? -Infinity) - (a.at ?? -Infinity) || 0);

/**
 * What a found text is, where a word says it better than the name of its file.
 * @param {import('./api.js').SearchAnswer['hits'][number]['source']} source
 */
export const kindOf = (source) => KINDS[source] ?? null;

/** @type {Partial<Record<string, string>>} */
const KINDS = { memory: "Memory", ledger: "Note", archive: "Archived note" };

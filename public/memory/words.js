/**
 * What the memory panel says, as functions of what the server answered.
 *
 * @typedef {import('./api.js').MemoryOverview} MemoryOverview
 * @typedef {import('./api.js').Entry} Entry
 * @typedef {import('./api.js').Run} Run
 */

const SHORT = 60;

/** The beginning of a text, on one line. @param {string} text */
export function shortOf(text) {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= SHORT) return line;
  const cut = line.slice(0, SHORT).toWellFormed();
  const space = cut.lastIndexOf(" ");
  return `${cut.slice(0, space > SHORT / 2 ? space : SHORT)}…`;
}

/** @param {number} count @param {string} one @param {string} [many] */
export const countOf = (count, one, many = `${one}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/**
 * The entries by their headings, in the order of the file.
 * @param {readonly Entry[]} entries
 * @returns {{ title: string, entries: Entry[] }[]}
 */
export function sectionsOf(entries) {
  const groups = Map.groupBy(entries, ({ section }) => section);
  return [...groups].map(([title, members]) => ({ title, entries: members }));
}

/** How full the memory is. @param {Pick<MemoryOverview, 'tokens' | 'maxTokens'>} overview */
export function fullnessOf({ tokens, maxTokens }) {
  if (tokens > maxTokens)
    return "Fuller than your agent can keep in mind; the oldest is left out, and found by search only";
  const part = maxTokens > 0 ? tokens / maxTokens : 0;
  const percent = part > 0 && part < 0.01 ? "Less than 1" : String(Math.floor(part * 100));
  return `${percent}% full`;
}

/** @param {Pick<MemoryOverview, 'tokens' | 'maxTokens'>} overview */
export const figuresOf = ({ tokens, maxTokens }) =>
  `${tokens.toLocaleString("en")} of ${countOf(maxTokens, "token")}`;

/** What a tidy-up will read. @param {number} pending */
export const pendingText = (pending) =>
  pending === 0
    ? ""
    : `${countOf(pending, "new note")} ${pending === 1 ? "waits" : "wait"} for the next tidy-up`;

/** What a run did. @param {Run} run */
export function runText({ state, kept, changed, added, dropped, refused, undone }) {
  if (state === "lost") return "Did not finish. Nothing was changed.";
  if (state === "refused") return "Refused as a whole. Nothing was changed.";
  const done = [
    { count: kept, word: "kept" },
    { count: changed, word: "changed" },
    { count: added, word: "added" },
    { count: dropped, word: "dropped" },
    { count: refused, word: "refused" },
  ];
  const words = done.flatMap(({ count, word }) =>
    count > 0 ? [`${count.toLocaleString("en")} ${word}`] : [],
  );
  const text = words.length === 0 ? "Nothing to do" : words.join(", ");
  return undone ? `${text}. Taken back.` : `${text}.`;
}

/** Whether there is something to take back. @param {Run} run */
export const isUndoable = ({ state, undone, changed, added, dropped }) =>
  state === "applied" && !undone && changed + added + dropped > 0;

/**
 * What came of taking something back.
 * @param {import('./api.js').Undone} undone
 * @param {readonly Entry[]} entries As they were shown.
 */
export function undoneText({ restored, refused }, entries) {
  const texts = new Map(entries.map(({ id, text }) => [id, text]));
  const done =
    restored === 0 ? "Nothing was taken back." : `Taken back: ${countOf(restored, "change")}.`;
  const left = refused.map(({ id, why }) => {
    const text = texts.get(id);
    const what = text === undefined ? "One was left as it is" : `“${shortOf(text)}” was left`;
    return `${what}: ${why.replace(/[.\s]+$/, "")}.`;
  });
  const shown =
    left.length > 3 ? [...left.slice(0, 3), `${left.length - 3} more were left.`] : left;
  return [done, ...shown].join(" ");
}

/**
 * What came of forgetting something. `messages` told of it.
 * @param {{ entries: number, paths: readonly string[], messages?: number }} forgotten
 */
export function forgottenText({ entries, paths, messages = 0 }) {
  if (entries === 0) return "It was gone already.";
  const gone = `Forgotten: it is gone from ${countOf(paths.length, "file")}.`;
  if (messages === 0) return gone;
  const those = messages === 1 ? "it stays" : "they stay";
  return `${gone} Search no longer finds the ${countOf(messages, "message")} that told of it; ${those} in the conversation.`;
}

/** How many are shown of what a search found. @param {import('./api.js').SearchAnswer} answer @param {string} query */
export function foundText({ hits, isComplete, pending }, query) {
  const found =
    hits.length === 0 ? `Nothing found for “${query}”.` : countOf(hits.length, "match", "matches");
  if (isComplete) return found;
  const files = pending > 0 ? `, ${countOf(pending, "file is", "files are")} still to be read` : "";
  return `${found}${hits.length === 0 ? "" : "."} Not all is searched yet${files}. Try again in a moment.`;
}

/**
 * @typedef {import('./api.js').Draft} Draft
 * @typedef {import('./api.js').Skill} Skill
 */

/** @param {number} count @param {string} one @param {string} [many] */
export const countOf = (count, one, many = `${one}s`) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Whose a skill is, for a person. @param {Pick<Skill, 'source' | 'isRepository'>} skill */
export function sourceText({ source, isRepository }) {
  if (isRepository) return `from ${source}`;
  return SOURCES[source] ?? source;
}

/** @type {Readonly<Record<string, string>>} */
const SOURCES = { own: "yours", shared: "shared by all", template: "comes with the agent" };

/** What a draft would do. @param {Pick<Draft, 'action' | 'base' | 'absorbedInto'>} draft */
export function wishText({ action, base, absorbedInto }) {
  if (action === "archive")
    return absorbedInto === null
      ? "wants to put it away"
      : `wants to put it away: ${absorbedInto} has it`;
  return base === null ? "a new skill" : "a new version";
}

/** @param {Pick<Draft, 'origin'>} draft */
export const makerText = ({ origin }) =>
  origin === "agent" ? "by your agent" : "sent by a person";

/** @type {Readonly<Record<import('./api.js').Candidate['scan']['verdict'], string>>} */
export const VERDICTS = {
  safe: "Nothing found",
  caution: "Look closely",
  dangerous: "Dangerous",
};

/** What became of a decision. @param {import('../../src/shared/skill-drafts.ts').Decided} decided */
export function decidedText({ name, outcome }) {
  switch (outcome) {
    case "promoted":
      return `“${name}” is in use from the next message on.`;
    case "archived":
      return `“${name}” was put away. It can be brought back below.`;
    case "rejected":
      return `“${name}” was turned down. The draft is kept below.`;
    case "deferred":
      return `“${name}” is put off.`;
  }
}

/** @param {'pin' | 'unpin' | 'archive'} kind @param {string} name */
export function movedText(kind, name) {
  if (kind === "archive") return `“${name}” was put away. It can be brought back below.`;
  return kind === "pin" ? `“${name}” stays, used or not.` : `“${name}” is not pinned any more.`;
}

/** @param {number} bytes */
export const sizeText = (bytes) =>
  bytes < 1024 ? countOf(bytes, "byte") : `${(bytes / 1024).toFixed(1)} KiB`;

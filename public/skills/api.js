import { AGENT, request } from "../api.js";

/**
 * @typedef {import('../../src/shared/skills-views.ts').SkillsView} SkillsView
 * @typedef {import('../../src/shared/skills-views.ts').SkillView} Skill
 * @typedef {import('../../src/shared/skills-views.ts').LeftOutView} LeftOut
 * @typedef {import('../../src/shared/skills-views.ts').RepositoryView} Repository
 * @typedef {import('../../src/shared/skills-views.ts').CandidateView} Candidate
 * @typedef {Candidate['files'][number]} CandidateFile
 * @typedef {import('../../src/shared/skills-views.ts').DiffHunk} DiffHunk
 * @typedef {import('../../src/shared/skill-drafts.ts').DraftSummary} Draft
 * @typedef {import('../../src/shared/skills-api.ts').ArchivedSkill} Archived
 * @typedef {import('../../src/shared/skill-upkeep.ts').CuratorState & { isEnabled: boolean, report: string | null }} Curator
 *
 * What becomes of a draft.
 * @typedef {{ kind: 'promote' } | { kind: 'reject', reason: string } | { kind: 'defer', days: number }} Decision
 *
 * @typedef {{ overview: SkillsView, drafts: readonly Draft[], curator: Curator | null }} Everything
 */

const SKILLS = `${AGENT}/skills`;

/** @param {string} name */
const pathOf = (name) => `${SKILLS}/${encodeURIComponent(name)}`;

/** @param {string} path */
const read = async (path) => (await request(path, { cache: "no-store" })).json();

/**
 * All skills, the drafts that wait, and what the curator did. Who may not review gets no drafts.
 * @returns {Promise<Everything>}
 */
export async function fetchSkills() {
  const [overview, review] = await Promise.all([
    read(SKILLS),
    Promise.all([read(`${SKILLS}/drafts`), read(`${SKILLS}/curator`)]).catch(ifForbidden),
  ]);
  return { overview, drafts: review?.[0].drafts ?? [], curator: review?.[1] ?? null };
}

/** @param {unknown} error */
function ifForbidden(error) {
  if (error instanceof Error && "status" in error && error.status === 403) return null;
  throw error;
}

/** A draft with all that belongs to a decision. @param {string} name @returns {Promise<Candidate>} */
export const fetchCandidate = (name) => read(`${SKILLS}/drafts/${encodeURIComponent(name)}`);

/**
 * Decides about what was looked at, and about nothing else.
 * @param {string} name
 * @param {string} hash
 * @param {Decision} decision
 * @param {string} key Of the click: the same key is the same wish, however often it is sent.
 * @returns {Promise<import('../../src/shared/skill-drafts.ts').Decided>}
 */
export const postDecision = (name, hash, { kind, ...how }, key) =>
  post(`${pathOf(name)}/${kind}`, { hash, ...how }, key);

/**
 * @param {string} name
 * @param {'pin' | 'unpin' | 'archive'} kind
 * @param {string} key As of `postDecision`.
 */
export const postMove = (name, kind, key) => post(`${pathOf(name)}/${kind}`, {}, key);

/**
 * @param {Archived} skill
 * @param {string} key As of `postDecision`.
 */
export const postRestore = ({ name, directory }, key) =>
  post(`${pathOf(name)}/restore`, { archived: directory }, key);

/**
 * Sends a skill as a draft.
 * @param {Blob} archive A zip file.
 * @param {string} key As of `postDecision`.
 * @returns {Promise<{ draft: Draft | null, gate: string | null }>}
 */
export async function postArchive(archive, key) {
  const headers = {
    "content-type": "application/zip",
    accept: "application/json",
    "idempotency-key": key,
  };
  const init = { method: "POST", headers, body: archive };
  return (await request(`${SKILLS}/drafts`, init)).json();
}

/**
 * @param {string} path
 * @param {unknown} body
 * @param {string} key
 */
async function post(path, body, key) {
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    "idempotency-key": key,
  };
  return (await request(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

import { CarrelError } from "../../../shared/errors.ts";
import type { Transition } from "../../../shared/skill-upkeep.ts";
import type { Change } from "../../../shared/workspace-changes.ts";
import { hashSkill } from "../../format/hash.ts";
import { archiveChanges, type PutAway } from "../archive-changes.ts";
import type { AuditEntry } from "../audit.ts";
import { readDirectory, type SkillDirectory } from "../directory.ts";
import { draftDirectory, draftsFile } from "../draft-records.ts";
import { provenanceFile } from "../provenance-records.ts";
import { recordsChange } from "../record-file.ts";
import type { SkillParts } from "../skill-parts.ts";
import { usageFile } from "../usage-records.ts";
import type { Verdict } from "./judge.ts";
import type { CuratorRecords, DraftStanding, LiveStanding } from "./standing.ts";

/** What a run does at most, so that it is one request: what is left comes with the next one. */
const MOST = 200;
const MOST_CHANGES = 900;

/** The first of these that fit into one request. */
export function fitting(verdicts: readonly Verdict[]): readonly Verdict[] {
  let room = MOST_CHANGES;
  return verdicts.slice(0, MOST).filter((verdict) => {
    const changes = verdict.to === "archived" ? judged(verdict).files + 2 : 0;
    if (changes > room) return false;
    room -= changes;
    return true;
  });
}

/**
 * A verdict with the files that it is about, their texts left out; `null`: there are none. The hash of a draft that only says
 * that a skill is to be archived is that skill's.
 */
export type Weighed = {
  readonly verdict: Verdict;
  readonly files: SkillDirectory | null;
  readonly hash: string | null;
};

/**
 * Reads all files of what is judged, one after the other. Throws what reading any of it throws, and `CarrelError('conflict')`
 * for what was changed since it was judged.
 */
export async function weigh(
  parts: Pick<SkillParts, "files">,
  verdicts: readonly Verdict[],
): Promise<readonly Weighed[]> {
  const weighed: Weighed[] = [];
  for (const verdict of verdicts) {
    const directory =
      verdict.what === "skill" ? verdict.skill.directory : draftDirectory(verdict.name);
    const found = await readDirectory(parts, directory);
    if (!isSame(judged(verdict), found))
      throw new CarrelError("conflict", `"${directory}" was changed while it was read. Try again.`);
    const files = found && {
      ...found,
      files: found.files.map((file) => ({ ...file, ...NOTHING })),
    };
    const hash = found ? (await hashSkill(found.files)).hash : baseOf(verdict);
    weighed.push({ verdict, files, hash });
  }
  return weighed;
}

const baseOf = (verdict: Verdict): string | null =>
  verdict.what === "draft" && verdict.draft.record.action === "archive"
    ? verdict.draft.record.base
    : null;

function isSame(
  { files, writtenAt }: LiveStanding | DraftStanding,
  found: SkillDirectory | null,
): boolean {
  if (found === null) return files === 0;
  const isOlder = found.files.every(({ at }) => (at ?? 0) <= writtenAt);
  return found.layer === "own" && found.files.length === files && isOlder;
}

const NOTHING = { content: { text: "" } } as const;

/** What is answered of it. */
export const transitionOf = ({ verdict, hash }: Weighed): Transition => ({
  name: verdict.name,
  from: verdict.from,
  to: verdict.to,
  why: verdict.why,
  hash,
});

const judged = (verdict: Verdict): LiveStanding | DraftStanding =>
  verdict.what === "skill" ? verdict.skill : verdict.draft;

/** What does all that: directories move into the archive, and every record that says something else then. */
export async function changesFor(
  parts: Pick<SkillParts, "files" | "clock">,
  { usage, provenance, drafts }: CuratorRecords,
  weighed: readonly Weighed[],
): Promise<readonly Change[]> {
  const used = new Map(usage.entries);
  const made = new Map(provenance.entries);
  const waiting = new Map(drafts.entries);
  const now = parts.clock.now();
  for (const { verdict } of weighed) {
    const { name, to } = verdict;
    if (verdict.what === "draft") waiting.delete(name);
    else if (to === "archived") {
      used.set(name, { ...verdict.skill.usage, state: to, archivedAt: now });
      made.delete(name);
    } else if (to !== "draft") used.set(name, { ...verdict.skill.usage, state: to });
  }
  const put = weighed.flatMap(putAway);
  const has = (what: Verdict["what"]) => weighed.some(({ verdict }) => verdict.what === what);
  return [
    ...(put.length > 0 ? await archiveChanges(parts, put) : []),
    ...(has("skill") ? [recordsChange(usageFile, usage, used)] : []),
    ...(has("skill") ? [provenanceChange(provenance, made)] : []),
    ...(has("draft") ? [recordsChange(draftsFile, drafts, waiting)] : []),
  ];
}

/** Where it stays as it is, it still has to be what was gone by. */
function provenanceChange(
  before: CuratorRecords["provenance"],
  made: CuratorRecords["provenance"]["entries"],
): Change {
  if (made.size < before.entries.size) return recordsChange(provenanceFile, before, made);
  return { kind: "append", path: provenanceFile.path, text: "", expect: before.etag };
}

function putAway({ verdict, files, hash }: Weighed): PutAway[] {
  if (verdict.to !== "archived" || files === null || hash === null) return [];
  const { name, why } = verdict;
  const known = { name, why, hash, files } as const;
  return verdict.what === "draft"
    ? [{ ...known, was: "draft", provenance: null, draft: verdict.draft.record }]
    : [{ ...known, was: "skill", provenance: verdict.skill.provenance, draft: null }];
}

/** What the audit says of it. */
export const auditEntryOf = ({ verdict, hash }: Weighed, by: string): AuditEntry => ({
  actor: by,
  op: "curate",
  target: verdict.name,
  decision: `${verdict.from} -> ${verdict.to}`,
  scanVerdict: null,
  beforeHash: hash,
  afterHash: verdict.to === "archived" ? null : hash,
  reason: verdict.why,
  session: null,
});

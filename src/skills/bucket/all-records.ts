import { CarrelError } from "../../shared/errors.ts";
import type { DraftSummary } from "../../shared/skill-drafts.ts";
import type { ScanReport } from "../../shared/skill-facts.ts";
import type { CuratorState } from "../../shared/skill-upkeep.ts";
import type { SkillRecords } from "../../shared/skills-api.ts";
import { scanSkill } from "../scan/scan.ts";
import { archivedNames } from "./archive-changes.ts";
import { ARCHIVE, archiveFile } from "./archive-records.ts";
import { readState } from "./curator/state.ts";
import { draftOf, summaryOf } from "./draft.ts";
import { draftsFile } from "./draft-records.ts";
import { draftNames } from "./draft-rules.ts";
import { provenanceFile } from "./provenance-records.ts";
import { readRecords, type RecordFile } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";
import { usageFile } from "./usage-records.ts";

/** What the scan said of drafts by their hashes, so that what stays the same is scanned once. */
export type KnownScans = Map<string, ScanReport>;

/** All that the bucket knows of skills. What cannot be read is said, and hides nothing that does not depend on it. */
export async function allRecords(parts: SkillParts, known: KnownScans): Promise<SkillRecords> {
  const problems: string[] = [];
  const orSay = async <Value>(read: () => Promise<Value>, otherwise: Value): Promise<Value> => {
    try {
      return await read();
    } catch (error) {
      problems.push(problemOf(error));
      return otherwise;
    }
  };
  return {
    usage: await orSay(() => named(parts, usageFile), []),
    provenance: await orSay(() => named(parts, provenanceFile), []),
    drafts: await orSay(() => allDrafts(parts, known, problems), []),
    archived: await orSay(() => allArchived(parts), []),
    curator: await orSay(() => curatorState(parts), unknownCurator),
    problems,
  };
}

/** Throws on what is no word about a record or a draft. */
function problemOf(error: unknown): string {
  if (error instanceof CarrelError && ["invalid", "too_large", "conflict"].includes(error.code))
    return error.message;
  throw error;
}

const unknownCurator: CuratorState = {
  seededAt: null,
  lastRunAt: null,
  runs: 0,
  lastSummary: null,
  lastReport: null,
};

async function curatorState(parts: SkillParts): Promise<CuratorState> {
  const { seededAt, lastRunAt, runs, lastSummary, lastReport } = await readState(parts);
  return { seededAt, lastRunAt, runs, lastSummary, lastReport };
}

async function allArchived(parts: SkillParts): Promise<SkillRecords["archived"]> {
  const archive = await readRecords(parts.files, archiveFile);
  const there = await archivedNames(parts);
  const archived = [...archive.entries].filter(([id]) => there.has(id));
  return archived
    .map(([id, { from: _from, draft: _draft, ...entry }]) => ({
      ...entry,
      directory: `${ARCHIVE}/${id}`,
    }))
    .toSorted((a, b) => b.at - a.at || (a.directory < b.directory ? -1 : 1));
}

async function named<Entry>(
  { files }: SkillParts,
  file: RecordFile<Entry>,
): Promise<(Entry & { readonly name: string })[]> {
  const { entries } = await readRecords(files, file);
  return [...entries].map(([name, entry]) => ({ ...entry, name }));
}

/** One after the other, so that the files of one draft at a time are in memory. */
async function allDrafts(
  parts: SkillParts,
  known: KnownScans,
  problems: string[],
): Promise<DraftSummary[]> {
  const drafts = await readRecords(parts.files, draftsFile);
  const found: DraftSummary[] = [];
  for (const name of await draftNames(parts, drafts)) {
    const draft = await draftOf(parts, name, drafts.entries.get(name) ?? null).catch(
      (error: unknown) => void problems.push(problemOf(error)),
    );
    const files = draft?.files?.files ?? [];
    if (!draft) continue;
    const scan = known.get(draft.hash) ?? scanSkill(files);
    known.set(draft.hash, scan);
    found.push(summaryOf(draft, files, scan));
  }
  const hashes = new Set(found.map(({ hash }) => hash));
  for (const hash of known.keys()) if (!hashes.has(hash)) known.delete(hash);
  return found;
}

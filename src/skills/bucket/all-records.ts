import type { DraftSummary } from "../../shared/skill-drafts.ts";
import type { ScanReport } from "../../shared/skill-facts.ts";
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

/** All that the bucket knows of skills. Throws `CarrelError('invalid')` for a record that cannot be read. */
export async function allRecords(parts: SkillParts, known: KnownScans): Promise<SkillRecords> {
  const { seededAt, lastRunAt, runs, lastSummary, lastReport } = await readState(parts);
  const archive = await readRecords(parts.files, archiveFile);
  const there = await archivedNames(parts);
  const archived = [...archive.entries].filter(([id]) => there.has(id));
  return {
    usage: await named(parts, usageFile),
    provenance: await named(parts, provenanceFile),
    drafts: await allDrafts(parts, known),
    archived: archived
      .map(([id, { from: _from, draft: _draft, ...known }]) => ({
        ...known,
        directory: `${ARCHIVE}/${id}`,
      }))
      .toSorted((a, b) => b.at - a.at || (a.directory < b.directory ? -1 : 1)),
    curator: { seededAt, lastRunAt, runs, lastSummary, lastReport },
  };
}

async function named<Entry>(
  { files }: SkillParts,
  file: RecordFile<Entry>,
): Promise<(Entry & { readonly name: string })[]> {
  const { entries } = await readRecords(files, file);
  return [...entries].map(([name, entry]) => ({ ...entry, name }));
}

/** One after the other, so that the files of one draft at a time are in memory. */
async function allDrafts(parts: SkillParts, known: KnownScans): Promise<DraftSummary[]> {
  const drafts = await readRecords(parts.files, draftsFile);
  const found: DraftSummary[] = [];
  for (const name of await draftNames(parts, drafts)) {
    const draft = await draftOf(parts, name, drafts.entries.get(name) ?? null);
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

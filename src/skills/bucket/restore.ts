import { CarrelError, invalid, notFound } from "../../shared/errors.ts";
import type { MoveRequest } from "../../shared/skills-api.ts";
import { ARCHIVE, archiveFile, type ArchiveRecord } from "./archive-records.ts";
import { auditChange, type AuditEntry } from "./audit.ts";
import type { Planned } from "./change-skills.ts";
import { hashSkill } from "../format/hash.ts";
import { readDirectory, skillDirectory, type LiveNow, type SkillDirectory } from "./directory.ts";
import { isDraftName, readDraft } from "./draft.ts";
import { draftDirectory, draftsFile } from "./draft-records.ts";
import { placing } from "./promote.ts";
import { provenanceFile } from "./provenance-records.ts";
import { readRecords, recordChange, type Records } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";
import { unused, usageFile } from "./usage-records.ts";

/** Something that was put away and is to come back. */
type Returning = {
  readonly id: string;
  readonly record: ArchiveRecord;
  readonly files: SkillDirectory;
  readonly archive: Records<ArchiveRecord>;
  readonly hash: string;
};

/**
 * Brings back what was put away, byte for byte: a skill to the directory that it was in, a draft to the drafts. What a lower
 * layer shows there is overridden. Throws `CarrelError`: `not_found`; `conflict` where an own skill or a draft has the name,
 * or its directory, by now.
 */
export async function planRestoring(
  parts: SkillParts,
  { name, by }: MoveRequest,
  archived: string | null,
  live: LiveNow | null,
): Promise<Planned<string | null>> {
  const back = await find(parts, name, archived);
  const { drafts, draft } = await readDraft(parts, name);
  if (draft) throw taken(`There is a draft ${JSON.stringify(name)}. Decide about it first.`);
  const { record, hash } = back;
  const line = { ...entryOf(name, by), beforeHash: null, afterHash: hash };
  if (record.was === "draft") {
    if (!record.draft || !isDraftName(name))
      throw invalid(
        `What is known of the draft in "${back.files.directory}" was lost. Move its files by hand.`,
      );
    const changes = [
      ...placing(back.files, draftDirectory(name), null),
      recordChange(archiveFile, back.archive, back.id, null),
      recordChange(draftsFile, drafts, name, record.draft),
      await auditChange(parts, [{ ...line, decision: "restored as a draft" }]),
    ];
    return { changes, answer: hash };
  }
  if (live?.isOwn === true)
    throw taken(
      `There is an own skill ${JSON.stringify(name)} in "${live.directory}". Archive it first.`,
    );
  const to = skillDirectory(record.from);
  const there = await readDirectory(parts, to);
  if (there?.layer === "own")
    throw taken(`"${to}" holds another skill by now. Rename that directory first.`);
  return { changes: await skillBack(parts, back, { to, there, line }), answer: hash };
}

async function skillBack(
  parts: SkillParts,
  { id, record, files, archive }: Returning,
  at: { readonly to: string; readonly there: SkillDirectory | null; readonly line: AuditEntry },
) {
  const { name, provenance } = record;
  const usages = await readRecords(parts.files, usageFile);
  const used = usages.entries.get(name) ?? unused;
  const provenances = await readRecords(parts.files, provenanceFile);
  const isKnown = provenance !== null || provenances.entries.has(name);
  return [
    ...placing(files, at.to, at.there),
    recordChange(archiveFile, archive, id, null),
    recordChange(usageFile, usages, name, { ...used, state: "active", archivedAt: null }),
    ...(isKnown ? [recordChange(provenanceFile, provenances, name, provenance)] : []),
    await auditChange(parts, [at.line]),
  ];
}

async function find(parts: SkillParts, name: string, archived: string | null): Promise<Returning> {
  const archive = await readRecords(parts.files, archiveFile);
  const meant = [...archive.entries]
    .filter(([id, record]) =>
      archived === null
        ? record.name === name
        : record.name === name && directoryOf(id) === archived,
    )
    .toSorted(
      ([, a], [, b]) => Number(b.was === "skill") - Number(a.was === "skill") || b.at - a.at,
    );
  for (const [id, record] of meant) {
    const files = id.includes("/") ? null : await readDirectory(parts, directoryOf(id));
    if (files) return { id, record, files, archive, hash: (await hashSkill(files.files)).hash };
  }
  throw notFound(
    archived === null
      ? `An archived skill ${JSON.stringify(name)}`
      : `${JSON.stringify(archived)} with the archived skill ${JSON.stringify(name)}`,
  );
}

const directoryOf = (id: string): string => `${ARCHIVE}/${id}`;

const entryOf = (target: string, actor: string) =>
  ({
    actor,
    op: "restore",
    target,
    decision: "restored",
    scanVerdict: null,
    reason: null,
    session: null,
  }) as const;

const taken = (why: string): CarrelError => new CarrelError("conflict", why);

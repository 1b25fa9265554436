import type { DraftSummary } from "../../shared/skill-drafts.ts";
import type { ScanReport, SkillFile } from "../../shared/skill-facts.ts";
import { hashSkill } from "../format/hash.ts";
import { parseSkill } from "../format/parse-skill.ts";
import { readDirectory, sizeOf, type LiveNow, type SkillDirectory } from "./directory.ts";
import { draftDirectory, draftsFile, type DraftRecord } from "./draft-records.ts";
import { readRecords, type Records } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";

/** A draft as it is. `files` `null`: it says that a skill is to be archived, and `hash` is that skill's. */
export type Draft = {
  readonly name: string;
  readonly record: DraftRecord;
  readonly files: SkillDirectory | null;
  readonly hash: string;
};

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Whether a skill of this name can be drafted: it is the name of a directory. */
export const isDraftName = (name: string): boolean => name.length <= 64 && NAME.test(name);

/**
 * The draft of a name, `null` where there is none, and what is recorded of all drafts. Files that lie among the drafts without
 * a record are a draft, too: it counts as the agent's, so that only a person can promote it.
 */
export async function readDraft(
  parts: Pick<SkillParts, "files">,
  name: string,
): Promise<{ readonly drafts: Records<DraftRecord>; readonly draft: Draft | null }> {
  const drafts = await readRecords(parts.files, draftsFile);
  return { drafts, draft: await draftOf(parts, name, drafts.entries.get(name) ?? null) };
}

/** The same of one whose record was read. */
export async function draftOf(
  parts: Pick<SkillParts, "files">,
  name: string,
  record: DraftRecord | null,
): Promise<Draft | null> {
  const files = isDraftName(name) ? await readDirectory(parts, draftDirectory(name)) : null;
  if (files) {
    const known = record ? { ...record, action: "publish" as const } : byHand(name, files);
    return { name, record: known, files, hash: (await hashSkill(files.files)).hash };
  }
  if (record?.action !== "archive" || record.base === null) return null;
  return { name, record, files: null, hash: record.base };
}

/** A draft without its files. */
export function summaryOf(
  { name, record, hash }: Pick<Draft, "name" | "record" | "hash">,
  files: readonly SkillFile[],
  scan: ScanReport,
): DraftSummary {
  const { description, ...known } = record;
  return {
    ...known,
    name,
    hash,
    description: description ?? descriptionOf(name, files),
    verdict: scan.verdict,
    files: files.length,
    bytes: files.reduce((sum, { content }) => sum + sizeOf(content), 0),
  };
}

/** The SKILL.md among files, however its letters are written. */
export const documentOf = <File extends SkillFile>(files: readonly File[]): File | undefined =>
  files.find(({ path }) => path === "SKILL.md") ??
  files.find(({ path }) => path.toLowerCase() === "skill.md");

/** What files say that they are for; blank where they do not say it. */
export function descriptionOf(name: string, files: readonly SkillFile[]): string {
  const content = documentOf(files)?.content;
  if (!content || !("text" in content)) return "";
  const parsed = parseSkill(content.text, name);
  return parsed.kind === "skill" ? parsed.header.description : "";
}

/** Where a new version of a skill is to lie: an own one stays, one of a lower layer is overridden, any other gets a directory. */
export const targetOf = (name: string, live: LiveNow | null): string =>
  live && (live.isOwn || live.directory.startsWith("skills/")) ? live.directory : `skills/${name}`;

function byHand(name: string, { files }: SkillDirectory): DraftRecord {
  const [first, ...rest] = files.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
  return {
    action: "publish",
    absorbedInto: null,
    base: null,
    target: `skills/${name}`,
    origin: "agent",
    trust: "agent",
    createdAt: rest.at(-1)?.at ?? first?.at ?? 0,
    changedAt: first?.at ?? 0,
    by: first?.by ?? "",
    session: null,
    deferredUntil: null,
    deferredWhy: null,
    description: null,
  };
}

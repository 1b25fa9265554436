import { CarrelError, invalid, notFound } from "../../shared/errors.ts";
import type { LiveSkill } from "../../shared/skill-drafts.ts";
import type { ScanReport } from "../../shared/skill-facts.ts";
import { checkSkill } from "../format/check-skill.ts";
import { scanSkill } from "../scan/scan.ts";
import { allows } from "../scan/trust.ts";
import { isThere } from "./delete-draft.ts";
import {
  COPIES,
  notOwn,
  readDirectory,
  readLive,
  skillDirectory,
  type LiveNow,
  type SkillDirectory,
} from "./directory.ts";
import { readDraft, targetOf, type Draft } from "./draft.ts";
import type { DraftRecord } from "./draft-records.ts";
import type { Records } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";

/** A draft and all that a decision about it depends on, as it is now. */
export type Look = {
  readonly drafts: Records<DraftRecord>;
  readonly draft: Draft;
  readonly live: LiveNow | null;
  /** What shows in the directory that the draft is to take. */
  readonly there: SkillDirectory | null;
  readonly scan: ScanReport;
  /** Why it cannot be promoted as it is; `null`: nothing is in the way. */
  readonly obstacle: Obstacle | null;
};

/** `stale`: what is in use is another one than the draft was made of, or it cannot take its place. */
export type Obstacle = { readonly kind: "stale" | "scan" | "form"; readonly why: string };

/** Looks at a draft; `null` where there is none. */
export async function lookAt(
  parts: SkillParts,
  name: string,
  from: LiveSkill | null,
): Promise<Look | null> {
  const { drafts, draft } = await readDraft(parts, name);
  if (!draft) return null;
  const live = await readLive(parts, from);
  const there = await shownAt(parts, draft, live);
  const scan = scanSkill(draft.files?.files ?? []);
  const look = { drafts, draft, live, there, scan };
  return { ...look, obstacle: await obstacleOf(parts, look) };
}

export const noDraft = (name: string): CarrelError => notFound(`A draft ${JSON.stringify(name)}`);

async function shownAt(
  parts: SkillParts,
  { record: { action, target } }: Draft,
  live: LiveNow | null,
): Promise<SkillDirectory | null> {
  if (live?.directory === target) return live;
  if (action === "archive") return null;
  const directory = skillDirectory(target);
  if (directory.startsWith(COPIES))
    throw invalid(`"skills/.drafts.json" names "${directory}", where no draft can go. Mend it.`);
  return readDirectory(parts, directory);
}

async function obstacleOf(
  parts: SkillParts,
  look: Omit<Look, "obstacle">,
): Promise<Obstacle | null> {
  const stale =
    look.draft.record.action === "publish" ? whyStale(look) : await whyNotArchived(parts, look);
  if (stale !== null) return { kind: "stale", why: stale };
  if (!look.draft.files) return null;
  const { record, files, name } = look.draft;
  if (!allows(record.trust, look.scan.verdict))
    return { kind: "scan", why: `The scan calls it ${look.scan.verdict}.` };
  try {
    checkSkill(name, files.files);
    return null;
  } catch (error) {
    if (error instanceof CarrelError) return { kind: "form", why: error.message };
    throw error;
  }
}

const ANEW = "Reject this draft, and have it made anew from what is there.";

function whyStale({ draft, live, there }: Omit<Look, "obstacle">): string | null {
  const { name, record } = draft;
  const { base, target } = record;
  if (base === null && live) return `There is a skill "${name}" by now. ${ANEW}`;
  if (base !== null && !live)
    return `The skill "${name}" that this is a new version of is gone. ${ANEW}`;
  if (live && live.hash !== base)
    return `The skill "${name}" has changed since this draft was begun. ${ANEW}`;
  if (live && targetOf(name, live) !== target)
    return `The skill "${name}" lies in another directory than when this draft was begun. ${ANEW}`;
  if (there && there !== live)
    return `"${target}" holds another skill by now. Rename that directory, or reject this draft.`;
  return null;
}

async function whyNotArchived(
  parts: SkillParts,
  { draft, live }: Omit<Look, "obstacle">,
): Promise<string | null> {
  const { name, record } = draft;
  if (!live) return `The skill "${name}" is gone. Reject this draft.`;
  if (live.hash !== record.base)
    return `The skill "${name}" has changed since it was to be archived. ${ANEW}`;
  if (!live.isOwn) return `${notOwn(name, live)} Reject this draft.`;
  const { absorbedInto } = record;
  if (absorbedInto !== null && !(await isThere(parts, absorbedInto)))
    return `"${absorbedInto}", which is to take it over, is not in use yet. Promote that first.`;
  return null;
}

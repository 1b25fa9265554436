import { invalid, notFound } from "../../shared/errors.ts";
import type { DraftChange, DraftChanged, DraftRequest } from "../../shared/skill-drafts.ts";
import { cutAt } from "../../shared/text.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import { skillLimits } from "../format/check-skill.ts";
import { scanSkill } from "../scan/scan.ts";
import { archiveChanges } from "./archive-changes.ts";
import { auditChange } from "./audit.ts";
import type { Planned } from "./change-skills.ts";
import { filesIn, type LiveNow } from "./directory.ts";
import { descriptionOf, isDraftName, summaryOf, type Draft } from "./draft.ts";
import { draftsFile, type DraftRecord } from "./draft-records.ts";
import { assertRoom, type DraftSituation } from "./draft-rules.ts";
import { recordChange } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";

/** How the audit calls a draft that was put away by who made it. */
export const GIVEN_UP = "given up";

/** What a skill that is written here may say at most. */
const MOST_DESCRIPTION = skillLimits.description;

type Deletion = Omit<DraftRequest, "change"> & {
  readonly change: Extract<DraftChange, { readonly kind: "delete" }>;
};

/**
 * Puts the draft of a new skill into the archive; of a skill in use there is a draft then that says that it is to be archived,
 * and what was drafted before is in the archive.
 */
export async function planDeletion(
  parts: SkillParts,
  request: Deletion,
  situation: DraftSituation,
): Promise<Planned<DraftChanged>> {
  const { name, change } = request;
  const { draft, live, drafts } = situation;
  if (!draft && !live) throw notFound(`A skill or a draft ${JSON.stringify(name)}`);
  await assertAbsorber(parts, name, change.absorbedInto);
  const record = live && archivingOf(parts, request, live, draft);
  if (record) await assertRoom(parts, situation, record);
  const before = draft?.hash ?? live?.hash ?? null;
  const entry = {
    actor: request.by,
    op: "propose",
    target: name,
    decision: record ? "to be archived" : GIVEN_UP,
    scanVerdict: null,
    beforeHash: before,
    afterHash: null,
    reason: change.absorbedInto === null ? null : `absorbed into ${change.absorbedInto}`,
    session: request.session,
  } as const;
  const changes = [
    ...(await putAwayDraft(parts, draft, GIVEN_UP)),
    recordChange(draftsFile, drafts, name, record),
    await auditChange(parts, [entry]),
  ];
  const scan = scanSkill([]);
  const hash = live?.hash ?? "";
  return {
    changes,
    answer: { draft: record && summaryOf({ name, record, hash }, [], scan), scan },
  };
}

/** Moves the files of a draft into the archive; nothing where it has none. */
export async function putAwayDraft(
  parts: SkillParts,
  draft: Draft | null,
  why: string,
): Promise<readonly Change[]> {
  if (!draft?.files) return [];
  const { name, files, hash, record } = draft;
  return archiveChanges(parts, [
    { name, was: "draft", why, hash, provenance: null, draft: record, files },
  ]);
}

/** Whether a skill of this name shows that can take over what another one had. */
export async function isThere(parts: SkillParts, name: string): Promise<boolean> {
  if (!isDraftName(name)) return false;
  const places = [`skills/${name}`, `.agents/skills/${name}`];
  const found = await Promise.all(places.map((directory) => filesIn(parts, directory)));
  return found.some((files) => files.length > 0);
}

async function assertAbsorber(
  parts: SkillParts,
  name: string,
  absorbedInto: string | null,
): Promise<void> {
  if (absorbedInto === null) return;
  if (absorbedInto === name) throw invalid("A skill cannot be absorbed into itself.");
  const isDraft =
    isDraftName(absorbedInto) &&
    (await filesIn(parts, `skills/_drafts/${absorbedInto}`)).length > 0;
  if (isDraft || (await isThere(parts, absorbedInto))) return;
  throw notFound(`The skill ${JSON.stringify(absorbedInto)} that is to take it over`);
}

function archivingOf(
  { clock }: SkillParts,
  { name, change, origin, trust, by, session }: Deletion,
  live: LiveNow,
  draft: Draft | null,
): DraftRecord {
  const now = clock.now();
  return {
    action: "archive",
    absorbedInto: change.absorbedInto,
    base: live.hash,
    target: live.directory,
    origin,
    trust,
    createdAt: draft?.record.createdAt ?? now,
    changedAt: now,
    by,
    session,
    deferredUntil: null,
    deferredWhy: null,
    description: cutAt(descriptionOf(name, live.files), MOST_DESCRIPTION),
  };
}

import { CarrelError, invalid, notFound } from "../../shared/errors.ts";
import type { DraftChanged, DraftRequest } from "../../shared/skill-drafts.ts";
import type { SkillFile, Trust } from "../../shared/skill-facts.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import { assertName, checkSkill } from "../format/check-skill.ts";
import { hashSkill } from "../format/hash.ts";
import { scanSkill } from "../scan/scan.ts";
import { applyChange, copyOf, isSameFile, type WrittenChange } from "./apply-change.ts";
import { auditChange } from "./audit.ts";
import { changeSkills, doneBefore, type Planned } from "./change-skills.ts";
import { GIVEN_UP, planDeletion } from "./delete-draft.ts";
import { asRead, filesIn, readLive, type SkillDirectory } from "./directory.ts";
import { readDraft, summaryOf, targetOf, type Draft } from "./draft.ts";
import { draftDirectory, draftsFile, type DraftRecord } from "./draft-records.ts";
import { assertAllowed, assertRoom, type DraftSituation } from "./draft-rules.ts";
import { recordChange } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";

/**
 * Makes or changes a draft: see `DraftChange`. Nothing else changes, whoever asks. One that was done before is answered with
 * what its draft is now. Throws `CarrelError`: `invalid`, `not_found`, `conflict` for a name that is taken, `forbidden` for
 * what the trust of its origin does not allow, `too_large`, `quota_exceeded`.
 */
export async function changeDraft(parts: SkillParts, request: DraftRequest): Promise<DraftChanged> {
  const doing = { by: request.by, op: `skill-draft:${request.op}` };
  const done = await doneBefore(parts, doing);
  if (done) {
    const { draft } = await readDraft(parts, request.name);
    return { ...answerFor(done.line?.decision === GIVEN_UP ? null : draft), ...matchOf(done.line) };
  }
  const { change } = request;
  return changeSkills(parts, doing, async () => {
    const situation = {
      ...(await readDraft(parts, request.name)),
      live: await readLive(parts, request.live),
    };
    return change.kind === "delete"
      ? planDeletion(parts, { ...request, change }, situation)
      : planWritten(parts, { ...request, change }, situation);
  });
}

/** A draft as it is now; with `null` that it was put away. */
function answerFor(draft: Draft | null): DraftChanged {
  const files = draft?.files?.files ?? [];
  const scan = scanSkill(files);
  return { draft: draft && summaryOf(draft, files, scan), scan };
}

const matchOf = (from: Pick<DraftChanged, "matched"> | null): Pick<DraftChanged, "matched"> =>
  from?.matched === undefined ? {} : { matched: from.matched };

type Written = Omit<DraftRequest, "change"> & { readonly change: WrittenChange };

async function planWritten(
  parts: SkillParts,
  request: Written,
  situation: DraftSituation,
): Promise<Planned<DraftChanged>> {
  const { name, change, origin } = request;
  const { drafts, draft, live } = situation;
  assertName(name);
  if (change.kind === "create") await assertFree(parts, request, situation);
  const { files, ...match } = applyChange(filesBefore(request, situation), change, origin);
  checkSkill(name, files);
  const record = recordOf(parts, request, situation);
  const scan = scanSkill(files);
  assertAllowed(record.trust, scan);
  const { hash } = await hashSkill(files);
  if (hash === live?.hash)
    throw invalid(`Nothing would change: the skill "${name}" is exactly this already.`);
  await assertRoom(parts, situation, record);
  const audited = await auditChange(parts, [
    {
      actor: request.by,
      op: "propose",
      target: name,
      decision: DECISIONS[change.kind],
      scanVerdict: scan.verdict,
      beforeHash: draft?.hash ?? live?.hash ?? null,
      afterHash: hash,
      reason: null,
      session: request.session,
      ...match,
    },
  ]);
  const changes = [
    ...draftChanges(draftDirectory(name), draft?.files ?? null, files),
    recordChange(draftsFile, drafts, name, record),
    audited,
  ];
  const summary = summaryOf({ name, record, hash }, files, scan);
  return { changes, answer: { draft: summary, scan, ...match } };
}

const DECISIONS: Readonly<Record<WrittenChange["kind"], string>> = {
  create: "created",
  edit: "edited",
  patch: "patched",
  write: "file written",
  remove: "file removed",
};

/** Throws `conflict` where the name is taken. Only a person may put something in the place of what is there. */
async function assertFree(
  parts: SkillParts,
  { name, change, origin }: Written,
  { draft, live }: DraftSituation,
): Promise<void> {
  if (change.kind === "create" && change.over === true && origin !== "agent") return;
  const isThere = draft ?? live ?? (await filesIn(parts, `skills/${name}`))[0];
  if (!isThere) return;
  const what = draft ? "a draft" : "a skill";
  throw new CarrelError(
    "conflict",
    `There is ${what} "${name}" already. ${origin === "agent" ? "Edit it instead, or choose another name." : "Choose another name, or say that it is to be replaced."}`,
  );
}

/** What the change is made to: of a draft that has files those, else those of the skill in use. */
function filesBefore(
  { name, change }: Written,
  { draft, live }: DraftSituation,
): readonly SkillFile[] {
  if (change.kind === "create") return [];
  const files = draft?.files ?? live;
  if (files) return copyOf(files.files);
  throw new CarrelError(
    "not_found",
    `${notFound(`A skill or a draft "${name}"`).message} Create it first.`,
  );
}

/** What is known of the draft once it is changed. What is in part the agent's is the agent's. */
function recordOf(
  { clock }: SkillParts,
  { name, change, origin, trust, by, session }: Written,
  { draft, live }: DraftSituation,
): DraftRecord {
  const now = clock.now();
  const goesOn = change.kind !== "create" && draft?.files ? draft.record : null;
  return {
    action: "publish",
    absorbedInto: null,
    base: goesOn ? goesOn.base : (live?.hash ?? null),
    target: goesOn ? goesOn.target : targetOf(name, live),
    origin: goesOn?.origin === "agent" ? "agent" : origin,
    trust: goesOn ? lower(goesOn.trust, trust) : trust,
    createdAt: draft?.record.createdAt ?? now,
    changedAt: now,
    by,
    session,
    deferredUntil: null,
    deferredWhy: null,
    description: null,
  };
}

const TRUSTS: readonly Trust[] = ["builtin", "trusted", "agent", "community"];

const lower = (a: Trust, b: Trust): Trust => (TRUSTS.indexOf(a) > TRUSTS.indexOf(b) ? a : b);

/** What makes the files of a directory these. Refused when they have changed since they were read. */
function draftChanges(
  directory: string,
  before: SkillDirectory | null,
  files: readonly SkillFile[],
): Change[] {
  const old = new Map(before?.files.map((file) => [file.path, file]));
  const kept = new Set(files.map(({ path }) => path));
  const gone = [...old.values()].filter(({ path }) => !kept.has(path));
  const same = [...old.values()].filter((file) =>
    files.some((other) => other.path === file.path && isSameFile(other, file)),
  );
  const isSame = new Set(same.map(({ path }) => path));
  const at = (path: string) => `${directory}/${path}`;
  return [
    ...(before ? asRead({ ...before, files: same }) : []),
    ...gone.map(({ path, etag }): Change => ({ kind: "delete", path: at(path), expect: etag })),
    ...files
      .filter(({ path }) => !isSame.has(path))
      .map(({ path, content, executable }): Change => {
        const expect = old.get(path)?.etag ?? "absent";
        return { kind: "write", path: at(path), content, executable, expect };
      }),
  ];
}

import { CarrelError, invalid } from "../../shared/errors.ts";
import type { Decided, DecisionRequest } from "../../shared/skill-drafts.ts";
import type { SkillProvenance } from "../../shared/skill-facts.ts";
import { shortHash } from "../../shared/short-hash.ts";
import { headOf } from "../../shared/skill-head.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import { auditChange } from "./audit.ts";
import type { Planned } from "./change-skills.ts";
import { asHeld, type LiveNow, type SkillDirectory } from "./directory.ts";
import { draftsFile } from "./draft-records.ts";
import { assertAllowed } from "./draft-rules.ts";
import type { Look } from "./look.ts";
import { planArchiving } from "./put-away.ts";
import { provenanceFile } from "./provenance-records.ts";
import { readRecords, recordChange } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";
import { unused, usageFile } from "./usage-records.ts";

type Promotion = Omit<DecisionRequest, "decision"> & { readonly environments: readonly string[] };

const MOST_ENVIRONMENTS = 20;

/** Does what a draft says: its files become the skill, or the skill is archived. The hash was looked at before. */
export async function planPromotion(
  parts: SkillParts,
  request: Promotion,
  look: Look,
): Promise<Planned<Decided>> {
  const { name, by } = request;
  const { draft, scan, obstacle } = look;
  if (by.startsWith("gate:") && draft.record.origin === "agent")
    throw new CarrelError(
      "forbidden",
      `"${name}" was written by the agent, so only a person can promote it.`,
    );
  assertEnvironments(request.environments);
  if (obstacle?.kind === "stale") throw new CarrelError("conflict", obstacle.why);
  assertAllowed(draft.record.trust, scan);
  if (obstacle) throw invalid(obstacle.why);
  return draft.files
    ? planPublishing(parts, request, { ...look, files: draft.files })
    : planRetiring(parts, request, look);
}

async function planPublishing(
  parts: SkillParts,
  request: Promotion,
  look: Look & { readonly files: SkillDirectory },
): Promise<Planned<Decided>> {
  const { name, by } = request;
  const { draft, drafts, live, there, files, scan } = look;
  const { record, hash } = draft;
  const provenances = await readRecords(parts.files, provenanceFile);
  const provenance = provenanceOf(parts, request, look, provenances.entries.get(name) ?? null);
  const usages = await readRecords(parts.files, usageFile);
  const used = usages.entries.get(name) ?? unused;
  const line = {
    actor: by,
    op: "promote",
    target: name,
    decision: "promoted",
    scanVerdict: scan.verdict,
    beforeHash: live?.hash ?? null,
    afterHash: hash,
    reason: null,
    session: record.session,
  } as const;
  const changes = [
    ...placing(files, record.target, there),
    recordChange(draftsFile, drafts, name, null),
    recordChange(provenanceFile, provenances, name, provenance),
    recordChange(usageFile, usages, name, { ...used, state: "active", archivedAt: null }),
    await auditChange(parts, [line]),
  ];
  return { changes, answer: { name, outcome: "promoted", hash } };
}

async function planRetiring(
  parts: SkillParts,
  { name, by }: Promotion,
  { draft, drafts, live }: Look,
): Promise<Planned<Decided>> {
  if (!live) throw new Error(`a skill that is to be archived is not there: ${name}`);
  const { absorbedInto, session } = draft.record;
  const why = absorbedInto === null ? "not needed any more" : `absorbed into ${absorbedInto}`;
  const line = {
    actor: by,
    op: "promote",
    target: name,
    decision: "archived",
    scanVerdict: null,
    beforeHash: live.hash,
    afterHash: null,
    reason: why,
    session,
  } as const;
  const changes = [
    ...(await planArchiving(parts, name, live, why)),
    recordChange(draftsFile, drafts, name, null),
    await auditChange(parts, [line]),
  ];
  return { changes, answer: { name, outcome: "archived", hash: null } };
}

/**
 * Moves a directory to where `there` shows now, which goes: what was own stays as earlier versions, what is a lower layer's is
 * overridden. Nothing is copied. Refused when either has changed since it was read.
 */
export function placing(
  from: SkillDirectory,
  to: string,
  there: SkillDirectory | null,
): readonly Change[] {
  const leave: Change[] = there ? [{ kind: "delete", path: to, holds: asHeld(there) }] : [];
  return [...leave, { kind: "move", path: from.directory, to, holds: asHeld(from) }];
}

/**
 * A person's skill stays a person's, whoever wrote its new version, and so does one that a person has changed since it was
 * promoted; what a person has sent is a person's.
 */
function provenanceOf(
  { clock }: SkillParts,
  { by, environments }: Promotion,
  { draft: { record, hash, files }, live }: Look,
  before: SkillProvenance | null,
): SkillProvenance {
  const own = live?.isOwn === true ? live : null;
  const known = own?.hash === before?.hash ? before : null;
  const isPersons = record.origin === "upload" || (own && known?.createdBy !== "agent");
  return {
    createdBy: isPersons ? "person" : "agent",
    createdAt: known?.createdAt ?? (own ? begunAt(own) : null) ?? record.createdAt,
    promotedAt: clock.now(),
    promotedBy: by,
    sourceSession: record.session,
    hash,
    head: headHash(files),
    environments,
  };
}

function headHash(draft: SkillDirectory | null): string | null {
  const document = draft?.files.find(({ path }) => path === "SKILL.md");
  return document && "text" in document.content ? shortHash(headOf(document.content.text)) : null;
}

/** When the oldest file of a skill was written. */
function begunAt({ files }: LiveNow): number | null {
  const times = files.flatMap(({ at }) => at ?? []);
  return times.length === 0 ? null : Math.min(...times);
}

function assertEnvironments(environments: readonly string[]): void {
  const isName = (name: string) => /^[\x21-\x7e]{1,64}$/.test(name);
  if (environments.length <= MOST_ENVIRONMENTS && environments.every(isName)) return;
  throw invalid(
    `Name at most ${MOST_ENVIRONMENTS} environments, each with 1 to 64 characters and no spaces.`,
  );
}

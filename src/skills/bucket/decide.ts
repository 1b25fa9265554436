import { CarrelError, invalid } from "../../shared/errors.ts";
import type { Decided, Decision, DecisionRequest } from "../../shared/skill-drafts.ts";
import type { AuditLine } from "../../shared/skill-upkeep.ts";
import { cutAt } from "../../shared/text.ts";
import { auditChange, auditLines, type AuditEntry } from "./audit.ts";
import { changeSkills, doneBefore, type Planned } from "./change-skills.ts";
import { putAwayDraft } from "./delete-draft.ts";
import { readLive } from "./directory.ts";
import { isDraftName } from "./draft.ts";
import { draftsFile } from "./draft-records.ts";
import { lookAt, noDraft, type Look } from "./look.ts";
import { planPromotion } from "./promote.ts";
import { provenanceFile } from "./provenance-records.ts";
import { readRecords, recordChange } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";

const MOST_REASON = 500;

/** The last time that a date can be. */
const END_OF_TIME = 8_640_000_000_000_000;

/**
 * What a person, or a gate, decides about a draft: see `DecisionRequest`. The same decision about the same content is answered
 * the same however often it comes, also under another `op`. Throws `CarrelError`: `not_found`; `conflict` when the draft or
 * what it is to replace is another one than was looked at, or cannot be replaced; `forbidden` for what a gate may not promote,
 * and for what the scan does not let pass; `invalid`.
 */
export async function decideDraft(parts: SkillParts, request: DecisionRequest): Promise<Decided> {
  const doing = { by: request.by, op: `skill-decide:${request.op}` };
  const done = await doneBefore(parts, doing);
  const known = done?.line && (await decidedBy(parts, request, done.line));
  const tidying = { ...doing, isTidying: true };
  return known ?? changeSkills(parts, tidying, () => plan(parts, request));
}

async function plan(parts: SkillParts, request: DecisionRequest): Promise<Planned<Decided>> {
  const { name, hash, decision } = request;
  const look = await lookAt(parts, name, request.live);
  if (!look) return { changes: [], answer: await decidedEarlier(parts, request) };
  if (look.draft.hash !== hash)
    throw new CarrelError(
      "conflict",
      `The draft "${name}" is not what was looked at any more: its hash is ${look.draft.hash} now. Look at it again, then decide.`,
    );
  switch (decision.kind) {
    case "promote":
      return planPromotion(parts, { ...request, environments: decision.environments }, look);
    case "reject":
      return planRejection(parts, request, look, decision.reason);
    case "defer":
      return planDeferral(parts, request, look, decision);
  }
}

async function planRejection(
  parts: SkillParts,
  request: DecisionRequest,
  look: Look,
  reason: string,
): Promise<Planned<Decided>> {
  const { name, hash } = request;
  const { draft, drafts } = look;
  const why = reason.trim() === "" ? "rejected" : `rejected: ${reason}`;
  const line = { ...lineOf(request, look), op: "reject", decision: "rejected" } as const;
  const changes = [
    ...(await putAwayDraft(parts, draft, why)),
    recordChange(draftsFile, drafts, name, null),
    await auditChange(parts, [{ ...line, beforeHash: hash, afterHash: null, reason }]),
  ];
  return { changes, answer: { name, outcome: "rejected", hash: ownHash(look) } };
}

async function planDeferral(
  parts: SkillParts,
  request: DecisionRequest,
  look: Look,
  { until, reason }: Extract<Decision, { readonly kind: "defer" }>,
): Promise<Planned<Decided>> {
  const { name, hash } = request;
  const { draft, drafts } = look;
  if (!(until > parts.clock.now() && until <= END_OF_TIME))
    throw invalid("A draft is deferred to a time that is still to come.");
  const record = {
    ...draft.record,
    deferredUntil: until,
    deferredWhy: reason && cutAt(reason, MOST_REASON),
  };
  const line = { ...lineOf(request, look), op: "defer", decision: "deferred" } as const;
  const changes = [
    recordChange(draftsFile, drafts, name, record),
    await auditChange(parts, [{ ...line, beforeHash: hash, afterHash: hash, reason }]),
  ];
  return { changes, answer: { name, outcome: "deferred", hash: ownHash(look) } };
}

const lineOf = ({ name, by }: DecisionRequest, { scan, draft }: Look) => ({
  actor: by,
  target: name,
  scanVerdict: scan.verdict,
  session: draft.record.session,
});

const ownHash = ({ live }: Pick<Look, "live">): string | null =>
  live?.isOwn === true ? live.hash : null;

/** What was decided about a draft that is not there any more. Throws where that was something else. */
async function decidedEarlier(parts: SkillParts, request: DecisionRequest): Promise<Decided> {
  const lines = await auditLines(parts, { target: request.name });
  const last = lines.find(({ op }) => op === "promote" || op === "reject");
  const isOfThis = last && draftHashOf(last) === request.hash;
  if (!isOfThis) return promotedAlready(parts, request);
  if (last.op === request.decision.kind) {
    const decided = await decidedBy(parts, request, last);
    if (decided) return decided;
  }
  throw new CarrelError(
    "conflict",
    `The draft "${request.name}" was ${last.decision} already, by ${last.actor}. Nothing is left to decide.`,
  );
}

/** For when the audit does not tell: a promotion was done when the skill is what it would make. Throws `not_found` otherwise. */
async function promotedAlready(
  parts: SkillParts,
  { name, hash, decision, live: from }: DecisionRequest,
): Promise<Decided> {
  const { entries } = await readRecords(parts.files, provenanceFile);
  const isPossible = decision.kind === "promote" && isDraftName(name) && entries.has(name);
  if (!isPossible) throw noDraft(name);
  const live = await readLive(parts, from ?? { directory: `skills/${name}` });
  if (ownHash({ live }) !== hash) throw noDraft(name);
  return { name, outcome: "promoted", hash };
}

/** The hash of the draft that a line is about. */
const draftHashOf = ({ op, decision, beforeHash, afterHash }: AuditLine): string | null =>
  op === "promote" && decision === "promoted" ? afterHash : beforeHash;

/** The answer that went with a line; `null` for a line that is of no decision. */
async function decidedBy(
  parts: SkillParts,
  { live }: DecisionRequest,
  { op, target: name, decision, afterHash }: Omit<AuditEntry, "matched">,
): Promise<Decided | null> {
  if (op === "promote")
    return { name, outcome: decision === "archived" ? "archived" : "promoted", hash: afterHash };
  if (op !== "reject" && op !== "defer") return null;
  const hash = ownHash({ live: await readLive(parts, live) });
  return { name, outcome: op === "reject" ? "rejected" : "deferred", hash };
}

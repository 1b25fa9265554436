import { CarrelError, notFound } from "../../shared/errors.ts";
import type { MoveRequest, SkillMove } from "../../shared/skills-api.ts";
import { auditChange, type AuditEntry } from "./audit.ts";
import { changeSkills, doneBefore, type Planned } from "./change-skills.ts";
import { notOwn, readLive, type LiveNow } from "./directory.ts";
import { planArchiving } from "./put-away.ts";
import { readRecords, recordChange } from "./record-file.ts";
import { planRestoring } from "./restore.ts";
import type { SkillParts } from "./skill-parts.ts";
import { unused, usageFile } from "./usage-records.ts";

/**
 * Archives, restores or pins a skill: see `SkillMove`. Gives the hash of the own skill of that name that shows then, of a
 * pinned one whosever it is; `null` where none does. One that was done before is answered the same. Throws `CarrelError`:
 * `not_found`, `conflict`.
 */
export async function moveSkill(parts: SkillParts, request: MoveRequest): Promise<string | null> {
  const doing = { by: request.by, op: `skill-move:${request.op}` };
  const done = await doneBefore(parts, doing);
  if (done?.line) return done.line.afterHash;
  const isTidying = request.move.kind === "archive";
  return changeSkills(parts, { ...doing, isTidying }, async () => {
    const live = await readLive(parts, request.live);
    switch (request.move.kind) {
      case "archive":
        return planArchive(parts, request, live);
      case "restore":
        return planRestoring(parts, request, request.move.archived ?? null, live);
      default:
        return planPin(parts, request, request.move.kind, live);
    }
  });
}

async function planArchive(
  parts: SkillParts,
  { name, by }: MoveRequest,
  live: LiveNow | null,
): Promise<Planned<string | null>> {
  if (!live) throw noSkill(name);
  if (!live.isOwn) throw new CarrelError("conflict", notOwn(name, live));
  const line = { beforeHash: live.hash, afterHash: null };
  const changes = [
    ...(await planArchiving(parts, name, live, `archived by ${by}`)),
    await auditChange(parts, [{ ...entryOf({ name, by }, "archive", "archived"), ...line }]),
  ];
  return { changes, answer: null };
}

async function planPin(
  parts: SkillParts,
  { name, by }: MoveRequest,
  op: Extract<SkillMove["kind"], "pin" | "unpin">,
  live: LiveNow | null,
): Promise<Planned<string | null>> {
  const usages = await readRecords(parts.files, usageFile);
  const used = usages.entries.get(name);
  if (!live && (op === "pin" || !used)) throw noSkill(name);
  const hash = live?.hash ?? null;
  const isPinned = op === "pin";
  const line = { beforeHash: hash, afterHash: hash };
  const changes = [
    recordChange(usageFile, usages, name, { ...(used ?? unused), pinned: isPinned }),
    await auditChange(parts, [{ ...entryOf({ name, by }, op, `${op}ned`), ...line }]),
  ];
  return { changes, answer: hash };
}

/** A line about a move, but for the hashes. */
const entryOf = (
  { name, by }: Pick<MoveRequest, "name" | "by">,
  op: AuditEntry["op"],
  decision: string,
): Omit<AuditEntry, "beforeHash" | "afterHash"> => ({
  actor: by,
  op,
  target: name,
  decision,
  scanVerdict: null,
  reason: null,
  session: null,
});

const noSkill = (name: string): CarrelError => notFound(`The skill ${JSON.stringify(name)}`);

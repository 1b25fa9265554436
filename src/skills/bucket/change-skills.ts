import { CarrelError } from "../../shared/errors.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import { auditedAt, type AuditEntry } from "./audit.ts";
import type { SkillParts } from "./skill-parts.ts";
import { usageFile } from "./usage-records.ts";

/** Who changes something, and the operation as the bucket's files know it. */
export type Doing = {
  readonly by: string;
  readonly op: string;
  /** As in `ChangeRequest`. */
  readonly isTidying?: boolean;
};

/** Changes as one request, and what is answered once they are made; without any there is nothing to do. */
export type Planned<Answer> = { readonly changes: readonly Change[]; readonly answer: Answer };

const TRIES = 3;

/**
 * Plans on what is there and makes the changes, all or none; when files have changed in between it plans anew, three times
 * at most. Throws what the plan throws, and what the last try threw.
 */
export async function changeSkills<Answer>(
  { files }: Pick<SkillParts, "files">,
  doing: Doing,
  plan: () => Promise<Planned<Answer>>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const { changes, answer } = await plan();
    if (changes.length === 0) return answer;
    try {
      await files.change({ ...doing, changes });
      return answer;
    } catch (error) {
      const isLate = error instanceof CarrelError && error.code === "conflict";
      if (!isLate || tries === TRIES) throw error;
    }
  }
}

/** `null`: it was not done. `line`: with which line of the audit it was done; `null` when that cannot be read any more. */
export async function doneBefore(
  parts: Pick<SkillParts, "files">,
  { by, op }: Doing,
): Promise<{ readonly line: AuditEntry | null } | null> {
  try {
    // What was done is answered; what was not meets a condition that never holds.
    const path = usageFile.path;
    const never: Change = { kind: "append", path, text: "", expect: "never" };
    const file = (await parts.files.change({ by, op, changes: [never] })).at(-1)?.file;
    return { line: file ? await auditedAt(parts, file) : null };
  } catch (error) {
    if (error instanceof CarrelError && error.code === "conflict") return null;
    throw error;
  }
}

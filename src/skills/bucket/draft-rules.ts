import { CarrelError } from "../../shared/errors.ts";
import type { ScanReport, Trust } from "../../shared/skill-facts.ts";
import { allows } from "../scan/trust.ts";
import { filesIn, type LiveNow } from "./directory.ts";
import type { Draft } from "./draft.ts";
import { DRAFTS, type DraftRecord } from "./draft-records.ts";
import type { Records } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";

/** What there is of a name: its draft, what is recorded of all drafts, and the skill that shows. */
export type DraftSituation = {
  readonly drafts: Records<DraftRecord>;
  readonly draft: Draft | null;
  readonly live: LiveNow | null;
};

/** Drafts of a bucket. */
const MOST_DRAFTS = 50;

/** Throws `CarrelError('forbidden')`, with what was found, for what this trust does not allow. */
export function assertAllowed(trust: Trust, { verdict, findings }: ScanReport): void {
  if (allows(trust, verdict)) return;
  const found = findings
    .filter((finding) => !allows(trust, finding.verdict))
    .slice(0, 3)
    .map(({ path, line, why }) => `${path}, line ${line}: ${why}`);
  throw new CarrelError(
    "forbidden",
    `The scan calls this ${verdict}, so it is not taken. ${found.join(" ")} Take that out and try again.`,
  );
}

/**
 * Throws `CarrelError`: `quota_exceeded` where a new draft would be one too many, `conflict` where another skill lies in the
 * directory that it is to take.
 */
export async function assertRoom(
  parts: SkillParts,
  { drafts, draft, live }: DraftSituation,
  { target }: Pick<DraftRecord, "target">,
): Promise<void> {
  if (draft) return;
  if ((await draftNames(parts, drafts)).length >= MOST_DRAFTS)
    throw new CarrelError(
      "quota_exceeded",
      `There are ${MOST_DRAFTS} drafts already. Decide about some of them, or delete some, first.`,
    );
  if (target === live?.directory || (await filesIn(parts, target)).length === 0) return;
  throw new CarrelError(
    "conflict",
    `"${target}" holds another skill. Choose another name, or rename that directory.`,
  );
}

/** The names of all drafts that there are, sorted: a record whose files were deleted is none. */
export async function draftNames(
  parts: Pick<SkillParts, "files">,
  { entries }: Records<DraftRecord>,
): Promise<readonly string[]> {
  const paths = (await filesIn(parts, DRAFTS)).map(({ path }) => path.slice(DRAFTS.length + 1));
  const names = paths.filter((path) => path.includes("/")).map((path) => path.split("/", 1)[0]);
  const archiving = [...entries].flatMap(([name, { action }]) =>
    action === "archive" ? [name] : [],
  );
  return [...new Set([...names.flatMap((name) => name ?? []), ...archiving])].toSorted();
}

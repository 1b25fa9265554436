import type { Change } from "../../../shared/workspace-changes.ts";
import { isoOf } from "../record-file.ts";
import type { SkillParts } from "../skill-parts.ts";
import { ownFiles } from "./standing.ts";

/** Where reports lie, each in a directory of its time. */
export const REPORTS = "skills/.curator_reports";

const MOST_REPORTS = 20;
const REPORT = /^skills\/\.curator_reports\/\d{8}-\d{6}(?:-[1-9]\d{0,5})?$/;

/** The file in the directory of a report; `null` for what is no such directory. */
export const reportPath = (report: string): string | null =>
  REPORT.test(report) ? `${report}/REPORT.md` : null;

/** Where a report of now goes: `20261201-093000`, with `-2`, `-3` and so on where that is taken. And what has to go for it, the oldest first. */
export async function placeReport({ files, clock }: Pick<SkillParts, "files" | "clock">): Promise<{
  readonly report: string;
  readonly surplus: readonly Change[];
}> {
  const found = await ownFiles({ files }, REPORTS);
  const taken = new Set(found.map(({ path }) => path.split("/", 3).join("/")));
  const digits = isoOf(clock.now()).replace(/\D/g, "");
  const first = `${REPORTS}/${digits.slice(0, 8)}-${digits.slice(8, 14)}`;
  let report = first;
  for (let no = 2; taken.has(report); no++) report = `${first}-${no}`;
  const old = [...taken].filter((one) => REPORT.test(one)).toSorted();
  const over = Math.max(0, old.length + 1 - MOST_REPORTS);
  return { report, surplus: old.slice(0, over).map((path) => ({ kind: "delete", path })) };
}

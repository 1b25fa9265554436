import type { Change } from "../../shared/workspace-changes.ts";
import { archiveChanges } from "./archive-changes.ts";
import type { LiveNow } from "./directory.ts";
import { provenanceFile } from "./provenance-records.ts";
import { readRecords, recordChange } from "./record-file.ts";
import type { SkillParts } from "./skill-parts.ts";
import { unused, usageFile } from "./usage-records.ts";

/** Changes that archive an own skill, and note that in all records but the audit. */
export async function planArchiving(
  parts: SkillParts,
  name: string,
  live: LiveNow,
  why: string,
): Promise<readonly Change[]> {
  const provenances = await readRecords(parts.files, provenanceFile);
  const usages = await readRecords(parts.files, usageFile);
  const provenance = provenances.entries.get(name) ?? null;
  const used = usages.entries.get(name) ?? unused;
  const archivedAt = parts.clock.now();
  const { hash } = live;
  const put = { name, was: "skill", why, hash, provenance, draft: null, files: live } as const;
  return [
    ...(await archiveChanges(parts, [put])),
    ...(provenance ? [recordChange(provenanceFile, provenances, name, null)] : []),
    recordChange(usageFile, usages, name, { ...used, state: "archived", archivedAt }),
  ];
}

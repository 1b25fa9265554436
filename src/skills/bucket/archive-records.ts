import * as z from "zod";
import type { ArchivedSkill } from "../../shared/skills-api.ts";
import { draftEntry, renderDraft, type DraftRecord } from "./draft-records.ts";
import { provenanceEntry, renderProvenance } from "./provenance-records.ts";
import { instant, isoOf, type RecordFile } from "./record-file.ts";

/** Where skills and drafts lie that were put away. */
export const ARCHIVE = "skills/.archive";

/** What is known of something that was put away, and what it needs to come back. */
export type ArchiveRecord = Omit<ArchivedSkill, "directory"> & {
  /** The directory that it was in. */
  readonly from: string;
  /** Of a draft. */
  readonly draft: DraftRecord | null;
};

/** What was put away, by its name in `.archive/`. */
export const archiveFile: RecordFile<ArchiveRecord> = {
  path: "skills/.archive.json",
  entry: z.object({
    name: z.string(),
    at: instant,
    was: z.enum(["skill", "draft"]),
    why: z.string(),
    hash: z.string(),
    provenance: provenanceEntry.nullable().default(null),
    from: z.string(),
    draft: draftEntry.nullable().default(null),
  }),
  render: ({ at, provenance, draft, ...entry }) => ({
    ...entry,
    at: isoOf(at),
    provenance: provenance && renderProvenance(provenance),
    draft: draft && renderDraft(draft),
  }),
};

/** `pdf-20261201093000`; with `-2`, `-3` and so on where that is taken. What no directory should be called is left out of the name. */
export function archiveName(name: string, at: number, taken: ReadonlySet<string>): string {
  const safe = name
    .slice(0, 64)
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "");
  const stamp = isoOf(at).replace(/\D/g, "").slice(0, 14);
  const first = `${safe || "skill"}-${stamp}`;
  for (let no = 2, free = first; ; no++) {
    if (!taken.has(free)) return free;
    free = `${first}-${no}`;
  }
}

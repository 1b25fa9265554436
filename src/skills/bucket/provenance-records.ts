import * as z from "zod";
import type { SkillProvenance } from "../../shared/skill-facts.ts";
import { instant, isoOf, type RecordFile } from "./record-file.ts";

/** Where a skill comes from, as records have it. */
export const provenanceEntry: z.ZodType<SkillProvenance> = z
  .object({
    created_by: z.enum(["agent", "person"]),
    created_at: instant,
    promoted_at: instant,
    promoted_by: z.string(),
    source_session_id: z.string().nullable().default(null),
    hash: z.string(),
    head: z.string().nullable().default(null),
    environments: z.array(z.string()).default([]),
  })
  .transform((said) => ({
    createdBy: said.created_by,
    createdAt: said.created_at,
    promotedAt: said.promoted_at,
    promotedBy: said.promoted_by,
    sourceSession: said.source_session_id,
    hash: said.hash,
    head: said.head,
    environments: said.environments,
  }));

/** The same as it is written down. */
export const renderProvenance = (from: SkillProvenance): object => ({
  created_by: from.createdBy,
  created_at: isoOf(from.createdAt),
  promoted_at: isoOf(from.promotedAt),
  promoted_by: from.promotedBy,
  source_session_id: from.sourceSession,
  hash: from.hash,
  head: from.head,
  environments: from.environments,
});

/** Where promoted skills come from, by canonical name. */
export const provenanceFile: RecordFile<SkillProvenance> = {
  path: "skills/.provenance.json",
  entry: provenanceEntry,
  render: renderProvenance,
};

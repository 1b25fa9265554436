import * as z from "zod";
import type { DraftSummary } from "../../shared/skill-drafts.ts";
import { instant, isoOf, isoOrNull, type RecordFile } from "./record-file.ts";

/** Where drafts lie, each in a directory of its name. */
export const DRAFTS = "skills/_drafts";

/** Where the files of a draft lie. */
export const draftDirectory = (name: string): string => `${DRAFTS}/${name}`;

/** What is known of a draft beside its files. */
export type DraftRecord = Omit<
  DraftSummary,
  "name" | "hash" | "description" | "verdict" | "files" | "bytes"
> & {
  /** Of the skill that is to be archived; of any other draft its own SKILL.md says it. */
  readonly description: string | null;
};

/** A draft's record, as record files have it. */
export const draftEntry: z.ZodType<DraftRecord> = z
  .object({
    action: z.enum(["publish", "archive"]),
    absorbed_into: z.string().nullable().default(null),
    base: z.string().nullable(),
    target: z.string(),
    origin: z.enum(["agent", "upload"]),
    trust: z.enum(["builtin", "trusted", "agent", "community"]),
    created_at: instant,
    changed_at: instant,
    by: z.string(),
    session: z.string().nullable().default(null),
    deferred_until: instant.nullable().default(null),
    deferred_why: z.string().nullable().default(null),
    description: z.string().nullable().default(null),
  })
  .transform((said) => ({
    action: said.action,
    absorbedInto: said.absorbed_into,
    base: said.base,
    target: said.target,
    origin: said.origin,
    trust: said.trust,
    createdAt: said.created_at,
    changedAt: said.changed_at,
    by: said.by,
    session: said.session,
    deferredUntil: said.deferred_until,
    deferredWhy: said.deferred_why,
    description: said.description,
  }));

/** The same as it is written down. */
export const renderDraft = (draft: DraftRecord): object => ({
  action: draft.action,
  absorbed_into: draft.absorbedInto,
  base: draft.base,
  target: draft.target,
  origin: draft.origin,
  trust: draft.trust,
  created_at: isoOf(draft.createdAt),
  changed_at: isoOf(draft.changedAt),
  by: draft.by,
  session: draft.session,
  deferred_until: isoOrNull(draft.deferredUntil),
  deferred_why: draft.deferredWhy,
  description: draft.description,
});

/** What is known of drafts, by name. */
export const draftsFile: RecordFile<DraftRecord> = {
  path: "skills/.drafts.json",
  entry: draftEntry,
  render: renderDraft,
};

import * as z from "zod";
import { CarrelError } from "../../../shared/errors.ts";
import type { CuratorRun, CuratorState } from "../../../shared/skill-upkeep.ts";
import type { Change } from "../../../shared/workspace-changes.ts";
import { instant, isoOf, isoOrNull } from "../record-file.ts";
import type { SkillParts } from "../skill-parts.ts";

/** Where the curator writes down what it did last. */
export const CURATOR_STATE = "skills/.curator_state.json";

/** What the file says. `last`: the last run, with the operation that asked for it. `etag` is to be sent back as `expect`. */
export type StoredState = CuratorState & {
  readonly last: { readonly op: string; readonly run: CuratorRun } | null;
  readonly etag: string;
};

const skillState = z.enum(["draft", "active", "stale", "archived"]);

const Run: z.ZodType<CuratorRun> = z
  .object({
    state: z.enum(["early", "reported", "done"]),
    transitions: z.array(
      z.object({
        name: z.string(),
        from: skillState,
        to: skillState,
        why: z.string(),
        hash: z.string().nullable(),
      }),
    ),
    clusters: z.array(
      z.object({
        prefix: z.string(),
        names: z.array(z.string()),
        descriptions: z.array(z.string()),
      }),
    ),
    report: z.string().nullable(),
    look_at: instant.nullable(),
  })
  .transform(({ look_at: lookAt, ...run }) => ({ ...run, lookAt }));

const State = z.object({
  seeded_at: instant.nullable(),
  last_run_at: instant.nullable(),
  run_count: z.int().min(0),
  last_run_summary: z.string().nullable().default(null),
  last_report_path: z.string().nullable().default(null),
  last_op: z.string().nullable().default(null),
  last_run: Run.nullable().default(null),
});

/** Nobody has asked the curator yet. */
const untouched: StoredState = {
  seededAt: null,
  lastRunAt: null,
  runs: 0,
  lastSummary: null,
  lastReport: null,
  last: null,
  etag: "absent",
};

/** Throws `CarrelError('invalid')`, which names the file, for one that cannot be read: it never counts as untouched. */
export async function readState({ files }: Pick<SkillParts, "files">): Promise<StoredState> {
  const [found] = (await files.readMany({ paths: [CURATOR_STATE], layer: "own" })).files;
  if (!found) return untouched;
  const said = State.safeParse("text" in found.content ? jsonIn(found.content.text) : null).data;
  if (!said)
    throw new CarrelError(
      "invalid",
      `"${CURATOR_STATE}" cannot be read: it is not what the curator writes. Mend the file, or delete it to begin anew.`,
    );
  const { last_op: op, last_run: run } = said;
  return {
    seededAt: said.seeded_at,
    lastRunAt: said.last_run_at,
    runs: said.run_count,
    lastSummary: said.last_run_summary,
    lastReport: said.last_report_path,
    last: op === null || run === null ? null : { op, run },
    etag: found.file.etag,
  };
}

/** Puts that in the place of what was read; refused when the file has changed since. */
export function stateChange({ last, etag, ...state }: StoredState): Change {
  const { lookAt, ...run } = last?.run ?? { lookAt: null };
  const said = {
    seeded_at: isoOrNull(state.seededAt),
    last_run_at: isoOrNull(state.lastRunAt),
    run_count: state.runs,
    last_run_summary: state.lastSummary,
    last_report_path: state.lastReport,
    last_op: last?.op ?? null,
    last_run: last && { ...run, look_at: lookAt === null ? null : isoOf(lookAt) },
  };
  const text = `${JSON.stringify(said, null, 2)}\n`;
  return { kind: "write", path: CURATOR_STATE, content: { text }, expect: etag };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return null;
  }
}

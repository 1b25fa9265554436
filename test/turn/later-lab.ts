import type { Capability, LaterScope } from "../../src/turn/capability.ts";
import type { SessionLab } from "./session-lab.ts";

/** A capability with work of its own that does what `work` says. Its calls: when, up to where, and what was noted. */
export function laterWork(
  work: (scope: LaterScope, no: number) => Promise<number | null>,
  name = "later",
) {
  const calls: { readonly at: number; readonly ended: number; readonly scope: LaterScope }[] = [];
  const later: Capability = {
    name,
    later(scope) {
      calls.push({ at: scope.now(), ended: scope.ended, scope });
      return work(scope, calls.length);
    },
  };
  return { calls, later };
}

export const nothing = (): Promise<null> => Promise.resolve(null);

/** What a capability has noted. */
export function noted(lab: SessionLab, capability = "later"): unknown {
  const [row] = lab.sql.all<{ body: string }>(
    "SELECT body FROM state WHERE name = ?",
    `notes:${capability}`,
  );
  return row ? (JSON.parse(row.body) as unknown) : null;
}

export const jobs = (lab: SessionLab): string[] =>
  lab.sql.all<{ id: string }>("SELECT id FROM job ORDER BY id").map(({ id }) => id);

/** Seq of the newest end in the journal. */
export const lastEnd = (lab: SessionLab): number =>
  lab.entries().findLast(({ kind }) => kind === "end")?.seq ?? 0;

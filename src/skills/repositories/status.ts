import type { ScanFinding, Trust, Verdict } from "../../shared/skill-facts.ts";
import type { RepositoryIndex } from "./index-file.ts";
import type { SkillRepository } from "./repository.ts";

/** How a repository does, for people. Times are in milliseconds. */
export type RepositoryStatus = {
  readonly label: string;
  readonly trust: Trust;
  /** `pending`: nobody has asked it yet. `failing`: what is there is as old as `ageMs`; that may be nothing. */
  readonly state: "pending" | "ok" | "failing" | "unreadable";
  readonly revision: string | null;
  /** When what is there was fetched; `null`: it never was. */
  readonly fetchedAt: number | null;
  /** When it said last that this is what it has. */
  readonly checkedAt: number | null;
  /** Since `checkedAt`. */
  readonly ageMs: number | null;
  readonly failure: RepositoryIndex["failure"];
  /** What was left out, and why, in words. */
  readonly problems: readonly string[];
  /** How many can be used. */
  readonly skills: number;
  readonly quarantined: readonly {
    readonly name: string;
    readonly verdict: Verdict;
    readonly why: string;
    readonly findings: readonly ScanFinding[];
  }[];
};

type Known = { readonly index: RepositoryIndex | null; readonly isBroken: boolean };

/** How a repository does, by what is kept of it. */
export function statusOf(
  { label, trust }: Pick<SkillRepository, "label" | "trust">,
  { index, isBroken }: Known,
  now: number,
): RepositoryStatus {
  const skills = index?.skills ?? [];
  const checkedAt = index?.checkedAt ?? null;
  return {
    label,
    trust,
    state: stateOf(index, isBroken),
    revision: index?.revision ?? null,
    fetchedAt: index?.at ?? null,
    checkedAt,
    ageMs: checkedAt === null ? null : Math.max(0, now - checkedAt),
    failure: index?.failure ?? null,
    problems: index?.problems ?? [],
    skills: skills.filter(({ quarantined }) => quarantined === null).length,
    quarantined: skills.flatMap(({ name, verdict, quarantined: why, findings }) =>
      why === null ? [] : [{ name, verdict, why, findings }],
    ),
  };
}

function stateOf(index: RepositoryIndex | null, isBroken: boolean): RepositoryStatus["state"] {
  if (isBroken) return "unreadable";
  if (!index) return "pending";
  return index.failure ? "failing" : "ok";
}

import type { Candidate, CandidateFile } from "./skill-drafts.ts";
import type { SkillProvenance, Verdict } from "./skill-facts.ts";
import type { ArchivedSkill } from "./skills-api.ts";

/** A skill as `GET …/skills` lists it. Times are in milliseconds. */
export type SkillView = {
  readonly name: string;
  readonly id: string;
  readonly description: string;
  /** `own`, `shared`, `template`, or the label of a repository. */
  readonly source: string;
  readonly isRepository: boolean;
  readonly directory: string;
  readonly warnings: readonly string[];
  /** `null`: a person made it, or it is of another layer. */
  readonly provenance: SkillProvenance | null;
  readonly state: "active" | "stale";
  readonly pinned: boolean;
  readonly usage: {
    readonly useCount: number;
    readonly viewCount: number;
    readonly lastUsedAt: number | null;
    readonly lastViewedAt: number | null;
  };
};

/** What is left out of the catalogue, and why. */
export type LeftOutView = {
  readonly what: string;
  readonly name: string | null;
  readonly kind: "bad" | "hidden" | "filtered" | "quarantined" | "unreachable" | "pending";
  readonly why: string;
};

/** What there is of a repository. `ageMs`: how old what is shown is; `null`: it never answered. */
export type RepositoryView = {
  readonly label: string;
  readonly trust: string;
  readonly revision: string | null;
  readonly ageMs: number | null;
  readonly skills: number;
  readonly failure: { readonly at: number; readonly why: string; readonly times: number } | null;
  readonly problems: readonly string[];
  readonly quarantined: readonly {
    readonly name: string;
    readonly verdict: Verdict;
    readonly why: string;
  }[];
};

export type SkillsView = {
  readonly skills: readonly SkillView[];
  /** How many wait for a decision. */
  readonly drafts: number;
  readonly archived: readonly ArchivedSkill[];
  readonly leftOut: readonly LeftOutView[];
  readonly repositories: readonly RepositoryView[];
  /** Records and drafts that cannot be read, in words. */
  readonly problems: readonly string[];
};

/** A line of a diff, without its ending. */
export type DiffLine = { readonly kind: "same" | "added" | "removed"; readonly text: string };

/** Lines around a change; both beginnings count from 1. */
export type DiffHunk = {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly DiffLine[];
};

/** A candidate with what would change in each file; `diff` `null`: there is nothing to compare, or too much is different. */
export type CandidateView = Omit<Candidate, "files"> & {
  readonly files: readonly (CandidateFile & { readonly diff: readonly DiffHunk[] | null })[];
};

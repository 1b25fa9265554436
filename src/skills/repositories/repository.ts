import type { Fetch } from "../../shared/guarded-fetch.ts";
import type { SkillFile, Trust } from "../../shared/skill-facts.ts";

/** A skill as a repository has it: one directory with its files. */
export type FetchedSkill = {
  /** What the repository calls its directory: it becomes the name where SKILL.md has none. */
  readonly directory: string;
  readonly files: readonly SkillFile[];
};

/** What a repository may bring; what is beyond is left out and said. */
export type RepositoryLimits = {
  readonly skills: number;
  readonly filesPerSkill: number;
  readonly fileBytes: number;
  readonly skillBytes: number;
  readonly totalBytes: number;
};

export const repositoryLimits: RepositoryLimits = {
  skills: 200,
  filesPerSkill: 300,
  fileBytes: 5 * 1024 * 1024,
  skillBytes: 10 * 1024 * 1024,
  totalBytes: 20 * 1024 * 1024,
};

/** What a repository works with, given by the deployment. */
export type FetchParts = {
  /** Refuses the operator's own network, apart from the repository's origin. */
  readonly fetch: Fetch;
  /** A binding or variable of the deployment by its name; `undefined`: there is none. */
  readonly binding: (name: string) => unknown;
  readonly limits: RepositoryLimits;
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
};

/** `revision` names what was fetched: the same for the same content. `problems`: what was left out, and why, in words. */
export type Fetched = {
  readonly revision: string;
  readonly skills: readonly FetchedSkill[];
  readonly problems: readonly string[];
};

/**
 * A place that skills come from, beside the workspace. The agent never writes there. Made by `bundledSkills`, `httpSkills`,
 * `gitSkills` or `sqlSkills`; one of your own has to keep what the contract suite asks.
 */
export interface SkillRepository {
  /** Part of the ids of its skills: lower-case letters, digits, `.` and `-`, a letter or digit first, at most 64. */
  readonly label: string;
  /** Default `community`. */
  readonly trust: Trust;
  /** All that decides what it fetches: another one is staged apart. Holds no secret. */
  readonly key: string;
  /** Origins that may be private, as the operator named them. */
  readonly origins: readonly string[];
  /** The revision that `take` would give now, where that is known without asking: another one is taken at once. */
  readonly revision?: string;
  /**
   * All of its skills now; `unchanged` when `known` is their revision. Throws `CarrelError` with words that can be shown, or
   * anything else, which is logged; then what was fetched before stays.
   */
  take(known: string | null, parts: FetchParts): Promise<Fetched | "unchanged">;
}

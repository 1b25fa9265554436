import type { Content } from "./workspace-files.ts";

/** One file of a skill; `path` is relative to its directory: `SKILL.md`, `scripts/run.py`. */
export type SkillFile = {
  readonly path: string;
  readonly content: Content;
  readonly executable: boolean;
};

/** `safe`: nothing was found. `caution`: look at it. `dangerous`: a person has to be sure. */
export type Verdict = "safe" | "caution" | "dangerous";

/** What the scanner looks for, by AgentScope's names. */
export type ScanCategory =
  | "exfiltration"
  | "injection"
  | "destructive"
  | "persistence"
  | "network"
  | "obfuscation";

export type ScanFinding = {
  readonly rule: string;
  readonly category: ScanCategory;
  readonly verdict: Exclude<Verdict, "safe">;
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** The place, on one line, at most 200 characters. */
  readonly excerpt: string;
  /** What it is about, as a sentence. */
  readonly why: string;
};

/** The worst verdict of the findings; at most 100 of them are listed. */
export type ScanReport = {
  readonly verdict: Verdict;
  readonly findings: readonly ScanFinding[];
};

/**
 * How far whoever wrote a skill is trusted. `builtin`: all of it may be seen. `trusted`, `agent`: all but what is
 * dangerous. `community`: only what is safe.
 */
export type Trust = "builtin" | "trusted" | "agent" | "community";

/** Of a skill in the bucket: not reviewed yet, in use, long unused, or put away. */
export type SkillState = "draft" | "active" | "stale" | "archived";

/** How a skill was used in this bucket, whichever layer it is from. Times are in milliseconds. */
export type SkillUsage = {
  readonly state: Exclude<SkillState, "draft">;
  readonly pinned: boolean;
  /** How often its SKILL.md was loaded, and how often another file of it. */
  readonly useCount: number;
  readonly viewCount: number;
  readonly lastUsedAt: number | null;
  readonly lastViewedAt: number | null;
  readonly archivedAt: number | null;
};

/** Where an own skill comes from. A skill without one was made by a person. */
export type SkillProvenance = {
  readonly createdBy: "agent" | "person";
  readonly createdAt: number;
  /** When it was promoted the last time, and by whom. */
  readonly promotedAt: number;
  readonly promotedBy: string;
  readonly sourceSession: string | null;
  /** Of the files that were promoted: what has another one by now, a person has changed since. */
  readonly hash: string;
  /** The same of the head of its SKILL.md alone, short: a list knows no more of a skill. `null`: it is not known. */
  readonly head: string | null;
  /** Where it is to be seen; none: everywhere. */
  readonly environments: readonly string[];
};

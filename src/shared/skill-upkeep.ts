import type { SkillState, Verdict } from "./skill-facts.ts";

export type CuratorOptions = {
  readonly intervalMs: number;
  readonly staleAfterMs: number;
  readonly archiveAfterMs: number;
  /** A draft that was not changed for so long is put away. */
  readonly draftExpiresMs: number;
};

export type CuratorState = {
  /** When the first run was put off; `null`: it never was asked. */
  readonly seededAt: number | null;
  readonly lastRunAt: number | null;
  readonly runs: number;
  readonly lastSummary: string | null;
  /** Its directory. */
  readonly lastReport: string | null;
};

export type CuratorRequest = {
  readonly options: CuratorOptions;
  /** Only says what a run would do now, whatever ran before. */
  readonly dry: boolean;
  /** Also before its time; a first run only reports all the same. */
  readonly now: boolean;
  readonly by: string;
  readonly op: string;
};

/** What the curator does to a skill or a draft. */
export type Transition = {
  readonly name: string;
  readonly from: SkillState;
  readonly to: SkillState;
  /** As a sentence. */
  readonly why: string;
  readonly hash: string | null;
};

/** Skills whose names begin alike: what a person may want to make one of. */
export type SkillCluster = {
  readonly prefix: string;
  readonly names: readonly string[];
  /** In the order of the names, on one line each, at most 200 characters. */
  readonly descriptions: readonly string[];
};

/**
 * `early`: nothing was done, not before its time or since there is nothing to curate. `reported`: the first run, or a dry
 * one: it says what it would do. `lookAt`: when there will be something to do (ms); `null`: nothing that is known.
 */
export type CuratorRun = {
  readonly state: "early" | "reported" | "done";
  readonly transitions: readonly Transition[];
  /** At most 20, with at most 20 names each. */
  readonly clusters: readonly SkillCluster[];
  /** The directory of its report; `null`: none was written. */
  readonly report: string | null;
  readonly lookAt: number | null;
};

/** What happened to a skill or draft, as a line of `skills/.audit/`. `beforeHash` and `afterHash` are of all its files; `null`: there were none. */
export type AuditLine = {
  readonly ts: string;
  readonly actor: string;
  readonly op:
    | "propose"
    | "promote"
    | "reject"
    | "defer"
    | "archive"
    | "restore"
    | "pin"
    | "unpin"
    | "curate";
  readonly target: string;
  readonly decision: string;
  readonly scanVerdict: Verdict | null;
  readonly beforeHash: string | null;
  readonly afterHash: string | null;
  readonly reason: string | null;
  readonly session: string | null;
};

/** `from` and `to` are days (UTC), both included; default: the last 30. At most 1,000 lines, the newest first. */
export type AuditRequest = {
  readonly from?: string;
  readonly to?: string;
  readonly target?: string;
  readonly actor?: string;
  readonly op?: string;
  readonly limit?: number;
};

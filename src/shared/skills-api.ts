import type { Failure } from "./errors.ts";
import type {
  Candidate,
  Decided,
  DecisionRequest,
  DraftChanged,
  DraftRequest,
  DraftSummary,
  LiveSkill,
} from "./skill-drafts.ts";
import type { SkillFile, SkillProvenance, SkillUsage } from "./skill-facts.ts";
import type {
  AuditLine,
  AuditRequest,
  CuratorRequest,
  CuratorRun,
  CuratorState,
} from "./skill-upkeep.ts";

/** What a person does to an own skill, or to how it is kept. */
export type SkillMove =
  | { readonly kind: "archive" }
  /** `archived`: its directory, as `archived` lists it; default: the newest of that name. */
  | { readonly kind: "restore"; readonly archived?: string }
  | { readonly kind: "pin" }
  | { readonly kind: "unpin" };

export type MoveRequest = {
  readonly name: string;
  readonly move: SkillMove;
  readonly live: LiveSkill | null;
  readonly by: string;
  readonly op: string;
};

/** A skill that was put away. `directory`: `skills/.archive/pdf-20261201093000`. */
export type ArchivedSkill = {
  readonly name: string;
  readonly directory: string;
  readonly at: number;
  /** A draft that was rejected, given up or had expired is here, too. */
  readonly was: "skill" | "draft";
  readonly why: string;
  readonly hash: string;
  /** What it had when it was live, and gets again. */
  readonly provenance: SkillProvenance | null;
};

/** All that a bucket knows of skills beside their files. */
export type SkillRecords = {
  readonly usage: readonly (SkillUsage & { readonly name: string })[];
  readonly provenance: readonly (SkillProvenance & { readonly name: string })[];
  readonly drafts: readonly DraftSummary[];
  /** The newest first. */
  readonly archived: readonly ArchivedSkill[];
  readonly curator: CuratorState;
  /** What cannot be read, in words; all that depends on it is missing here. */
  readonly problems: readonly string[];
};

export type LoadRequest = {
  /** The canonical name: what use is counted under. */
  readonly name: string;
  readonly directory: string;
  /** Relative to the directory. */
  readonly path: string;
  readonly op: string;
};

/** `file` `null`: there is no such file. `paths`: all that the skill has, SKILL.md first. */
export type LoadAnswer = {
  readonly file: (SkillFile & { readonly size: number }) | null;
  readonly paths: readonly string[];
};

type Answer<Result> = Promise<({ readonly ok: true } & Result) | Failure>;

/** What the object of a bucket answers to about its skills, over RPC. Every method may be repeated; expected failures are data. */
export interface SkillsApi {
  /** A file of a skill, for the agent: that it was loaded is counted, once an operation. */
  loadSkill(bucket: string, request: LoadRequest): Answer<{ readonly loaded: LoadAnswer }>;
  changeDraft(bucket: string, request: DraftRequest): Answer<{ readonly changed: DraftChanged }>;
  /** Throws `not_found`. */
  candidate(
    bucket: string,
    name: string,
    live: LiveSkill | null,
  ): Answer<{ readonly candidate: Candidate }>;
  decideDraft(bucket: string, request: DecisionRequest): Answer<{ readonly decided: Decided }>;
  moveSkill(bucket: string, request: MoveRequest): Answer<{ readonly hash: string | null }>;
  skillRecords(bucket: string): Answer<{ readonly records: SkillRecords }>;
  skillAudit(
    bucket: string,
    request: AuditRequest,
  ): Answer<{ readonly lines: readonly AuditLine[] }>;
  curate(bucket: string, request: CuratorRequest): Answer<{ readonly run: CuratorRun }>;
  /** Adds to the report of a run what a model suggests; a report that has such a part stays as it is. */
  noteSuggestions(bucket: string, report: string, text: string): Answer<object>;
}

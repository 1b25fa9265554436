import type { Failure } from "./session-api.ts";
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
  /** Where it is to be seen; none: everywhere. */
  readonly environments: readonly string[];
};

/** What is to become of a draft that is promoted: its files become the skill, or the skill is archived. */
export type DraftAction = "publish" | "archive";

/** A draft, without its files. Times are in milliseconds. */
export type DraftSummary = {
  readonly name: string;
  readonly action: DraftAction;
  /** The skill into which the agent has taken what it wants to archive; `null`: into none. */
  readonly absorbedInto: string | null;
  /** Of all its files: what a decision is bound to. */
  readonly hash: string;
  /** The hash of the skill that it is a new version of; `null`: it is a new skill. */
  readonly base: string | null;
  /** Whose directory it is to take: `skills/pdf`. */
  readonly target: string;
  readonly origin: "agent" | "upload";
  readonly trust: Trust;
  readonly createdAt: number;
  readonly changedAt: number;
  /** Who changed it last, as `FileInfo.by` shows it, and in which session. */
  readonly by: string;
  readonly session: string | null;
  /** Not to be asked about before this time; `null`: at once. */
  readonly deferredUntil: number | null;
  readonly deferredWhy: string | null;
  readonly description: string;
  readonly verdict: Verdict;
  readonly files: number;
  readonly bytes: number;
};

export type CandidateFile = {
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  readonly executable: boolean;
  /** All of it; `null` when it is not text. */
  readonly text: string | null;
  /** The same file as it is now in the skill that would be replaced; `null`: it has none. */
  readonly live: {
    readonly sha256: string;
    readonly size: number;
    readonly executable: boolean;
    readonly text: string | null;
  } | null;
};

/** All that a person has to see before a decision. */
export type Candidate = {
  readonly draft: DraftSummary;
  readonly files: readonly CandidateFile[];
  /** Files of the skill that would be gone. */
  readonly removed: readonly Omit<CandidateFile, "live">[];
  readonly scan: ScanReport;
  /** Why it cannot be promoted as it is; `null`: it can. */
  readonly conflict: string | null;
  readonly usage: SkillUsage | null;
};

/**
 * The skill of a name as the catalogue of whoever asks has it: its directory in the workspace, whichever layer that is of.
 * From our own code, never from a model.
 */
export type LiveSkill = { readonly directory: string };

/** What a draft is changed by. All of it or nothing; a draft that the trust of its origin does not allow is refused. */
export type DraftChange =
  /** A whole skill. Throws `conflict` when there is one of this name, or a draft; `over` puts it in the place of either. */
  | { readonly kind: "create"; readonly files: readonly SkillFile[]; readonly over?: boolean }
  /** Replaces SKILL.md. This and the rest begin a draft from the live skill where there is none. */
  | { readonly kind: "edit"; readonly text: string }
  | {
      readonly kind: "patch";
      /** Default SKILL.md. */
      readonly path?: string;
      readonly oldText: string;
      readonly newText: string;
      readonly replaceAll: boolean;
    }
  | { readonly kind: "write"; readonly file: SkillFile }
  | { readonly kind: "remove"; readonly path: string }
  /** A draft of a new skill is put away; of a live skill the draft says that it is to be archived. */
  | { readonly kind: "delete"; readonly absorbedInto: string | null };

export type DraftRequest = {
  readonly name: string;
  readonly change: DraftChange;
  readonly live: LiveSkill | null;
  readonly origin: DraftSummary["origin"];
  readonly trust: Trust;
  readonly by: string;
  readonly session: string | null;
  /** Done once, however often it is asked. */
  readonly op: string;
};

/** `draft` `null`: it was put away. `matched`: by which step of the ladder a patch found its place. */
export type DraftChanged = {
  readonly draft: DraftSummary | null;
  readonly matched?: "exact" | "trailing whitespace ignored" | "whitespace collapsed";
  readonly scan: ScanReport;
};

export type Decision =
  | { readonly kind: "promote"; readonly environments: readonly string[] }
  | { readonly kind: "reject"; readonly reason: string }
  | { readonly kind: "defer"; readonly until: number; readonly reason: string | null };

/** `hash`: what was looked at. Throws `conflict` when the draft, or the skill that it is of, is another one by now. */
export type DecisionRequest = {
  readonly name: string;
  readonly hash: string;
  readonly decision: Decision;
  readonly live: LiveSkill | null;
  /** `user:ann`, or `gate:<name>`: a gate never promotes what the agent wrote. */
  readonly by: string;
  readonly op: string;
};

export type Decided = {
  readonly name: string;
  readonly outcome: "promoted" | "archived" | "rejected" | "deferred";
  /** Of the skill that shows now; `null`: none of the own ones. */
  readonly hash: string | null;
};

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

/** `early`: not before `nextAt`. `reported`: nothing was done. `lookAt`: when there will be something to do (ms); `null`: nothing that is known. */
export type CuratorRun = {
  readonly state: "early" | "reported" | "done";
  readonly transitions: readonly Transition[];
  /** Skills whose names begin alike: what a person may want to make one of. */
  readonly clusters: readonly { readonly prefix: string; readonly names: readonly string[] }[];
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

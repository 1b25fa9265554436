import type { ScanReport, SkillFile, SkillUsage, Trust, Verdict } from "./skill-facts.ts";

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

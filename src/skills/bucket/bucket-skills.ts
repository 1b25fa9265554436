import type { Clock } from "../../shared/clock.ts";
import type { Log } from "../../shared/log.ts";
import type {
  AuditLine,
  AuditRequest,
  Candidate,
  CuratorRequest,
  CuratorRun,
  Decided,
  DecisionRequest,
  DraftChanged,
  DraftRequest,
  LiveSkill,
  LoadAnswer,
  LoadRequest,
  MoveRequest,
  SkillRecords,
} from "../../shared/skills-api.ts";
import type { WorkspaceBucket } from "../../workspace/bucket.ts";

/** What the skills of a bucket are made of. `files` is their only store: no row of theirs is elsewhere. */
export type SkillParts = {
  readonly files: Pick<WorkspaceBucket, "tree" | "read" | "readMany" | "change" | "assertThere">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
};

/**
 * The skills of one bucket, over its files. Methods are those of `SkillsApi`; expected failures are thrown as
 * `CarrelError`, among them `gone` once the bucket is erased. What changes something is done one after the other.
 */
export class BucketSkills {
  readonly #parts: SkillParts;
  #line: Promise<unknown> = Promise.resolve();

  constructor(parts: SkillParts) {
    this.#parts = parts;
  }

  async load(_request: LoadRequest): Promise<LoadAnswer> {
    throw new Error("to come");
  }

  async changeDraft(_request: DraftRequest): Promise<DraftChanged> {
    throw new Error("to come");
  }

  async candidate(_name: string, _live: LiveSkill | null): Promise<Candidate> {
    throw new Error("to come");
  }

  async decide(_request: DecisionRequest): Promise<Decided> {
    throw new Error("to come");
  }

  async move(_request: MoveRequest): Promise<string | null> {
    throw new Error("to come");
  }

  async records(): Promise<SkillRecords> {
    throw new Error("to come");
  }

  async audit(_request: AuditRequest): Promise<readonly AuditLine[]> {
    throw new Error("to come");
  }

  async curate(_request: CuratorRequest): Promise<CuratorRun> {
    throw new Error("to come");
  }

  async noteSuggestions(_report: string, _text: string): Promise<object> {
    throw new Error("to come");
  }
}

import type {
  Candidate,
  Decided,
  DecisionRequest,
  DraftChanged,
  DraftRequest,
  LiveSkill,
} from "../../shared/skill-drafts.ts";
import type {
  AuditLine,
  AuditRequest,
  CuratorRequest,
  CuratorRun,
} from "../../shared/skill-upkeep.ts";
import type {
  LoadAnswer,
  LoadRequest,
  MoveRequest,
  SkillRecords,
} from "../../shared/skills-api.ts";
import { allRecords, type KnownScans } from "./all-records.ts";
import { auditLines } from "./audit.ts";
import { candidateOf } from "./candidate.ts";
import { changeDraft } from "./change-draft.ts";
import { curate } from "./curator/curate.ts";
import { noteSuggestions } from "./curator/suggestions.ts";
import { decideDraft } from "./decide.ts";
import { countUse, readSkillFile } from "./load.ts";
import { moveSkill } from "./move.ts";
import type { SkillParts } from "./skill-parts.ts";

/**
 * The skills of one bucket, over its files. Methods are those of `SkillsApi`; expected failures are thrown as
 * `CarrelError`, among them `gone` once the bucket is erased. What changes something is done one after the other.
 */
export class BucketSkills {
  readonly #parts: SkillParts;
  readonly #scans: KnownScans = new Map();
  #line: Promise<unknown> = Promise.resolve();

  constructor(parts: SkillParts) {
    this.#parts = parts;
  }

  async load(request: LoadRequest): Promise<LoadAnswer> {
    const { answer, isDocument } = await readSkillFile(this.#parts, request);
    if (answer.file) await this.#inLine(() => countUse(this.#parts, request, isDocument));
    return answer;
  }

  changeDraft(request: DraftRequest): Promise<DraftChanged> {
    return this.#inLine(() => changeDraft(this.#parts, request));
  }

  /** As it is between two changes. */
  candidate(name: string, live: LiveSkill | null): Promise<Candidate> {
    return this.#inLine(() => candidateOf(this.#parts, name, live));
  }

  decide(request: DecisionRequest): Promise<Decided> {
    return this.#inLine(() => decideDraft(this.#parts, request));
  }

  move(request: MoveRequest): Promise<string | null> {
    return this.#inLine(() => moveSkill(this.#parts, request));
  }

  records(): Promise<SkillRecords> {
    return this.#inLine(() => allRecords(this.#parts, this.#scans));
  }

  audit(request: AuditRequest): Promise<readonly AuditLine[]> {
    return auditLines(this.#parts, request);
  }

  curate(request: CuratorRequest): Promise<CuratorRun> {
    return this.#inLine(() => curate(this.#parts, request));
  }

  noteSuggestions(report: string, text: string): Promise<object> {
    return this.#inLine(() => noteSuggestions(this.#parts, report, text));
  }

  /** One after the other, also after one that failed. */
  #inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => {});
    return done;
  }
}

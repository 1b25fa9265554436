import type { BucketApi } from "../shared/bucket-api.ts";
import type { BucketKey } from "../shared/bucket-key.ts";
import { CarrelError } from "../shared/errors.ts";
import type { Failure } from "../shared/errors.ts";
import type {
  Candidate,
  Decided,
  DecisionRequest,
  DraftChanged,
  DraftRequest,
  LiveSkill,
} from "../shared/skill-drafts.ts";
import type {
  AuditLine,
  AuditRequest,
  CuratorRequest,
  CuratorRun,
} from "../shared/skill-upkeep.ts";
import type { LoadAnswer, LoadRequest, MoveRequest, SkillRecords } from "../shared/skills-api.ts";
import type { CallBucket } from "../workspace/workspace.ts";

/** The skills of one bucket. Expected failures are thrown as `CarrelError`; every method may be repeated. */
export type Skills = {
  readonly load: (request: LoadRequest) => Promise<LoadAnswer>;
  readonly changeDraft: (request: DraftRequest) => Promise<DraftChanged>;
  readonly candidate: (name: string, live: LiveSkill | null) => Promise<Candidate>;
  readonly decide: (request: DecisionRequest) => Promise<Decided>;
  readonly move: (request: MoveRequest) => Promise<string | null>;
  readonly records: () => Promise<SkillRecords>;
  readonly audit: (request: AuditRequest) => Promise<readonly AuditLine[]>;
  readonly curate: (request: CuratorRequest) => Promise<CuratorRun>;
  readonly noteSuggestions: (report: string, text: string) => Promise<void>;
};

/** The skills in a bucket. Makes no call. */
export function createSkills(bucket: BucketKey, callBucket: CallBucket): Skills {
  const call = async <Result extends object>(
    ask: (api: BucketApi) => Promise<({ readonly ok: true } & Result) | Failure>,
  ): Promise<Result> => {
    const answer = await callBucket(bucket, ask);
    if (!answer.ok) throw new CarrelError(answer.code, answer.message);
    return answer;
  };
  return {
    load: async (request) => (await call((api) => api.loadSkill(bucket, request))).loaded,
    changeDraft: async (request) => (await call((api) => api.changeDraft(bucket, request))).changed,
    candidate: async (name, live) =>
      (await call((api) => api.candidate(bucket, name, live))).candidate,
    decide: async (request) => (await call((api) => api.decideDraft(bucket, request))).decided,
    move: async (request) => (await call((api) => api.moveSkill(bucket, request))).hash,
    records: async () => (await call((api) => api.skillRecords(bucket))).records,
    audit: async (request) => (await call((api) => api.skillAudit(bucket, request))).lines,
    curate: async (request) => (await call((api) => api.curate(bucket, request))).run,
    noteSuggestions: async (report, text) =>
      void (await call((api) => api.noteSuggestions(bucket, report, text))),
  };
}

import type { BucketApi } from "../shared/bucket-api.ts";
import type { BucketKey } from "../shared/bucket-key.ts";
import { CarrelError } from "../shared/errors.ts";
import type {
  Begun,
  ConsolidationOptions,
  Forgotten,
  MemoryOverview,
  Noted,
  NoteRequest,
  Proposal,
  RunRequest,
  RunResult,
  Undone,
  UndoRequest,
} from "../shared/memory-api.ts";
import type { Failure } from "../shared/errors.ts";
import type { CallBucket } from "../workspace/workspace.ts";

/** The memory of one bucket. Expected failures are thrown as `CarrelError`; every method may be repeated. */
export type Memory = {
  readonly claimSlot: (
    name: string,
    gapMs: number,
  ) => Promise<{ readonly granted: boolean; readonly retryAt: number }>;
  readonly releaseSlot: (name: string) => Promise<void>;
  readonly beginRun: (request: RunRequest) => Promise<Begun>;
  readonly commitRun: (run: string, proposal: Proposal) => Promise<RunResult>;
  readonly abandonRun: (run: string, why: string) => Promise<void>;
  readonly tidy: (
    options: ConsolidationOptions,
  ) => Promise<{ readonly removed: number; readonly hasMore: boolean }>;
  readonly overview: (maxTokens: number) => Promise<MemoryOverview>;
  readonly undo: (request: UndoRequest, op: string) => Promise<Undone>;
  /** Adds a section to a ledger, without what was forgotten since it was said. */
  readonly note: (request: NoteRequest) => Promise<Noted>;
  /** Forgets entries, and keeps the messages that tell of them from being found in the session logs of `agent`. */
  readonly forget: (
    ids: readonly string[],
    by: string,
    op: string,
  ) => Promise<Forgotten & { readonly hidden: number }>;
};

export type MemoryPlace = {
  /** The bucket that remembers. */
  readonly home: BucketKey;
  /** The bucket with the session logs of whoever asks. */
  readonly records: BucketKey;
  readonly agent: string;
};

/** The memory in a bucket. Makes no call. */
export function createMemory(
  { home, records, agent }: MemoryPlace,
  callBucket: CallBucket,
): Memory {
  const call = async <Result extends object>(
    ask: (api: BucketApi, key: BucketKey) => Promise<({ readonly ok: true } & Result) | Failure>,
    bucket: BucketKey = home,
  ): Promise<Result> => {
    const answer = await callBucket(bucket, (api) => ask(api, bucket));
    if (!answer.ok) throw new CarrelError(answer.code, answer.message);
    return answer;
  };
  return {
    claimSlot: (name, gapMs) => call((api, key) => api.claimSlot(key, name, gapMs)),
    releaseSlot: async (name) => void (await call((api, key) => api.releaseSlot(key, name))),
    beginRun: async (request) => (await call((api, key) => api.beginRun(key, request))).begun,
    commitRun: async (run, proposal) =>
      (await call((api, key) => api.commitRun(key, run, proposal))).result,
    abandonRun: async (run, why) => void (await call((api, key) => api.abandonRun(key, run, why))),
    tidy: (options) => call((api, key) => api.tidy(key, options)),
    overview: async (maxTokens) =>
      (await call((api, key) => api.memoryOverview(key, maxTokens))).overview,
    undo: async (request, op) =>
      (await call((api, key) => api.undoMemory(key, request, op))).undone,
    async note(request) {
      const { noted, leftOut } = await call((api, key) => api.note(key, request));
      return { noted, leftOut };
    },
    async forget(ids, by, op) {
      const { forgotten } = await call((api, key) => api.forgetMemory(key, ids, by, op));
      if (forgotten.said.length === 0) return { ...forgotten, hidden: 0 };
      const hide = (bucket: BucketKey, said: Forgotten["said"]) =>
        call((api, key) => api.hideMessages(key, agent, said, by, op), bucket);
      const { hidden } = await hide(records, forgotten.said);
      // The bucket that remembers keeps what is to be hidden until it is told that it is.
      if (records !== home) await hide(home, []);
      return { ...forgotten, hidden };
    },
  };
}

import type { BucketApi } from "../shared/bucket-api.ts";
import { bucketPrefix, type Bucket, type BucketKey } from "../shared/bucket-key.ts";
import { CarrelError, invalid } from "../shared/errors.ts";
import type { Failure } from "../shared/errors.ts";
import type {
  GlobAnswer,
  GlobRequest,
  GrepAnswer,
  GrepRequest,
  PageAnswer,
  PageRequest,
  ReadAnswer,
  ReadManyAnswer,
  ReadManyRequest,
  ReadRequest,
  RescanReport,
  SearchAnswer,
  SearchRequest,
  TreeAnswer,
  TreeRequest,
  Usage,
  Within,
} from "../shared/workspace-api.ts";
import type { Snapshot, SnapshotRequest } from "../shared/workspace-snapshot.ts";
import type { Change, Changed, ChangeRequest, ImportPage } from "../shared/workspace-changes.ts";
import type { FileVersion } from "../shared/workspace-files.ts";
import type { Answered, Call } from "./bucket-call.ts";
import { workspacePath } from "./layers/path.ts";
import { CACHE, RECORDS, isRecordPath } from "./layers/path-rules.ts";
import { importInto, pathsOf } from "./workspace-import.ts";
import { joinGlobs, joinGreps, joinSearches, joinTrees } from "./workspace-joins.ts";

export type IsolationScope = Bucket["scope"];

/** Whose files: `session` is needed under the scope SESSION only. */
export type WorkspaceOwner = {
  readonly agent: string;
  readonly user: string;
  readonly session: string | null;
};

/** Calls the object of a bucket; what the platform lost on the way is tried again there. */
export type CallBucket = <Result extends { readonly ok: true } | Failure>(
  bucket: BucketKey,
  call: (api: BucketApi) => Promise<Result>,
) => Promise<Result>;

/**
 * The files of one caller, as one tree, whichever buckets they lie in: what the scope shares in its bucket, and the
 * records of sessions (`agents/`, `plans/`, `large_tool_results/`) always in the user's own (promise I3). Methods
 * are those of `WorkspaceApi`; expected failures are thrown as `CarrelError`.
 */
export type Workspace = {
  readonly snapshot: (request: SnapshotRequest) => Promise<Snapshot | "unchanged">;
  readonly tree: (request: TreeRequest) => Promise<TreeAnswer>;
  readonly read: (request: ReadRequest) => Promise<ReadAnswer>;
  /** From the first path on, as many as one bucket gives in one call. */
  readonly readMany: (request: ReadManyRequest) => Promise<ReadManyAnswer>;
  readonly page: (request: PageRequest) => Promise<PageAnswer>;
  readonly glob: (request: GlobRequest) => Promise<GlobAnswer>;
  readonly grep: (request: GrepRequest) => Promise<GrepAnswer>;
  /** Ranked, from all buckets: session logs are the user's own in every scope. */
  readonly search: (request: SearchRequest) => Promise<SearchAnswer>;
  /**
   * All changes must lie in one bucket: throws `invalid` for a move between records and other files. They are made once,
   * also where the call to the bucket is made again.
   */
  readonly change: (request: ChangeRequest) => Promise<readonly Changed[]>;
  readonly history: (path: string) => Promise<readonly FileVersion[]>;
  readonly usage: () => Promise<WorkspaceUsage>;
  /** Of all buckets; should one fail, what another took in stays. */
  readonly rescan: () => Promise<RescanReport>;
  /** The units of lower layers that the bucket itself hides, sorted. */
  readonly whiteouts: () => Promise<readonly string[]>;
  /** A page of an import, parted among the buckets that its paths belong to. */
  readonly stageImport: (id: string, page: ImportPage) => Promise<void>;
  /**
   * Applies the pages, in one transaction a bucket: one, or under other scopes than USER two, of which none begins
   * before both say that they can; should the second one fail all the same, the error says so. Gives the files that
   * were written.
   */
  readonly commitImport: (id: string, by: string) => Promise<number>;
  /** Lets go of the pages of an import that was given up. */
  readonly dropImport: (id: string) => Promise<void>;
};

/** What the scope's bucket holds, and the user's own one with the records; `null` where that is the same bucket. */
export type WorkspaceUsage = Usage & { readonly records: Usage | null };

/** Whether a path lies among the records of sessions. Throws `CarrelError('invalid')` as `workspacePath` does. */
export const isRecord = (path: string): boolean => isRecordPath(workspacePath(path));

/** The bucket that a scope gives this owner. Throws `CarrelError('invalid')` when SESSION has no session. */
export function bucketOf(scope: IsolationScope, owner: WorkspaceOwner): BucketKey {
  const { agent, user, session } = owner;
  switch (scope) {
    case "SESSION":
      if (session === null)
        throw invalid("The files of this agent are kept for each session. Say which: ?session=ID.");
      return bucketPrefix({ scope, agent, user, session });
    case "USER":
      return bucketPrefix({ scope, agent, user });
    case "AGENT":
      return bucketPrefix({ scope, agent });
    case "GLOBAL":
      return bucketPrefix({ scope });
  }
}

/** The workspace of `owner` under `scope`. Makes no call. */
export const createWorkspace = (
  scope: IsolationScope,
  owner: WorkspaceOwner,
  callBucket: CallBucket,
): Workspace => overBuckets(bucketOf(scope, owner), bucketOf("USER", owner), callBucket);

/**
 * The files that an agent's users share, for themselves: under the scope GLOBAL those of all agents, else the agent's.
 * All are in one bucket, whose own layer they are. Makes no call.
 */
export function createSharedWorkspace(
  agent: string,
  callBucket: CallBucket,
  scope: IsolationScope = "AGENT",
): Workspace {
  const bucket = bucketPrefix(scope === "GLOBAL" ? { scope } : { scope: "AGENT", agent });
  return overBuckets(bucket, bucket, callBucket);
}

/** The files of one bucket alone, whoever's they are: for upkeep, which works for the bucket. Makes no call. */
export const createBucketWorkspace = (bucket: BucketKey, callBucket: CallBucket): Workspace =>
  overBuckets(bucket, bucket, callBucket);

/**
 * Deletes a bucket for ever; resolves when the store holds nothing of it. Throws `CarrelError('overloaded')` when it
 * still does: the bucket goes on by itself. Safe to repeat.
 */
export async function eraseBucket(bucket: BucketKey, callBucket: CallBucket): Promise<void> {
  const answer = await callBucket(bucket, (api) => api.erase(bucket));
  if (!answer.ok) throw new CarrelError(answer.code, answer.message);
  if (!answer.isEmpty)
    throw new CarrelError("overloaded", "Not all files are deleted yet. Try again in a moment.");
}

function overBuckets(home: BucketKey, records: BucketKey, callBucket: CallBucket): Workspace {
  const bucketFor = (path: string) => (isRecord(path) ? records : home);
  const call: Call = async (bucket, ask) => {
    const answer = await callBucket(bucket, (api) => ask(api, bucket));
    if (!answer.ok) throw new CarrelError(answer.code, answer.message);
    const { ok: _ok, ...result } = answer;
    return result as Answered<typeof answer>;
  };

  return {
    snapshot: async (request) =>
      (await call(home, (api, key) => api.snapshot(key, request))).snapshot,
    read: (request) => call(bucketFor(request.path), (api, key) => api.read(key, request)),
    async readMany(request) {
      const bucket = bucketFor(request.paths[0] ?? "");
      const other = request.paths.findIndex((path) => bucketFor(path) !== bucket);
      const paths = other === -1 ? request.paths : request.paths.slice(0, other);
      return call(bucket, (api, key) => api.readMany(key, { ...request, paths }));
    },
    page: (request) => call(bucketFor(request.path), (api, key) => api.page(key, request)),
    ...findIn(home, records, call),
    async change(request) {
      const buckets = new Set(request.changes.flatMap(pathsOf).map(bucketFor));
      const [bucket, other] = buckets;
      if (other !== undefined)
        throw invalid("Session records and other files cannot be changed in one request.");
      const target = bucket ?? home;
      const named = repeatable(request);
      return (await call(target, (api, key) => api.change(key, named))).changed;
    },
    history: async (path) =>
      (await call(bucketFor(path), (api, key) => api.history(key, path))).versions,
    ...lookInto(home, records, call),
    async whiteouts() {
      const { manifest } = await call(home, (api, key) => api.manifest(key, null));
      return manifest === "unchanged" ? [] : manifest.whiteouts.toSorted();
    },
    ...importInto([...new Set([home, records])], bucketFor, call),
  };
}

/** With an id, so that a call whose reply was lost can be made again and gets its answer. */
function repeatable(request: ChangeRequest): ChangeRequest {
  const isNamed = (change: Change) => change.kind === "append" && change.op !== undefined;
  if (request.op !== undefined || request.changes.every(isNamed)) return request;
  return { ...request, op: crypto.randomUUID() };
}

function lookInto(
  home: BucketKey,
  records: BucketKey,
  call: Call,
): Pick<Workspace, "usage" | "rescan"> {
  const usageOf = async (bucket: BucketKey) =>
    (await call(bucket, (api, key) => api.usage(key))).usage;
  return {
    async usage() {
      const [usage, other] = await Promise.all([
        usageOf(home),
        records === home ? null : usageOf(records),
      ]);
      return { ...usage, records: other };
    },
    async rescan() {
      const reports: RescanReport[] = [];
      for (const bucket of new Set([home, records]))
        reports.push((await call(bucket, (api, key) => api.rescan(key))).report);
      return {
        taken: reports.flatMap(({ taken }) => taken),
        removed: reports.flatMap(({ removed }) => removed),
        refused: reports.flatMap(({ refused }) => refused),
      };
    },
  };
}

function findIn(
  home: BucketKey,
  records: BucketKey,
  call: Call,
): Pick<Workspace, "tree" | "glob" | "grep" | "search"> {
  /**
   * Of the whole tree without what is cached of repositories: that is found where it is asked for by its path.
   * From both buckets when the whole tree is meant and there are two, each for what is kept in it: what looks like
   * a record in a bucket that users share, by an import or by hand, shows to none of them.
   */
  const both = async <Answer>(
    path: string,
    ask: (bucket: BucketKey, within: { within?: Within }) => Promise<Answer>,
  ): Promise<[Answer, ...Answer[]]> => {
    if (workspacePath(path) !== "") return [await ask(isRecord(path) ? records : home, {})];
    if (home === records) return [await ask(home, { within: { not: [CACHE] } })];
    return Promise.all([
      ask(home, { within: { not: [...RECORDS, CACHE] } }),
      ask(records, { within: RECORDS }),
    ]);
  };

  return {
    async tree(request) {
      const answers = await both(request.directory ?? "", (bucket, within) =>
        call(bucket, (api, key) => api.tree(key, { ...request, ...within })),
      );
      return joinTrees(answers, request.limit ?? 1_000);
    },
    async glob(request) {
      const answers = await both(request.path ?? "", (bucket, within) =>
        call(bucket, (api, key) => api.glob(key, { ...request, ...within })),
      );
      return joinGlobs(answers, request.limit ?? 500);
    },
    async grep(request) {
      const answers = await both(request.path ?? "", (bucket, within) =>
        call(bucket, (api, key) => api.grep(key, { ...request, ...within })),
      );
      return joinGreps(answers, request.limit ?? 200);
    },
    async search(request) {
      const answers = await both(request.path ?? "", (bucket, within) =>
        // One bucket: the index has nothing of the cache, and all else that is asked for counts.
        call(bucket, (api, key) =>
          api.search(key, home === records ? request : { ...request, ...within }),
        ),
      );
      return joinSearches(answers, request.limit ?? 10);
    },
  };
}

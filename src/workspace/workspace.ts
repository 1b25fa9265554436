import { bucketPrefix, type Bucket, type BucketKey } from "../shared/bucket-key.ts";
import { CarrelError, invalid } from "../shared/errors.ts";
import type { Failure } from "../shared/session-api.ts";
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
  Snapshot,
  SnapshotRequest,
  TreeAnswer,
  TreeRequest,
  Usage,
  Within,
  WorkspaceApi,
} from "../shared/workspace-api.ts";
import type { Change, Changed, ChangeRequest, ImportPage } from "../shared/workspace-changes.ts";
import type { FileVersion } from "../shared/workspace-files.ts";
import { workspacePath } from "./path.ts";

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
  call: (api: WorkspaceApi) => Promise<Result>,
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
  /** All changes must lie in one bucket: throws `invalid` for a move between records and other files. */
  readonly change: (request: ChangeRequest) => Promise<readonly Changed[]>;
  readonly history: (path: string) => Promise<readonly FileVersion[]>;
  readonly usage: () => Promise<Usage>;
  readonly rescan: () => Promise<RescanReport>;
  /** The units of lower layers that the bucket itself hides, sorted. */
  readonly whiteouts: () => Promise<readonly string[]>;
  /** A page of an import, parted among the buckets that its paths belong to. */
  readonly stageImport: (id: string, page: ImportPage) => Promise<void>;
  /** Applies the pages, in one transaction a bucket: one, or under other scopes than USER two. Gives the files. */
  readonly commitImport: (id: string, by: string) => Promise<number>;
};

const RECORDS: readonly string[] = ["agents", "plans", "large_tool_results"];

/** Whether a path lies among the records of sessions. Throws `CarrelError('invalid')` as `workspacePath` does. */
export const isRecord = (path: string): boolean =>
  RECORDS.includes(workspacePath(path).split("/")[0] ?? "");

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

type Call = <Result extends { readonly ok: true } | Failure>(
  bucket: BucketKey,
  ask: (api: WorkspaceApi, key: BucketKey) => Promise<Result>,
) => Promise<Extract<Result, { ok: true }>>;

function overBuckets(home: BucketKey, records: BucketKey, callBucket: CallBucket): Workspace {
  const bucketFor = (path: string) => (isRecord(path) ? records : home);
  const call: Call = async (bucket, ask) => {
    const answer = await callBucket(bucket, (api) => ask(api, bucket));
    if (!answer.ok) throw new CarrelError(answer.code, answer.message);
    return answer as Extract<typeof answer, { ok: true }>;
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
      return (await call(target, (api, key) => api.change(key, request))).changed;
    },
    history: async (path) =>
      (await call(bucketFor(path), (api, key) => api.history(key, path))).versions,
    usage: async () => (await call(home, (api, key) => api.usage(key))).usage,
    rescan: async () => (await call(home, (api, key) => api.rescan(key))).report,
    ...importInto(home, records, call),
  };
}

function findIn(
  home: BucketKey,
  records: BucketKey,
  call: Call,
): Pick<Workspace, "tree" | "glob" | "grep"> {
  /**
   * From both buckets when the whole tree is meant and there are two, each for what is kept in it: what looks like
   * a record in a bucket that users share, by an import or by hand, shows to none of them.
   */
  const both = async <Answer>(
    path: string,
    ask: (bucket: BucketKey, within: { within?: Within }) => Promise<Answer>,
  ): Promise<[Answer, ...Answer[]]> => {
    if (home === records) return [await ask(home, {})];
    if (workspacePath(path) !== "") return [await ask(isRecord(path) ? records : home, {})];
    return Promise.all([
      ask(home, { within: { not: RECORDS } }),
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
  };
}

function importInto(
  home: BucketKey,
  records: BucketKey,
  call: Call,
): Pick<Workspace, "whiteouts" | "stageImport" | "commitImport"> {
  const buckets = [...new Set([home, records])];
  const belongsTo = (bucket: BucketKey) => (path: string) =>
    bucket === (isRecord(path) ? records : home);
  return {
    async whiteouts() {
      const { manifest } = await call(home, (api, key) => api.manifest(key, null));
      return manifest === "unchanged" ? [] : manifest.whiteouts.toSorted();
    },
    async stageImport(id, { no, changes, whiteouts = [] }) {
      for (const bucket of buckets) {
        const isHere = belongsTo(bucket);
        const page = {
          no,
          changes: changes.filter((change) => pathsOf(change).every(isHere)),
          whiteouts: whiteouts.filter(isHere),
        };
        await call(bucket, (api, key) => api.stageImport(key, id, page));
      }
    },
    async commitImport(id, by) {
      let files = 0;
      for (const bucket of buckets)
        files += (await call(bucket, (api, key) => api.commitImport(key, id, by))).files;
      return files;
    },
  };
}

const pathsOf = (change: Change): string[] =>
  change.kind === "move" ? [change.path, change.to] : [change.path];

const byPath = (a: { readonly path: string }, b: { readonly path: string }): number =>
  a.path < b.path ? -1 : a.path > b.path ? 1 : 0;

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

function joinTrees(answers: readonly [TreeAnswer, ...TreeAnswer[]], limit: number): TreeAnswer {
  if (answers.length === 1) return answers[0];
  const entries = answers.flatMap((answer) => answer.entries).toSorted(byPath);
  const cut = entries.length > limit || answers.some((answer) => answer.cut);
  return { entries: entries.slice(0, limit), total: sum(answers, (answer) => answer.total), cut };
}

function joinGlobs(answers: readonly [GlobAnswer, ...GlobAnswer[]], limit: number): GlobAnswer {
  if (answers.length === 1) return answers[0];
  const files = answers.flatMap((answer) => answer.files).toSorted(byPath);
  const cut = files.length > limit || answers.some((answer) => answer.cut);
  return { files: files.slice(0, limit), total: sum(answers, (answer) => answer.total), cut };
}

/** Where one bucket was cut, hits after that place in the other would leave a gap: they wait for the next call. */
function joinGreps(answers: readonly [GrepAnswer, ...GrepAnswer[]], limit: number): GrepAnswer {
  if (answers.length === 1) return answers[0];
  const [next = null] = answers.flatMap((answer) => answer.next ?? []).toSorted();
  const hits = answers
    .flatMap((answer) => answer.hits)
    .filter((hit) => next === null || hit.path <= next)
    .toSorted(byPath);
  const isFull = hits.length > limit || answers.some((answer) => answer.cut === "hits");
  return {
    hits: hits.slice(0, limit),
    searched: sum(answers, (answer) => answer.searched),
    skipped: sum(answers, (answer) => answer.skipped),
    cut: isFull ? "hits" : next === null ? null : "bytes",
    next: isFull ? null : next,
  };
}

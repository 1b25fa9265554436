import type { Env } from "./env.ts";
import { bucketPrefix, type BucketKey } from "./shared/bucket-key.ts";
import { CarrelError } from "./shared/errors.ts";
import { consoleLog } from "./shared/log.ts";
import { parseListCursor } from "./shared/list-cursor.ts";
import { bucketShard, userShard } from "./shared/registry-shard.ts";
import { isMarked } from "./shared/platform-error.ts";
import type {
  RegistryApi,
  RegistryPage,
  SessionNews,
  SessionSummary,
  UserSettings,
} from "./shared/registry-api.ts";
import type { SessionAddress } from "./shared/session-address.ts";
import type { BucketApi } from "./shared/bucket-api.ts";
import type { Ledger } from "./turn/budget.ts";
import type { BlobStore } from "./workspace/store/blob-store.ts";
import { createKvStore } from "./workspace/store/kv-store.ts";
import type { SharedLayer } from "./workspace/layers/layers.ts";
import { createR2Store } from "./workspace/store/r2-store.ts";
import type { CallBucket } from "./workspace/workspace.ts";

/**
 * Calls a bucket's object, once more on a fresh stub when the connection was lost: every method may be repeated. A stub
 * is kept as long as its calls work, which saves a look-up a turn.
 */
export function callBucket(env: Env): CallBucket {
  const stubs = new Map<BucketKey, BucketApi>();
  return async (bucket, call) => {
    const fresh = () => {
      const stub = env.WORKSPACES.getByName(bucket) as BucketApi;
      stubs.set(bucket, stub);
      return stub;
    };
    try {
      return await call(stubs.get(bucket) ?? fresh());
    } catch (error) {
      stubs.delete(bucket);
      if (isMarked(error, "overloaded"))
        throw new CarrelError("overloaded", "The workspace is busy. Try again in a moment.");
      if (!isMarked(error, "retryable")) throw error;
      return call(fresh());
    }
  };
}

/**
 * Where a deployment keeps workspaces: the R2 binding WORKSPACE, or with STORE = "kv" the KV binding WORKSPACE_KV.
 * Throws a plain `Error` that names what is missing, which operators see.
 */
export function storeOf(env: Env): BlobStore {
  if (storeKind(env) === "kv") {
    if (!env.WORKSPACE_KV) throw new Error("STORE is kv, but there is no binding WORKSPACE_KV");
    return createKvStore(env.WORKSPACE_KV as Parameters<typeof createKvStore>[0], consoleLog);
  }
  if (!env.WORKSPACE) throw new Error("STORE is r2, but there is no binding WORKSPACE");
  return createR2Store(env.WORKSPACE as Parameters<typeof createR2Store>[0]);
}

/** Which of the two a deployment uses. Throws as `storeOf` does. */
export function storeKind(env: Env): "r2" | "kv" {
  const kind = typeof env.STORE === "string" && env.STORE !== "" ? env.STORE : "r2";
  if (kind !== "r2" && kind !== "kv") throw new Error('STORE must be "r2" or "kv"');
  return kind;
}

/**
 * How long files wait before the store gets them, from the variables SETTLE_QUIET_MS (default 10,000) and
 * SETTLE_AT_MOST_MS (300,000). Throws a plain `Error` for anything but a whole number up to a day.
 */
export function settleTimes(env: Env): { readonly quietMs: number; readonly atMostMs: number } {
  const quietMs = milliseconds(env, "SETTLE_QUIET_MS", 10_000);
  return { quietMs, atMostMs: milliseconds(env, "SETTLE_AT_MOST_MS", 300_000) };
}

/**
 * How old a bucket's copy of the shared layer may be, from the variable SHARED_AGE_MS: default 30,000; 0 asks each
 * time. Throws a plain `Error` as `settleTimes` does.
 */
export const sharedAge = (env: Env): { readonly sharedAgeMs: number } => ({
  sharedAgeMs: milliseconds(env, "SHARED_AGE_MS", 30_000),
});

function milliseconds(env: Env, name: string, otherwise: number): number {
  const text = env[name];
  if (text === undefined || text === "") return otherwise;
  if (typeof text !== "string" || !/^\d{1,8}$/.test(text) || Number(text) > 86_400_000)
    throw new Error(`${name} must be a number of milliseconds up to 86400000`);
  return Number(text);
}

/** The shared layer of an agent, which is a bucket of its own. */
export function sharedLayer(agent: string, env: Env): SharedLayer {
  const bucket = bucketPrefix({ scope: "AGENT", agent });
  const call = callBucket(env);
  return {
    async manifest(known) {
      const answer = await call(bucket, (api) => api.manifest(bucket, known));
      if (!answer.ok) throw new CarrelError(answer.code, answer.message);
      return answer.manifest;
    },
    async read(path, from) {
      const request = { path, layer: "own", ...(from === undefined ? {} : { from }) } as const;
      const answer = await call(bucket, (api) => api.read(bucket, request));
      if (!answer.ok) throw new CarrelError(answer.code, answer.message);
      return { etag: answer.file.etag, content: answer.content };
    },
  };
}

const registry = (env: Env, shard: string) => env.REGISTRY.getByName(shard) as RegistryApi;

/** Asks the shard of a user. */
const askRegistry = async <Answer>(
  env: Env,
  user: string,
  call: (shard: RegistryApi) => Promise<Answer>,
): Promise<Answer> => askShard(env, await userShard(user), call);

/** Asks a shard of the registry by its name, once more when the connection was lost: every call may be repeated. */
export async function askShard<Answer>(
  env: Env,
  shard: string,
  call: (shard: RegistryApi) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call(registry(env, shard));
  } catch (error) {
    if (isMarked(error, "overloaded"))
      throw new CarrelError("overloaded", "The registry is busy. Try again in a moment.");
    if (!isMarked(error, "retryable")) throw error;
    return call(registry(env, shard));
  }
}

/** Registers a session in the shard of its user, and gives what that user has chosen. */
export async function registerSession(
  env: Env,
  address: SessionAddress,
  createdAt: number,
): Promise<UserSettings> {
  const shard = await userShard(address.user);
  return registry(env, shard).registerSession({ ...address, createdAt });
}

/** Registers a bucket in its shard. */
export async function registerBucket(env: Env, bucket: BucketKey, at: number): Promise<void> {
  await registry(env, await bucketShard(bucket)).registerBucket(bucket, at);
}

/** Tells the registry that a bucket has something for upkeep. */
export async function markDirty(env: Env, bucket: BucketKey, at: number): Promise<void> {
  await registry(env, await bucketShard(bucket)).markDirty(bucket, at);
}

/** Makes the registry forget a bucket that was erased. */
export async function unregisterBucket(env: Env, bucket: BucketKey): Promise<void> {
  await registry(env, await bucketShard(bucket)).removeBucket(bucket);
}

/** Makes the registry forget a session that was deleted. */
export async function unregisterSession(
  env: Env,
  { agent, user, session }: SessionAddress,
): Promise<void> {
  await askRegistry(env, user, (shard) => shard.removeSession(agent, user, session));
}

/** Brings a session up to date in the lists of its user, and gives what that user has chosen. */
export async function indexSession(
  env: Env,
  { agent, user, session }: SessionAddress,
  news: SessionNews,
): Promise<UserSettings> {
  return registry(env, await userShard(user)).updateSession(agent, user, session, news);
}

/** What a user has chosen for all agents. */
export const settingsOf = (env: Env, user: string): Promise<UserSettings> =>
  askRegistry(env, user, (shard) => shard.settings(user));

/** Keeps what a user has chosen, in place of what was chosen before. */
export const saveSettings = (env: Env, user: string, settings: UserSettings): Promise<void> =>
  askRegistry(env, user, (shard) => shard.setSettings(user, settings));

/**
 * The sessions of one user with one agent, the newest first; `limit` is 1 to 100. Throws `CarrelError('invalid')` for a
 * cursor that no page gave.
 */
export async function listSessions(
  env: Env,
  user: string,
  agent: string,
  cursor: string | null,
  limit: number,
): Promise<RegistryPage<SessionSummary>> {
  // Checked here, as errors lose their kind on the way from the registry.
  if (cursor !== null) parseListCursor(cursor);
  return askRegistry(env, user, (shard) => shard.listSessions(user, agent, cursor, limit));
}

/** Counts a user's tokens with the user's sessions. */
export const ledgerOf = (env: Env): Ledger => ({
  spent: (user, day) => askRegistry(env, user, (shard) => shard.spent(user, day)),
  record: (user, day, spent) =>
    askRegistry(env, user, (shard) => shard.recordSpent(user, day, spent)),
});

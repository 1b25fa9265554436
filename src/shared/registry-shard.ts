import { parseBucketKey } from "./bucket-key.ts";
import { parseId } from "./ids.ts";
import { sha256Hex } from "./sha256.ts";

/** Another number would look for what is registered in the wrong places. */
const SHARDS = 64;

/**
 * The name of the registry object that knows a user's sessions, with every agent: `v1/registry/00` to
 * `v1/registry/63`. Throws as `parseId` does.
 */
export const userShard = async (user: string): Promise<string> =>
  shardOf(parseId("The user id", user));

/**
 * The name of the registry object that knows a bucket: with a user's buckets that of the user, otherwise by the key.
 * Throws as `parseBucketKey` does.
 */
export async function bucketShard(key: string): Promise<string> {
  const bucket = parseBucketKey(key);
  return "user" in bucket ? userShard(bucket.user) : shardOf(key);
}

/** The name of the shard that keeps how far upkeep has come in all of them. */
export const passShard = (): string => nameOf(0);

/** The names of all shards, in order: for whoever goes through everything that exists. */
export const registryShards = (): readonly string[] =>
  Array.from({ length: SHARDS }, (_, no) => nameOf(no));

async function shardOf(text: string): Promise<string> {
  const hash = await sha256Hex(new TextEncoder().encode(text));
  return nameOf(Number.parseInt(hash.slice(0, 8), 16) % SHARDS);
}

const nameOf = (no: number): string => `v1/registry/${String(no).padStart(2, "0")}`;

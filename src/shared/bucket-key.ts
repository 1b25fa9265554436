import { parseId, sessionAddress, sessionKey } from "./ids.ts";
import type { SessionAddress } from "./session-address.ts";

declare const bucketKeyBrand: unique symbol;

/** The name of a bucket: of its object, and at the front of every key that is stored for it. Ends with a slash. */
export type BucketKey = string & { readonly [bucketKeyBrand]: true };

/** Who shares one copy of memory, knowledge, skills and overrides, by isolation scope. */
export type Bucket =
  | ({ readonly scope: "SESSION" } & SessionAddress)
  | { readonly scope: "USER"; readonly agent: string; readonly user: string }
  | { readonly scope: "AGENT"; readonly agent: string }
  | { readonly scope: "GLOBAL" };

/**
 * The one name of a bucket (promise I2). Ids are checked as `parseId` does and throw `CarrelError('invalid')`.
 * Different buckets have different keys. A user's key begins those of the same user's sessions and of nobody
 * else; what is stored in two buckets never meets, because a kind follows the key (`workspace/store/storage-key.ts`).
 */
export function bucketPrefix(bucket: Bucket): BucketKey {
  switch (bucket.scope) {
    case "SESSION":
      return sessionKey(sessionAddress(bucket.agent, bucket.user, bucket.session)) as BucketKey;
    case "USER":
      return `${agentPrefix(bucket.agent)}users/${parseId("The user id", bucket.user)}/` as BucketKey;
    case "AGENT":
      return `${agentPrefix(bucket.agent)}shared/` as BucketKey;
    case "GLOBAL":
      return "v1/global/" as BucketKey;
  }
}

const agentPrefix = (agent: string): string => `v1/agents/${parseId("The agent id", agent)}/`;

/** The bucket that a key was made from. Throws a plain `Error` for anything that is not such a key. */
export function parseBucketKey(key: string | undefined): Bucket {
  const bucket = bucketOf(key?.split("/") ?? []);
  if (!bucket || bucketPrefix(bucket) !== key) throw new Error("not the key of a bucket");
  return bucket;
}

function bucketOf(segments: readonly string[]): Bucket | null {
  const [, root, agent = "", branch, user = "", , session = ""] = segments;
  if (root === "global") return { scope: "GLOBAL" };
  if (branch === "shared") return { scope: "AGENT", agent };
  if (segments.length === 6) return { scope: "USER", agent, user };
  return segments.length === 8 ? { scope: "SESSION", agent, user, session } : null;
}

import { env } from "cloudflare:test";
import { bucketPrefix, type BucketKey } from "../../src/shared/bucket-key.ts";
import type { Failure } from "../../src/shared/errors.ts";
import type { BucketApi } from "../../src/shared/bucket-api.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import { breathe } from "./session-object.ts";

/** Tries of a call before a client gives up: more than any crash needs. */
const PATIENCE = 200;

/** The key of a user's bucket under the agent `scripted`. */
export const userBucket = (user: string): BucketKey =>
  bucketPrefix({ scope: "USER", agent: "scripted", user });

export const workspaceStub = (bucket: BucketKey) => env.WORKSPACES.getByName(bucket);

/** Calls a bucket's object as a session does, again after each crash. Throws its failures. */
export async function ask<Result extends { readonly ok: true } | Failure>(
  bucket: BucketKey,
  call: (api: BucketApi, key: BucketKey) => Promise<Result>,
): Promise<Extract<Result, { ok: true }>> {
  for (let tries = 1; ; tries++) {
    try {
      const answer = await call(workspaceStub(bucket) as unknown as BucketApi, bucket);
      if (!answer.ok) throw new Refused(`${answer.code}: ${answer.message}`);
      return answer as Extract<Result, { ok: true }>;
    } catch (error) {
      if (error instanceof Refused || tries === PATIENCE) throw error;
      await breathe();
    }
  }
}

class Refused extends Error {
  override name = "Refused";
}

const spell = (content: Content): string =>
  "text" in content ? content.text : `bytes:${content.bytes.join()}`;

/** Every file that the bucket's users see, by path: `<layer> <content>`. */
export async function filesOf(bucket: BucketKey): Promise<Record<string, string>> {
  const { entries } = await ask(bucket, (api, key) => api.tree(key, { recursive: true }));
  const files: Record<string, string> = {};
  for (const { path, layer } of entries) {
    const { content } = await ask(bucket, (api, key) => api.read(key, { path }));
    files[path] = `${layer} ${spell(content)}`;
  }
  return files;
}

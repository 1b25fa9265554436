import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { sha256Hex } from "../../src/shared/sha256.ts";
import { assertStorable, storeLimits } from "../../src/workspace/store/blob-store.ts";
import type { BlobStore, StoredBlob } from "../../src/workspace/store/blob-store.ts";
import type { StorageKey } from "../../src/workspace/store/storage-key.ts";

const Head = z.object({
  key: z.string().transform((key) => key as StorageKey),
  tag: z.string(),
  metadata: z.record(z.string(), z.string()),
});

type File = { readonly key: StorageKey; readonly blob: StoredBlob };

/**
 * A store in a directory of one process: each blob is a file named after the digest of its key, which every disk
 * takes in every case, with one line of JSON before its bytes. A file appears and changes at once or not at all.
 */
export async function createDiskStore(directory: string): Promise<BlobStore> {
  const parts = join(directory, "parts");
  await mkdir(parts, { recursive: true });
  /** Conditions are checked and acted on one at a time. */
  let turn: Promise<unknown> = Promise.resolve();
  const alone = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = turn.then(work);
    turn = result.catch(() => null);
    return result;
  };

  const pathOf = async (key: StorageKey): Promise<string> =>
    join(directory, `${await sha256Hex(Buffer.from(key))}.blob`);

  return {
    get: async (key) => (await readBlob(await pathOf(key)))?.blob ?? null,

    async put(key, bytes, { metadata = {}, onlyIf } = {}) {
      assertStorable(key, bytes, metadata);
      const tag = randomUUID();
      const part = join(parts, tag);
      const path = await pathOf(key);
      const head = Buffer.from(`${JSON.stringify({ key, tag, metadata })}\n`);
      await writeFile(part, Buffer.concat([head, bytes]));
      return alone(async () => {
        const isStored =
          onlyIf === "absent"
            ? await linkNew(part, path)
            : onlyIf === undefined || (await readBlob(path))?.blob.tag === onlyIf.tag;
        if (isStored && onlyIf !== "absent") await rename(part, path);
        else await rm(part);
        return isStored ? { kind: "stored", tag } : { kind: "conflict" };
      });
    },

    async delete(keys) {
      for (const key of keys) {
        const path = await pathOf(key);
        await alone(() => rm(path, { force: true }));
      }
    },

    async list(prefix, cursor = null, limit = storeLimits.pageEntries) {
      const names = (await readdir(directory)).filter((name) => name.endsWith(".blob"));
      const files = await Promise.all(names.map((name) => readBlob(join(directory, name))));
      const rest = files
        .filter((file) => file !== null)
        .map(({ key, blob }) => ({ key, metadata: blob.metadata, size: blob.bytes.length }))
        .filter(({ key }) => key.startsWith(prefix) && (cursor === null || key > cursor))
        .toSorted((a, b) => (a.key < b.key ? -1 : 1));
      const entries = rest.slice(0, limit);
      return { entries, cursor: rest.length > limit ? (entries.at(-1)?.key ?? null) : null };
    },
  };
}

async function readBlob(path: string): Promise<File | null> {
  const file = await unless("ENOENT", readFile(path));
  if (!file) return null;
  const end = file.indexOf("\n");
  const line = new TextDecoder().decode(file.subarray(0, end));
  const { key, tag, metadata } = Head.parse(JSON.parse(line));
  return { key, blob: { bytes: new Uint8Array(file.subarray(end + 1)), metadata, tag } };
}

/** Whether `path` was free and now is the file at `part`. */
const linkNew = async (part: string, path: string): Promise<boolean> =>
  (await unless(
    "EEXIST",
    link(part, path).then(() => true),
  )) ?? false;

async function unless<Result>(code: string, work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === code) return null;
    throw error;
  }
}

import type { KVNamespace } from "@cloudflare/workers-types";
import * as z from "zod";
import type { Log } from "../../shared/log.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import { utf8Length } from "../../shared/text.ts";
import { StoreBusyError, assertStorable, storeLimits } from "./blob-store.ts";
import type { BlobStore, ListEntry, PutOptions } from "./blob-store.ts";
import type { StorageKey } from "./storage-key.ts";

/** Bytes at the front of a long key that stay readable: KV's 512, less a tilde and 64 digits. */
const HEAD_BYTES = 447;

/** Calls of a delete that run at once; each key is one operation of the 1,000 that an invocation has. */
const AT_ONCE = 6;

const Metadata = z.record(z.string(), z.string());

/** What stands beside a long key: the end of it, in which DEL stands for the quote, so that JSON needs no escape. */
const LongKey = z.object({ tail: z.string(), metadata: Metadata });

/**
 * The store in a KV namespace. What KV cannot promise:
 * - A get or list elsewhere, or after a get that found nothing, may be a minute or more behind.
 * - `onlyIf` is checked by a get before the put. It stops what comes late, not what comes at the same instant:
 *   two racing puts may both be stored, one over the other, each whole.
 *
 * So it can hold what one writer writes behind and what never changes, as a workspace does. Keys up to 447 bytes
 * stand as they are; a longer one under its beginning and a digest, with the rest in its metadata; what others put
 * under such a name is left out of lists, and logged
 * (https://developers.cloudflare.com/kv/platform/limits/).
 */
export function createKvStore(
  kv: Pick<KVNamespace, "getWithMetadata" | "put" | "delete" | "list">,
  log: Log = () => {},
): BlobStore {
  const get: BlobStore["get"] = async (key) => {
    const name = await nameOf(key);
    const found = await refusals(kv.getWithMetadata(name, "arrayBuffer"));
    if (found.value === null) return null;
    const bytes = new Uint8Array(found.value);
    const entry = await parseEntry(name, found.metadata);
    if (!entry) throw new Error(`KV holds a long key that Carrel did not write: ${name}`);
    return { bytes, metadata: entry.metadata, tag: await sha256Hex(bytes) };
  };

  const holds = async (key: StorageKey, onlyIf: NonNullable<PutOptions["onlyIf"]>) => {
    const found = await get(key);
    return onlyIf === "absent" ? !found : found?.tag === onlyIf.tag;
  };

  return {
    get,

    async put(key, bytes, { metadata = {}, onlyIf } = {}) {
      assertStorable(key, bytes, metadata);
      if (onlyIf && !(await holds(key, onlyIf))) return { kind: "conflict" };
      const name = await nameOf(key);
      const beside = name === key ? metadata : { tail: swapQuotes(tailOf(key)), metadata };
      await refusals(kv.put(name, bytes, { metadata: beside }));
      return { kind: "stored", tag: await sha256Hex(bytes) };
    },

    async delete(keys) {
      for (let from = 0; from < keys.length; from += AT_ONCE) {
        const names = await Promise.all(keys.slice(from, from + AT_ONCE).map(nameOf));
        await Promise.all(names.map((name) => refusals(kv.delete(name))));
      }
    },

    async list(prefix, cursor = null, limit = storeLimits.pageEntries) {
      const page = await refusals(kv.list<unknown>({ prefix: headOf(prefix), limit, cursor }));
      const found = await Promise.all(page.keys.map((it) => parseEntry(it.name, it.metadata)));
      for (const [at, { name }] of page.keys.entries())
        if (!found[at]) log("warn", "workspace.left_outside", { key: name, why: LEFT_OUT });
      const entries = found
        .filter((entry) => entry !== null)
        .filter(({ key }) => key.startsWith(prefix));
      return { entries, cursor: page.list_complete ? null : page.cursor };
    },
  };
}

const isLong = (key: string): boolean => utf8Length(key) > HEAD_BYTES;

/** The name in KV; injective, since a digest makes every name of a long key longer than any short key. */
async function nameOf(key: StorageKey): Promise<string> {
  if (!isLong(key)) return key;
  return `${headOf(key)}~${await sha256Hex(new TextEncoder().encode(key))}`;
}

/** The longest beginning of at most 447 bytes that splits no character. */
function headOf(key: string): string {
  const bytes = new TextEncoder().encode(key);
  let end = Math.min(bytes.length, HEAD_BYTES);
  while (end < bytes.length && isContinuation(bytes[end])) end -= 1;
  return new TextDecoder().decode(bytes.subarray(0, end));
}

const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80;

const tailOf = (key: string): string => key.slice(headOf(key).length);

const swapQuotes = (text: string): string =>
  text.replace(/["\x7f]/g, (char) => (char === '"' ? "\x7f" : '"'));

const LEFT_OUT = "it is a long key that Carrel did not write";

/** The key and metadata behind a name; `null` for a long name that this store did not make: its key is not known. */
async function parseEntry(name: string, beside: unknown): Promise<ListEntry | null> {
  if (!isLong(name)) {
    const parsed = Metadata.safeParse(beside);
    return { key: name as StorageKey, metadata: parsed.data ?? {} };
  }
  const parsed = LongKey.safeParse(beside);
  const head = name.slice(0, name.lastIndexOf("~"));
  const key = `${head}${swapQuotes(parsed.data?.tail ?? "")}` as StorageKey;
  if (!parsed.data || (await nameOf(key)) !== name) return null;
  return { key, metadata: parsed.data.metadata };
}

/** KV says how it failed in its message only (https://developers.cloudflare.com/kv/api/write-key-value-pairs/). */
async function refusals<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && /^KV [A-Z_]+ failed: 429\b/.test(error.message))
      throw new StoreBusyError(1_000, { cause: error });
    throw error;
  }
}

import type { BucketKey } from "../../shared/bucket-key.ts";
import { CarrelError } from "../../shared/errors.ts";
import { workspacePath } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";

declare const storageKeyBrand: unique symbol;

/** The key of one stored thing, of at most 1,000 UTF-8 bytes. Also what a store's listing gives back. */
export type StorageKey = string & { readonly [storageKeyBrand]: true };

/** What a bucket stores. Kinds lie beside `files/`, so no user's path can meet a key of Carrel's own. */
export type Stored =
  /** A file under its readable path; or the mark that hides a lower layer's file, skill or declaration. */
  | { readonly kind: "files" | "whiteouts"; readonly path: WorkspacePath }
  /** An earlier version of a file; or an immutable part of a log, counted from 0. */
  | {
      readonly kind: "versions" | "segments";
      readonly path: WorkspacePath;
      readonly number: number;
    }
  /** Bytes under the SHA-256 of themselves. */
  | { readonly kind: "blobs"; readonly sha256: string };

export type StoredKind = Stored["kind"];

const NUMBER = /^\d{16}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * What the keys of one kind in one bucket begin with, and no other key does: no such prefix is a prefix of
 * another. Listing a `BucketKey` itself gives all kinds, and for a user's bucket those of the sessions, too.
 */
export const storagePrefix = (bucket: BucketKey, kind: StoredKind): string => `${bucket}${kind}/`;

/**
 * The one key of a stored thing; different things have different keys. Throws a plain `Error` for the root, for
 * a number that is not a natural one, and for a digest that is not lower-case hex.
 */
export function storageKey(bucket: BucketKey, stored: Stored): StorageKey {
  const name = nameIn(stored);
  if (name === null) throw new Error(`cannot be stored: ${JSON.stringify(stored)}`);
  return `${storagePrefix(bucket, stored.kind)}${name}` as StorageKey;
}

function nameIn(stored: Stored): string | null {
  if (stored.kind === "blobs") return SHA256.test(stored.sha256) ? stored.sha256 : null;
  if (stored.path === "") return null;
  if (!("number" in stored)) return stored.path;
  if (!Number.isSafeInteger(stored.number) || stored.number < 0) return null;
  return `${stored.path}/${String(stored.number).padStart(16, "0")}`;
}

/**
 * What a listed key of this bucket stands for; `null` for every key that `storageKey` would not have made: of
 * another bucket, of no known kind, or put there by hand under a path in another spelling.
 */
export function parseStorageKey(bucket: BucketKey, key: string): Stored | null {
  if (!key.startsWith(bucket)) return null;
  const rest = key.slice(bucket.length);
  const slash = rest.indexOf("/");
  if (slash === -1) return null;
  const name = rest.slice(slash + 1);
  const stored = parseName(rest.slice(0, slash), name);
  return stored && nameIn(stored) === name ? stored : null;
}

function parseName(kind: string, name: string): Stored | null {
  switch (kind) {
    case "blobs":
      return SHA256.test(name) ? { kind, sha256: name } : null;
    case "files":
    case "whiteouts": {
      const path = parsePath(name);
      return path && { kind, path };
    }
    case "versions":
    case "segments": {
      const slash = name.lastIndexOf("/");
      const path = parsePath(name.slice(0, Math.max(0, slash)));
      const digits = name.slice(slash + 1);
      return path && NUMBER.test(digits) ? { kind, path, number: Number(digits) } : null;
    }
    default:
      return null;
  }
}

function parsePath(raw: string): WorkspacePath | null {
  try {
    return workspacePath(raw) || null;
  } catch (error) {
    if (error instanceof CarrelError) return null;
    throw error;
  }
}

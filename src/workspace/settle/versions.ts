import { sha256Hex } from "../../shared/sha256.ts";
import { meetKey } from "../contents/blobs.ts";
import { factsOf, metadataOf } from "../store/metadata.ts";
import type { FileRow, Rows, VersionRow } from "../rows.ts";
import type { Again, Desk } from "./desk.ts";
import { storageKey } from "../store/storage-key.ts";
import { deleteUntil } from "./unsure.ts";
import { versionRows } from "../versions.ts";

/**
 * Puts the earlier versions of a file that the store has not got, deletions included, and lets go of their texts
 * here. When to come back, if one has to wait.
 */
export async function settleVersions(desk: Desk, row: FileRow): Promise<Again> {
  for (const version of pending(desk.rows, row)) {
    const wait = await settleVersion(desk, version);
    if (wait !== null) return wait;
  }
  return null;
}

/**
 * Texts that are still here; and of what has no text, that which came to be an earlier version since the store is
 * behind: its successor is that young.
 */
function pending(rows: Rows, row: FileRow): VersionRow[] {
  const versions = versionRows(rows, row.path).toReversed();
  return versions.filter(({ type, body }, at) => {
    if (type === "text") return body !== null;
    return (versions[at + 1] ?? row).at >= (row.dirty ?? 0);
  });
}

/** Puts one earlier version; see `settleVersions`. */
export async function settleVersion(desk: Desk, row: VersionRow): Promise<Again> {
  const { rows, bucket, store } = desk;
  const { path, version, type, body } = row;
  const key = storageKey(bucket, { kind: "versions", path, number: version });
  // What is put while the sweep's delete may still come would be lost with it.
  const wait = deleteUntil(rows.sql, key);
  if (wait !== null) return wait;
  const text = type !== "text" || body === null ? "" : rows.text(body);
  if (text === null) throw new Error(`version ${version} of "${path}" is missing`);
  const bytes = new TextEncoder().encode(text);
  const digest = await sha256Hex(bytes);
  const sha256 = type === "blob" ? (row.sha256 ?? digest) : digest;
  if (type === "text" && row.sha256 !== null && row.sha256 !== sha256)
    throw new Error(`version ${version} of "${path}" is not what was written`);
  const facts = { ...row, sha256, lines: 0 };
  const metadata = metadataOf(facts);
  const outcome = await store.put(key, bytes, { metadata, onlyIf: "absent" });
  if (outcome.kind === "conflict") {
    const found = await meetKey(store, key);
    const there = found && factsOf(found.metadata);
    const isSame = there?.sha256 === sha256 && there.type === type;
    const isWhole = found?.bytes && (await sha256Hex(found.bytes)) === digest;
    if (!isSame || !isWhole) {
      const again = await store.put(key, bytes, { metadata, onlyIf: found ?? "absent" });
      if (again.kind === "conflict") throw new Error(`${key} changes under our hands`);
    }
  }
  if (type === "text" && body !== null) letGo(desk, row, body, sha256);
  return null;
}

/** The store has the text now: it leaves the tables, unless the version was dropped or taken back meanwhile. */
function letGo({ rows }: Desk, { path, version }: VersionRow, body: number, sha256: string): void {
  rows.commit("settle", (tx) => {
    const isStill = tx.sql.run(
      "UPDATE version SET body = NULL, sha256 = ? WHERE path = ? AND version = ? AND body = ?",
      sha256,
      path,
      version,
      body,
    );
    if (isStill && rows.files.get(path)?.body !== body) tx.dropBody(body);
  });
}

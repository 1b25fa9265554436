import { sha256Hex } from "../shared/sha256.ts";
import type { StoredBlob } from "./blob-store.ts";
import { keepsVersions, pieceOf } from "./change-content.ts";
import { factsOf } from "./metadata.ts";
import type { FileRow } from "./rows.ts";
import type { Again, Desk } from "./settle-desk.ts";
import { keepVersion } from "./versions.ts";

/** Who is said to have written what came into the store past Carrel. */
export const OUTSIDE = "outside";

/** Whether this is a put of the bucket itself, of version `newest` or before it, with its bytes intact. */
export async function isOurs(found: StoredBlob, newest: number): Promise<boolean> {
  const facts = factsOf(found.metadata);
  if (!facts || facts.version > newest) return false;
  return facts.sha256 === (await sha256Hex(found.bytes));
}

/**
 * What other hands put where a newer change of ours is to be settled becomes an earlier version of the file, if the
 * file has versions; ours will be put over it. The file gets a new version number, since it is the newest again.
 */
export async function keepOutside(
  desk: Pick<Desk, "rows" | "contents" | "clock" | "limits">,
  row: FileRow,
  found: StoredBlob,
): Promise<Again> {
  const { rows, contents, clock, limits } = desk;
  const isKept = keepsVersions(row.path);
  const piece = pieceOf(row.path, { bytes: found.bytes }, limits);
  const sha256 = await sha256Hex(found.bytes);
  if (isKept && piece.type === "blob") await contents.putBlob(piece.bytes);
  rows.commit("settle", (tx) => {
    const now = rows.files.get(row.path);
    if (now?.version !== row.version) return;
    if (!isKept) return tx.putFile({ ...now, tag: found.tag });
    const outside = {
      path: row.path,
      version: tx.nextVersion(),
      type: piece.type,
      size: piece.size,
      sha256,
      executable: false,
      at: clock.now(),
      author: OUTSIDE,
      body: piece.type === "text" ? tx.newBody(piece.text) : null,
    };
    keepVersion(tx, outside, limits.versions);
    tx.putFile({ ...now, version: tx.nextVersion(), tag: found.tag });
  });
  return null;
}

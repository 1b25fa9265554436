import { sha256Hex } from "../../shared/sha256.ts";
import { CarrelError } from "../../shared/errors.ts";
import type { Met } from "../contents/blobs.ts";
import { keepsVersions, pieceOf, type Piece } from "../change/content.ts";
import { factsOf } from "../store/metadata.ts";
import type { FileRow } from "../rows.ts";
import type { Again, Desk } from "./desk.ts";
import { keepVersion } from "../versions.ts";

/** Who is said to have written what came into the store past Carrel. */
export const OUTSIDE = "outside";

/** Whether this is a put of the bucket itself, of version `newest` or before it, with its bytes intact. */
export async function isOurs(found: Met, newest: number): Promise<boolean> {
  const facts = factsOf(found.metadata);
  if (!facts || facts.version > newest || found.bytes === null) return false;
  return facts.sha256 === (await sha256Hex(found.bytes));
}

/**
 * What other hands put where a newer change of ours is to be settled becomes an earlier version of the file, if the
 * file has versions; ours will be put over it. The file gets a new version number, since it is the newest again. What
 * no file could be is logged, and lost.
 */
export async function keepOutside(
  desk: Pick<Desk, "rows" | "contents" | "clock" | "limits" | "log">,
  row: FileRow,
  found: Met,
): Promise<Again> {
  const { rows, contents, clock, limits } = desk;
  const piece = keepsVersions(row.path) ? pieceIn(desk, row, found) : null;
  const sha256 = found.bytes && (await sha256Hex(found.bytes));
  if (piece?.type === "blob") await contents.putBlob(piece.bytes);
  rows.commit("settle", (tx) => {
    const now = rows.files.get(row.path);
    if (now?.version !== row.version) return;
    if (!piece) return tx.putFile({ ...now, tag: found.tag });
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
    keepVersion(tx, outside, limits);
    // The store lacks all that came to be an earlier version since then: this one, too.
    const dirty = Math.min(now.dirty ?? now.at, now.at);
    tx.putFile({ ...now, version: tx.nextVersion(), tag: found.tag, dirty });
  });
  return null;
}

function pieceIn(
  { limits, log }: Pick<Desk, "limits" | "log">,
  { path }: FileRow,
  { bytes }: Met,
): Piece | null {
  try {
    if (bytes) return pieceOf(path, { bytes }, limits);
  } catch (error) {
    if (!(error instanceof CarrelError)) throw error;
  }
  log("warn", "workspace.outside_lost", { path, size: bytes?.length ?? null });
  return null;
}

import { meetKey, type Met } from "../contents/blobs.ts";
import { factsOf } from "../store/metadata.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { FileRow } from "../rows.ts";
import { openNumber } from "../contents/segments.ts";
import { deleteKeys } from "./desk.ts";
import type { Again, Desk } from "./desk.ts";
import { parseStorageKey } from "../store/storage-key.ts";
import type { StorageKey, Stored } from "../store/storage-key.ts";
import { clearUnsure, markOutdated, unsureOf } from "./unsure.ts";

/**
 * Looks at a key after the last call of unknown outcome can have acted there. Where the store now has an older put of
 * ours, or has lost a file to a delete, the file is dirty again; what should not be there is deleted again.
 */
export async function checkUnsure(desk: Desk, key: StorageKey): Promise<Again> {
  const { rows, store, bucket, clock } = desk;
  const { until = 0 } = unsureOf(rows.sql, key) ?? {};
  if (until > clock.now()) return until;
  const stored = parseStorageKey(bucket, key);
  // Versions and blobs never change, and waited until now to be put again.
  const checked = stored && checkedOf(stored);
  if (checked) {
    const found = await meetKey(store, key);
    if (rowOf(desk, checked) === null) await removeStray(desk, key, found);
    else recheck(desk, checked, found);
  }
  rows.commit("unsure", ({ sql }) => clearUnsure(sql, key, until));
  return null;
}

type Checked = {
  readonly kind: "files" | "whiteouts" | "segments";
  readonly path: WorkspacePath;
  readonly number?: number;
};

function checkedOf(stored: Stored): Checked | null {
  if (stored.kind === "blobs") return null;
  if (!("number" in stored)) return stored;
  return stored.kind === "segments" ? { ...stored, kind: "segments" } : null;
}

/** What says that something should be under the key; `null` when nothing should. */
function rowOf({ rows }: Desk, { kind, path, number }: Checked): { dirty: number | null } | null {
  if (kind === "whiteouts") {
    const row = rows.whiteouts.get(path);
    return row?.present ? row : null;
  }
  const row = rows.files.get(path);
  if (!row || row.type === "gone" || (row.type === "log") !== (kind === "segments")) return null;
  return kind === "segments" && (number ?? 0) > openNumber(rows.sql, path) ? null : row;
}

/** A dirty row will be put, and under a condition: it needs no second look. */
function recheck(desk: Desk, checked: Checked, found: Met | null): void {
  const { rows, clock } = desk;
  const { kind, path, number } = checked;
  if (rowOf(desk, checked)?.dirty !== null) return;
  if (kind === "whiteouts") {
    const row = rows.whiteouts.get(path);
    const isThere = found && factsOf(found.metadata)?.version === row?.version;
    if (row && !isThere)
      rows.commit("unsure", (tx) => tx.putWhiteout({ ...row, dirty: clock.now() }));
    return;
  }
  const row = rows.files.get(path);
  const isSealed = kind === "segments" && number !== openNumber(rows.sql, path);
  if (!row || isSealed || (kind === "segments" && row.tag === null)) return;
  if (isAsPut(row, found)) return;
  // What is not ours keeps its tag unknown, so that the next put meets it and keeps it.
  const facts = found && factsOf(found.metadata);
  const tag = found && facts && facts.version < row.version ? found.tag : null;
  rows.commit("unsure", (tx) => tx.putFile({ ...row, tag, dirty: clock.now() }));
}

const isAsPut = (row: FileRow, found: Met | null): boolean =>
  found !== null && found.tag === row.tag && factsOf(found.metadata)?.version === row.version;

async function removeStray(desk: Desk, key: StorageKey, found: Met | null): Promise<void> {
  const facts = found && factsOf(found.metadata);
  if (!facts || facts.version > desk.rows.version) return;
  await deleteKeys(desk, [key]);
  desk.rows.commit("unsure", ({ sql }) => markOutdated(sql, key, desk.clock.now()));
}

import { CarrelError } from "../../shared/errors.ts";
import type { Sql } from "../../shared/sql.ts";
import type { FileType } from "../../shared/workspace-files.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { RowsTx } from "../rows.ts";

/** A file, or a further piece of one, that waits for its import. `text` is `null` for a blob, which is in the store. */
export type StagedFile = {
  readonly is: "write" | "append";
  readonly path: WorkspacePath;
  readonly type: FileType;
  readonly size: number;
  readonly sha256: string | null;
  readonly executable: boolean;
  readonly text: string | null;
};

type StagedWhiteout = { readonly is: "whiteout"; readonly path: WorkspacePath };

export type StagedItem = StagedFile | StagedWhiteout;

/** A file, or a piece of one, as it is read back: its text only when it is wanted. */
export type LoadedFile = Omit<StagedFile, "text"> & { readonly load: () => string };

export type LoadedItem = StagedWhiteout | LoadedFile;

type StagedPage = { readonly length: number };

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Keeps a page in place of an earlier one, drops imports that got none for a day, and gives the length of all that
 * waits. A row is a line of JSON and then the text; the page itself is row 0, also when it is empty.
 */
export function stagePage(
  tx: RowsTx,
  { id, no, at }: { readonly id: string; readonly no: number; readonly at: number },
  items: readonly StagedItem[],
): number {
  dropStale(tx, at - DAY_MS);
  tx.sql.run("DELETE FROM staged WHERE import = ? AND no = ?", id, no);
  const insert = (item: number, head: object, text: string) =>
    tx.sql.run(
      "INSERT INTO staged(import, no, item, at, body) VALUES (?, ?, ?, ?, ?)",
      id,
      no,
      item,
      at,
      `${JSON.stringify(head)}\n${text}`,
    );
  let length = 0;
  for (const [index, item] of items.entries()) {
    const text = (item.is === "whiteout" ? null : item.text) ?? "";
    length += text.length + item.path.length;
    insert(index + 1, { ...item, text: undefined }, text);
  }
  insert(0, { is: "page", length }, "");
  const pages = tx.sql.all<{ body: string }>("SELECT body FROM staged WHERE item = 0");
  return pages.reduce((sum, { body }) => sum + (JSON.parse(body) as StagedPage).length, 0);
}

/** Everything of an import in its order; `null` when there is nothing. Throws `CarrelError('conflict')` without all pages. */
export function stagedItems(sql: Sql, id: string): readonly LoadedItem[] | null {
  type Row = { readonly no: number; readonly item: number; readonly head: string };
  const rows = sql.all<Row>(
    `SELECT no, item, substr(body, 1, instr(body, char(10)) - 1) AS head
     FROM staged WHERE import = ? ORDER BY no, item`,
    id,
  );
  if (rows.length === 0) return null;
  const pages = rows.filter(({ item }) => item === 0);
  const gap = pages.findIndex(({ no }, at) => no !== at);
  if (gap !== -1)
    throw new CarrelError("conflict", `Page ${gap} of the import is missing. Send it first.`);
  return rows.flatMap(({ no, item, head }) => {
    if (item === 0) return [];
    const load = () => textOf(sql, id, no, item);
    return [{ ...(JSON.parse(head) as StagedWhiteout | Omit<StagedFile, "text">), load }];
  });
}

/** Drops what is left of an import. */
export function dropStaged(tx: RowsTx, id: string): void {
  tx.sql.run("DELETE FROM staged WHERE import = ?", id);
}

/** Drops imports that got no page since `before` (ms). */
export function dropStale(tx: RowsTx, before: number): void {
  tx.sql.run(
    "DELETE FROM staged WHERE import IN (SELECT import FROM staged GROUP BY import HAVING max(at) < ?)",
    before,
  );
}

function textOf(sql: Sql, id: string, no: number, item: number): string {
  const [row] = sql.all<{ text: string }>(
    `SELECT substr(body, instr(body, char(10)) + 1) AS text
     FROM staged WHERE import = ? AND no = ? AND item = ?`,
    id,
    no,
    item,
  );
  if (!row) throw new CarrelError("conflict", "The import was dropped meanwhile. Send it again.");
  return row.text;
}

import { sha256Hex } from "../../shared/sha256.ts";
import { splitLines } from "../../shared/text.ts";
import { meetKey } from "../contents/blobs.ts";
import type { StoredFacts } from "../store/metadata.ts";
import type { FileRow, SegmentRow } from "../rows.ts";
import { nextOf, openNumber, openText, trimBody } from "../contents/segments.ts";
import { WRITE_GAP_MS, putKey } from "./desk.ts";
import type { Again, Desk } from "./desk.ts";
import { isOurs } from "./outside.ts";
import { storageKey } from "../store/storage-key.ts";
import type { StorageKey } from "../store/storage-key.ts";
import { deleteUntil, markUnsure } from "./unsure.ts";

/** One part of a log on its way to the store. */
type Part = {
  readonly row: FileRow;
  readonly body: number;
  readonly text: string;
  readonly isSealed: boolean;
  readonly segment: SegmentRow;
  readonly facts: StoredFacts;
  readonly key: StorageKey;
};

/**
 * Puts the open text of a log. Once there is enough of it, whole lines of it are sealed: put for the last time, they
 * leave the tables when the store confirmed it. What is appended meanwhile stays open and dirty.
 */
export async function settleLog(desk: Desk, row: FileRow, began: number): Promise<Again> {
  const { rows, clock } = desk;
  for (let now = row; ;) {
    const part = await partOf(desk, now);
    // A delete that may still come would take with it what is sealed under the same key.
    const wait = part.isSealed ? deleteUntil(rows.sql, part.key) : null;
    if (wait !== null) return wait;
    const tag = rows.files.get(row.path)?.tag ?? null;
    const onlyIf = tag === null ? "absent" : { tag };
    const outcome = await putKey(
      desk,
      part.key,
      new TextEncoder().encode(part.text),
      part.facts,
      onlyIf,
    );
    const stored = outcome.kind === "stored" ? outcome.tag : await meet(desk, part);
    if (stored === null) return clock.now() + WRITE_GAP_MS;
    confirm(desk, part, stored, began);
    const next = rows.files.get(row.path);
    if (!part.isSealed || next?.type !== "log" || next.dirty === null) return null;
    now = next;
  }
}

async function partOf({ rows, bucket }: Desk, row: FileRow): Promise<Part> {
  const { path, body } = row;
  const next = body === null ? null : nextOf(rows.sql, body);
  if (body === null || next === null) throw new Error(`the end of "${path}" is missing`);
  const { text, isSealed } = next;
  const number = openNumber(rows.sql, path);
  const bytes = new TextEncoder().encode(text);
  const [size, lines, sha256] = [bytes.length, splitLines(text).length, await sha256Hex(bytes)];
  return {
    row,
    body,
    text,
    isSealed,
    segment: { path, number, size, lines, sha256 },
    facts: { ...row, size, lines, sha256 },
    key: storageKey(bucket, { kind: "segments", path, number }),
  };
}

/** The tag of what is under the key when it is this very part; otherwise `null`, and the next put goes over it. */
async function meet({ rows, store, log }: Desk, { row, facts, key }: Part): Promise<string | null> {
  const found = await meetKey(store, key);
  const ours = found !== null && (await isOurs(found, row.version));
  if (ours && found.metadata.version === String(row.version)) {
    if (found.metadata.sha256 === facts.sha256) return found.tag;
  }
  if (found && !ours) log("warn", "workspace.outside_edit", { key });
  rows.commit("settle", (tx) => {
    const now = rows.files.get(row.path);
    if (now) tx.putFile({ ...now, tag: found?.tag ?? null });
  });
  return null;
}

function confirm(desk: Desk, part: Part, tag: string, began: number): void {
  const { rows, clock, mayBeUnderWay } = desk;
  const { row, body, text, isSealed, segment, key } = part;
  rows.commit("settle", (tx) => {
    const now = rows.files.get(row.path);
    const isStill =
      now?.type === "log" &&
      now.body === body &&
      openNumber(tx.sql, now.path) === segment.number &&
      openText(tx.sql, body, text.length)?.startsWith(text);
    if (!now || !isStill) {
      // Another file is there now; that one's put meets this part and goes over it, or its delete takes it.
      if (now) tx.putFile({ ...now, tag });
      markUnsure(tx.sql, key, clock.now(), "put");
      return;
    }
    if (mayBeUnderWay(row.dirty)) markUnsure(tx.sql, key, clock.now(), "put");
    if (isSealed) {
      tx.sql.run(
        "INSERT INTO segment(path, number, size, lines, sha256) VALUES (?, ?, ?, ?, ?)",
        segment.path,
        segment.number,
        segment.size,
        segment.lines,
        segment.sha256,
      );
      trimBody(tx, body, text.length);
    }
    const isAll = now.version === row.version && (!isSealed || openText(tx.sql, body, 1) === "");
    const dirty = isAll ? null : isSealed && now.version === row.version ? now.dirty : began;
    tx.putFile({ ...now, tag: isSealed ? null : tag, dirty, settled: clock.now() });
  });
}

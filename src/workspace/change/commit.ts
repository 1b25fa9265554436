import { keepsVersions } from "./content.ts";
import type { ChangeDraft, DraftBody, DraftFile, Drafted } from "./draft.ts";
import { LOST, type Supplies } from "./supplies.ts";
import type { BucketLimits } from "../limits.ts";
import { exchanged, hidden, type Totals } from "../quota.ts";
import type { WorkspacePath } from "../layers/path.ts";
import type { FileRow, Rows, RowsTx } from "../rows.ts";
import { goneVersion, keepVersion } from "../versions.ts";

type Filed = {
  readonly path: WorkspacePath;
  readonly drafted: Drafted;
  readonly row: FileRow | null;
};

/** Who goes on with a body that is there. */
type Plan = {
  /** Bodies that become those of earlier versions. */
  readonly kept: ReadonlySet<number>;
  /** Bodies that drafted files go on with. */
  readonly continued: ReadonlySet<number>;
};

/** The totals of the bucket once the draft is written. */
export function totalsAfter(
  draft: ChangeDraft,
  rows: Pick<Rows, "files" | "whiteouts">,
  before: Totals,
): Totals {
  let totals = before;
  for (const { path, drafted } of filed(draft, rows)) {
    const file = drafted.is === "file" ? drafted.file : null;
    totals = exchanged(totals, rows.files.get(path) ?? null, file);
  }
  for (const [unit, { present }] of draft.whiteouts)
    totals = hidden(totals, rows.whiteouts.get(unit)?.present ?? false, present);
  return totals;
}

/** Asks for the texts that become earlier versions and that only the store has. One that is lost will not be kept. */
export function askForVersions(
  draft: ChangeDraft,
  rows: Pick<Rows, "files">,
  supplies: Supplies,
): void {
  for (const it of filed(draft, rows)) {
    if (it.row && isKept(it) && it.row.type === "text") supplies.earlierText(it.row);
  }
}

/**
 * Writes a draft. Everything it needs is at hand, and nothing has changed since it was made. Bodies go on, change
 * places or become those of versions; only what nothing refers to any more is dropped.
 */
export function writeDraft(
  tx: RowsTx,
  rows: Rows,
  { draft, supplies, limits }: { draft: ChangeDraft; supplies: Supplies; limits: BucketLimits },
): void {
  const files = filed(draft, rows);
  const kept = new Set(files.filter(isKept).flatMap(({ row }) => row?.body ?? []));
  const continued = new Set(files.flatMap(({ drafted }) => continuedBody(drafted) ?? []));
  for (let number = 0; number < draft.numbers; number += 1) tx.nextVersion();
  /** Bodies of files as they are now, and the newest number that a row has. */
  const used = new Set<number>();
  let newest = 0;
  for (const it of files) {
    if (it.drafted.is !== "file") continue;
    const body = putFile(tx, rows, { kept, continued }, it, it.drafted.file);
    if (body !== null) used.add(body);
    newest = Math.max(newest, it.drafted.version);
  }
  for (const it of files) {
    if (isKept(it) && it.row) keepRow(tx, it.row, supplies, limits);
    if (it.drafted.is === "gone") putGone(tx, it, it.drafted.why, limits);
    if (it.row) newest = Math.max(newest, it.drafted.version);
    dropBody(tx, it, (body) => kept.has(body) || used.has(body));
  }
  for (const [path, { present, ...signature }] of draft.whiteouts) {
    const before = rows.whiteouts.get(path);
    if ((before?.present ?? false) === present) continue;
    const dirty = sinceWhen(before, draft.at);
    tx.putWhiteout({ path, present, dirty, settled: null, ...signature });
    newest = Math.max(newest, signature.version);
  }
  if (newest < rows.version) tx.passVersion(rows.version);
}

const filed = (draft: ChangeDraft, rows: Pick<Rows, "files">): Filed[] =>
  [...draft.files].map(([path, drafted]) => {
    const row = rows.files.get(path);
    return { path, drafted, row: row && row.type !== "gone" ? row : null };
  });

/** Whether what is there now becomes an earlier version: not when it only grows. */
function isKept({ path, drafted, row }: Filed): boolean {
  if (!row || row.type === "log") return false;
  if (drafted.is === "gone") return keepsVersions(path);
  const { body, keepBefore = false } = drafted.file;
  return body?.base !== row && (keepsVersions(path) || keepBefore);
}

const continuedBody = (drafted: Drafted): number | null =>
  drafted.is === "file" ? (drafted.file.body?.base?.body ?? null) : null;

/** Nobody is kept from writing over what cannot be read any more; that it is lost is in the log. */
function keepRow(tx: RowsTx, row: FileRow, supplies: Supplies, limits: BucketLimits): void {
  if (row.type !== "text") return keepVersion(tx, row, limits);
  const text = supplies.earlierText(row);
  if (text === null) throw new Error(`the text of ${row.path} was not fetched`);
  if (text !== LOST) keepVersion(tx, { ...row, body: row.body ?? tx.newBody(text) }, limits);
}

/** Since when the store is behind: never after the first change that it lacks, whatever the clock did meanwhile. */
const sinceWhen = (before: { readonly dirty: number | null } | undefined, at: number): number =>
  Math.min(before?.dirty ?? at, at);

function putFile(
  tx: RowsTx,
  rows: Rows,
  plan: Plan,
  { path, drafted, row }: Filed,
  file: DraftFile,
): number | null {
  const { version, at, author } = drafted;
  const { type, size, sha256, executable } = file;
  const body = file.body && writeBody(tx, rows, plan, file.body, row);
  const before = rows.files.get(path);
  const dirty = sinceWhen(before, at);
  const tag = before?.tag ?? null;
  const facts = { type, size, sha256, executable, body, dirty, tag, settled: null };
  tx.putFile({ path, version, at, author, ...facts });
  return body;
}

function writeBody(
  tx: RowsTx,
  rows: Rows,
  { kept, continued }: Plan,
  { base, parts }: DraftBody,
  row: FileRow | null,
): number {
  const from = base?.body ?? null;
  let body: number;
  let rest = parts;
  if (from === null || kept.has(from)) {
    const begin = from === null ? (parts[0]?.() ?? "") : rows.text(from);
    if (begin === null) throw new Error(`the text of ${base?.path} is missing`);
    const old = row?.body ?? null;
    const isFree = old !== null && !kept.has(old) && !continued.has(old);
    body = isFree ? replaceBody(tx, old, begin) : tx.newBody(begin);
    if (from === null) rest = parts.slice(1);
  } else body = from;
  for (const part of rest) tx.appendPart(body, part());
  return body;
}

/** One row instead of two, for a file of one part that has no versions. */
function replaceBody(tx: RowsTx, body: number, text: string): number {
  tx.sql.run("DELETE FROM part WHERE body = ? AND no > 0", body);
  tx.sql.run(
    "INSERT INTO part(body, no, text) VALUES (?1, 0, ?2) ON CONFLICT DO UPDATE SET text = ?2",
    body,
    text,
  );
  return body;
}

function putGone(
  tx: RowsTx,
  { path, drafted, row }: Filed,
  why: "deleted" | "reset",
  limits: BucketLimits,
): void {
  const { version, at, author } = drafted;
  if (keepsVersions(path)) keepVersion(tx, goneVersion(path, why, { version, at, author }), limits);
  if (!row) return;
  const nothing = { type: "gone", size: 0, sha256: null, executable: false, body: null } as const;
  const { tag } = row;
  tx.putFile({
    path,
    version,
    at,
    author,
    ...nothing,
    dirty: sinceWhen(row, at),
    tag,
    settled: null,
  });
}

/** A log that does not go on leaves no sealed parts to the next of its name. */
function dropBody(
  tx: RowsTx,
  { path, drafted, row }: Filed,
  isUsed: (body: number) => boolean,
): void {
  if (!row) return;
  if (row.body !== null && !isUsed(row.body)) tx.dropBody(row.body);
  const goesOn = drafted.is === "file" && drafted.file.body?.base === row;
  if (row.type === "log" && !goesOn) tx.sql.run("DELETE FROM segment WHERE path = ?", path);
}

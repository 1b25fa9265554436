import { CarrelError, invalid, tooLarge } from "../../shared/errors.ts";
import { spellSize } from "../../shared/text.ts";
import { totalsAfter } from "../change/commit.ts";
import { typeAt } from "../change/content.ts";
import { ChangeDraft } from "../change/draft.ts";
import { NotYet, type Supplies } from "../change/supplies.ts";
import type { ChangeContext } from "../change/change.ts";
import { bodyHere } from "../change/write.ts";
import type { LoadedFile, LoadedItem } from "./staging.ts";
import { parentsOf } from "../layers/overlay.ts";
import { quote } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { isRecordPath, ruleOf, unitOf } from "../layers/path-rules.ts";
import { assertQuota, type Totals } from "../quota.ts";

export type ImportPlan = {
  readonly draft: ChangeDraft;
  /** How many files it writes. */
  readonly files: number;
  readonly totals: Totals;
};

/**
 * What an import comes to, as a draft whose texts are read from the staged pages one by one, when they are written.
 * A log that is there only grows, and another record that is there stays. `null`: something must be fetched first.
 * Throws `CarrelError`: `conflict`, `invalid`, `too_large`, `quota_exceeded`.
 */
export function planImport(
  context: ChangeContext,
  items: readonly LoadedItem[],
  author: string,
  supplies: Supplies,
): ImportPlan | null {
  const { rows, layers, limits, totals, clock } = context;
  const draft = new ChangeDraft(rows, () => layers.overlay(), { at: clock.now(), author });
  for (const item of items)
    if (item.is === "whiteout" && ruleOf(item.path).layers === "all")
      draft.whiteout(item.path, true);
  let files = 0;
  let isWaiting = false;
  for (const [path, pieces] of piecesByPath(items)) {
    try {
      if (putFile({ draft, supplies, context }, path, pieces)) files += 1;
    } catch (error) {
      if (!(error instanceof NotYet)) throw error;
      isWaiting = true;
    }
  }
  if (isWaiting) return null;
  const after = totalsAfter(draft, rows, totals.totals);
  assertQuota(totals.totals, after, limits);
  return { draft, files, totals: after };
}

type Pieces = readonly [LoadedFile, ...LoadedFile[]];

type Planning = {
  readonly draft: ChangeDraft;
  readonly supplies: Supplies;
  readonly context: ChangeContext;
};

/** What each file is made of. A write begins it anew. */
function piecesByPath(items: readonly LoadedItem[]): ReadonlyMap<WorkspacePath, Pieces> {
  const files = new Map<WorkspacePath, [LoadedFile, ...LoadedFile[]]>();
  for (const item of items) {
    if (item.is === "whiteout") continue;
    const pieces = files.get(item.path);
    if (pieces && item.is === "append") pieces.push(item);
    else files.set(item.path, [item]);
  }
  return files;
}

/** Whether anything is written. Throws `NotYet` when something must be fetched first. */
function putFile(planning: Planning, path: WorkspacePath, pieces: Pieces): boolean {
  const own = planning.draft.own(path);
  if (own?.type === "log" && pieces[0].is === "write") return putLog(planning, path, pieces);
  if (own && own.type !== "log" && isRecordPath(path)) return false;
  for (const piece of pieces)
    if (piece.is === "write") write(planning.draft, piece);
    else append(planning, piece);
  return true;
}

/** Of a log that begins with all of the one that is there, the rest is added; one that is a beginning of it is not. */
function putLog(planning: Planning, path: WorkspacePath, pieces: Pieces): boolean {
  const row = planning.context.rows.files.get(path);
  if (!row) throw new Error(`"${path}" is an own log without a row`);
  const same = planning.supplies.sameBeginning(row, pieces);
  if (same === null) throw new NotYet();
  const size = pieces.reduce((sum, piece) => sum + piece.size, 0);
  if (same < Math.min(size, row.size))
    throw new CarrelError(
      "conflict",
      `The log ${quote(path)} is not the one that is here: neither continues the other. Nothing was imported; take it out of the archive.`,
    );
  let known = same;
  for (const piece of pieces) {
    const skipped = Math.min(known, piece.size);
    known -= skipped;
    if (skipped < piece.size) append(planning, withoutBytes(piece, skipped));
  }
  return size > same;
}

/** A piece from its byte `skipped` on, where a character begins. */
function withoutBytes(piece: LoadedFile, skipped: number): LoadedFile {
  if (skipped === 0) return piece;
  const load = () => {
    const bytes = new TextEncoder().encode(piece.load()).subarray(skipped);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  };
  return { ...piece, size: piece.size - skipped, load };
}

function write(draft: ChangeDraft, item: LoadedFile): void {
  const { path, type, size, sha256, executable, load } = item;
  const lower = draft.own(path) ? [] : assertRoom(draft, path);
  const unit = unitOf(path);
  if (draft.view().layers[0].whiteouts.has(unit)) draft.whiteout(unit, false);
  const body = type === "blob" ? null : { base: null, parts: [load] };
  draft.put(path, { type, size, sha256, executable, body });
  if (lower.length > 0) draft.layAgain();
}

function append({ draft, supplies, context }: Planning, item: LoadedFile): void {
  const { path, load } = item;
  const { textBytes } = context.limits;
  const own = draft.own(path);
  if (!own) return write(draft, { ...item, type: typeAt(path, "text") });
  if (!own.body) throw invalid(`${quote(path)} is not text, so nothing can be added to it.`);
  const size = own.size + item.size;
  if (own.type !== "log" && size > textBytes)
    throw tooLarge(`The text of ${quote(path)}`, spellSize(textBytes));
  const { base, parts } = bodyHere({ supplies }, own.body);
  draft.put(path, { ...own, size, sha256: null, body: { base, parts: [...parts, load] } });
}

/** Lower files of the same unit, which a new own file hides. */
function assertRoom(draft: ChangeDraft, path: WorkspacePath): readonly { path: WorkspacePath }[] {
  const view = draft.view();
  const [own] = view.layers;
  const unit = unitOf(path);
  const stays = (it: WorkspacePath) => view.get(it)?.layer === own.name || unitOf(it) !== unit;
  const above = parentsOf(path).find((parent) => view.get(parent) && stays(parent));
  const below = view.under(path).find((it) => it.path !== path && stays(it.path));
  const other = above ?? below?.path;
  if (other !== undefined)
    throw new CarrelError(
      "conflict",
      `${quote(path)} cannot be imported beside the file ${quote(other)}. Delete that first.`,
    );
  return view.under(unit).filter((it) => it.layer !== own.name);
}

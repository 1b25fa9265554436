import { invalid, tooLarge } from "../../shared/errors.ts";
import { spellSize } from "../../shared/text.ts";
import type { TextEdit } from "../../shared/workspace-changes.ts";
import { ROW_BYTES, isLog, textWithin, typeAt, type Piece } from "./content.ts";
import type { ChangeDraft, DraftBody, DraftFile } from "./draft.ts";
import { NotYet, type Supplies, type Supply } from "./supplies.ts";
import { editText } from "./edit-text.ts";
import type { LayerFile } from "../layers/layers.ts";
import type { BucketLimits } from "../limits.ts";
import { isJsonObject, mergePatch } from "./merge-patch.ts";
import { planWrite } from "../layers/overlay-change.ts";
import type { OverlayEntry } from "../layers/overlay.ts";
import { quote } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { fileIn } from "../read/read.ts";
import type { Rows } from "../rows.ts";

/** What each change of a plan works on. Whatever is not at hand yet throws `NotYet`. */
export type Planning = {
  readonly draft: ChangeDraft;
  readonly supplies: Supplies;
  readonly limits: BucketLimits;
  readonly rows: Pick<Rows, "sql">;
};

/** What came of one change: where to look now, and the other facts of `Changed`. */
export type Outcome = {
  readonly path: WorkspacePath;
  readonly touched: number;
  readonly replaced?: readonly number[];
  readonly line?: number;
};

/** Writes a whole file. Throws `CarrelError('invalid')` for a log that is there: it only grows. */
export function write(
  planning: Planning,
  path: WorkspacePath,
  piece: Piece,
  executable?: boolean,
): Outcome {
  const { draft, supplies } = planning;
  const before = draft.entry(path);
  if (before) refuseLog(before);
  const file = fileOf(path, supplies.sent(piece), executable ?? before?.file.executable ?? false);
  const touched = makeRoom(planning, path) + 1;
  draft.put(path, file);
  return { path, touched };
}

/** Adds text at the end: one short part, however long the file is. A lower layer's file is copied up first. */
export function append(planning: Planning, path: WorkspacePath, text: string): Outcome {
  const { draft, limits } = planning;
  const isEndless = isLog(path);
  const added = textWithin(path, text, isEndless ? ROW_BYTES : limits.textBytes);
  const entry = draft.entry(path);
  if (entry && added.size === 0) return { path, touched: 0 };
  const before = entry ? growing(planning, entry) : emptyFile(path);
  const size = before.size + added.size;
  if (!isEndless && size > limits.textBytes)
    throw tooLarge(`The text of ${quote(path)}, with what is added,`, spellSize(limits.textBytes));
  const touched = makeRoom(planning, path) + 1;
  const parts = before.body ? [...before.body.parts, () => added.text] : [() => added.text];
  draft.put(path, { ...before, size, sha256: null, body: { base: null, ...before.body, parts } });
  return { path, touched };
}

/** Replaces exact text. Throws `CarrelError`: `not_found`, `invalid` for what is no text, and as `editText` does. */
export function edit(planning: Planning, path: WorkspacePath, edits: readonly TextEdit[]): Outcome {
  const entry = planning.draft.entry(path) ?? fileIn(planning.draft.full(), path);
  refuseLog(entry);
  if (entry.file.type !== "text") throw notText(path);
  const { text, replaced, line } = editText(
    textAt(planning, entry),
    edits,
    planning.limits.textBytes,
  );
  const touched = writeText(planning, path, text, { executable: entry.file.executable });
  return { path, touched, replaced, line };
}

/**
 * Merges a patch into a JSON object. What is no JSON object gives way to one that begins as `{}`, and stays as a
 * version. Throws `CarrelError('invalid')` for a patch that is no object, and for a log.
 */
export function merge(planning: Planning, path: WorkspacePath, patch: unknown): Outcome {
  if (!isJsonObject(patch)) throw invalid("A merge patch must be a JSON object.");
  const entry = planning.draft.entry(path);
  if (entry) refuseLog(entry);
  const before = entry?.file.type === "text" ? parsed(textAt(planning, entry)) : null;
  const target = isJsonObject(before) ? before : {};
  const text = `${JSON.stringify(mergePatch(target, patch), null, 2)}\n`;
  const touched = writeText(planning, path, text, {
    executable: entry?.file.executable ?? false,
    keepBefore: entry !== null && target !== before,
  });
  return { path, touched };
}

/** Copies up what belongs to the unit of `path`, and shows the unit if it was hidden. Gives the number of copies. */
export function makeRoom(planning: Planning, path: WorkspacePath): number {
  const { draft } = planning;
  if (draft.own(path)) return 0;
  const { copy, show } = planWrite(draft.view(), path);
  copyUp(planning, copy);
  for (const unit of show) draft.whiteout(unit, false);
  return copy.length;
}

/** Makes files of lower layers own ones. */
export function copyUp(
  { draft, supplies }: Planning,
  entries: readonly OverlayEntry<LayerFile>[],
): void {
  const copies = entries.map((entry) => ({ entry, supply: supplies.lower(entry) }));
  for (const { entry, supply } of copies) {
    if (!supply) throw new NotYet();
    draft.put(entry.path, fileOf(entry.path, supply, entry.file.executable));
  }
}

/** A file at `path` with this content. */
export function fileOf(path: WorkspacePath, supply: Supply, executable: boolean): DraftFile {
  const { size, sha256 } = supply;
  const body = supply.type === "text" ? { base: null, parts: [() => supply.text] } : null;
  return { type: typeAt(path, supply.type), size, sha256, executable, body };
}

/** The body of an own text as one that can be continued: what only the store has is fetched. */
export function bodyHere({ supplies }: Pick<Planning, "supplies">, body: DraftBody): DraftBody {
  const { base, parts } = body;
  if (!base || base.body !== null) return body;
  const text = supplies.text(base);
  if (text === null) throw new NotYet();
  return { base: null, parts: [() => text, ...parts] };
}

/** Throws `CarrelError('invalid')` for a log. */
export function refuseLog({ path, file }: OverlayEntry<LayerFile>): void {
  if (file.type === "log" || isLog(path))
    throw invalid(`${quote(path)} is a log: it only grows. Append to it, or delete it.`);
}

function growing(planning: Planning, entry: OverlayEntry<LayerFile>): DraftFile {
  const { path, file } = entry;
  const own = planning.draft.own(path);
  if (file.type === "blob") throw notText(path);
  if (own) return { ...own, body: own.body && bodyHere(planning, own.body) };
  const supply = planning.supplies.lower(entry);
  if (!supply) throw new NotYet();
  return fileOf(path, supply, file.executable);
}

const emptyFile = (path: WorkspacePath): DraftFile => ({
  type: typeAt(path, "text"),
  size: 0,
  sha256: null,
  executable: false,
  body: null,
});

function textAt({ draft, supplies }: Planning, entry: OverlayEntry<LayerFile>): string {
  const body = draft.own(entry.path)?.body;
  if (body) {
    const begin = body.base ? supplies.text(body.base) : "";
    if (begin === null) throw new NotYet();
    return [begin, ...body.parts.map((part) => part())].join("");
  }
  const supply = supplies.lower(entry);
  if (!supply) throw new NotYet();
  if (supply.type !== "text") throw notText(entry.path);
  return supply.text;
}

function writeText(
  planning: Planning,
  path: WorkspacePath,
  raw: string,
  how: { readonly executable: boolean; readonly keepBefore?: boolean },
): number {
  const { text, size } = textWithin(path, raw, planning.limits.textBytes);
  const supply = { type: "text", text, size, sha256: planning.supplies.digest(text) } as const;
  const touched = makeRoom(planning, path) + 1;
  planning.draft.put(path, { ...fileOf(path, supply, how.executable), ...how });
  return touched;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return null;
  }
}

const notText = (path: WorkspacePath) =>
  invalid(`${quote(path)} is not text. Write it whole, as bytes.`);

import { CarrelError, invalid, notFound, quotaExceeded, tooLarge } from "../shared/errors.ts";
import { parseId } from "../shared/ids.ts";
import type { Change, ImportPage } from "../shared/workspace-changes.ts";
import { askForVersions, totalsAfter, writeDraft } from "./change-commit.ts";
import { ROW_BYTES, isLog, pieceOf, quote, textWithin, typeAt } from "./change-content.ts";
import { ChangeDraft } from "./change-draft.ts";
import { Supplies, digestOf } from "./change-supplies.ts";
import type { ChangeContext } from "./change.ts";
import { answerOf, recordOp } from "./ops.ts";
import { parentsOf } from "./overlay.ts";
import { workspacePath } from "./path.ts";
import type { WorkspacePath } from "./path.ts";
import { ruleOf, unitOf } from "./path-rules.ts";
import { assertQuota, type Totals } from "./quota.ts";
import type { RowsTx } from "./rows.ts";
import {
  dropStaged,
  stagePage,
  stagedItems,
  type StagedFile,
  type StagedItem,
} from "./import-staging.ts";

const MAX_PAGE = 100_000;

/** Fetches that a commit makes at most, for earlier versions that only the store has. */
const MAX_PLANS = 5;

/**
 * Keeps one page of an import, in place of an earlier page of the same number; blobs are in the store when it
 * resolves. Takes writes and appends. Nothing shows before `commitImport`; an import that got no page for a day is
 * dropped. Throws `CarrelError`: `invalid`, `too_large`, `quota_exceeded`.
 */
export async function stageImport(
  context: ChangeContext,
  id: string,
  page: ImportPage,
): Promise<void> {
  parseId("The import id", id);
  if (!Number.isInteger(page.no) || page.no < 0 || page.no > MAX_PAGE)
    throw invalid(`The number of a page must be 0 to ${MAX_PAGE}.`);
  const items: StagedItem[] = (page.whiteouts ?? []).map((raw) => ({
    is: "whiteout",
    path: filePath(raw),
  }));
  for (const change of page.changes) items.push(await stagedFile(context, change));
  const { bytes, logBytes } = context.limits;
  context.rows.commit("stage", (tx) => {
    context.markStaged(tx);
    const held = stagePage(tx, { id, no: page.no, at: context.clock.now() }, items);
    if (held > bytes + logBytes)
      throw quotaExceeded("Imports that wait hold more than it may itself");
  });
}

/**
 * Applies all pages of an import in one transaction, over what is there, or nothing: files replace those of the same
 * path, and with one file of a skill the skill is the bucket's own. The same import is applied once; a repeat gets the
 * first answer. Throws `CarrelError`: `not_found` when there is no such import (any more), `conflict` when a page is
 * missing or a file is where a directory would be, `quota_exceeded`.
 */
export async function commitImport(
  context: ChangeContext,
  id: string,
  by: string,
): Promise<{ readonly files: number }> {
  const { rows, layers, limits, totals } = context;
  const op = `import ${parseId("The import id", id)}`;
  const supplies = new Supplies(context);
  await layers.refresh();
  for (let plans = MAX_PLANS; plans > 0; plans -= 1) {
    const done = answerOf<{ readonly files: number }>(rows, op);
    if (done) return done;
    const plan = planImport(context, id, by);
    askForVersions(plan.draft, rows, supplies);
    if (!supplies.isWanting) {
      const answer = { files: plan.files };
      rows.commit("import", (tx) => {
        writeDraft(tx, rows, { draft: plan.draft, supplies, versions: limits.versions });
        finish(context, tx, id, op, answer);
      });
      totals.set(plan.totals);
      return answer;
    }
    await supplies.bring();
  }
  throw new CarrelError("conflict", "The files were changed meanwhile. Commit the import again.");
}

function finish(context: ChangeContext, tx: RowsTx, id: string, op: string, answer: object): void {
  dropStaged(tx, id);
  recordOp(tx, op, context.clock.now(), answer);
  context.markDirty(tx);
}

async function stagedFile(context: ChangeContext, change: Change): Promise<StagedFile> {
  const { limits, contents } = context;
  const path = filePath(change.path);
  if (change.kind === "append") {
    const { text, size } = textWithin(path, change.text, ROW_BYTES);
    return { is: "append", path, type: "text", size, sha256: null, executable: false, text };
  }
  if (change.kind !== "write") throw invalid("An import takes writes and appends only.");
  const piece = pieceOf(path, change.content, limits);
  const type = typeAt(path, piece.type);
  const { size } = piece;
  const { executable = false } = change;
  if (piece.type === "blob") {
    const sha256 = await contents.putBlob(piece.bytes);
    return { is: "write", path, type, size, sha256, executable, text: null };
  }
  const sha256 = isLog(path) ? null : await digestOf(piece.text);
  return { is: "write", path, type, size, sha256, executable, text: piece.text };
}

function filePath(raw: string): WorkspacePath {
  const path = workspacePath(raw);
  if (path === "") throw invalid("The workspace itself is not a file. Name a file in it.");
  return path;
}

type Plan = { readonly draft: ChangeDraft; readonly files: number; readonly totals: Totals };

/** A draft whose texts are read from the staged pages one by one, when they are written. */
function planImport(
  { rows, layers, limits, totals, clock }: ChangeContext,
  id: string,
  author: string,
): Plan {
  const draft = new ChangeDraft(rows, () => layers.overlay(), { at: clock.now(), author });
  const items = stagedItems(rows.sql, id);
  if (!items) throw notFound(`Import "${id}"`);
  const files = new Set<WorkspacePath>();
  for (const item of items)
    if (item.is === "whiteout" && ruleOf(item.path).layers === "all")
      draft.whiteout(item.path, true);
  for (const item of items) {
    if (item.is === "whiteout") continue;
    if (item.is === "write") write(draft, item);
    else append(draft, item, limits.textBytes);
    files.add(item.path);
  }
  const after = totalsAfter(draft, rows, totals.totals);
  assertQuota(totals.totals, after, limits);
  return { draft, files: files.size, totals: after };
}

type Loaded = Omit<StagedFile, "text"> & { readonly load: () => string };

function write(draft: ChangeDraft, item: Loaded): void {
  const { path, type, size, sha256, executable, load } = item;
  const lower = draft.own(path) ? [] : assertRoom(draft, path);
  const unit = unitOf(path);
  if (draft.view().layers[0].whiteouts.has(unit)) draft.whiteout(unit, false);
  const body = type === "blob" ? null : { base: null, parts: [load] };
  draft.put(path, { type, size, sha256, executable, body });
  if (lower.length > 0) draft.layAgain();
}

function append(draft: ChangeDraft, item: Loaded, textBytes: number): void {
  const { path, load } = item;
  const own = draft.own(path);
  if (!own) return write(draft, { ...item, type: typeAt(path, "text") });
  if (!own.body) throw invalid(`${quote(path)} is not text, so nothing can be added to it.`);
  const size = own.size + item.size;
  if (own.type !== "log" && size > textBytes)
    throw tooLarge(`The text of ${quote(path)}`, `${textBytes} bytes`);
  draft.put(path, {
    ...own,
    size,
    sha256: null,
    body: { ...own.body, parts: [...own.body.parts, load] },
  });
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

import { CarrelError, invalid, notFound, quotaExceeded } from "../../shared/errors.ts";
import { parseId } from "../../shared/ids.ts";
import type { Change, ImportPage } from "../../shared/workspace-changes.ts";
import { askForVersions, writeDraft } from "../change/commit.ts";
import { ROW_BYTES, isLog, pieceOf, textWithin, typeAt } from "../change/content.ts";
import { Supplies, digestOf } from "../change/supplies.ts";
import type { ChangeContext } from "../change/change.ts";
import { planImport, type ImportPlan } from "./plan.ts";
import { dropStaged, stagePage, stagedItems, type StagedFile, type StagedItem } from "./staging.ts";
import { answerOf, recordOp } from "../change/ops.ts";
import { quote, workspacePath } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { isHideable } from "../layers/path-rules.ts";

const MAX_PAGE = 100_000;

/** Plans of a commit at most: it fetches what only the store has, and files may change meanwhile. */
const MAX_PLANS = 5;

type Imported = { readonly files: number };

/**
 * Keeps one page of an import, in place of an earlier page of the same number; blobs are in the store when it
 * resolves. Takes writes and appends. Nothing shows before `commitImport`; an import that got no page for a day is
 * dropped, and so is one of which a page is refused. Throws `CarrelError`: `invalid`, `too_large`, `quota_exceeded`.
 */
export async function stageImport(
  context: ChangeContext,
  id: string,
  page: ImportPage,
): Promise<void> {
  const { rows } = context;
  if (answerOf(rows, operationOf(id))) return;
  try {
    await stage(context, id, page);
  } catch (error) {
    if (isRefusal(error)) dropImport(context, id);
    throw error;
  }
}

/** Lets go of an import that is not committed, and of one that does not exist. */
export function dropImport({ rows }: Pick<ChangeContext, "rows">, id: string): void {
  const isThere = rows.sql.all("SELECT 1 FROM staged WHERE import = ? LIMIT 1", id).length > 0;
  if (isThere) rows.commit("drop-import", (tx) => dropStaged(tx, id));
}

/**
 * Applies all pages of an import in one transaction, over what is there, or nothing: files replace those of the same
 * path, and with one file of a skill the skill is the bucket's own; for logs and records see `planImport`. The same
 * import is applied once; a repeat gets the first answer. `files` counts those that were written. Throws
 * `CarrelError`: `not_found` when there is no such import (any more), `conflict` when a page is missing or files kept
 * changing meanwhile; and, with the import dropped, `conflict` when a file is where a directory would be or a log is
 * another than the one that is there, `invalid`, `too_large`, `quota_exceeded`.
 */
export function commitImport(context: ChangeContext, id: string, by: string): Promise<Imported> {
  const { rows, totals, limits, clock } = context;
  return whenPlanned(context, id, by, ({ draft, files, totals: after }, supplies) => {
    const answer = { files };
    rows.commit("import", (tx) => {
      writeDraft(tx, rows, { draft, supplies, limits });
      dropStaged(tx, id);
      recordOp(tx, operationOf(id), clock.now(), answer);
      context.markDirty(tx);
    });
    totals.set(after);
    return answer;
  });
}

/** Whether `commitImport` would go through now; writes nothing, and throws as that does. */
export const checkImport = (context: ChangeContext, id: string, by: string): Promise<Imported> =>
  whenPlanned(context, id, by, ({ files }) => ({ files }));

/** What `use` makes of the plan, in the moment in which it holds; the first answer of an import that was done. */
async function whenPlanned(
  context: ChangeContext,
  id: string,
  by: string,
  use: (plan: ImportPlan, supplies: Supplies) => Imported,
): Promise<Imported> {
  const { rows, layers } = context;
  const op = operationOf(id);
  const supplies = new Supplies(context);
  await layers.refresh();
  for (let plans = MAX_PLANS; plans > 0; plans -= 1) {
    const done = answerOf<Imported>(rows, op);
    if (done) return done;
    const items = stagedItems(rows.sql, id);
    if (!items) throw notFound(`Import "${id}"`);
    try {
      const plan = planImport(context, items, by, supplies);
      if (plan) askForVersions(plan.draft, rows, supplies);
      if (plan && !supplies.isWanting) return use(plan, supplies);
    } catch (error) {
      if (isRefusal(error)) dropImport(context, id);
      throw error;
    }
    await supplies.bring();
  }
  throw new CarrelError("conflict", "The files were changed meanwhile. Commit the import again.");
}

const operationOf = (id: string): string => `import ${parseId("The import id", id)}`;

/** Whether the import itself is at fault, so that another try would end the same way. */
const isRefusal = (error: unknown): boolean =>
  error instanceof CarrelError &&
  ["invalid", "too_large", "quota_exceeded", "conflict"].includes(error.code);

async function stage(context: ChangeContext, id: string, page: ImportPage): Promise<void> {
  if (!Number.isInteger(page.no) || page.no < 0 || page.no > MAX_PAGE)
    throw invalid(`The number of a page must be 0 to ${MAX_PAGE}.`);
  const items: StagedItem[] = (page.whiteouts ?? []).map(stagedWhiteout);
  for (const change of page.changes) items.push(await stagedFile(context, change));
  const { bytes, logBytes } = context.limits;
  context.rows.commit("stage", (tx) => {
    context.markStaged(tx);
    const held = stagePage(tx, { id, no: page.no, at: context.clock.now() }, items);
    if (held > bytes + logBytes)
      throw quotaExceeded("Imports that wait hold more than it may itself");
  });
}

function stagedWhiteout(raw: string): StagedItem {
  const path = filePath(raw);
  if (!isHideable(path))
    throw invalid(
      `${quote(path)} cannot be hidden: only a file or a whole skill can. Take it out of the archive's comment.`,
    );
  return { is: "whiteout", path };
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

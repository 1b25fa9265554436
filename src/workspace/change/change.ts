import type { Clock } from "../../shared/clock.ts";
import { CarrelError, invalid } from "../../shared/errors.ts";
import type {
  Change,
  Changed,
  ChangeRequest,
  Expected,
  Holding,
} from "../../shared/workspace-changes.ts";
import { askForVersions, totalsAfter, writeDraft } from "./commit.ts";
import { pieceOf, type Piece } from "./content.ts";
import { ChangeDraft } from "./draft.ts";
import { move, remove, reset } from "./move.ts";
import { NotYet, Supplies } from "./supplies.ts";
import { undo } from "./undo.ts";
import { append, edit, merge, write, type Outcome, type Planning } from "./write.ts";
import type { Contents } from "../contents/contents.ts";
import type { Layers } from "../layers/layers.ts";
import type { BucketLimits } from "../limits.ts";
import { answerOf, assertOp, recordOp } from "./ops.ts";
import { quote, workspacePath } from "../layers/path.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { assertQuota, withSpare, type BucketTotals, type Totals } from "../quota.ts";
import type { Rows, RowsTx } from "../rows.ts";
import type { DroppedVersion } from "../version-allowance.ts";
import { purgeVersions } from "../versions.ts";

/** What changes of a bucket work on. */
export type ChangeContext = {
  readonly rows: Rows;
  readonly layers: Layers;
  readonly contents: Contents;
  readonly limits: BucketLimits;
  readonly totals: BucketTotals;
  readonly clock: Pick<Clock, "now">;
  /** Called in every transaction that leaves the store behind: sees to it that the store will be told. */
  readonly markDirty: (tx: Pick<RowsTx, "sql">) => void;
  /** Called in the transaction that drops an earlier version for good: sees to it that the store's copy goes soon. */
  readonly markPurged: (tx: Pick<RowsTx, "sql">, version: DroppedVersion) => void;
  /** Called in the transaction that stages a page of an import: sees to it that a forgotten one goes. */
  readonly markStaged: (tx: Pick<RowsTx, "sql">) => void;
};

/** A change with its paths parsed and its content looked at. */
type Parsed = {
  readonly change: Change;
  readonly path: WorkspacePath;
  readonly to: WorkspacePath;
  readonly piece: Piece | null;
  /** Of the change itself. */
  readonly op: string | undefined;
};

/** What can be written without another await. */
type Plan = {
  readonly draft: ChangeDraft;
  readonly changed: readonly Changed[];
  /** What changes with an `op` of their own came to, for those that were not done before. */
  readonly ops: ReadonlyMap<string, Changed>;
  readonly totals: Totals;
};

/** Changes of one request. */
const MAX_CHANGES = 1_000;

/** Plans beyond one for each change, for files that change while they are fetched. */
const SPARE_PLANS = 4;

/**
 * Applies all changes of a request in order, each on what the ones before left, in one transaction, or none. An `op`
 * that was done before gets its first answer, also while it is being done; a change with an `op` of its own counts as a
 * request of its own, and is skipped when that was done. What lower layers or the store must give is fetched first, and
 * everything is planned anew from what is there then. Throws `CarrelError`: `invalid`, `not_found`, `conflict` (also
 * when files kept changing while they were fetched), `too_large`, `quota_exceeded`, `overloaded` when the store or the
 * shared layer does not answer.
 */
export async function applyChanges(
  context: ChangeContext,
  request: ChangeRequest,
): Promise<readonly Changed[]> {
  const { rows, layers, limits } = context;
  const { op } = request;
  if (op !== undefined) assertOp(op);
  const done = (): readonly Changed[] | null => (op === undefined ? null : answerOf(rows, op));
  const first = done();
  if (first) return first;
  const changes = parseChanges(request, limits);
  if (!changes.every((it) => isOwn(rows, it))) await layers.refresh();
  const supplies = new Supplies(context);
  for (let plans = changes.length + SPARE_PLANS; plans > 0; plans -= 1) {
    const answer = done();
    if (answer) return answer;
    const plan = planChanges(context, request, changes, supplies);
    if (plan && !supplies.isWanting) return commit(context, plan, supplies, request);
    await supplies.bring();
  }
  throw new CarrelError(
    "conflict",
    "The files were changed again and again meanwhile. Try again in a moment.",
  );
}

/** Whether a change needs no look at other layers, so that none of them can hold it up. */
function isOwn(rows: Pick<Rows, "files">, { change: { kind }, path }: Parsed): boolean {
  const isForOne = kind === "write" || kind === "append" || kind === "merge" || kind === "edit";
  return isForOne && (rows.files.get(path)?.type ?? "gone") !== "gone";
}

function parseChanges({ changes, ...request }: ChangeRequest, limits: BucketLimits): Parsed[] {
  if (changes.length === 0 || changes.length > MAX_CHANGES)
    throw invalid(`A request must have 1 to ${MAX_CHANGES} changes.`);
  return changes.map((change) => {
    const path = workspacePath(change.path);
    const to = change.kind === "move" ? workspacePath(change.to) : path;
    const piece = change.kind === "write" ? pieceOf(path, change.content, limits) : null;
    const op = change.kind === "append" ? change.op : undefined;
    if (op !== undefined) assertOp(op);
    if (op !== undefined && op === request.op)
      throw invalid("A request and a change in it must not have the same operation id.");
    return { change, path, to, piece, op };
  });
}

/** `null`: something must be fetched first. An error counts only where nothing is missing, since it may come from that. */
function planChanges(
  context: ChangeContext,
  { by: author, isTidying = false }: Pick<ChangeRequest, "by" | "isTidying">,
  changes: readonly Parsed[],
  supplies: Supplies,
): Plan | null {
  const { rows, layers, limits, totals } = context;
  const draft = new ChangeDraft(rows, () => layers.overlay(), { at: context.clock.now(), author });
  const planning = { draft, supplies, limits, rows };
  for (const { change, path } of changes) {
    if ("expect" in change && change.expect !== undefined)
      assertExpected(draft, path, change.expect);
    if ("holds" in change && change.holds !== undefined) assertHolds(draft, path, change.holds);
  }
  let isWaiting = false;
  const changed: Changed[] = [];
  const ops = new Map<string, Changed>();
  const wasDone = (op: string) => ops.has(op) || answerOf(rows, op) !== null;
  for (const it of changes) {
    try {
      const isSkipped = it.op !== undefined && wasDone(it.op);
      const isNew = it.change.kind !== "delete" && draft.entry(it.to) === null;
      const outcome = isSkipped ? { path: it.path, touched: 0 } : applyOne(planning, it);
      const result = resultOf(draft, it.change, isNew, outcome);
      if (it.op !== undefined && !isSkipped) ops.set(it.op, result);
      changed.push(result);
    } catch (error) {
      if (error instanceof NotYet) isWaiting = true;
      else if (!isWaiting) throw error;
    }
  }
  if (isWaiting) return null;
  const after = totalsAfter(draft, rows, totals.totals);
  assertQuota(totals.totals, after, isTidying ? withSpare(limits) : limits);
  askForVersions(draft, rows, supplies);
  return { draft, changed, ops, totals: after };
}

function applyOne(planning: Planning, { change, path, to, piece }: Parsed): Outcome {
  switch (change.kind) {
    case "write":
      if (!piece) throw new Error("a write without content");
      return write(planning, path, piece, change.executable);
    case "append":
      return append(planning, path, change.text);
    case "merge":
      return merge(planning, path, change.patch);
    case "edit":
      return edit(planning, path, change.edits);
    case "move":
      return move(planning, path, to, change.overwrite ?? false);
    case "delete":
      return remove(planning, path);
    case "reset":
      return reset(planning, path);
    case "undo":
      return undo(planning, path, change.version);
  }
}

function assertExpected(draft: ChangeDraft, path: WorkspacePath, expected: Expected): void {
  const entry = draft.entry(path);
  if (entry?.file.etag === expected) return;
  const isAbsent = !entry && draft.view().under(path).length === 0;
  if (isAbsent && expected === "absent") return;
  const now = entry
    ? `its etag is now "${entry.file.etag}"`
    : isAbsent
      ? "it is gone"
      : "it is a directory";
  throw new CarrelError(
    "conflict",
    expected === "absent"
      ? `${quote(path)} exists already: ${now}. Read it, then change it.`
      : `${quote(path)} has changed: ${now}, not "${expected}". Read it again, then repeat the change.`,
  );
}

function assertHolds(draft: ChangeDraft, path: WorkspacePath, holds: Holding): void {
  const expected = new Map(Object.entries(holds));
  const shown = draft.view().under(path);
  const isSame = shown.every(
    (entry) => expected.get(entry.path.slice(path.length + 1)) === entry.file.etag,
  );
  if (isSame && shown.length === expected.size) return;
  throw new CarrelError(
    "conflict",
    `What is in ${quote(path)} has changed. Look at it again, then repeat the change.`,
  );
}

function resultOf(
  draft: ChangeDraft,
  change: Change,
  isNew: boolean,
  { path, ...facts }: Outcome,
): Changed {
  // Nothing shows where something was deleted, so nobody need look.
  const file = change.kind === "delete" ? null : draft.info(path);
  return { file, created: isNew && file !== null, ...facts };
}

function commit(
  { rows, limits, totals, clock, markDirty, markPurged }: ChangeContext,
  plan: Plan,
  supplies: Supplies,
  { op, purge = [] }: ChangeRequest,
): readonly Changed[] {
  const { draft, changed, ops } = plan;
  if (draft.isEmpty && op === undefined && ops.size === 0 && purge.length === 0) return changed;
  rows.commit("change", (tx) => {
    writeDraft(tx, rows, { draft, supplies, limits });
    for (const [own, result] of ops) recordOp(tx, own, clock.now(), [result]);
    if (op !== undefined) recordOp(tx, op, clock.now(), changed);
    for (const old of purgeVersions(tx, purge)) markPurged(tx, old);
    if (!draft.isEmpty) markDirty(tx);
  });
  totals.set(plan.totals);
  return changed;
}

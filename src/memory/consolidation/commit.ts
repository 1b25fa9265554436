import type { Operation, Proposal, RunResult } from "../../shared/memory-api.ts";
import type { Change, ChangeRequest } from "../../shared/workspace-changes.ts";
import { filesBelow, readTextOf, readTexts, replanned, type TextFile } from "../bucket/files.ts";
import { findEntries, isDone, listLedgers, readLedgers, unreadOf } from "../bucket/ledgers.ts";
import type { Lease } from "../bucket/memory-rows.ts";
import { daysOf, isBlank } from "./begin.ts";
import { planRun, type RunPlan } from "./plan.ts";
import { RECORDS, parseRecord, recordPath, runOf, writeRecord, type RunRecord } from "./record.ts";
import { CONSOLIDATION, endRun, MEMORY, type RunParts } from "./run-parts.ts";
import { parseState, STATE, withRead, writeState, type State } from "./state.ts";

/** Records kept; of those of runs that changed nothing. */
const MOST_RECORDS = 50;
const MOST_REFUSED = 10;
/** So many runs are shown the same when every operation is refused; then it counts as read. */
const MOST_TRIES = 3;
/** Refusals that a record tells of, and entries that were not taken over. */
const MOST_REFUSALS = 100;
const MOST_LEFT = 500;

/** What a run that nobody knows comes to. */
const lost = (run: string, why: string): RunResult => ({
  run,
  state: "lost",
  why,
  kept: 0,
  changed: 0,
  added: 0,
  dropped: 0,
  refused: 0,
});

/**
 * Ends a run: MEMORY.md, what was read, the record and the records that go are one commit. What others did to MEMORY.md
 * meanwhile stays. A run that is over gives its result again; one without a lease has changed nothing, and is `lost`.
 */
export async function commitRun(
  parts: RunParts,
  run: string,
  proposal: Proposal,
): Promise<RunResult> {
  const before = await resultOf(parts, run);
  const lease = parts.rows.lease;
  const isOurs = lease?.run === run;
  if (before) {
    if (isOurs) endRun(parts, lease, before.state);
    return before;
  }
  if (!isOurs) return lost(run, GONE);
  const { record } = await replanned(parts.files, () => planCommit(parts, lease, proposal));
  if (record === null) return (await resultOf(parts, run)) ?? lost(run, GONE);
  parts.assertThere();
  if (parts.rows.lease?.run === run) endRun(parts, lease, record.result.state);
  return (await resultOf(parts, run)) ?? record.result;
}

const GONE = "Another run has taken its place, or what it was shown is gone";

/** What a run came to, as its record says; `null` where it has none. */
async function resultOf({ files }: RunParts, run: string): Promise<RunResult | null> {
  const path = recordPath(run);
  if (runOf(path) === null) return null;
  const file = (await readTexts(files, [path])).get(path);
  if (!file) return null;
  return parseRecord(file.text)?.result ?? lost(run, "It is over, and its record cannot be read");
}

/** `null`: it lost its lease meanwhile, and nothing is to be done. */
type Commit =
  | { readonly record: RunRecord; readonly request: ChangeRequest }
  | { readonly record: null; readonly request: null };

async function planCommit(parts: RunParts, lease: Lease, proposal: Proposal): Promise<Commit> {
  const memory = await readTextOf(parts.files, MEMORY);
  const stored = (await readTexts(parts.files, [STATE])).get(STATE);
  const state = parseState(stored?.text ?? null);
  const planned = await planOf(parts, lease, memory.text ?? "", proposal);
  const plan = { ...planned, why: planned.why ?? emptied(state, memory.text, planned) };
  const isApplied = plan.why === null;
  const next = isApplied ? await stateAfter(parts, lease, state, plan) : null;
  const record = recordOf(parts, lease, plan, {
    unreadable: next?.unreadable ?? [],
    left: isApplied ? leftOut(lease, proposal) : [],
  });
  const hasNewText = isApplied && plan.text !== (memory.text ?? "");
  const changes: Change[] = [
    ...(hasNewText ? [write(MEMORY, plan.text, memory.etag)] : []),
    // Where nothing is applied, too: what is forgotten meanwhile must not come back with the record.
    write(STATE, writeState(next?.state ?? state), stored?.etag ?? "absent"),
    write(recordPath(lease.run), writeRecord(record), "absent"),
    ...(await surplus(parts)),
  ];
  // What it was shown may have been forgotten while the files were read, or since the change before came too late.
  if (parts.rows.lease?.run !== lease.run) return { record: null, request: null };
  return { record, request: { by: CONSOLIDATION, op: `consolidation:${lease.run}`, changes } };
}

const write = (path: string, text: string, expect: string): Change => ({
  kind: "write",
  path,
  content: { text },
  expect,
});

async function planOf(
  { files, rows }: RunParts,
  { run, shown, maxTokens }: Lease,
  text: string,
  proposal: Proposal,
): Promise<RunPlan> {
  const nothing = { text, changes: [], refusals: [], kept: 0 };
  if (proposal.kind === "unusable") return { ...nothing, why: proposal.why };
  const operations: readonly Operation[] = proposal.operations;
  const found = await findEntries(files, daysOf(shown.fresh));
  const fresh = shown.fresh.map((ref) => found.get(ref) ?? null);
  const isLastTry = rows.last.refusals >= MOST_TRIES - 1;
  return planRun({ run, text, memory: shown.memory, fresh, maxTokens, isLastTry }, operations);
}

/** Why a MEMORY.md that is made anew cannot be empty: all entries of ledgers would count as read, and never come back. */
function emptied(state: State, text: string | null, { changes }: RunPlan): string | null {
  const isRebuild = state.hadEntries && isBlank(text);
  const isEmpty = !changes.some(({ what }) => what === "added");
  return isRebuild && isEmpty ? "MEMORY.md is to be made anew, and nothing would be in it" : null;
}

/** Entries of ledgers that it was shown and that no operation names: they count as read. */
function leftOut({ shown }: Lease, proposal: Proposal): readonly string[] {
  const operations = proposal.kind === "operations" ? proposal.operations : [];
  const named = new Set(operations.flatMap((it) => ("sources" in it ? it.sources : [])));
  return shown.fresh.filter((_, at) => !named.has(`L${at + 1}`)).slice(0, MOST_LEFT);
}

/** How far ledgers are read once the run is applied, and which of them could not be. */
async function stateAfter(
  { files, log }: RunParts,
  { shown }: Lease,
  before: State,
  plan: RunPlan,
): Promise<{ readonly state: State; readonly unreadable: readonly string[] }> {
  const read = withRead(before, shown.fresh);
  const listed = await listLedgers(files);
  const known = new Set(listed.map(({ path }) => path));
  const ledgers = await readLedgers(
    files,
    listed.filter((ledger) => !isDone(before, ledger) && isWithin(shown.fresh, ledger.day)),
  );
  const done = new Map([...before.files].filter(([path]) => known.has(path)));
  for (const ledger of ledgers)
    if (ledger.entries && unreadOf(read, ledger).length === 0) done.set(ledger.path, ledger.etag);
  const unreadable = ledgers.filter(({ entries }) => entries === null).map(({ path }) => path);
  for (const path of unreadable) log("warn", "memory.ledger_unreadable", { path });
  const hadEntries = plan.text.trim() !== "";
  return { state: { ...read, files: done, hadEntries }, unreadable };
}

/** Whether a run that was shown these entries has come as far as that day. */
function isWithin(fresh: readonly string[], day: string): boolean {
  const last = [...daysOf(fresh)].toSorted().at(-1);
  return last !== undefined && day <= last;
}

function recordOf(
  { clock }: RunParts,
  { run, shown }: Lease,
  plan: RunPlan,
  rest: Pick<RunRecord, "unreadable" | "left">,
): RunRecord {
  const { why, refusals } = plan;
  const changes = why === null ? plan.changes : [];
  const count = (what: string) => changes.filter((change) => change.what === what).length;
  const result: RunResult = {
    run,
    state: why === null ? "applied" : "refused",
    why,
    kept: plan.kept,
    changed: count("changed"),
    added: count("added"),
    dropped: count("dropped"),
    refused: refusals.length,
  };
  return {
    version: 1,
    at: clock.now(),
    read: shown.fresh.length,
    result,
    changes,
    refusals: refusals.slice(0, MOST_REFUSALS),
    ...rest,
    undone: [],
  };
}

/** Deletes records so that with a new one there are not too many: first those of runs that changed nothing. */
async function surplus({ files }: RunParts): Promise<readonly Change[]> {
  const paths = (await filesBelow(files, RECORDS)).map(({ path }) => path);
  const records = paths.filter((path) => runOf(path) !== null).toSorted();
  const over = records.length + 1 - MOST_RECORDS;
  if (over <= 0) return [];
  const texts = await readTexts(files, records);
  const isRefused = ({ text }: TextFile) => parseRecord(text)?.result.state !== "applied";
  const refused = [...texts.values()].filter(isRefused).map(({ path }) => path);
  const first = refused.slice(0, Math.max(0, refused.length - MOST_REFUSED));
  const rest = records.filter((path) => !first.includes(path));
  return [...first, ...rest].slice(0, over).map((path) => ({ kind: "delete", path }));
}

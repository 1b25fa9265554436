import { invalid } from "../../shared/errors.ts";
import type { Begun, NumberedEntry, RunRequest } from "../../shared/memory-api.ts";
import { memoryEntries, type MemoryEntry } from "../../shared/memory-entries.ts";
import { readTextOf, readTexts } from "../bucket/files.ts";
import { findEntries } from "../bucket/ledgers.ts";
import type { Lease } from "../bucket/memory-rows.ts";
import { endRun, MEMORY, type RunParts } from "./run-parts.ts";
import { parseRecord, recordPath } from "./record.ts";
import { allEntries, freshEntries, numberedEntry, shownMemory } from "./shown.ts";
import { parseRef, parseState, STATE } from "./state.ts";

/** How long nobody else may begin a run. */
export const LEASE_MS = 10 * 60_000;

const RUN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

type Waiting = Exclude<Begun, { readonly state: "work" }>;

/**
 * Takes the lease for a run and says what there is to do: see `MemoryApi`. A slot in which nothing was to be done has had
 * its run. The same run asked for again is told the same.
 */
export async function beginRun(parts: RunParts, request: RunRequest): Promise<Begun> {
  const { rows, clock } = parts;
  if (!RUN.test(request.run))
    throw invalid("A run is named by 1 to 100 letters, digits, hyphens and underscores.");
  if (await endedBefore(parts, request.run)) return { state: "done", retryAt: null };
  const held = rows.lease;
  if (held?.run === request.run) return workOf(parts, held);
  const waiting = whyNot(parts, request);
  if (waiting) return waiting;
  const shown = await toShow(parts);
  // Somebody else may have begun while the files were read.
  parts.assertThere();
  const late = whyNot(parts, request);
  if (late) return late;
  const { run, slot, options } = request;
  if (shown.fresh.length === 0) {
    rows.setLast({ ...rows.last, slot: slot ?? rows.last.slot });
    return { state: "idle", retryAt: null };
  }
  const until = clock.now() + LEASE_MS;
  const lease = { run, slot, until, maxTokens: options.maxTokens, shown };
  rows.setLease(lease);
  return workOf(parts, lease);
}

/** Whether this run is over. Also ends one that was recorded and whose object could not write down that it is. */
async function endedBefore(parts: RunParts, run: string): Promise<boolean> {
  const { files, rows } = parts;
  const held = rows.lease?.run ?? run;
  const records = await readTexts(files, [recordPath(held), recordPath(run)]);
  const record = parseRecord(records.get(recordPath(held))?.text ?? null);
  parts.assertThere();
  const { lease } = rows;
  if (record && lease?.run === held) endRun(parts, lease, record.result.state);
  return records.has(recordPath(run));
}

/** Why no run can begin now; `null`: one can. Synchronous. */
function whyNot({ rows, clock }: RunParts, { slot, options }: RunRequest): Waiting | null {
  const { last, lease } = rows;
  if (slot !== null && last.slot !== null && slot <= last.slot)
    return { state: "done", retryAt: null };
  const now = clock.now();
  if (lease && lease.until > now) return { state: "busy", retryAt: lease.until };
  const next = (last.at ?? -Infinity) + options.minGapMs;
  // A clock that was set back must not hold up anything for longer than the gap.
  const isEarly = now < next && (last.at ?? 0) <= now;
  return isEarly ? { state: "early", retryAt: next } : null;
}

async function toShow({ files }: RunParts): Promise<Lease["shown"]> {
  const [memory, stored] = [await readTextOf(files, MEMORY), await readTexts(files, [STATE])];
  const state = parseState(stored.get(STATE)?.text ?? null);
  const entries = shownMemory(memoryEntries(memory.text ?? ""));
  const isRebuild = isBlank(memory.text) && state.hadEntries;
  const fresh = await (isRebuild ? allEntries(files, state) : freshEntries(files, state));
  return {
    memory: entries.map(({ id }) => id),
    fresh: fresh.entries.map(({ ref }) => ref),
    hasMore: fresh.hasMore,
  };
}

/** Whether MEMORY.md says nothing. */
export const isBlank = (text: string | null): boolean =>
  (text ?? "").replace("\uFEFF", "").trim() === "";

/** What the lease says as the model is shown it: what is gone since is left out, and the numbers stay. */
async function workOf({ files }: RunParts, lease: Lease): Promise<Begun> {
  const { memory, fresh, hasMore } = lease.shown;
  const { text } = await readTextOf(files, MEMORY);
  const left: (MemoryEntry | null)[] = memoryEntries(text ?? "");
  const old = memory.flatMap((id, no): NumberedEntry[] => {
    const at = left.findIndex((entry) => entry?.id === id);
    const entry = left[at];
    left[at] = null;
    return entry ? [numberedEntry(`M${no + 1}`, entry, null)] : [];
  });
  const found = await findEntries(files, daysOf(fresh));
  const added = fresh.flatMap((ref, no): NumberedEntry[] => {
    const it = found.get(ref);
    return it ? [numberedEntry(`L${no + 1}`, it.entry, it.day)] : [];
  });
  return { state: "work", until: lease.until, memory: old, fresh: added, hasMore };
}

/** The days of these entries. */
export const daysOf = (refs: readonly string[]): ReadonlySet<string> =>
  new Set(refs.flatMap((ref) => parseRef(ref)?.day ?? []));

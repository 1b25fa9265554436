import { CarrelError } from "../../shared/errors.ts";
import type { ConsolidationOptions } from "../../shared/memory-api.ts";
import { errorFacts } from "../../shared/log.ts";
import { dayAfter, dayIn, UTC } from "../../shared/time-zone.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import type { FileInfo } from "../../shared/workspace-files.ts";
import { EVICTED, EVICTED_DAYS } from "../../turn/eviction/config.ts";
import type { RunParts } from "../consolidation/run-parts.ts";
import { parseState, STATE } from "../consolidation/state.ts";
import { pageBelow, readTexts, type BucketFiles } from "./files.ts";
import { ARCHIVE, isDone, listLedgers, readLedgers, unreadOf, type LedgerFile } from "./ledgers.ts";

const BY = "job:tidy";

/** Files that one call moves or deletes. */
const MOST = 100;

const DAY_MS = 86_400_000;

const LOG = /^agents\/[^/]+\/sessions\/([^/]+)\.log\.jsonl$/;

/** What is to be done to one file. */
type Step = readonly Change[];

export type Tidied = { readonly removed: number; readonly hasMore: boolean };

/**
 * Moves ledgers into the archive whose days are past their time and which runs have read whole; deletes evicted results
 * after 30 days, and the logs of sessions where a time is set for them. At most 100 files; `hasMore`: call again. What
 * somebody changes meanwhile is left for the next time.
 */
export async function tidy(parts: RunParts, options: ConsolidationOptions): Promise<Tidied> {
  const { files, clock } = parts;
  const now = clock.now();
  const steps: Step[] = [];
  const room = () => MOST + 1 - steps.length;
  steps.push(...(await oldLedgers(files, dayAfter(dayIn(UTC, now), -options.ledgerRetentionDays))));
  const isOld = (days: number) => (file: FileInfo) =>
    file.at !== null && file.at < now - days * DAY_MS;
  steps.push(...(await oldFiles(files, EVICTED, isOld(EVICTED_DAYS), room())));
  const { sessionRetentionDays } = options;
  if (sessionRetentionDays !== null) {
    const isOldLog = (file: FileInfo) => LOG.test(file.path) && isOld(sessionRetentionDays)(file);
    steps.push(...(await oldFiles(files, "agents", isOldLog, room())));
  }
  let removed = 0;
  let isLate = false;
  for (const step of steps.slice(0, MOST)) {
    const outcome = await outcomeOf(parts, step);
    if (outcome === "done") removed += 1;
    if (outcome === "late") isLate = true;
  }
  return { removed, hasMore: steps.length > MOST || isLate };
}

/** `late`: the file has changed meanwhile. `left`: this cannot be done, and is not to keep the rest from being done. */
async function outcomeOf(
  { files, log }: Pick<RunParts, "files" | "log">,
  changes: Step,
): Promise<"done" | "late" | "left"> {
  try {
    await files.change({ by: BY, changes });
    return "done";
  } catch (error) {
    const code = error instanceof CarrelError ? error.code : null;
    if (code === "conflict" || code === "not_found") return "late";
    const [first, ...rest] = changes;
    // What is to be written to is too large, or spoilt by hand.
    const isRefused = code === "too_large" || code === "invalid" || code === "quota_exceeded";
    if (!isRefused) throw error;
    // Such an index must not keep the log from being deleted.
    if (first?.kind === "delete" && rest.length > 0) return outcomeOf({ files, log }, [first]);
    log("warn", "memory.not_tidied", { ...errorFacts(error), changes: changes.map(placeOf) });
    return "left";
  }
}

const placeOf = (change: Change): string => change.path;

async function oldLedgers(files: BucketFiles, before: string): Promise<readonly Step[]> {
  const all = await listLedgers(files);
  const old = all.filter(({ day, isArchived }) => day < before && !isArchived);
  if (old.length === 0) return [];
  const state = parseState((await readTexts(files, [STATE])).get(STATE)?.text ?? null);
  const candidates = old.slice(0, MOST + 1);
  const open = candidates.filter((ledger) => !isDone(state, ledger));
  const read = await readLedgers(files, open);
  const isOver = new Set(
    read
      .filter((ledger) => ledger.entries !== null && unreadOf(state, ledger).length === 0)
      .map(({ path, etag }) => `${etag} ${path}`),
  );
  const archived = new Set(all.filter((it) => it.isArchived).map(({ path }) => path));
  const ready = candidates.filter(
    (ledger) => isDone(state, ledger) || isOver.has(`${ledger.etag} ${ledger.path}`),
  );
  const texts = await readTexts(
    files,
    ready.filter((it) => archived.has(target(it))).map(({ path }) => path),
  );
  return ready.map((ledger) => archive(ledger, texts.get(ledger.path)?.text ?? null));
}

const target = ({ day }: LedgerFile): string => `${ARCHIVE}/${day}.md`;

/** Where the archive has a part of that day, the rest is added to it. */
function archive(ledger: LedgerFile, text: string | null): Step {
  const { path, etag: expect } = ledger;
  if (text === null) return [{ kind: "move", path, to: target(ledger), expect }];
  const added = { kind: "append", path: target(ledger), text: `\n${text}` } as const;
  return [added, { kind: "delete", path, expect }];
}

/** So many files below a directory that are past their time; with a log goes its session's line in the index. */
async function oldFiles(
  files: BucketFiles,
  directory: string,
  isOld: (file: FileInfo) => boolean,
  most: number,
): Promise<readonly Step[]> {
  const found: FileInfo[] = [];
  for (let after: string | undefined; found.length < most;) {
    const page = await pageBelow(files, directory, after);
    found.push(...page.entries.filter(isOld));
    if (!page.cut) break;
    after = page.entries.at(-1)?.path;
  }
  return found.slice(0, Math.max(0, most)).map(deletion);
}

function deletion({ path, etag }: FileInfo): Step {
  const gone = { kind: "delete", path, expect: etag } as const;
  const session = LOG.exec(path)?.[1];
  if (session === undefined) return [gone];
  const index = `${path.slice(0, path.lastIndexOf("/"))}/sessions.json`;
  return [gone, { kind: "merge", path: index, patch: { sessions: { [session]: null } } }];
}

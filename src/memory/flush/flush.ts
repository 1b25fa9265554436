import type { Model } from "../../model/model.ts";
import { MEMORY } from "../../context/prompt-sources.ts";
import { systemClock, type Clock } from "../../shared/clock.ts";
import { CarrelError } from "../../shared/errors.ts";
import { sessionKey } from "../../shared/ids.ts";
import { consoleLog, errorFacts, type Log } from "../../shared/log.ts";
import type { SessionAddress } from "../../shared/session-address.ts";
import { shortHash } from "../../shared/short-hash.ts";
import type { LaterScope } from "../../turn/capability.ts";
import type { FlushTrigger } from "../config.ts";
import { holdsSecret } from "../consolidation/text-gates.ts";
import { ledgerPath, ledgerSection } from "../ledger.ts";
import type { Memory } from "../memory-client.ts";
import { extract, Unanswerable, type Extract } from "./extract.ts";
import { readNotes, type FlushNotes } from "./flush-notes.ts";
import { flushPrompt, flushRequest } from "./prompt.ts";
import { readSaid, type Stretch } from "./said.ts";

/** Characters of conversation that are read at once, and the fewest that a model which refuses them is asked about. */
const STRETCH_CHARS = 60_000;
const LEAST_CHARS = 4_000;
/** What was not answered so often, refused or as short as can be, is left out. */
const MAX_REFUSALS = 8;

export type FlushOptions = {
  readonly model: Model;
  /** The system prompt; `null`: the built-in one. */
  readonly prompt: string | null;
  readonly trigger: FlushTrigger;
  /** Whether what was compacted is flushed whatever the trigger says. */
  readonly flushBeforeCompact: boolean;
  /** The memory that sessions of this address share. */
  readonly memoryOf: (
    address: SessionAddress,
  ) => Pick<Memory, "claimSlot" | "releaseSlot" | "note">;
  readonly clock?: Clock;
  readonly log?: Log;
};

type Flushing = Required<FlushOptions> & { readonly scope: LaterScope };

/**
 * Takes what is worth remembering out of a session's conversation into the ledger of the person's day, as a capability's
 * `later`. What was said is read by one successful flush each: a cursor in the session's notes says how far. Bullets are
 * written there together with the cursor, as a letter, before they go to the ledger; a letter goes out until it has arrived,
 * and arrives once. What was forgotten since the oldest of it was said is left out then. A throttle's slot (`flush:<agent>`) is kept with the memory.
 */
export function createFlush(options: FlushOptions): (scope: LaterScope) => Promise<number | null> {
  const all = { clock: systemClock, log: consoleLog, ...options };
  return (scope) => flush({ ...all, scope });
}

async function flush(flushing: Flushing): Promise<number | null> {
  const { scope } = flushing;
  await deliver(flushing);
  const limit = passesFreely(flushing);
  if (limit !== "throttled") return readOn(flushing, limit);
  // Nothing said costs no slot.
  const waiting = nextStretch(flushing, scope.ended);
  if (waiting === null) return null;
  if (waiting.text === "") return readOn(flushing, scope.ended);
  return readInSlot(flushing);
}

/** Up to which seq may be read now; `throttled` where that is no further, and what comes then needs a slot. */
function passesFreely(flushing: Flushing): number | "throttled" {
  const { scope, trigger, flushBeforeCompact } = flushing;
  const { ended } = scope;
  if (trigger === "ALWAYS") return ended;
  const { cursor, granted = 0 } = readNotes(scope.notes);
  const compacted = flushBeforeCompact ? Math.min(scope.compactedTo, ended) : 0;
  if (trigger === "NEVER") return compacted;
  if (trigger.throttledMs === 0) return ended;
  const free = Math.max(compacted, Math.min(granted, ended));
  // There may be no entry of a turn up to there.
  const isMore = cursor.seq < free && nextStretch(flushing, free) !== null;
  return isMore ? free : "throttled";
}

/** Reads all that was said since the cursor, once the throttle has let it through; gives the slot back where that fails. */
async function readInSlot(flushing: Flushing): Promise<number | null> {
  const { scope, trigger, memoryOf } = flushing;
  const gapMs = typeof trigger === "object" ? trigger.throttledMs : 0;
  const slot = `flush:${scope.address.agent}`;
  const memory = memoryOf(scope.address);
  const { granted, retryAt } = await memory.claimSlot(slot, gapMs);
  if (!granted) {
    // Not all sessions that wait at once.
    const share = Number.parseInt(shortHash(sessionKey(scope.address)).slice(-6), 36) / 36 ** 6;
    return Math.max(retryAt, scope.now()) + 1 + Math.floor(share * Math.min(gapMs / 10, 60_000));
  }
  const { ended, notes } = scope;
  try {
    notes.write({ ...readNotes(notes), granted: ended });
    return await readOn(flushing, ended);
  } catch (error) {
    try {
      const { granted: _, ...rest } = readNotes(notes);
      if (!scope.signal.aborted) notes.write(rest);
    } finally {
      await memory.releaseSlot(slot);
    }
    throw error;
  }
}

function nextStretch({ scope }: Flushing, upTo: number): Stretch | null {
  const { cursor, halvings = 0 } = readNotes(scope.notes);
  return readSaid(scope, { cursor, upTo, chars: charsOf(halvings) });
}

/** Characters of a stretch after so many answers that could not be used. */
const charsOf = (halvings: number): number =>
  Math.max(LEAST_CHARS, Math.floor(STRETCH_CHARS / 2 ** halvings));

/** Reads one stretch. When to be called again: at once where there may be more to read. */
async function readOn(flushing: Flushing, upTo: number): Promise<number | null> {
  const { scope } = flushing;
  const { notes } = scope;
  const stretch = nextStretch(flushing, upTo);
  if (stretch === null) return null;
  const { cursor, refused = 0 } = readNotes(notes);
  let letter: FlushNotes["letter"];
  if (stretch.text !== "" && refused >= MAX_REFUSALS) leaveOut(flushing, stretch);
  else if (stretch.text !== "") {
    const { bullets } = await read(flushing, stretch);
    // Another object may have read it meanwhile.
    if (JSON.stringify(readNotes(notes).cursor) !== JSON.stringify(cursor)) return scope.now();
    letter = letterOf(scope, stretch, bullets);
  }
  const { granted } = readNotes(notes);
  notes.write({
    cursor: stretch.cursor,
    ...(granted === undefined ? {} : { granted }),
    ...(letter ? { letter } : {}),
  } satisfies FlushNotes);
  await deliver(flushing);
  return stretch.cursor.seq < scope.ended ? scope.now() : null;
}

/** Asks the model about a stretch. */
async function read(flushing: Flushing, stretch: Stretch): Promise<Extract> {
  const { scope, model, prompt, clock, log } = flushing;
  const { notes, signal, address } = scope;
  const began = clock.now();
  const { halvings = 0, refused = 0 } = readNotes(notes);
  const path = ledgerPath(scope.zone, scope.now());
  const facts = { ...address, turns: stretch.turns, chars: stretch.text.length, seq: stretch.seq };
  try {
    const [memory, ledger] = await Promise.all([textAt(scope, MEMORY), textAt(scope, path)]);
    const day = path.slice(-"2026-12-01.md".length, -".md".length);
    const known = { memory, ledger, day, halvings };
    const request = { system: prompt ?? flushPrompt, user: flushRequest(stretch.text, known) };
    const found = await extract(model, request, { clock, signal });
    const { usage } = found;
    const bullets = found.bullets.filter((bullet) => !holdsSecret(bullet));
    const secrets = found.bullets.length - bullets.length;
    const figures = { bullets: bullets.length, ms: clock.now() - began, usage, secrets };
    log("info", "memory.flushed", { ...facts, ...figures, model: model.id });
    return { bullets, usage };
  } catch (error) {
    if (signal.aborted) throw error;
    const why = { ms: clock.now() - began, ...errorFacts(error), model: model.id };
    log("warn", "memory.flush_failed", { ...facts, ...why });
    if (error instanceof Unanswerable) {
      // Less will not be asked about.
      const isLast =
        error.isRefusal || stretch.text.length <= LEAST_CHARS || charsOf(halvings) === LEAST_CHARS;
      const more = { halvings: halvings + 1, refused: refused + (isLast ? 1 : 0) };
      notes.write({ ...readNotes(notes), ...more } satisfies FlushNotes);
    }
    throw error;
  }
}

/** Gives a stretch up that is never answered, so that it does not hold back all that is said after it. */
function leaveOut({ scope, log, model }: Flushing, { seq, turn, text }: Stretch): void {
  const facts = { ...scope.address, seq, turn, chars: text.length, model: model.id };
  log("error", "memory.flush_left_out", facts);
}

function letterOf(
  { address, zone, now }: LaterScope,
  { seq, turn, outside, saidAt }: Stretch,
  bullets: readonly string[],
): FlushNotes["letter"] {
  if (bullets.length === 0) return undefined;
  const at = now();
  const session = `${address.agent}/${address.session}`;
  const mark = { session, turn, seq, ...(outside ? { outside } : {}) };
  return {
    // A session that is begun anew under its old name is another one.
    op: `flush/${sessionKey(address)}${seq[0]}-${seq[1]}/${at}`,
    path: ledgerPath(zone, at),
    text: ledgerSection("Memory Flush", at, mark, bullets),
    saidAt,
  };
}

/** Brings a letter to its ledger. It stays in the notes until it has arrived. */
async function deliver({ scope, memoryOf }: Flushing): Promise<void> {
  const { notes, signal, zone, now } = scope;
  const { letter } = readNotes(notes);
  if (!letter) return;
  signal.throwIfAborted();
  try {
    await memoryOf(scope.address).note({ by: "job:flush", ...letter });
  } catch (error) {
    // The ledger of that day takes no more: another day's may.
    const path = ledgerPath(zone, now());
    const isFull = error instanceof CarrelError && error.code === "too_large";
    const isOurs = readNotes(notes).letter?.op === letter.op && !signal.aborted;
    if (isFull && isOurs && path !== letter.path)
      notes.write({ ...readNotes(notes), letter: { ...letter, path } });
    throw error;
  }
  const { letter: brought, ...rest } = readNotes(notes);
  // Another object may have brought it meanwhile, and written the next.
  if (brought?.op === letter.op) notes.write(rest);
}

/** The text of a file; empty where none is there, and where it holds something else. */
async function textAt({ workspace }: LaterScope, path: string): Promise<string> {
  try {
    const { content } = await workspace.read({ path });
    return "text" in content ? content.text : "";
  } catch (error) {
    if (error instanceof CarrelError && error.code === "not_found") return "";
    throw error;
  }
}

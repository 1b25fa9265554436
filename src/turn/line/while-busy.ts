import { CarrelError, tooLarge } from "../../shared/errors.ts";
import type { AcceptRequest, TurnInput } from "../../shared/session-api.ts";
import { heldCalls, pendingCalls, type EntryOf, type JournalEntry } from "../../session/entries.ts";
import { fitsRow } from "../../session/journal.ts";
import { insertTurn, startTurn, type BegunTurn, type OpenTurn } from "../../session/turns.ts";
import { LostTurn, type SessionCore, type Tx } from "../core.ts";
import { afterChange } from "../calls/park.ts";
import { assertNewest, BY_SESSION, decline } from "../calls/questions.ts";
import { settleIn, type AfterTurn } from "../settle.ts";
import { runningTurn, userFact } from "./take-up.ts";

/** Messages that may wait in line, and the characters of all of them together. */
const MAX_QUEUED = 20;
const MAX_QUEUED_CHARS = 2_000_000;

const INSTEAD = "a new message came instead of an answer.";

/** What was answered in the same commit before the message: the facts of it, and what became of the turn. */
export type AnsweredBefore = {
  readonly turn: BegunTurn | null;
  readonly written: readonly JournalEntry[];
};

/** What an acceptance made of the turns; the caller brings its memory up to date after the commit. */
export type Taken = {
  readonly turn: OpenTurn;
  /** The turn that it stopped. */
  readonly ended?: BegunTurn;
  /** The turn that it has gone on, or rest anew. */
  readonly changed?: BegunTurn;
};

/**
 * Takes a message in while a turn is not ended; `null` when its key is taken. The message waits in line, or to be taken
 * into that turn and no other, or stops it, as the request says. Questions for approval are denied by it; a turn that
 * waits for nothing else then goes on with a message that steers, and is stopped by every other. Another answer to the
 * newest message is given only where that stops the turn and nothing is in line; else it is a `conflict`.
 */
export function takeWhileBusy(
  core: SessionCore,
  tx: Tx,
  request: AcceptRequest,
  { answered, ...after }: AfterTurn & { readonly answered: AnsweredBefore },
): Taken | null {
  checkSize(request);
  const queued = queuedTurn(core, tx, request);
  if (!insertTurn(core.sql, queued, request.digest)) return null;
  const { written } = answered;
  const begun = answered.turn ?? core.begun;
  const entries = begun ? [...core.entriesOf(begun.id), ...written] : [];
  const pending = pendingCalls(entries);
  const approvals = pending.filter(({ what }) => what === "approval");
  const isHeld = heldCalls(entries).length > 0;
  const waits = begun?.state === "waiting" && !isHeld && approvals.length === pending.length;
  const stops = request.whenBusy === "replace" || (waits && queued.steers === null);
  // What was answered before has asked this, and has written since.
  if (begun && written.length === 0 && (stops || approvals.length > 0)) assertNewest(core);
  if (!begun || !stops) {
    checkLine(core, request);
    const changed = begun ? deny(core, tx, begun, entries, approvals) : {};
    return { turn: queued, ...changed };
  }
  const isNext = core.open.length === 1;
  if (!isNext) checkLine(core, request);
  // Looked up before anything is appended.
  const fact = isNext ? userFact(core, request.input) : null;
  const settling = { ...after, why: INSTEAD, more: () => [...written] };
  settleIn(core, tx, { turn: begun, end: { outcome: "stopped" } }, settling);
  if (!fact) return { turn: queued, ended: begun };
  const turn = runningTurn(core, tx, queued);
  if (!startTurn(core.sql, turn)) throw new LostTurn();
  tx.append(turn.id, fact, turn.start);
  return { turn, ended: begun };
}

/** Answers what a turn asks, other than to run a client's tool, with no. */
function deny(
  core: SessionCore,
  tx: Tx,
  begun: BegunTurn,
  entries: readonly JournalEntry[],
  approvals: readonly EntryOf<"asked">[],
): { readonly changed?: BegunTurn } {
  if (approvals.length === 0) return {};
  const denied = { answer: "denied", by: BY_SESSION, reason: INSTEAD } as const;
  const settled = approvals.flatMap((asked) => decline(tx, asked, denied));
  if (begun.state === "running") return {};
  const all = { entries: [...entries, ...settled], must: false };
  return { changed: afterChange(core, tx, begun, all) };
}

function queuedTurn(core: SessionCore, tx: Tx, { key, input, whenBusy }: AcceptRequest) {
  // An answer of a certain form needs a turn of its own, as does what comes before the next turn has begun.
  const maySteer = input.kind === "message" && input.output === undefined;
  return {
    id: key,
    no: tx.reserve(),
    acceptedAt: core.clock.now(),
    state: "queued",
    input,
    steers: maySteer && whenBusy === "steer" ? (core.begun?.id ?? null) : null,
  } as const satisfies OpenTurn;
}

/** What is accepted can be taken up later: a message too large for a journal row is refused now. */
function checkSize({ key, input }: AcceptRequest): void {
  if (!fitsRow(JSON.stringify({ ...input, message: key }))) throw tooLarge("The message", "1.9 MB");
}

function checkLine(core: SessionCore, { input }: AcceptRequest): void {
  const line = core.open.flatMap((turn) => ("input" in turn ? [charsOf(turn.input)] : []));
  if (line.length >= MAX_QUEUED) {
    throw new CarrelError(
      "too_many",
      `${MAX_QUEUED} messages already wait in this session. Try again when a turn has ended.`,
    );
  }
  if (line.reduce((sum, chars) => sum + chars, charsOf(input)) > MAX_QUEUED_CHARS) {
    throw new CarrelError(
      "too_many",
      `The messages that wait in this session may have ${MAX_QUEUED_CHARS} characters together. Try again when a turn has ended.`,
    );
  }
  if (input.kind === "regenerate") {
    throw new CarrelError(
      "conflict",
      "A turn is running; stop it or wait for its end before asking for another answer.",
    );
  }
}

function charsOf(input: TurnInput): number {
  if (input.kind === "regenerate") return 0;
  return input.content.reduce(
    (sum, part) => sum + (part.type === "text" ? part.text : part.data).length,
    0,
  );
}

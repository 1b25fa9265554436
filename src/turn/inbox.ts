import { CarrelError, invalid, keyReused, notFound, tooLarge } from "../shared/errors.ts";
import { turnOfMessage } from "../shared/ids.ts";
import type { AcceptRequest, TurnInput, TurnView } from "../shared/session-api.ts";
import { addJob } from "../session/jobs.ts";
import {
  countKnown,
  findTurn,
  insertTurn,
  startTurn,
  type OpenTurn,
  type RunningTurn,
} from "../session/turns.ts";
import type { Fact } from "../session/entries.ts";
import { fitsRow } from "../session/journal.ts";
import { LostTurn, type SessionCore, type Tx } from "./core.ts";

/** How far ahead the dead-man alarm stands. Local workerd drops an unwatched object after 70 s (measured). */
export const DEAD_MAN_MS = 30_000;
/** Messages that may wait behind the running one. */
const MAX_QUEUED = 20;

/** The job that stands for an unfinished turn. */
export const turnJob = (turn: string): string => `turn:${turn}`;
/** The job that stands for a session that the registry does not know yet. */
export const REGISTER_JOB = "register";

/**
 * Takes a message in, committed when this returns: turn, user entry and job in one transaction. The same key
 * with the same digest is the same turn; with another one `key_reused`. Unless the session `isRegistered`, a job
 * for that is in the same transaction.
 */
export function acceptTurn(
  core: SessionCore,
  request: AcceptRequest,
  isRegistered: boolean,
): { readonly turn: TurnView; readonly isNew: boolean } {
  if (request.claimed) checkClaimed(core, request.claimed);
  const turn = core.commit("accept", (tx) => {
    const accepted = insertAccepted(core, tx, request);
    if (accepted && !isRegistered)
      addJob(core.sql, { ...jobAt(core), id: REGISTER_JOB, kind: "register", payload: "" });
    return accepted;
  });
  if (!turn) return acceptedBefore(core, request);
  core.open = [...core.open, turn];
  return { turn: core.viewOf(turn), isNew: true };
}

/** The new turn, or `null` when its key is taken: asked by inserting, so that a new message costs no look-up. */
function insertAccepted(core: SessionCore, tx: Tx, request: AcceptRequest): OpenTurn | null {
  const now = core.clock.now();
  const isIdle = core.open.length === 0;
  const turn = isIdle ? running(core, tx, request.key, now) : queued(tx, request, now);
  if (!insertTurn(core.sql, turn, request.digest)) return null;
  if (turn.state === "running") tx.append(turn.id, userFact(core, request.input), turn.start);
  else checkQueue(core, request);
  addJob(core.sql, { ...jobAt(core), id: turnJob(turn.id), kind: "drive", payload: turn.id });
  return turn;
}

/** Due with the alarm that stands for a new turn. */
const jobAt = (core: SessionCore) => ({ due: core.clock.now() + DEAD_MAN_MS });

function acceptedBefore(
  core: SessionCore,
  request: AcceptRequest,
): { readonly turn: TurnView; readonly isNew: boolean } {
  const known = findTurn(core.sql, request.key);
  if (known?.digest !== request.digest) throw keyReused();
  return { turn: core.viewOfStored(request.key, known), isNew: false };
}

/** What is accepted can be taken up later: a message too large for a journal row is refused now. */
function checkQueue(core: SessionCore, request: AcceptRequest): void {
  if (!fitsRow(JSON.stringify(request.input))) throw tooLarge("The message", "1.9 MB");
  if (core.open.length > MAX_QUEUED) {
    throw new CarrelError(
      "too_many",
      `${MAX_QUEUED} messages already wait in this session. Try again when a turn has ended.`,
    );
  }
  if (request.input.kind === "regenerate") {
    throw new CarrelError(
      "conflict",
      "A turn is running; stop it or wait for its end before asking for another answer.",
    );
  }
}

/** Takes up the oldest queued turn; `null` when none waits. */
export function startNext(core: SessionCore): RunningTurn | null {
  const next = core.open[0];
  if (next?.state !== "queued") return null;
  const turn = core.commit("start", (tx) => {
    const started = running(core, tx, next.id, next.acceptedAt);
    if (!startTurn(core.sql, started)) throw new LostTurn();
    tx.append(started.id, userFact(core, next.input), started.start);
    return started;
  });
  core.replaceOpen(turn);
  return turn;
}

function running(core: SessionCore, tx: Tx, id: string, acceptedAt: number): RunningTurn {
  const start = tx.reserve();
  const attempt = tx.reserve();
  return {
    id,
    no: start,
    acceptedAt,
    state: "running",
    start,
    attempt,
    epoch: core.epoch,
    strikes: 0,
    since: null,
  };
}

const queued = (tx: Tx, request: AcceptRequest, acceptedAt: number): OpenTurn => ({
  id: request.key,
  no: tx.reserve(),
  acceptedAt,
  state: "queued",
  input: request.input,
  steers: request.whenBusy === "steer",
});

/** The user entry of a turn; for `regenerate` the newest turn's message again, in that turn's place. */
export function userFact(core: SessionCore, input: TurnInput): Extract<Fact, { kind: "user" }> {
  if (input.kind === "message") {
    const { content, output } = input;
    return { kind: "user", content, ...(output === undefined ? {} : { output }) };
  }
  const newest = core.window.findLast((entry) => entry.kind === "user");
  if (newest?.kind !== "user") throw notFound("A message to answer again");
  const { content, turn, message = turn } = newest;
  if (input.reply !== undefined && input.reply !== message && turnOfMessage(input.reply) !== turn) {
    throw invalid("Only the newest answer of a session can be given anew.");
  }
  return { kind: "user", content, replaces: turn, message };
}

/** A client may say what it thinks the history is; nothing of it is believed, and what we never said is refused. */
function checkClaimed(core: SessionCore, claimed: readonly string[]): void {
  const turns = [...new Set(claimed.map(turnOfMessage))];
  if (turns.length > 0 && countKnown(core.sql, turns) < turns.length) {
    throw invalid(
      "The history holds a message that this session did not make. Send only the new user message.",
    );
  }
}

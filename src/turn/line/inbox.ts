import { invalid, keyReused } from "../../shared/errors.ts";
import { turnOfMessage } from "../../shared/ids.ts";
import type { AcceptRequest, TurnView } from "../../shared/session-api.ts";
import { addJob, turnJob } from "../../session/jobs.ts";
import { writeState } from "../../session/state-documents.ts";
import {
  countKnown,
  findTurn,
  insertTurn,
  startTurn,
  type RunningTurn,
  type StoredTurn,
} from "../../session/turns.ts";
import { LostTurn, type SessionCore, type Tx } from "../core.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { forgetTurn, type AfterTurn } from "../settle.ts";
import { runningTurn, userFact } from "./take-up.ts";
import { addReportJob } from "../tasks/report-job.ts";
import { takeWhileBusy, type AnsweredBefore, type Taken } from "./while-busy.ts";
import { toldZone } from "./zone.ts";
import { viewOf, viewOfStored } from "../status.ts";

/** The job that stands for a session that the registry does not know yet. */
export const REGISTER_JOB = "register";

/** `stopped`: the turn that the message has stopped. */
export type AcceptedTurn = {
  readonly turn: TurnView;
  readonly isNew: boolean;
  readonly stopped: string | null;
};

/** `answer`: takes what was answered before the message, in its commit. */
export type Accepting = AfterTurn & {
  readonly isRegistered: boolean;
  readonly answer?: ((tx: Tx) => AnsweredBefore) | null;
};

/**
 * Takes a message in, committed when this returns: turn, user entry and job in one transaction, with what becomes of the
 * turn that is not ended. The same key with the same digest is the same turn; with another one `key_reused`. Unless the
 * session `isRegistered`, a job for that is in the same transaction. Where this throws, nothing was answered either.
 */
export function acceptTurn(
  core: SessionCore,
  request: AcceptRequest,
  { isRegistered, hasAfterTurn, answer }: Accepting,
): AcceptedTurn {
  if (request.claimed) checkClaimed(core, request.claimed);
  const place = toldZone(core, request.timeZone);
  const { answered, taken, known } = core.commit("accept", (tx) => {
    const answered = answer?.(tx) ?? { turn: null, written: [] };
    const taken = insertAccepted(core, tx, request, { hasAfterTurn, answered });
    if (!taken) return { answered, known: knownTurn(core, request) };
    const { id } = taken.turn;
    addJob(core.sql, { ...jobAt(core), id: turnJob(id), kind: "drive", payload: id });
    if (!isRegistered) addRegisterJob(core);
    addReportJob(core);
    if (place) writeState(core.sql, "zone", place);
    if (core.wakes > 0) writeState(core.sql, "wakes", 0);
    return { answered, taken };
  });
  const changed = taken?.changed ?? answered.turn;
  if (changed) core.replaceOpen(changed);
  if (!taken) return { turn: viewOfStored(core, request.key, known), isNew: false, stopped: null };
  if (place) core.place = place;
  core.wakes = 0;
  if (taken.ended) forgetTurn(core, taken.ended);
  core.open = [...core.open, taken.turn];
  return { turn: viewOf(core, taken.turn), isNew: true, stopped: taken.ended?.id ?? null };
}

/** A job, in the caller's commit, that stands until the registry knows the session. */
export function addRegisterJob(core: SessionCore): void {
  addJob(core.sql, { ...jobAt(core), id: REGISTER_JOB, kind: "register", payload: "" });
}

/** Due with the alarm that stands for a new turn. */
const jobAt = (core: SessionCore) => ({ due: core.clock.now() + DEAD_MAN_MS });

/** The new turn, or `null` when its key is taken: asked by inserting, so that a new message costs no look-up. */
function insertAccepted(
  core: SessionCore,
  tx: Tx,
  request: AcceptRequest,
  after: AfterTurn & { readonly answered: AnsweredBefore },
): Taken | null {
  if (core.open.length > 0) return takeWhileBusy(core, tx, request, after);
  const turn = runningTurn(core, tx, { id: request.key, acceptedAt: core.clock.now() });
  if (!insertTurn(core.sql, turn, request.digest)) return null;
  tx.append(turn.id, userFact(core, request.input), turn.start);
  return { turn };
}

/** The turn that this message made before. Throws `CarrelError('key_reused')` where another one has made it. */
function knownTurn(core: SessionCore, { key, digest }: AcceptRequest): StoredTurn {
  const known = findTurn(core.sql, key);
  if (known?.digest !== digest) throw keyReused();
  return known;
}

/** Takes up the oldest queued turn; `null` when none waits. */
export function startNext(core: SessionCore): RunningTurn | null {
  const next = core.open[0];
  if (next?.state !== "queued") return null;
  const turn = core.commit("start", (tx) => {
    const started = runningTurn(core, tx, next);
    if (!startTurn(core.sql, started)) throw new LostTurn();
    tx.append(started.id, userFact(core, next.input), started.start);
    return started;
  });
  core.replaceOpen(turn);
  return turn;
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

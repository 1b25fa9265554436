import {
  heldCalls,
  openCalls,
  parkedCalls,
  pendingCalls,
  type JournalEntry,
  type Parked,
} from "../../session/entries.ts";
import { addJob, INDEX_JOB, renewJob, setDue, turnJob } from "../../session/jobs.ts";
import {
  parkTurn,
  restTurn,
  resumeTurn,
  type BegunTurn,
  type RunningTurn,
  type WaitingTurn,
} from "../../session/turns.ts";
import { LostTurn, type SessionCore, type Tx } from "../core.ts";
import type { Harness } from "../harness.ts";
import { isExpired } from "./questions.ts";

/**
 * Lets the turn rest when every call that it has left waits for someone outside; whether it does. Committed when this
 * returns, with the jobs that tell others; the caller sees to the alarm for the first question that expires. No driver
 * has anything to do for it then.
 */
export function parkIfWaiting(
  core: SessionCore,
  { notify }: Pick<Harness, "notify">,
  turn: RunningTurn,
): boolean {
  const entries = core.entriesOf(turn.id);
  const pending = pendingCalls(entries);
  const now = core.clock.now();
  const waits = pending.length + heldCalls(entries).length;
  if (waits === 0 || waits < openCalls(entries).length) return false;
  if (pending.some((asked) => isExpired(asked, now))) return false;
  const isNews = pending.some(({ seq }) => seq > (turn.since ?? 0));
  const since = core.commit("wait", (tx) => {
    const { seq } = appendWaiting(core, tx, turn, entries);
    if (!parkTurn(core.sql, turn.id, core.epoch, seq)) throw new LostTurn();
    if (pending.length > 0) tellOthers(core);
    if (notify && isNews) {
      const payload = JSON.stringify({ turn: turn.id, calls: pending.map(({ call }) => call) });
      addJob(core.sql, { id: `notify:${turn.id}/${seq}`, kind: "notify", due: now, payload });
    }
    return seq;
  });
  core.replaceOpen({ ...turn, state: "waiting", since });
  return true;
}

/**
 * What becomes of a waiting turn in the commit that changed something about its questions: with all `entries` of its
 * newest step, the new ones among them, it goes on if nothing is left to wait for, or if it `must`; else it rests anew.
 * The caller puts what it gives in the turn's place, after its commit.
 */
export function afterChange(
  core: SessionCore,
  tx: Tx,
  turn: WaitingTurn,
  { entries, must }: { readonly entries: readonly JournalEntry[]; readonly must: boolean },
): BegunTurn {
  if (must || pendingCalls(entries).length + heldCalls(entries).length === 0) {
    if (!resumeTurn(core.sql, turn.id, core.epoch)) throw new LostTurn();
    tellOthers(core);
    return { ...turn, state: "running", epoch: core.epoch };
  }
  const { seq: since } = appendWaiting(core, tx, turn, entries);
  if (!restTurn(core.sql, turn.id, since)) throw new LostTurn();
  return { ...turn, since };
}

/** Says what the turn waits for; its job is due when the first of that expires. */
function appendWaiting(
  core: SessionCore,
  tx: Tx,
  turn: BegunTurn,
  entries: readonly JournalEntry[],
): JournalEntry {
  const parked = parkedCalls(entries);
  const expiresAt = firstExpiry(parked);
  setDue(core.sql, turnJob(turn.id), expiresAt);
  const calls = parked.pending.map(({ call }) => call);
  const held = parked.held.map(({ call }) => call);
  const more = held.length === 0 ? {} : { held };
  return tx.append(turn.id, { kind: "waiting", calls, ...more, expiresAt });
}

/** When the first of these questions is settled as denied, or the first call looks again, in milliseconds. */
export const firstExpiry = ({ pending, held }: Parked): number =>
  Math.min(...pending.map(({ expiresAt }) => expiresAt), ...held.map(({ until }) => until));

/** Whoever lists sessions hears, by a job in the caller's commit, that this one waits, or waits no more. */
export function tellOthers(core: SessionCore): void {
  const due = core.clock.now();
  renewJob(core.sql, { id: INDEX_JOB, kind: "index", due, payload: "" });
}

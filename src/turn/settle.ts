import type { TurnOutcome } from "../shared/events.ts";
import type { CommitName } from "../shared/point.ts";
import { noUsage } from "../shared/messages.ts";
import {
  openCalls,
  questionOf,
  type Fact,
  type JournalEntry,
  type StepFinish,
} from "../session/entries.ts";
import { removeJob, turnJob } from "../session/jobs.ts";
import { fitsRow } from "../session/journal.ts";
import { partsOf, type LiveStep } from "../session/live-step.ts";
import { emptyContext, readState, writeState } from "../session/state-documents.ts";
import { endTurn, type BegunTurn, type OpenTurn } from "../session/turns.ts";
import type { StepPart } from "../shared/messages.ts";
import { LostTurn, type SessionCore, type Tx } from "./core.ts";
import { stepsOf, usageOf } from "./limits.ts";
import { tellOthers } from "./calls/park.ts";
import { BY_SESSION, decline } from "./calls/questions.ts";
import { userFact } from "./line/take-up.ts";
import { stopTasksOf } from "./tasks/children.ts";

export type TurnEnd = {
  readonly outcome: TurnOutcome;
  readonly error?: { readonly code: string; readonly message: string };
  /** The answer as the JSON that the message asked for. */
  readonly output?: unknown;
};

/** Whether the agent has work for ended turns; their job then stays. */
export type AfterTurn = { readonly hasAfterTurn: boolean };

type Settling = AfterTurn & {
  /** Only this driver may end the turn; anyone when absent. */
  readonly epoch?: string;
  readonly more?: (tx: Tx) => JournalEntry[];
  /** Why calls that wait for an answer get none; default: the turn ended. */
  readonly why?: string;
};

const ENDED = "the turn ended before anyone answered.";

/**
 * Ends a turn in one commit, whatever it was doing: `more` facts, what was said so far, a result for every call
 * that has none, the end, the turn's row and its job. Throws `LostTurn` when the turn had ended before.
 */
export function settleTurn(
  core: SessionCore,
  turn: OpenTurn,
  end: TurnEnd,
  options: Settling & { readonly commit: CommitName },
): void {
  core.commit(options.commit, (tx) => settleIn(core, tx, { turn, end }, options));
  forgetTurn(core, turn);
}

/** The same as part of the caller's commit, before anything else is appended in it. `forgetTurn` follows after it. */
export function settleIn(
  core: SessionCore,
  tx: Tx,
  { turn, end }: { readonly turn: OpenTurn; readonly end: TurnEnd },
  {
    epoch = null,
    hasAfterTurn,
    more,
    why = ENDED,
  }: Omit<Settling, "epoch"> & { epoch?: string | null },
): void {
  const entries = core.entriesOf(turn.id);
  entries.push(...(more?.(tx) ?? []));
  const start = "start" in turn ? turn.start : startQueued(core, turn, tx);
  if ("start" in turn && end.outcome !== "completed")
    entries.push(...cutShort(core, { turn, end, why }, entries, tx));
  const facts = { usage: usageOf(entries), steps: stepsOf(entries).length };
  tx.append(turn.id, { kind: "end", ...end, ...facts });
  if (!endTurn(core.sql, turn, { outcome: end.outcome, start, epoch })) throw new LostTurn();
  if (turn.state === "waiting") tellOthers(core);
  if (entries.some(mayHaveTasks)) stopTasksOf(core, tx, turn.id);
  if (hasAfterTurn) {
    const now = core.clock.now();
    core.sql.run("UPDATE job SET kind = 'after', due = ? WHERE id = ?", now, turnJob(turn.id));
  } else {
    removeJob(core.sql, turnJob(turn.id));
  }
}

/**
 * Ends a turn whose session is too large to be loaded, without loading more than its newest step: what was said
 * stays in the history, and the model's context begins anew after it, so that the next message can be answered.
 */
export function abandonTurn(core: SessionCore, turn: BegunTurn, error: TurnEnd["error"]): void {
  core.commit("end", (tx) => {
    if (turn.attempt > core.journal.last)
      tx.append(turn.id, { kind: "reset", attempt: turn.attempt, reason: "interrupted" });
    const failure = error === undefined ? {} : { error };
    const [{ steps, last } = { steps: 0, last: null }] = core.sql.all<{
      steps: number;
      last: number | null;
    }>(
      "SELECT count(*) AS steps, max(seq) AS last FROM journal WHERE seq >= ? AND kind = 'step'",
      turn.start,
    );
    if (last !== null) settleCalls(turn, core.journal.window(last), tx, ENDED);
    const fact = { kind: "end", outcome: "failed", ...failure, usage: noUsage, steps } as const;
    const end = tx.append(turn.id, fact);
    const before = readState(core.sql, "context") ?? {};
    writeState(core.sql, "context", emptyContext(end.seq + 1, before));
    core.sql.run("DELETE FROM live WHERE turn = ?", turn.id);
    removeJob(core.sql, turnJob(turn.id));
    if (!endTurn(core.sql, turn, { outcome: "failed", start: turn.start, epoch: null }))
      throw new LostTurn();
    tellOthers(core);
    stopTasksOf(core, tx, turn.id);
  });
  forgetTurn(core, turn);
}

/** Whether a task may be open that its turn waits for: a call rested on it, or was cut off before it could. */
const mayHaveTasks = (entry: JournalEntry): boolean =>
  entry.kind === "held" || (entry.kind === "result" && entry.status === "unknown");

/** Forgets an ended turn, after the commit that ended it. */
export function forgetTurn(core: SessionCore, turn: OpenTurn): void {
  core.live = null;
  core.open = core.open.filter((candidate) => candidate.id !== turn.id);
}

function startQueued(core: SessionCore, turn: Exclude<OpenTurn, BegunTurn>, tx: Tx): number {
  return tx.append(turn.id, userFact(core, turn.input)).seq;
}

/** What a stopped or failed turn keeps: the partial answer, and a result for every call that has none. */
function cutShort(
  core: SessionCore,
  { turn, end, why }: { readonly turn: BegunTurn; readonly end: TurnEnd; readonly why: string },
  before: readonly JournalEntry[],
  tx: Tx,
): JournalEntry[] {
  const finish: StepFinish = end.outcome === "stopped" ? "stopped" : "failed";
  const written: JournalEntry[] = [];
  const isLive = core.live?.turn === turn.id;
  // An attempt that died with its object may have shown more than was kept of it.
  if (!isLive && before.every((entry) => entry.seq < turn.attempt)) {
    written.push(
      tx.append(turn.id, { kind: "reset", attempt: turn.attempt, reason: "interrupted" }),
    );
  }
  const partial = partialStep(core, turn, before);
  if (partial) {
    const { step, model, parts } = partial;
    const fact = { kind: "step", step, model, parts, finish, usage: noUsage } as const;
    // Too much for one row: it cannot be kept, so whoever saw it is told to forget it.
    if (fitsRow(JSON.stringify(fact))) written.push(tx.append(turn.id, fact, partial.seq));
    else if (isLive)
      written.push(
        tx.append(turn.id, { kind: "reset", attempt: turn.attempt, reason: "interrupted" }),
      );
  }
  written.push(...settleCalls(turn, [...before, ...written], tx, why));
  if (partial?.checkpoint) core.sql.run("DELETE FROM live WHERE turn = ?", turn.id);
  return written;
}

/** A result for every call of the newest step that has none; what was asked about one is answered. */
function settleCalls(
  turn: BegunTurn,
  entries: readonly JournalEntry[],
  tx: Tx,
  why: string,
): JournalEntry[] {
  return openCalls(entries).flatMap((call) => {
    const question = questionOf(entries, call.call);
    if (question && !question.answered)
      return decline(tx, question.asked, { answer: "denied", by: BY_SESSION, reason: why });
    const wasBegun = entries.some((entry) => entry.kind === "intent" && entry.call === call.call);
    return [tx.append(turn.id, unfinished(call, wasBegun))];
  });
}

type Partial = {
  readonly step: number;
  readonly model: string;
  readonly parts: readonly StepPart[];
  /** The seq to journal at; a new one when absent. */
  readonly seq?: number;
  readonly checkpoint: boolean;
};

/** The step that was being streamed: from memory, or after a crash from its last checkpoint. */
function partialStep(
  core: SessionCore,
  turn: BegunTurn,
  entries: readonly JournalEntry[],
): Partial | null {
  const { live } = core;
  if (live?.turn === turn.id && entries.every(({ seq }) => seq !== live.seq)) {
    const { step, model, seq } = live;
    return { step, model, parts: partsOf(live), seq, checkpoint: true };
  }
  if (entries.some((entry) => entry.seq >= turn.attempt)) return null;
  const saved = readCheckpoint(core, turn.id);
  if (!saved) return null;
  return { ...saved, checkpoint: true };
}

type Checkpoint = {
  readonly step: number;
  readonly model: string;
  readonly parts: readonly StepPart[];
};

/** Keeps what the live step has said so far, so that a turn that is given up after a crash keeps it. */
export function writeCheckpoint(core: SessionCore, live: LiveStep): void {
  const checkpoint: Checkpoint = { step: live.step, model: live.model, parts: partsOf(live) };
  const body = JSON.stringify(checkpoint);
  if (!fitsRow(body)) return;
  core.sql.run(
    "INSERT INTO live(turn, seq, body) VALUES (?, ?, ?) ON CONFLICT(turn) DO UPDATE SET seq = excluded.seq, body = excluded.body",
    live.turn,
    live.seq,
    body,
  );
  live.isSaved = true;
}

function readCheckpoint(core: SessionCore, turn: string): Checkpoint | null {
  const row = core.sql.all<{ body: string }>("SELECT body FROM live WHERE turn = ?", turn)[0];
  return row ? (JSON.parse(row.body) as Checkpoint) : null;
}

/** The result of a call that the turn's end cut off. */
function unfinished(
  call: { readonly call: string; readonly name: string },
  wasBegun: boolean,
): Fact {
  const text = wasBegun
    ? "The turn ended while this was running: it may or may not have had its effect. Check before repeating it."
    : "The turn ended before this was run.";
  return {
    kind: "result",
    call: call.call,
    name: call.name,
    status: wasBegun ? "unknown" : "interrupted",
    content: [{ type: "text", text }],
  };
}

import type { TurnState } from "../shared/events.ts";
import { replyId } from "../shared/ids.ts";
import type { TurnInput, TurnView } from "../shared/session-api.ts";
import type { Sql } from "../shared/sql.ts";

/**
 * A turn whose end is not in the journal yet. `queued` turns keep their input here; it becomes a journal entry when
 * they start. `stopped` ones were stopped while they waited; their entries follow when it is their turn, so that
 * turns never interleave.
 */
export type OpenTurn = {
  readonly id: string;
  readonly no: number;
  readonly acceptedAt: number;
} & (
  | {
      readonly state: "queued" | "stopped";
      readonly input: TurnInput;
      /** The turn that it is taken into before that one's next step; `null`, or once that has ended: it waits in line. */
      readonly steers: string | null;
    }
  | (Begun & { readonly state: "running" })
  | (Begun & { readonly state: "waiting" })
);

type Begun = {
  /** Seq of the user entry. */
  readonly start: number;
  /** Seq of the newest attempt at a step, stored before its first byte is shown. */
  readonly attempt: number;
  /** Which instance drives it; only that one may commit for it. */
  readonly epoch: string;
  /** How often loading the session for this turn has failed in a row. */
  readonly strikes: number;
  /** Seq of the `waiting` entry that it rests at, or last rested at; `null` when it never did. */
  readonly since: number | null;
};

export type RunningTurn = Extract<OpenTurn, { state: "running" }>;
/** A turn that waits for an answer from outside. */
export type WaitingTurn = Extract<OpenTurn, { state: "waiting" }>;
/** A turn that was taken up. */
export type BegunTurn = RunningTurn | WaitingTurn;

type Row = {
  id: string;
  no: number;
  digest: string;
  state: string;
  accepted_at: number;
  input: string | null;
  start: number | null;
  attempt: number | null;
  epoch: string | null;
  strikes: number;
  since: number | null;
  steers: string | null;
  joined: string | null;
};

export type StoredTurn = {
  readonly digest: string;
  /** `steered`: its message was taken into the turn `joined`, whose state is its own. */
  readonly state: TurnState | "steered";
  readonly start: number | null;
  readonly joined: string | null;
};

/** What the table says of one turn, open or ended; `null` when the session never accepted it. */
export function findTurn(sql: Sql, id: string): StoredTurn | null {
  const row = sql.all<Row>("SELECT digest, state, start, joined FROM turn WHERE id = ?", id)[0];
  return row ? { ...row, state: row.state as StoredTurn["state"] } : null;
}

/** The turn that the newest fact of any is of; `null` before the first one. */
export function newestTurn(sql: Sql): string | null {
  const [row] = sql.all<{ turn: string }>(
    "SELECT turn FROM journal WHERE turn <> '' ORDER BY seq DESC LIMIT 1",
  );
  return row?.turn ?? null;
}

/** How many of these turn ids the session knows. */
export function countKnown(sql: Sql, ids: readonly string[]): number {
  const rows = sql.all<{ known: number }>(
    "SELECT count(*) AS known FROM turn WHERE id IN (SELECT value FROM json_each(?))",
    JSON.stringify(ids),
  );
  return rows[0]?.known ?? 0;
}

/** The unfinished turns in order of acceptance, found through their jobs so that the cost does not grow with the session. */
export function loadOpenTurns(sql: Sql): OpenTurn[] {
  return sql
    .all<Row>(
      "SELECT turn.* FROM job CROSS JOIN turn ON turn.id = job.payload WHERE job.kind = 'drive' ORDER BY turn.no",
    )
    .map(toOpenTurn);
}

function toOpenTurn(row: Row): OpenTurn {
  const common = { id: row.id, no: row.no, acceptedAt: row.accepted_at };
  if (row.state === "queued" || row.state === "stopped") {
    const input = JSON.parse(row.input ?? "null") as TurnInput;
    return { ...common, state: row.state, input, steers: row.steers };
  }
  return {
    ...common,
    state: row.state === "waiting" ? "waiting" : "running",
    start: row.start ?? 0,
    attempt: row.attempt ?? 0,
    epoch: row.epoch ?? "",
    strikes: row.strikes,
    since: row.since,
  };
}

/** Inserts the turn unless its id is taken; whether it did. */
export function insertTurn(sql: Sql, turn: OpenTurn, digest: string): boolean {
  const begun = "start" in turn ? turn : null;
  return sql.run(
    `INSERT INTO turn(id, no, digest, state, accepted_at, input, start, attempt, epoch, steers)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    turn.id,
    turn.no,
    digest,
    turn.state,
    turn.acceptedAt,
    "start" in turn ? null : JSON.stringify(turn.input),
    begun?.start ?? null,
    begun?.attempt ?? null,
    begun?.epoch ?? null,
    "steers" in turn ? turn.steers : null,
  );
}

/** A queued turn is taken up; `false` when it no longer waits. */
export function startTurn(sql: Sql, turn: RunningTurn): boolean {
  return sql.run(
    `UPDATE turn SET state = 'running', input = NULL, start = ?, attempt = ?, epoch = ?
     WHERE id = ? AND state = 'queued'`,
    turn.start,
    turn.attempt,
    turn.epoch,
    turn.id,
  );
}

/** Whether `epoch` still drives the turn. Everything a driver commits checks this in the same transaction. */
export function isDriver(sql: Sql, id: string, epoch: string): boolean {
  return (
    sql.all("SELECT 1 FROM turn WHERE id = ? AND epoch = ? AND state = ?", id, epoch, "running")
      .length > 0
  );
}

/** Notes a new attempt if `epoch` still drives the turn; whether it does. Clears the strikes: loading worked. */
export function setAttempt(sql: Sql, id: string, epoch: string, attempt: number): boolean {
  return sql.run(
    `UPDATE turn SET attempt = ?, strikes = 0 WHERE id = ? AND epoch = ? AND state = 'running'`,
    attempt,
    id,
    epoch,
  );
}

/** Takes an interrupted turn over. The strike is taken back by `setAttempt`, so it stays when loading kills the object. */
export function claimTurn(sql: Sql, id: string, epoch: string): void {
  sql.run(
    `UPDATE turn SET epoch = ?, strikes = strikes + 1 WHERE id = ? AND state = 'running'`,
    epoch,
    id,
  );
}

/** The turn rests at its entry `since`, if `epoch` still drives it; whether it does. */
export function parkTurn(sql: Sql, id: string, epoch: string, since: number): boolean {
  return sql.run(
    `UPDATE turn SET state = 'waiting', since = ? WHERE id = ? AND epoch = ? AND state = 'running'`,
    since,
    id,
    epoch,
  );
}

/** A turn that waits rests at another entry; `false` when it does not wait any more. */
export function restTurn(sql: Sql, id: string, since: number): boolean {
  return sql.run("UPDATE turn SET since = ? WHERE id = ? AND state = 'waiting'", since, id);
}

/** A turn that waits goes on, driven by `epoch`; `false` when it does not wait any more. */
export function resumeTurn(sql: Sql, id: string, epoch: string): boolean {
  return sql.run(
    `UPDATE turn SET state = 'running', epoch = ? WHERE id = ? AND state = 'waiting'`,
    epoch,
    id,
  );
}

/** A queued message is taken into another turn at `start`; `false` when it no longer waits. */
export function joinTurn(sql: Sql, id: string, into: string, start: number): boolean {
  return sql.run(
    `UPDATE turn SET state = 'steered', input = NULL, joined = ?, start = ?
     WHERE id = ? AND state = 'queued'`,
    into,
    start,
    id,
  );
}

/** Stops a turn that waits in line behind others; its input stays for its entries. */
export function stopQueued(sql: Sql, id: string): void {
  sql.run("UPDATE turn SET state = 'stopped' WHERE id = ? AND state = 'queued'", id);
}

/**
 * Ends the turn, once: `false` when it had ended before, or when `epoch` is given and no longer drives it.
 */
export function endTurn(
  sql: Sql,
  turn: OpenTurn,
  end: { readonly outcome: TurnState; readonly start: number; readonly epoch: string | null },
): boolean {
  return sql.run(
    `UPDATE turn SET state = ?, input = NULL, start = ?
     WHERE id = ? AND (state IN ('queued', 'running', 'waiting') OR input IS NOT NULL)
       AND epoch IS coalesce(?, epoch)`,
    end.outcome,
    end.start,
    turn.id,
    end.epoch,
  );
}

/** A turn as callers see it. `start` is the seq of its user entry. */
export function toView(id: string, state: TurnView["state"], start: number | null): TurnView {
  return { turn: id, reply: replyId(id), state, start: start === null ? null : `${start - 1}.0` };
}

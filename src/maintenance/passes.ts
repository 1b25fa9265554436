import type { Sql } from "../shared/sql.ts";
import type {
  PassClaim,
  PassCounts,
  PassPlace,
  PassRequest,
  PassStep,
  PassSummary,
} from "../shared/upkeep-api.ts";

/** Longer than an invocation can live, so that whoever holds a pass for longer is dead. */
const LEASE_MS = 16 * 60_000;
const KEPT = 20;
const START: PassPlace = { shard: 0, cursor: null };

/** Every column of `pass` beside its number. */
type PassRow = PassCounts & {
  readonly slot: number;
  readonly shard: number;
  readonly cursor: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly holder: string | null;
  /** Who has begun it; `null`: an earlier version of this. */
  readonly begunBy: string | null;
  readonly until: number;
};

const COLUMNS = `slot, shard, cursor, started_at AS startedAt, ended_at AS endedAt, holder, begun_by AS begunBy, until,
  buckets, runs, changed, removed, later, failed, skipped`;

/** See `UpkeepApi.claimPass`. Asked again by the same holder it answers the same. */
export function claimPass(sql: Sql, { slot, holder, now, again }: PassRequest): PassClaim {
  return sql.transaction(() => {
    const last = lastPass(sql);
    if (last && last.endedAt === null) {
      const isFree = last.holder === null || last.holder === holder || last.until <= now;
      if (!isFree) return { state: "busy", until: last.until };
      hold(sql, holder, now);
      const place = placeOf(last);
      const isNew = last.begunBy === holder && isSame(place, START);
      return { state: "go", slot: last.slot, place, isNew };
    }
    if (last && last.slot >= slot && !again) return { state: "done" };
    const next = Math.max(slot, last?.slot ?? slot);
    sql.run(
      "INSERT INTO pass(slot, started_at, holder, begun_by, until) VALUES (?, ?, ?, ?, ?)",
      next,
      now,
      holder,
      holder,
      now + LEASE_MS,
    );
    sql.run("DELETE FROM pass WHERE id <= (SELECT max(id) FROM pass) - ?", KEPT);
    return { state: "go", slot: next, place: START, isNew: true };
  });
}

/** See `UpkeepApi.movePass`. */
export function movePass(sql: Sql, { holder, from, to, counts, now }: PassStep): boolean {
  return sql.transaction(() => {
    const last = lastPass(sql);
    if (last?.holder !== holder) return false;
    if (last.endedAt !== null) return to === null;
    const place = placeOf(last);
    if (to !== null && isSame(place, to)) return true;
    if (!isSame(place, from)) return false;
    sql.run(
      `UPDATE pass SET shard = ?, cursor = ?, ended_at = ?, until = ?, buckets = buckets + ?, runs = runs + ?,
         changed = changed + ?, removed = removed + ?, later = later + ?, failed = failed + ?, skipped = skipped + ?
       WHERE id = (SELECT max(id) FROM pass)`,
      (to ?? from).shard,
      (to ?? from).cursor,
      to === null ? now : null,
      now + LEASE_MS,
      counts.buckets,
      counts.runs,
      counts.changed,
      counts.removed,
      counts.later,
      counts.failed,
      counts.skipped,
    );
    return true;
  });
}

/** See `UpkeepApi.leavePass`; nothing happens when it is somebody else's. */
export function leavePass(sql: Sql, holder: string): void {
  sql.run(
    `UPDATE pass SET holder = NULL, until = 0
     WHERE id = (SELECT max(id) FROM pass) AND holder = ? AND ended_at IS NULL`,
    holder,
  );
}

/** The newest first, at most 20. */
export function passesOf(sql: Sql): readonly PassSummary[] {
  const rows = sql.all<PassRow>(`SELECT ${COLUMNS} FROM pass ORDER BY id DESC LIMIT ${KEPT}`);
  return rows.map((row) => {
    const { shard, cursor, holder: _holder, begunBy: _begunBy, until: _until, ...summary } = row;
    return { ...summary, place: { shard, cursor } };
  });
}

const lastPass = (sql: Sql): PassRow | null =>
  sql.all<PassRow>(`SELECT ${COLUMNS} FROM pass ORDER BY id DESC LIMIT 1`)[0] ?? null;

const hold = (sql: Sql, holder: string, now: number): boolean =>
  sql.run(
    "UPDATE pass SET holder = ?, until = ? WHERE id = (SELECT max(id) FROM pass)",
    holder,
    now + LEASE_MS,
  );

const placeOf = ({ shard, cursor }: PassRow): PassPlace => ({ shard, cursor });

const isSame = (a: PassPlace, b: PassPlace): boolean =>
  a.shard === b.shard && a.cursor === b.cursor;

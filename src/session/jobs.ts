import type { Sql } from "../shared/sql.ts";

/**
 * Something that must happen, written in the transaction that causes it. `drive` jobs are the unfinished turns, due
 * when a waiting one expires; `after` jobs run the capabilities' work for an ended turn; the `register` job stands until
 * the registry knows the session, `index` until it knows its title and whether it waits, `notify` until someone was told
 * of calls that wait, `erase` until nothing is left of a deleted session. A `later` job has a capability's own work called
 * when it is due. `deliver` stands until the agent was told what came of tasks, `child` until a subagent's session was told
 * something, `tool` until one that goes on in the background has ended, `tasks` until a file tells of tasks that
 * have changed, `report` until the session of its parent was told all.
 */
export type Job = {
  readonly id: string;
  readonly kind:
    | "drive"
    | "after"
    | "register"
    | "index"
    | "notify"
    | "erase"
    | "later"
    | "deliver"
    | "child"
    | "tool"
    | "tasks"
    | "report";
  /** Not before this time, in milliseconds. A parked job (see `MAX_ATTEMPTS`) has none and waits for a person. */
  readonly due: number;
  readonly attempts: number;
  readonly payload: string;
};

/** The job that stands for an unfinished turn, and then for the work after it. */
export const turnJob = (turn: string): string => `turn:${turn}`;

/** The id of the one job that stands for all news of a session for the registry. */
export const INDEX_JOB = "index";

/** After so many failures a job is parked: kept and visible, not run again by itself (promise R4). */
export const MAX_ATTEMPTS = 10;
const PARKED = Number.MAX_SAFE_INTEGER;

/** Writes a job in the caller's transaction; one with the same id is left as it is. */
export function addJob(sql: Sql, job: Omit<Job, "attempts">): void {
  sql.run(
    "INSERT INTO job(id, kind, due, attempts, payload) VALUES (?, ?, ?, 0, ?) ON CONFLICT DO NOTHING",
    job.id,
    job.kind,
    job.due,
    job.payload,
  );
}

/** The same; one with the same id begins anew with what is given, also when it was parked. */
export function renewJob(sql: Sql, job: Omit<Job, "attempts">): void {
  sql.run(
    `INSERT INTO job(id, kind, due, attempts, payload) VALUES (?, ?, ?, 0, ?)
     ON CONFLICT DO UPDATE SET due = excluded.due, attempts = 0, payload = excluded.payload`,
    job.id,
    job.kind,
    job.due,
    job.payload,
  );
}

/** Has a job wait until `due`, in the caller's transaction. */
export function setDue(sql: Sql, id: string, due: number): void {
  sql.run("UPDATE job SET due = ? WHERE id = ?", due, id);
}

export function removeJob(sql: Sql, id: string): void {
  sql.run("DELETE FROM job WHERE id = ?", id);
}

export function findJob(sql: Sql, id: string): Job | null {
  return sql.all<Job>("SELECT * FROM job WHERE id = ?", id)[0] ?? null;
}

/** The work after an ended turn, with the seq at which the turn starts. */
export type AfterJob = Job & { readonly start: number | null };

/** The `after` jobs in the order of their turns. All wait for the first one, until it is done or parked. */
const LINE = `FROM job LEFT JOIN turn ON turn.id = job.payload
  WHERE job.kind = 'after' AND job.due < ${PARKED} ORDER BY turn.no, job.id`;

/** The first `limit` of the `after` jobs that wait, in the order of the turns, due or not. */
export function nextAfterJobs(sql: Sql, limit: number): AfterJob[] {
  return sql.all<AfterJob>(`SELECT job.*, turn.start ${LINE} LIMIT ?`, limit);
}

/**
 * The jobs that want to run when they are due. A turn in line waits for the one before it, whatever its job says, and what
 * came of tasks for a time without a turn.
 */
const TIMED = `FROM job LEFT JOIN turn ON job.kind = 'drive' AND turn.id = job.payload
  WHERE job.kind <> 'after' AND coalesce(turn.state, '') NOT IN ('queued', 'stopped')
    AND (job.kind <> 'deliver' OR NOT EXISTS (SELECT 1 FROM job WHERE kind = 'drive'))`;

/**
 * When the next job wants to run, which no job does that waits for another; `null` when nothing waits, so that an
 * idle object has no alarm.
 */
export function nextDue(sql: Sql): number | null {
  const [row] = sql.all<{ due: number | null }>(
    `SELECT min(due) AS due FROM (
       SELECT job.due ${TIMED} UNION ALL SELECT due FROM (SELECT job.due ${LINE} LIMIT 1)
     )`,
  );
  return row?.due === PARKED ? null : (row?.due ?? null);
}

/** The job that stands for a tool that goes on in the background: its object may end. */
export const toolJob = (task: string): string => `tool:${task}`;

/** Those of them that are due. */
export const dueTools = (sql: Sql, now: number): Job[] =>
  sql.all<Job>("SELECT * FROM job WHERE kind = 'tool' AND due <= ? ORDER BY id", now);

const OUTGOING = "kind IN ('index', 'notify', 'child', 'tasks')";

/** The first job that tells others of something and was not tried yet, or is due again; `null` when there is none. */
export function nextOutgoing(sql: Sql, now: number): Job | null {
  const query = `SELECT * FROM job WHERE ${OUTGOING} AND ((attempts = 0 AND kind <> 'tasks') OR due <= ?) ORDER BY due, id LIMIT 1`;
  return sql.all<Job>(query, now)[0] ?? null;
}

/** Whether a subagent's session is to be told something. */
export const tellsChildren = (sql: Sql): boolean =>
  sql.all("SELECT 1 FROM job WHERE kind = 'child' LIMIT 1").length > 0;

/** When the next of them is due; `null` when none waits. */
export function outgoingDue(sql: Sql): number | null {
  const query = `SELECT min(due) AS due FROM job WHERE ${OUTGOING} AND due < ${PARKED}`;
  return sql.all<{ due: number | null }>(query)[0]?.due ?? null;
}

/**
 * Backs off from 2 s, doubling up to 10 minutes; parks the job after `MAX_ATTEMPTS`. Whether it was parked. One that began
 * anew since `job` was read is left as it is.
 */
export function postponeJob(sql: Sql, job: Job, now: number): boolean {
  const attempts = job.attempts + 1;
  const isParked = attempts >= MAX_ATTEMPTS;
  const due = isParked ? PARKED : now + Math.min(2_000 * 2 ** job.attempts, 600_000);
  const isSame = sql.run(
    "UPDATE job SET attempts = ?, due = ? WHERE id = ? AND attempts = ?",
    attempts,
    due,
    job.id,
    job.attempts,
  );
  return isSame && isParked;
}

/** Of the parked jobs of this kind only the one that is named stays. */
export function keepParked(sql: Sql, { id, kind }: Pick<Job, "id" | "kind">): void {
  sql.run("DELETE FROM job WHERE kind = ? AND due = ? AND id <> ?", kind, PARKED, id);
}

/**
 * Has the work of a `later` job called, in the caller's transaction. One that was parked begins anew; one that backs off
 * goes on as it does, and so does one that waits as it has asked to, unless it `isUrgent`. `call`, another one each time,
 * stands in the payload, so that what is called for while it is at work is called again.
 */
export function callLater(
  sql: Sql,
  {
    id,
    call,
    now,
    isUrgent,
  }: {
    readonly id: string;
    readonly call: string;
    readonly now: number;
    readonly isUrgent: boolean;
  },
): void {
  sql.run(
    `INSERT INTO job(id, kind, due, attempts, payload) VALUES (?, 'later', ?, 0, ?)
     ON CONFLICT DO UPDATE SET
       due = CASE WHEN due = ${PARKED} OR (? AND attempts = 0) THEN min(due, excluded.due) ELSE due END,
       attempts = CASE WHEN due = ${PARKED} THEN 0 ELSE attempts END,
       payload = excluded.payload`,
    id,
    now,
    call,
    isUrgent ? 1 : 0,
  );
}

/** The `later` jobs that are due. */
export function dueLater(sql: Sql, now: number): Job[] {
  return sql.all<Job>("SELECT * FROM job WHERE kind = 'later' AND due <= ? ORDER BY id", now);
}

/** The work of `job` was done and asks to be called again at `due`, or not (`null`). Called meanwhile, it is due now. */
export function finishLater(sql: Sql, job: Job, due: number | null, now: number): void {
  if (isCalled(sql, job)) renew(sql, job.id, now);
  else if (due === null) removeJob(sql, job.id);
  else renew(sql, job.id, due);
}

/** The work of `job` failed: as `postponeJob`, but one that was called meanwhile is not parked. */
export function postponeLater(sql: Sql, job: Job, now: number): boolean {
  if (job.attempts + 1 < MAX_ATTEMPTS || !isCalled(sql, job)) return postponeJob(sql, job, now);
  renew(sql, job.id, now);
  return postponeJob(sql, { ...job, attempts: 0 }, now);
}

const isCalled = (sql: Sql, { id, payload }: Job): boolean =>
  (findJob(sql, id)?.payload ?? payload) !== payload;

const renew = (sql: Sql, id: string, due: number): void =>
  void sql.run("UPDATE job SET due = ?, attempts = 0 WHERE id = ?", due, id);

/** Parked jobs, for whoever looks after the session. */
export function parkedJobs(sql: Sql): Job[] {
  return sql.all<Job>("SELECT * FROM job WHERE due = ? ORDER BY id LIMIT 50", PARKED);
}

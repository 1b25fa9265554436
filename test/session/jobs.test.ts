import { describe, expect, it } from "vitest";
import {
  addJob,
  findJob,
  type Job,
  MAX_ATTEMPTS,
  nextAfterJobs,
  nextDue,
  parkedJobs,
  postponeJob,
  removeJob,
  renewJob,
  setDue,
} from "../../src/session/jobs.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { emptyTables } from "./journal-fixture.ts";

const job = (id: string, kind: "after" | "drive" | "register", due: number, payload = "p") => ({
  id,
  kind,
  due,
  payload,
});
const after = (id: string, due: number, turn?: string) => job(id, "after", due, turn);

/** Rows of turns that were accepted, and started, in this order. */
function addTurns(sql: Sql, ...ids: readonly string[]): void {
  for (const [index, id] of ids.entries())
    sql.run(
      "INSERT INTO turn(id, no, digest, state, accepted_at, start) VALUES (?, ?, '', 'completed', 0, ?)",
      id,
      10 * index + 1,
      10 * index + 1,
    );
}

/** Fails the job until it is parked; how long each time until it is due again. */
function failToTheEnd(sql: Sql, id: string): number[] {
  const waits: number[] = [];
  for (let now = 1_000; ;) {
    const found = findJob(sql, id);
    if (!found) throw new Error("no such job");
    if (postponeJob(sql, found, now)) return waits;
    const due = findJob(sql, id)?.due ?? 0;
    waits.push(due - now);
    now = due;
  }
}

describe("a job", () => {
  it("is written once, and left as it is when it is added again", () => {
    const sql = emptyTables();
    addJob(sql, after("j", 5));
    addJob(sql, after("j", 9));
    expect(findJob(sql, "j")).toEqual({ ...after("j", 5), attempts: 0 });
    removeJob(sql, "j");
    removeJob(sql, "j");
    expect(findJob(sql, "j")).toBeNull();
    expect(nextAfterJobs(sql, 9)).toEqual([]);
  });

  it("that drives a turn or registers the session wants an alarm and is not work after a turn", () => {
    const sql = emptyTables();
    addJob(sql, job("register", "register", 9));
    expect(nextDue(sql)).toBe(9);
    addJob(sql, job("turn:a", "drive", 5));
    expect(nextDue(sql)).toBe(5);
    expect(nextAfterJobs(sql, 9)).toEqual([]);
  });

  it("[R3] of a turn in line wants no alarm of its own; that of one that waits wants its own time", () => {
    const sql = emptyTables();
    addTurns(sql, "waits", "queued", "stopped");
    for (const turn of ["waits", "queued", "stopped"]) {
      const state = turn === "waits" ? "waiting" : turn;
      sql.run("UPDATE turn SET state = ? WHERE id = ?", state, turn);
      addJob(sql, job(`turn:${turn}`, "drive", 5, turn));
    }
    setDue(sql, "turn:waits", 700);
    expect(nextDue(sql)).toBe(700);
    addJob(sql, job("register", "register", 90));
    expect(nextDue(sql)).toBe(90);
  });

  it("[R4] that fails backs off from 2 s, doubling up to 10 minutes, and is parked after 10 attempts", () => {
    const sql = emptyTables();
    addJob(sql, after("j", 1_000));
    const seconds = failToTheEnd(sql, "j").map((ms) => ms / 1_000);
    expect(seconds).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512]);
    expect(seconds).toHaveLength(MAX_ATTEMPTS - 1);
    expect(parkedJobs(sql)).toMatchObject([{ id: "j", attempts: MAX_ATTEMPTS }]);
  });

  it("[R4] that began anew while it was tried is neither put off nor parked by that try", () => {
    const sql = emptyTables();
    addJob(sql, after("j", 1_000));
    const tried: Job[] = [];
    for (let found = findJob(sql, "j"); found && tried.length < MAX_ATTEMPTS;) {
      tried.push(found);
      if (tried.length < MAX_ATTEMPTS) postponeJob(sql, found, 1_000);
      found = findJob(sql, "j");
    }
    renewJob(sql, after("j", 5_000, "newer"));
    const last = tried.at(-1);
    expect(last?.attempts).toBe(MAX_ATTEMPTS - 1);
    expect(last && postponeJob(sql, last, 4_000)).toBe(false);
    expect(findJob(sql, "j")).toMatchObject({ attempts: 0, due: 5_000, payload: "newer" });
  });

  it("[R4] that is parked is visible, wants no alarm, and does not hide others", () => {
    const sql = emptyTables();
    addTurns(sql, "first", "second");
    addJob(sql, after("bad", 1_000, "first"));
    addJob(sql, job("register", "register", 1_000));
    failToTheEnd(sql, "bad");
    failToTheEnd(sql, "register");
    expect(nextDue(sql)).toBeNull();
    addJob(sql, after("good", 7_000, "second"));
    expect(nextDue(sql)).toBe(7_000);
    expect(nextAfterJobs(sql, 9)).toMatchObject([{ id: "good", start: 11 }]);
    expect(parkedJobs(sql).map(({ id }) => id)).toEqual(["bad", "register"]);
  });

  it("[R3] leaves no due time behind when there is none", () => {
    expect(nextDue(emptyTables())).toBeNull();
  });
});

describe("the jobs after the turns of a session", () => {
  it("come in the order of their turns, however they are named and whenever they are due", () => {
    const sql = emptyTables();
    addTurns(sql, "c", "a", "b");
    for (const turn of ["a", "b", "c"]) addJob(sql, after(`turn:${turn}`, 5, turn));
    const line = (limit: number) => nextAfterJobs(sql, limit).map(({ payload }) => payload);
    expect(line(9)).toEqual(["c", "a", "b"]);
    expect(line(2)).toEqual(["c", "a"]);
    removeJob(sql, "turn:c");
    expect(line(2)).toEqual(["a", "b"]);
  });

  it("wait for the first of them, which alone wants an alarm", () => {
    const sql = emptyTables();
    addTurns(sql, "a", "b");
    addJob(sql, after("turn:a", 9_000, "a"));
    addJob(sql, after("turn:b", 10, "b"));
    expect(nextAfterJobs(sql, 1)).toMatchObject([{ payload: "a", due: 9_000 }]);
    expect(nextDue(sql)).toBe(9_000);
    removeJob(sql, "turn:a");
    expect(nextDue(sql)).toBe(10);
  });
});

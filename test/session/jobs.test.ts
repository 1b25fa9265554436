import { describe, expect, it } from "vitest";
import {
  addJob,
  dueJobs,
  MAX_ATTEMPTS,
  nextDue,
  parkedJobs,
  postponeJob,
  removeJob,
} from "../../src/session/jobs.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { emptyTables } from "./journal-fixture.ts";

const after = (id: string, due: number) => ({ id, kind: "after" as const, due, payload: "p" });

/** Fails the job until it is parked; how long each time until it is due again. */
function failToTheEnd(sql: Sql): number[] {
  const waits: number[] = [];
  for (let now = 1_000; ;) {
    const [job] = dueJobs(sql, now);
    if (!job) return waits;
    const isParked = postponeJob(sql, job, now);
    const due = nextDue(sql);
    expect(isParked).toBe(due === null);
    if (due === null) return waits;
    expect(dueJobs(sql, due - 1)).toEqual([]);
    waits.push(due - now);
    now = due;
  }
}

describe("a job", () => {
  it("is written once, and left as it is when it is added again", () => {
    const sql = emptyTables();
    addJob(sql, after("j", 5));
    addJob(sql, after("j", 9));
    expect(dueJobs(sql, 100)).toEqual([{ ...after("j", 5), attempts: 0 }]);
    removeJob(sql, "j");
    removeJob(sql, "j");
    expect(dueJobs(sql, 100)).toEqual([]);
  });

  it("is due from its time on, the oldest first", () => {
    const sql = emptyTables();
    for (const [id, due] of [
      ["c", 30],
      ["a", 10],
      ["b", 20],
    ] as const)
      addJob(sql, after(id, due));
    const ids = (now: number) => dueJobs(sql, now).map(({ id }) => id);
    expect([ids(9), ids(10), ids(29), ids(30)]).toEqual([[], ["a"], ["a", "b"], ["a", "b", "c"]]);
    expect(nextDue(sql)).toBe(10);
  });

  it("that drives a turn wants an alarm but is nobody's work", () => {
    const sql = emptyTables();
    addJob(sql, { id: "turn:a", kind: "drive", due: 5, payload: "a" });
    expect(dueJobs(sql, 100)).toEqual([]);
    expect(nextDue(sql)).toBe(5);
  });

  it("[R4] that fails backs off from 2 s, doubling up to 10 minutes, and is parked after 10 attempts", () => {
    const sql = emptyTables();
    addJob(sql, after("j", 1_000));
    const seconds = failToTheEnd(sql).map((ms) => ms / 1_000);
    expect(seconds).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512]);
    expect(seconds).toHaveLength(MAX_ATTEMPTS - 1);
    expect(parkedJobs(sql)).toMatchObject([{ id: "j", attempts: MAX_ATTEMPTS }]);
  });

  it("[R4] that is parked is visible, wants no alarm, and does not hide others", () => {
    const sql = emptyTables();
    addJob(sql, after("bad", 1_000));
    failToTheEnd(sql);
    expect(nextDue(sql)).toBeNull();
    addJob(sql, after("good", 7_000));
    expect(nextDue(sql)).toBe(7_000);
    expect(dueJobs(sql, Number.MAX_SAFE_INTEGER - 1).map(({ id }) => id)).toEqual(["good"]);
    expect(parkedJobs(sql).map(({ id }) => id)).toEqual(["bad"]);
  });

  it("[R3] leaves no due time behind when there is none", () => {
    expect(nextDue(emptyTables())).toBeNull();
  });
});

import { describe, expect, it } from "vitest";
import { noPoint } from "../../src/shared/point.ts";
import {
  addJob,
  backoff,
  createJob,
  jobOf,
  nextDue,
  runDue,
  setJob,
} from "../../src/workspace/jobs.ts";
import { Rows } from "../../src/workspace/rows.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";

function lab() {
  const rows = new Rows(nodeSql(openDatabase()), noPoint);
  const clock = new ManualClock();
  const told: string[] = [];
  const log = (_: string, event: string) => void told.push(event);
  return { rows, clock, log, told, sql: rows.sql };
}

describe("a bucket's jobs", () => {
  it("want to run when the first of them is due, and not at all when there is none", async () => {
    const { sql, ...parts } = lab();
    const runs: string[] = [];
    const job = (id: "settle" | "fetch") =>
      createJob(parts, id, async () => {
        await Promise.resolve();
        runs.push(id);
        setJob(sql, id, null, 0);
      });
    const jobs = [job("settle"), job("fetch")];
    expect(nextDue(jobs)).toBeNull();
    addJob(sql, "settle", 500);
    addJob(sql, "fetch", 200);
    addJob(sql, "fetch", 100);
    expect(nextDue(jobs)).toBe(100);
    await parts.clock.pass(200);
    await runDue(jobs, parts.clock.now());
    expect([runs, nextDue(jobs)]).toEqual([["fetch"], 500]);
    await jobs[0]?.run();
    expect(runs).toEqual(["fetch"]);
  });

  it("run once at a time, and what they throw is logged, not thrown", async () => {
    const { sql, told, ...parts } = lab();
    let runs = 0;
    const job = createJob(parts, "sweep", async () => {
      runs += 1;
      await parts.clock.sleep(10);
      throw new Error("no");
    });
    addJob(sql, "sweep", 0);
    const both = Promise.all([job.run(), job.run()]);
    await parts.clock.pass(10);
    await both;
    expect([runs, told]).toEqual([1, ["workspace.job_failed"]]);
    expect(jobOf(sql, "sweep")).toEqual({ due: 0, attempts: 0 });
  });

  it("wait 2 s after a failure, then twice as long, up to ten minutes", () => {
    expect([1, 2, 3, 9, 10, 50].map(backoff)).toEqual([
      2_000, 4_000, 8_000, 512_000, 600_000, 600_000,
    ]);
  });
});

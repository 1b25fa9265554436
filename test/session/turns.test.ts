import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addJob, removeJob } from "../../src/session/jobs.ts";
import {
  claimTurn,
  countKnown,
  endTurn,
  findTurn,
  insertTurn,
  isDriver,
  joinTurn,
  loadOpenTurns,
  parkTurn,
  restTurn,
  resumeTurn,
  setAttempt,
  startTurn,
  stopQueued,
  type OpenTurn,
  type RunningTurn,
} from "../../src/session/turns.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { sometimes } from "./arbitraries.ts";
import { emptyTables } from "./journal-fixture.ts";

const running: RunningTurn = {
  id: "a",
  no: 1,
  acceptedAt: 5,
  state: "running",
  start: 1,
  attempt: 2,
  epoch: "e1",
  strikes: 0,
  since: null,
};
const queued: OpenTurn = {
  id: "b",
  no: 3,
  acceptedAt: 6,
  state: "queued",
  input: { kind: "message", content: [{ type: "text", text: "hi" }] },
  steers: null,
};

function accepted(...turns: OpenTurn[]): Sql {
  const sql = emptyTables();
  for (const turn of turns) {
    insertTurn(sql, turn, `digest of ${turn.id}`);
    addJob(sql, { id: `turn:${turn.id}`, kind: "drive", due: 0, payload: turn.id });
  }
  return sql;
}

const end = { outcome: "completed", start: 1, epoch: null } as const;

describe("a turn's row", () => {
  it("comes back as it was inserted", () => {
    expect(loadOpenTurns(accepted(queued, running))).toEqual([running, queued]);
    const steering = { ...queued, steers: "a" };
    expect(loadOpenTurns(accepted(steering, running))).toEqual([running, steering]);
    expect(findTurn(accepted(running), "a")).toEqual({
      digest: "digest of a",
      state: "running",
      start: 1,
      joined: null,
    });
    expect(findTurn(accepted(queued), "b")).toMatchObject({ state: "queued", start: null });
    expect(findTurn(accepted(), "a")).toBeNull();
  });

  it("[T3] is inserted once", () => {
    const sql = accepted(running);
    expect(insertTurn(sql, { ...running, epoch: "other" }, "other")).toBe(false);
    expect(findTurn(sql, "a")?.digest).toBe("digest of a");
  });

  it("[T2] ends once", () => {
    const sql = accepted(running);
    expect(endTurn(sql, running, end)).toBe(true);
    expect(endTurn(sql, running, { ...end, outcome: "failed" })).toBe(false);
    expect(findTurn(sql, "a")?.state).toBe("completed");
  });

  it("is ended by its driver, or by anyone who need not be", () => {
    const sql = accepted(running);
    expect(endTurn(sql, running, { ...end, epoch: "e2" })).toBe(false);
    expect(findTurn(sql, "a")?.state).toBe("running");
    expect(endTurn(sql, running, { ...end, epoch: "e1" })).toBe(true);
  });

  it("belongs to whoever claimed it last", () => {
    const sql = accepted(running);
    expect([isDriver(sql, "a", "e1"), isDriver(sql, "a", "e2")]).toEqual([true, false]);
    claimTurn(sql, "a", "e2");
    expect([isDriver(sql, "a", "e1"), isDriver(sql, "a", "e2")]).toEqual([false, true]);
    expect(setAttempt(sql, "a", "e1", 9)).toBe(false);
    expect(loadOpenTurns(sql)).toMatchObject([{ attempt: 2, epoch: "e2", strikes: 1 }]);
    expect(setAttempt(sql, "a", "e2", 9)).toBe(true);
    expect(loadOpenTurns(sql)).toMatchObject([{ attempt: 9, epoch: "e2", strikes: 0 }]);
  });

  it("counts a strike for each claim until an attempt begins", () => {
    const sql = accepted(running);
    for (const epoch of ["e2", "e3", "e4"]) claimTurn(sql, "a", epoch);
    expect(loadOpenTurns(sql)).toMatchObject([{ strikes: 3 }]);
  });

  it("cannot be claimed, driven or given another attempt once it ended", () => {
    const sql = accepted(running);
    endTurn(sql, running, end);
    claimTurn(sql, "a", "e2");
    expect(isDriver(sql, "a", "e1")).toBe(false);
    expect(setAttempt(sql, "a", "e1", 9)).toBe(false);
    expect(findTurn(sql, "a")?.state).toBe("completed");
  });

  it("runs once it is taken up, without its input", () => {
    const sql = accepted(queued);
    startTurn(sql, { ...running, id: "b", start: 7, attempt: 8 });
    expect(loadOpenTurns(sql)).toMatchObject([{ id: "b", state: "running", start: 7, attempt: 8 }]);
    expect(sql.all("SELECT input FROM turn")).toEqual([{ input: null }]);
  });

  it("[T2] rests for whoever drives it, rests anew, and goes on once, driven by whoever has it go on", () => {
    const sql = accepted(running);
    expect([
      parkTurn(sql, "a", "e2", 9),
      restTurn(sql, "a", 9),
      resumeTurn(sql, "a", "e2"),
    ]).toEqual([false, false, false]);
    expect(parkTurn(sql, "a", "e1", 9)).toBe(true);
    expect(loadOpenTurns(sql)).toMatchObject([{ state: "waiting", since: 9 }]);
    expect([isDriver(sql, "a", "e1"), setAttempt(sql, "a", "e1", 12)]).toEqual([false, false]);
    claimTurn(sql, "a", "e2");
    expect(restTurn(sql, "a", 11)).toBe(true);
    expect(loadOpenTurns(sql)).toMatchObject([{ state: "waiting", since: 11, epoch: "e1" }]);
    expect([resumeTurn(sql, "a", "e2"), resumeTurn(sql, "a", "e3")]).toEqual([true, false]);
    expect(loadOpenTurns(sql)).toMatchObject([{ state: "running", epoch: "e2", strikes: 0 }]);
    expect(parkTurn(sql, "a", "e2", 15)).toBe(true);
    expect(endTurn(sql, running, { ...end, outcome: "stopped" })).toBe(true);
    expect(resumeTurn(sql, "a", "e2")).toBe(false);
  });

  it("[T8] is taken into another one once, and only while it waits in line", () => {
    const sql = accepted(running, queued);
    expect(joinTurn(sql, "b", "a", 7)).toBe(true);
    expect(joinTurn(sql, "b", "a", 8)).toBe(false);
    expect(findTurn(sql, "b")).toMatchObject({ state: "steered", start: 7, joined: "a" });
    expect(endTurn(sql, queued, end)).toBe(false);
    const stopped = accepted(running, queued);
    stopQueued(stopped, "b");
    expect(joinTurn(stopped, "b", "a", 7)).toBe(false);
  });

  it("keeps its input when it is stopped in line, and then ends once more for its entries", () => {
    const sql = accepted(queued);
    stopQueued(sql, "b");
    expect(loadOpenTurns(sql)).toEqual([{ ...queued, state: "stopped" }]);
    expect(endTurn(sql, queued, { outcome: "stopped", start: 7, epoch: null })).toBe(true);
    expect(endTurn(sql, queued, { outcome: "stopped", start: 7, epoch: null })).toBe(false);
    stopQueued(sql, "b");
    expect(findTurn(sql, "b")).toMatchObject({ state: "stopped", start: 7 });
  });
});

describe("the open turns", () => {
  it("[T4] come in order of acceptance, without those whose job is gone", () => {
    const line = [5, 3, 9].map((no) => ({ ...queued, id: `q${no}`, no }));
    const sql = accepted(...line);
    expect(loadOpenTurns(sql).map(({ id }) => id)).toEqual(["q3", "q5", "q9"]);
    removeJob(sql, "turn:q5");
    expect(loadOpenTurns(sql).map(({ id }) => id)).toEqual(["q3", "q9"]);
  });

  it("[T13] are told from ids that the session never saw, however those are written", () => {
    const id = fc.constantFrom("a", "b", "A", "a'", '"a"', "a,b", "[]", "", "%", "a\u0000");
    fc.assert(
      fc.property(fc.uniqueArray(id), (ids) => {
        const known = ids.filter((one) => one === "a" || one === "b").length;
        expect(countKnown(accepted(running, queued), ids)).toBe(known);
      }),
      sometimes,
    );
  });
});

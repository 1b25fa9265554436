import { describe, expect, it } from "vitest";
import type { CommitName } from "../../src/shared/point.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { streamViolations } from "../support/stream-invariants.ts";
import { identified, textOf } from "../support/client.ts";
import { SessionLab } from "./session-lab.ts";

/** Lets the next transaction of this kind roll back and throw, once; whether it did. */
function failNext(lab: SessionLab, commit: CommitName): () => boolean {
  let isArmed = false;
  let hasFailed = false;
  lab.onPoint = (name) => {
    if (name === `commit:${commit}:before` && !hasFailed) isArmed = true;
  };
  const sql = lab.sql as { transaction: Sql["transaction"] };
  const { transaction } = sql;
  sql.transaction = (work) =>
    transaction(() => {
      const result = work();
      if (!isArmed) return result;
      [isArmed, hasFailed] = [false, true];
      throw new Error("disk I/O error");
    });
  return () => hasFailed;
}

describe("a commit that fails", () => {
  it("[T1] of an acceptance has taken nothing in, and the same message can be sent again", async () => {
    const lab = new SessionLab();
    const hasFailed = failNext(lab, "accept");
    expect(() => lab.say("t", "hi")).toThrow("disk I/O error");
    expect(hasFailed()).toBe(true);
    expect(lab.story()).toBe("");
    expect(lab.say("t", "hi").isNew).toBe(true);
    await lab.settle();
    expect(lab.story()).toBe("user step:stop end:completed");
  });

  it.each(["step", "attempt", "retry", "result"] as const)(
    "[S2] of %s ends its turn as failed, once, and contradicts nothing that a reader saw",
    async (commit) => {
      const lab = new SessionLab();
      const listener = lab.listen();
      const hasFailed = failNext(lab, commit);
      lab.say("t", [
        { text: "first", calls: [{ name: "unsafe_thing", input: "{}" }] },
        { text: "second", fail: "unavailable", failTimes: 1 },
      ]);
      await lab.clock.pass(60_000);
      expect(hasFailed()).toBe(true);
      expect(lab.story()).toMatch(/ end:internal$/);
      expect(lab.session.current()).toBeNull();
      const replay = lab.listen();
      await lab.settle();
      const [seen, whole] = [listener, replay].map(({ frames }) => identified(frames()));
      expect(streamViolations(seen ?? [], whole ?? [])).toEqual([]);
      expect(textOf(listener.frames())).toBe(textOf(replay.frames()));
      lab.say("next", "hi");
      await lab.settle();
      expect(lab.story("next")).toBe("user step:stop end:completed");
    },
  );

  it("[T5] of an intent means that the tool is not run, which the model is told", async () => {
    const lab = new SessionLab();
    const hasFailed = failNext(lab, "intent");
    lab.say("t", [{ calls: [{ name: "unsafe_thing", input: "{}" }] }, { text: "ok" }]);
    await lab.settle();
    expect(hasFailed()).toBe(true);
    expect(lab.effects.runs).toEqual([]);
    expect(lab.story()).toBe("user step:tool-calls result:error step:stop end:completed");
  });

  it("[T2] of an end leaves the turn to the alarm, which ends it", async () => {
    const lab = new SessionLab();
    const hasFailed = failNext(lab, "end");
    lab.say("t", [{ text: "said", fail: "model_auth" }]);
    await lab.settle();
    expect(hasFailed()).toBe(true);
    while (await lab.fireAlarm());
    expect(lab.story()).toMatch(/ end:\S+$/);
    expect(lab.session.current()).toBeNull();
  });

  it("[T2] of a start leaves the turn in line, and the alarm starts it", async () => {
    const lab = new SessionLab();
    const hasFailed = failNext(lab, "start");
    lab.say("a", "one");
    lab.say("b", "two");
    await lab.settle();
    expect(hasFailed()).toBe(true);
    expect(lab.story("b")).toBe("");
    while (await lab.fireAlarm());
    expect(lab.story("b")).toBe("user step:stop end:completed");
  });
});

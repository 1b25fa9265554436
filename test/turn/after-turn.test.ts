import { describe, expect, it } from "vitest";
import { MAX_ATTEMPTS, parkedJobs } from "../../src/session/jobs.ts";
import { AFTER_MS } from "../../src/turn/after/after-turn.ts";
import { capability, done, latch, quiet } from "./after-turn-lab.ts";
import { SessionLab } from "./session-lab.ts";

describe("work after turns", () => {
  it("gets the whole turn, once, and leaves no job and no alarm behind", async () => {
    const { begun, given, after } = capability(done);
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("a", [{ calls: [{ name: "unsafe_thing", input: "{}" }] }, { text: "done" }]);
    await quiet(lab);
    expect(begun).toEqual(["a"]);
    expect(given).toEqual([lab.entries("a")]);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
    while (await lab.fireAlarm());
    expect(begun).toEqual(["a"]);
  });

  it("follows every turn, however it ended", async () => {
    const { begun, given, after } = capability(done);
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("failed", [{ fail: "model_auth" }]);
    await lab.settle();
    lab.say("stopped", [{ hang: true }]);
    lab.say("in-line", "hi");
    await lab.settle();
    lab.session.stop("in-line");
    lab.session.stop();
    await quiet(lab);
    expect(begun).toEqual(["failed stopped in-line"]);
    for (const entries of given) expect(entries.at(-1)?.kind).toBe("end");
  });

  it("[T11] delays neither the answer nor the next turn", async () => {
    const { opened, open } = latch();
    const { begun, after } = capability(() => opened);
    const lab = new SessionLab({ capabilities: [after] });
    const first = lab.listen();
    lab.say("a", "one");
    await lab.settle();
    expect(first.frames().at(-1)?.event).toMatchObject({ type: "turn-end", turn: "a" });
    await quiet(lab);
    expect(begun).toEqual(["a"]);
    lab.say("b", "two");
    await lab.settle();
    expect(first.frames().at(-1)?.event).toMatchObject({ type: "turn-end", turn: "b" });
    open();
    await quiet(lab);
    expect(begun).toEqual(["a", "b"]);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("[T11] keeps its object up while it is at work", async () => {
    const { opened, open } = latch();
    const { begun, after } = capability(() => opened);
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("a", "one");
    await quiet(lab);
    for (let n = 0; n < 10; n++) {
      await lab.fireAlarm();
      expect(lab.alarm).toBe(lab.clock.now() + 30_000);
    }
    open();
    await lab.settle();
    while (await lab.fireAlarm());
    expect(begun).toEqual(["a"]);
  });

  it("[R4] that throws is done again after 2, 4, 8, … s, and parked after 10 attempts", async () => {
    const { begun, after } = capability(() => Promise.reject(new Error("no memory server")));
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("a", "hi");
    await quiet(lab);
    const at: number[] = [];
    for (let seen = begun.length; await lab.fireAlarm();) {
      if (begun.length > seen) at.push((lab.clock.now() - AFTER_MS) / 1_000);
      seen = begun.length;
    }
    expect(at).toEqual([2, 6, 14, 30, 62, 126, 254, 510, 1_022]);
    expect(begun).toHaveLength(MAX_ATTEMPTS);
    expect(parkedJobs(lab.sql).map(({ id }) => id)).toEqual(["turn:a"]);
    expect(lab.log.filter((line) => line.startsWith("error job_failed"))).toHaveLength(1);
    expect(lab.alarm).toBeNull();
  });

  it("[R4] that is parked does not hold up the work after other turns", async () => {
    const { begun, after } = capability((turn) =>
      turn === "bad" ? Promise.reject(new Error("no")) : done(),
    );
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("bad", "hi");
    await lab.settle();
    while (await lab.fireAlarm());
    lab.say("good", "hi");
    await quiet(lab);
    expect(begun.filter((turn) => turn === "good")).toEqual(["good"]);
    expect(parkedJobs(lab.sql).map(({ id }) => id)).toEqual(["turn:bad"]);
  });

  it("[T11] survives the end of its object: another does it when the alarm fires", async () => {
    let isDown = true;
    const { begun, after } = capability(() => (isDown ? new Promise(() => {}) : done()));
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("a", "hi");
    await quiet(lab);
    expect(begun).toEqual(["a"]);
    isDown = false;
    lab.restart();
    expect(await lab.fireAlarm()).toBe(true);
    expect(begun).toEqual(["a", "a"]);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
    while (await lab.fireAlarm());
    expect(begun).toHaveLength(2);
  });

  it("is not done by an object that another has replaced and that does not know the turn's end", async () => {
    const { begun, given, after } = capability(done);
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("before", "hi");
    await quiet(lab);
    const old = lab.session;
    lab.restart();
    lab.say("a", "hi");
    await lab.settle();
    await old.alarm();
    expect(lab.log.filter((line) => line.includes("another instance knows"))).toHaveLength(1);
    expect(begun).toEqual(["before"]);
    while (await lab.fireAlarm());
    expect(begun).toEqual(["before", "a"]);
    expect(given.at(-1)).toEqual(lab.entries("a"));
  });
});

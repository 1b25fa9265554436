import { describe, expect, it } from "vitest";
import { MAX_ATTEMPTS, parkedJobs } from "../../src/session/jobs.ts";
import { AFTER_AT_LATEST_MS, AFTER_MS } from "../../src/turn/after/after-turn.ts";
import { capability, done, latch, names, quiet, sayMany } from "./after-turn-lab.ts";
import { SessionLab } from "./session-lab.ts";

describe("the time of the work after turns", () => {
  it("[T11] is when none has ended for a second, for all of them at once", async () => {
    const { begun, after } = capability(done);
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("a", "hi");
    await lab.clock.pass(600);
    lab.say("b", "hi");
    await lab.clock.pass(AFTER_MS - 1);
    expect(begun).toEqual([]);
    await lab.clock.pass(1);
    expect(begun).toEqual(["a b"]);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
    while (await lab.fireAlarm());
    expect(begun).toEqual(["a b"]);
  });

  it("[T11] is at the latest ten seconds after the first turn, however busy the session is", async () => {
    const { begun, after } = capability(() => (at.push(lab.clock.now()), done()));
    const at: number[] = [];
    const lab = new SessionLab({ capabilities: [after] });
    for (let no = 1; no <= 24; no++) {
      lab.say(`t${no}`, "hi");
      await lab.clock.pass(900);
    }
    await lab.clock.pass(AFTER_MS);
    expect(begun).toEqual([names(1, 12), names(13, 24)]);
    expect(at).toEqual([AFTER_AT_LATEST_MS, 10_800 + AFTER_AT_LATEST_MS]);
  });

  it("[T11] does not wait for a turn that began meanwhile", async () => {
    const { begun, after } = capability(done);
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("a", "hi");
    await lab.settle();
    lab.say("b", [{ hang: true }]);
    await quiet(lab);
    expect(begun).toEqual(["a"]);
    expect(lab.session.current()).toMatchObject({ turn: "b", state: "running" });
    lab.session.stop();
    await quiet(lab);
    expect(begun).toEqual(["a", "b"]);
  });

  it("[T11, T12] is waited for without a write and without an alarm of its own", async () => {
    const { begun, after } = capability(done);
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("a", "hi");
    await lab.settle();
    const state = () => [lab.sql.all("SELECT total_changes() AS rows"), lab.alarm];
    const before = state();
    await lab.clock.pass(AFTER_MS - 1);
    expect(begun).toEqual([]);
    expect(state()).toEqual(before);
    await lab.clock.pass(1);
    expect(begun).toEqual(["a"]);
    expect(lab.alarm).toBe(30_000);
  });

  it("[T11] is now when the alarm fires, and then no alarm is left", async () => {
    const { begun, after } = capability(done);
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("a", "hi");
    await lab.settle();
    lab.alarm = null;
    await lab.session.alarm();
    expect(begun).toEqual(["a"]);
    await lab.clock.pass(60_000);
    expect(begun).toEqual(["a"]);
    expect(lab.alarm).toBeNull();
  });

  it("[T11] comes again for turns that end while the work goes on", async () => {
    const { opened, open } = latch();
    const { begun, after } = capability(() => opened);
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("a", "hi");
    await quiet(lab);
    await lab.clock.pass(1);
    lab.say("b", "hi");
    await lab.clock.pass(400);
    lab.say("c", "hi");
    open();
    await lab.clock.pass(AFTER_MS - 1);
    expect(begun).toEqual(["a"]);
    await lab.clock.pass(1);
    expect(begun).toEqual(["a", "b c"]);
    while (await lab.fireAlarm());
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });
});

describe("a batch of turns", () => {
  it("[T11] has at most 20 turns", async () => {
    const { begun, after } = capability(done);
    const lab = new SessionLab({ capabilities: [after] });
    await sayMany(lab, 45);
    await quiet(lab);
    expect(begun).toEqual([names(1, 20), names(21, 40), names(41, 45)]);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("[T11] has at most about 4 MB, but one turn", async () => {
    const { begun, after } = capability(done);
    const lab = new SessionLab({ capabilities: [after] });
    const data = "A".repeat(1_500_000);
    const content = [{ type: "image", mediaType: "image/png", data } as const];
    for (let no = 1; no <= 5; no++) {
      lab.say(`t${no}`, { kind: "message", content });
      await lab.settle();
    }
    await quiet(lab);
    expect(begun).toEqual(["t1 t2", "t3 t4", "t5"]);
  });

  it("[T11] that fails comes again with the turns that have ended since", async () => {
    let isDown = true;
    const { begun, after } = capability(() =>
      isDown ? Promise.reject(new Error("down")) : done(),
    );
    const lab = new SessionLab({ capabilities: [after] });
    lab.say("a", "hi");
    await quiet(lab);
    isDown = false;
    lab.say("b", "hi");
    await lab.fireAlarm();
    expect(begun).toEqual(["a", "a b"]);
    while (await lab.fireAlarm());
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("[R4] that fails twice is done turn by turn, so that the bad one is parked alone", async () => {
    const { begun, after } = capability((turns) =>
      turns.split(" ").includes("t2") ? Promise.reject(new Error("no")) : done(),
    );
    const lab = new SessionLab({ capabilities: [after] });
    await sayMany(lab, 4);
    await quiet(lab);
    while (await lab.fireAlarm());
    const bad = Array<string>(MAX_ATTEMPTS).fill("t2");
    expect(begun).toEqual([names(1, 4), names(1, 4), "t1", ...bad, "t3", "t4"]);
    expect(parkedJobs(lab.sql).map(({ id }) => id)).toEqual(["turn:t2"]);
    expect(lab.sql.all("SELECT id FROM job")).toEqual([{ id: "turn:t2" }]);
    await sayMany(lab, 6);
    await quiet(lab);
    expect(begun.at(-1)).toBe("t5 t6");
  });
});

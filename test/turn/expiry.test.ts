import { describe, expect, it } from "vitest";
import { asking, AskingLab, call, named, waitingLab, yes } from "./asking-lab.ts";

const DAY = 86_400_000;
const WEEK = 7 * DAY;

/** Fires the alarms that stand until `time`. */
async function passTo(lab: AskingLab, time: number): Promise<void> {
  while (lab.alarm !== null && lab.alarm <= time) await lab.fireAlarm();
  await lab.clock.pass(time - lab.clock.now());
}

describe("a question that nobody answers", () => {
  it("[T2, A6] is settled as denied after seven days, by the alarm alone, and the turn goes on", async () => {
    const lab = await waitingLab("one", "two");
    await passTo(lab, WEEK - 1);
    expect(lab.facts("answered")).toBe("");
    expect(lab.alarm).toBe(WEEK);
    await passTo(lab, WEEK);
    expect(lab.facts("answered", "result", "end")).toBe(
      "answered:expired result:denied answered:expired result:denied end:completed",
    );
    expect(lab.effects.runs).toEqual([]);
    expect(lab.entries()).toContainEqual(
      expect.objectContaining({ kind: "answered", by: "session", reason: expect.any(String) }),
    );
  });

  it("[R3] has one alarm and no driver, and leaves none behind", async () => {
    const lab = await waitingLab("one");
    const alarms: (number | null)[] = [];
    while (await lab.fireAlarm()) alarms.push(lab.alarm);
    expect(alarms).toEqual([WEEK, WEEK + 30_000, null]);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("[A6] expires alone: the others still wait, each for its own time", async () => {
    const lab = new AskingLab();
    const gate = Promise.withResolvers<void>();
    // Asked a day after the first, which stands beside a call that takes so long.
    lab.say("t", [
      {
        calls: [
          call("unsafe_thing", "early"),
          call("read_thing", "slow"),
          { name: "unsafe_thing", input: '{"label":"late"}' },
        ],
      },
      { text: "ok" },
    ]);
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    await lab.settle();
    gate.resolve();
    await lab.settle();
    await lab.clock.pass(DAY);
    lab.restartWith({
      ask: [{ tool: "unsafe_thing", argument: { name: "label", value: "late" } }],
    });
    await lab.decide("late", yes);
    expect(lab.pending().map(({ expiresAt }) => expiresAt)).toEqual([DAY + WEEK, DAY + WEEK]);
    await passTo(lab, DAY + WEEK);
    expect(lab.facts("end")).toBe("end:completed");
    expect(lab.effects.runs).toEqual(["read_thing:slow"]);
  });

  it("[A6] leaves a question that was asked later, and its alarm is next", async () => {
    const lab = await waitingLab("one", "two");
    lab.sql.run(
      `UPDATE journal SET body = json_set(body, '$.expiresAt', ?)
       WHERE kind = 'asked' AND json_extract(body, '$.input') = '{"label":"two"}'`,
      WEEK + DAY,
    );
    lab.again();
    lab.session.current();
    expect(lab.alarm).toBe(WEEK);
    await passTo(lab, WEEK);
    expect(lab.status()).toMatchObject({
      turns: [{ state: "waiting" }],
      pending: [{ input: '{"label":"two"}' }],
    });
    expect(lab.alarm).toBe(WEEK + DAY);
    expect(lab.facts("waiting", "answered", "result")).toBe(
      "waiting answered:expired result:denied waiting",
    );
    await passTo(lab, WEEK + DAY);
    expect(lab.facts("end")).toBe("end:completed");
  });

  it("[T1] has its alarm again when any call finds that it was lost", async () => {
    const lab = await waitingLab("one");
    lab.again();
    lab.alarm = null;
    lab.session.current();
    expect(lab.alarm).toBe(WEEK);
    expect(lab.story()).toBe("user step:tool-calls asked waiting");
  });

  it("[T1] keeps an earlier alarm that stands for something else, though its object knows nothing of it", async () => {
    const notices: string[] = [];
    const notify = async ({ turn }: { turn: string }) => void notices.push(turn);
    const lab = new AskingLab({ notify });
    lab.crashAt((name) => name === "commit:wait:after");
    lab.say("t", asking("one"));
    await lab.settle();
    await lab.recover();
    expect([lab.alarm, notices]).toEqual([0, []]);
    for (let n = 0; n < 2; n++) await lab.fireAlarm();
    expect([lab.alarm, notices]).toEqual([WEEK, ["t"]]);
  });

  it("[T2] is settled by any call that comes after its time, when no alarm did it", async () => {
    const lab = await waitingLab("one");
    lab.alarm = null;
    await lab.clock.pass(WEEK);
    lab.again();
    lab.session.current();
    await lab.settle();
    expect(lab.facts("answered", "end")).toBe("answered:expired end:completed");
  });

  it("[A5] cannot be approved after its time", async () => {
    const lab = await waitingLab("one");
    const one = named(lab.question("one"));
    lab.alarm = null;
    await lab.clock.pass(WEEK);
    const { answers } = await lab.session.answer([{ ...one, ...yes }], "ann");
    expect(answers).toEqual([{ call: one.call, outcome: "stale", answer: "expired" }]);
    await lab.settle();
    expect(lab.effects.runs).toEqual([]);
    expect(lab.facts("end")).toBe("end:completed");
  });

  it("[R3] is not hurt by alarms that come early, twice, or late, nor by a clock that jumps", async () => {
    const lab = await waitingLab("one");
    for (let n = 0; n < 5; n++) {
      await lab.session.alarm();
      await lab.settle();
      expect(lab.alarm).toBe(WEEK);
    }
    expect(lab.story()).toBe("user step:tool-calls asked waiting");
    await lab.clock.pass(3 * WEEK);
    await Promise.all([lab.session.alarm(), lab.session.alarm()]);
    await lab.settle();
    expect(lab.facts("answered", "result", "end")).toBe(
      "answered:expired result:denied end:completed",
    );
  });

  it("[T2] of a turn that runs is settled before it would wait", async () => {
    const lab = new AskingLab({ permissions: { approvalExpiresMs: 1_000 } });
    const gate = Promise.withResolvers<void>();
    lab.say("t", [
      { calls: [call("read_thing", "slow"), call("unsafe_thing", "one")] },
      { text: "ok" },
    ]);
    lab.pause = () => (lab.effects.runs.length > 0 ? gate.promise : Promise.resolve());
    await lab.clock.pass(5_000);
    gate.resolve();
    await lab.settle();
    expect(lab.facts("asked", "waiting", "answered", "result", "end")).toBe(
      "asked result:success answered:expired result:denied end:completed",
    );
  });

  it("[H1] is too late for a message too, which is then simply answered", async () => {
    const lab = await waitingLab("one");
    lab.alarm = null;
    await lab.clock.pass(WEEK);
    lab.send("next", "hi");
    await lab.settle();
    expect(lab.facts("answered", "end")).toBe("answered:expired end:completed end:completed");
    expect(lab.story("next")).toBe("user step:stop end:completed");
  });

  it("[R4] keeps others from being told only until they hear: an alarm stands for what failed", async () => {
    const lab = await waitingLab("one");
    lab.index = () => Promise.reject(new Error("connection lost"));
    lab.again();
    lab.session.setPermissions({ allow: [{ tool: "other" }] }, "ann");
    await lab.settle();
    expect(lab.alarm).toBeLessThan(WEEK);
    lab.index = () => Promise.resolve();
    while (lab.alarm !== null && lab.alarm < WEEK) await lab.fireAlarm();
    expect(lab.sql.all("SELECT id FROM job")).toEqual([{ id: "turn:t" }]);
  });
});

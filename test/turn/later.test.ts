import { describe, expect, it } from "vitest";
import { MAX_ATTEMPTS, parkedJobs } from "../../src/session/jobs.ts";
import { AFTER_MS } from "../../src/turn/after/after-turn.ts";
import { addLaterJobs } from "../../src/turn/after/later.ts";
import { LostTurn } from "../../src/turn/core.ts";
import { capability, done, latch, quiet } from "./after-turn-lab.ts";
import { jobs, lastEnd, laterWork, noted, nothing } from "./later-lab.ts";
import { SessionLab } from "./session-lab.ts";

const GAP_MS = 1_800_000;

/** A context that was compacted, as far as this work sees of it. */
function compacted(lab: SessionLab, capabilities: Parameters<typeof addLaterJobs>[1]): void {
  const platform = { newId: () => `call-${lab.clock.now()}` };
  const core = { clock: lab.clock, sql: lab.sql, platform } as unknown as Parameters<
    typeof addLaterJobs
  >[0];
  addLaterJobs(core, capabilities);
}

describe("work of a session's own", () => {
  it("[R3] is called once after turns, and leaves no job and no alarm behind", async () => {
    const { calls, later } = laterWork(nothing);
    const lab = new SessionLab({ capabilities: [later] });
    lab.say("a", "one");
    await lab.settle();
    expect(calls).toEqual([]);
    lab.say("b", "two");
    await quiet(lab);
    expect(calls).toMatchObject([{ at: AFTER_MS, ended: lastEnd(lab) }]);
    while (await lab.fireAlarm());
    expect(jobs(lab)).toEqual([]);
    expect([calls.length, lab.alarm]).toEqual([1, null]);
  });

  it("[T11] that hangs holds up no turn, no work after turns, no reader and no other capability", async () => {
    const slow = laterWork(() => new Promise(() => {}), "slow");
    const quick = laterWork(nothing, "quick");
    const { begun, after } = capability(done);
    const lab = new SessionLab({ capabilities: [slow.later, after, quick.later] });
    const reader = lab.listen();
    for (const key of ["a", "b", "c"]) {
      lab.say(key, "hi");
      await quiet(lab);
      expect(reader.frames().at(-1)?.event).toMatchObject({ type: "turn-end", turn: key });
    }
    expect(begun).toEqual(["a", "b", "c"]);
    expect([slow.calls.length, quick.calls.length]).toEqual([1, 3]);
    expect(jobs(lab)).toEqual(["later:slow"]);
  });

  it("[T11] keeps its object up, with an alarm every 30 s and nothing done twice", async () => {
    const { opened, open } = latch();
    const { calls, later } = laterWork(() => opened.then(() => null));
    const lab = new SessionLab({ capabilities: [later] });
    lab.say("a", "hi");
    await quiet(lab);
    for (let round = 0; round < 6; round++) {
      const before = lab.clock.now();
      await lab.fireAlarm();
      expect(lab.clock.now() - before).toBeLessThanOrEqual(30_000);
      const ahead = (lab.alarm ?? Infinity) - lab.clock.now();
      expect([ahead > 0, ahead <= 30_000]).toEqual([true, true]);
    }
    open();
    await lab.settle();
    while (await lab.fireAlarm());
    expect([calls.length, jobs(lab)]).toEqual([1, []]);
  });

  it("[T11] survives the end of its object: another does it when the alarm fires", async () => {
    const { calls, later } = laterWork((_, no) =>
      no === 1 ? new Promise(() => {}) : Promise.resolve(null),
    );
    const lab = new SessionLab({ capabilities: [later] });
    lab.say("a", "hi");
    await quiet(lab);
    lab.restart();
    while (await lab.fireAlarm());
    expect([calls.length, jobs(lab)]).toEqual([2, []]);
  });

  it("is called again when it asks to be, and by no turn before; at once after the context was compacted", async () => {
    const { calls, later } = laterWork(({ now }) => Promise.resolve(now() + GAP_MS));
    const lab = new SessionLab({ capabilities: [later] });
    lab.say("a", "hi");
    await quiet(lab);
    lab.say("b", "hi");
    await quiet(lab);
    expect(calls).toHaveLength(1);
    expect(jobs(lab)).toEqual(["later:later"]);
    lab.restart();
    while (calls.length < 3) await lab.fireAlarm();
    expect(calls.map(({ at }) => at)).toEqual([0, 1, 2].map((no) => AFTER_MS + no * GAP_MS));
    compacted(lab, { capabilities: [later] });
    await lab.session.alarm();
    expect(calls).toHaveLength(4);
    expect(calls.at(-1)?.at).toBe(lab.clock.now());
  });

  it("[R4] that throws is called again after 2, 4, 8, … s, is parked after 10 attempts, and begins anew with a turn", async () => {
    const { calls, later } = laterWork(() => Promise.reject(new Error("no model")));
    const lab = new SessionLab({ capabilities: [later] });
    lab.say("a", "hi");
    await quiet(lab);
    while (await lab.fireAlarm());
    const at = calls.map((call) => (call.at - AFTER_MS) / 1_000);
    expect(at).toEqual([0, 2, 6, 14, 30, 62, 126, 254, 510, 1_022]);
    expect(parkedJobs(lab.sql)).toMatchObject([{ id: "later:later", attempts: MAX_ATTEMPTS }]);
    expect(lab.log.filter((line) => line.startsWith("error job_failed"))).toHaveLength(1);
    lab.say("b", "hi");
    await quiet(lab);
    expect(calls).toHaveLength(MAX_ATTEMPTS + 1);
    expect(parkedJobs(lab.sql)).toEqual([]);
  });

  it("[R4] that backs off goes on so, whatever ends meanwhile", async () => {
    const { calls, later } = laterWork(() => Promise.reject(new Error("no model")));
    const lab = new SessionLab({ capabilities: [later] });
    lab.say("a", "hi");
    await quiet(lab);
    lab.say("b", "hi");
    await quiet(lab);
    expect(calls).toHaveLength(1);
    compacted(lab, { capabilities: [later] });
    await lab.session.alarm();
    await lab.settle();
    expect(calls.map(({ at }) => at)).toEqual([AFTER_MS, AFTER_MS + 1_000].slice(0, calls.length));
  });

  it.each([
    ["done", () => null],
    ["to be called much later", () => GAP_MS * 100],
  ])(
    "[T11] that is called for while it is at work is called once more, though it says that it is %s",
    async (_, result) => {
      const { opened, open } = latch();
      const { calls, later } = laterWork((_scope, no) =>
        no === 1 ? opened.then(result) : nothing(),
      );
      const lab = new SessionLab({ capabilities: [later] });
      lab.say("a", "hi");
      await quiet(lab);
      lab.say("b", "hi");
      await quiet(lab);
      lab.say("c", "hi");
      await quiet(lab);
      expect(calls).toHaveLength(1);
      open();
      await lab.settle();
      expect(calls.map(({ ended }) => ended).at(-1)).toBe(lastEnd(lab));
      expect([calls.length, jobs(lab)]).toEqual([2, []]);
    },
  );

  it("[R4] is not parked when a turn ended during its last attempt", async () => {
    const { opened, open } = latch();
    const { calls, later } = laterWork(async (_scope, no) => {
      if (no === MAX_ATTEMPTS) await opened;
      if (no <= MAX_ATTEMPTS) throw new Error("no model");
      return null;
    });
    const lab = new SessionLab({ capabilities: [later] });
    lab.say("a", "hi");
    await quiet(lab);
    while (calls.length < MAX_ATTEMPTS) await lab.fireAlarm();
    lab.say("b", "hi");
    await quiet(lab);
    open();
    await lab.settle();
    expect(parkedJobs(lab.sql)).toEqual([]);
    while (await lab.fireAlarm());
    expect([calls.length, jobs(lab)]).toEqual([MAX_ATTEMPTS + 1, []]);
  });

  it("[R4] does not wait for work after turns that fails", async () => {
    const { calls, later } = laterWork(nothing);
    const { begun, after } = capability(() => Promise.reject(new Error("no bucket")));
    const lab = new SessionLab({ capabilities: [after, later] });
    lab.say("a", "hi");
    await quiet(lab);
    expect([begun.length, calls.length]).toEqual([1, 1]);
    while (await lab.fireAlarm());
    expect(jobs(lab)).toEqual(["turn:a"]);
  });

  it("reads up to the end before which every turn has ended, and knows that a new beginning compacts nothing", async () => {
    const { calls, later } = laterWork(({ now }, no) =>
      Promise.resolve(no < 4 ? now() + 10_000 : null),
    );
    const lab = new SessionLab({ capabilities: [later] });
    lab.say("a", "hi");
    await quiet(lab);
    const first = lastEnd(lab);
    lab.say("b", [{ hang: true }]);
    lab.say("c", "in line");
    await lab.clock.pass(10_000);
    while (calls.length < 2) await lab.fireAlarm();
    expect(calls.map(({ ended }) => ended)).toEqual([first, first]);
    lab.session.stop("b");
    await quiet(lab);
    while (calls.length < 3) await lab.fireAlarm();
    expect(calls.at(-1)?.ended).toBe(lastEnd(lab));
    expect(calls.at(-1)?.scope).toMatchObject({ compactedTo: 0, zone: "UTC" });
    lab.session.clear("ann");
    while (calls.length < 4) await lab.fireAlarm();
    expect(calls.at(-1)?.scope.compactedTo).toBe(0);
    const seen = calls.at(-1)?.scope.entries(1) ?? [];
    expect(seen.filter(({ kind }) => kind === "end")).toHaveLength(3);
  });

  it("keeps notes, whole and committed, of at most 1 MB", async () => {
    const read: unknown[] = [];
    const { later } = laterWork(({ notes }, no) => {
      read.push(notes.read());
      notes.write({ no, text: "é".repeat(no === 2 ? 499_000 : 1) });
      if (no === 3) notes.write("é".repeat(500_000));
      return nothing();
    });
    const lab = new SessionLab({ capabilities: [later] });
    for (const key of ["a", "b", "c"]) {
      lab.say(key, "hi");
      await quiet(lab);
      lab.restart();
    }
    expect(read).toMatchObject([null, { no: 1 }, { no: 2 }]);
    expect(noted(lab)).toEqual({ no: 3, text: "é" });
    expect(lab.log.filter((line) => line.includes("is larger than 1 MB"))).toHaveLength(1);
  });

  it("of a capability that the agent has no more is forgotten, and its notes stay", async () => {
    const { later } = laterWork(({ notes, now }) => {
      notes.write("kept");
      return Promise.resolve(now() + 1_000);
    });
    const lab = new SessionLab({ capabilities: [later] });
    lab.say("a", "hi");
    await quiet(lab);
    lab.restart({ capabilities: [] });
    while (await lab.fireAlarm());
    expect([jobs(lab), lab.alarm, noted(lab)]).toEqual([[], null, "kept"]);
  });

  it("[T9] of a deleted session is told to let go, is waited for, and stores nothing more", async () => {
    const { opened, open } = latch();
    const failures: unknown[] = [];
    const { calls, later } = laterWork(async ({ notes }) => {
      await opened;
      try {
        notes.write("late");
      } catch (error) {
        failures.push(error);
      }
      return null;
    });
    let forgotten = 0;
    const lab = new SessionLab({
      capabilities: [later],
      forget: () => Promise.resolve(void forgotten++),
    });
    lab.say("a", "hi");
    await quiet(lab);
    const removed = lab.session.remove();
    while (!calls[0]?.scope.signal.aborted) await lab.settle();
    expect(forgotten).toBe(0);
    open();
    expect(await removed).toBe(true);
    while (await lab.fireAlarm());
    expect(failures).toEqual([expect.any(LostTurn)]);
    expect([forgotten, jobs(lab), noted(lab), lab.alarm]).toEqual([2, [], null, null]);
  });
});

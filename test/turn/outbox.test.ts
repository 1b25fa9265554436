import { describe, expect, it } from "vitest";
import { findJob, MAX_ATTEMPTS, parkedJobs } from "../../src/session/jobs.ts";
import { renameSession } from "../../src/turn/records/title.ts";
import { latch } from "./after-turn-lab.ts";
import { OutboxLab } from "./outbox-lab.ts";

const down = () => Promise.reject(new Error("connection lost"));

/** A lab whose turn `a` waits for these calls. */
async function waiting(...calls: string[]): Promise<OutboxLab> {
  const lab = new OutboxLab();
  await lab.clock.pass(500);
  lab.say("a", "Send it, please.");
  lab.wait("a", ...calls);
  return lab;
}

describe("what a session tells outside", () => {
  it("leaves at once, and leaves no job; what is left of its alarm finds nothing to do", async () => {
    const lab = await waiting("c1", "c2");
    lab.outbox.wake();
    expect(lab.alarm).toBe(lab.clock.now() + 30_000);
    await lab.settle();
    expect(lab.told).toEqual([
      { title: "Send it, please.", at: 500, updatedAt: 500, isWaiting: true },
    ]);
    const calls = ["c1", "c2"].map((call) => {
      return { call, name: "send", what: "approval", expiresAt: 9_000_000 };
    });
    const address = { agent: "main", user: "ann", session: "s1" };
    const id = "v1/agents/main/users/ann/sessions/s1/notify:a:c1,c2";
    expect(lab.notices).toEqual([{ id, address, turn: "a", at: 500, calls }]);
    expect(lab.jobs()).toEqual([]);
    expect(await lab.fireAlarm()).toBe(true);
    expect([lab.alarm, lab.told.length, lab.notices.length]).toEqual([null, 1, 1]);
  });

  it("does nothing, and arms nothing, where there is nothing to tell", async () => {
    const lab = new OutboxLab();
    lab.outbox.wake();
    await lab.settle();
    expect(lab.sql.all("SELECT name FROM sqlite_schema")).toEqual([]);
    lab.say("a", "hi");
    lab.outbox.wake();
    await lab.settle();
    expect([lab.alarm, lab.told]).toEqual([null, []]);
  });

  it("[R4] is tried again after 2, 4, 8, … s, and parked after 10 attempts, with no alarm left", async () => {
    const lab = await waiting("c1");
    let tries = 0;
    lab.wire = () => (tries++, down());
    lab.outbox.wake();
    await lab.settle();
    const at = new Set<number>();
    for (let seen = tries; await lab.fireAlarm(); seen = tries)
      if (tries > seen) at.add((lab.clock.now() - 500) / 1_000);
    expect([...at]).toEqual([2, 6, 14, 30, 62, 126, 254, 510, 1_022]);
    expect(tries).toBe(2 * MAX_ATTEMPTS);
    expect(parkedJobs(lab.sql).map(({ id }) => id)).toEqual(["index", "notify:a:c1"]);
    expect(lab.log.filter((line) => line.startsWith("error job_failed"))).toHaveLength(2);
    expect(lab.log.join()).not.toContain("do not tell");
    expect(lab.alarm).toBeNull();
  });

  it("is told by another object after a crash before, during or after sending; then it may come twice", async () => {
    for (const crash of ["before", "during", "after"] as const) {
      const lab = await waiting("c1");
      const never = new Promise<void>(() => {});
      if (crash === "during") lab.wire = () => never;
      if (crash === "after") lab.answer = () => never;
      if (crash !== "before") lab.outbox.wake();
      await lab.settle();
      lab.wire = lab.answer = () => Promise.resolve();
      lab.restart();
      // What was committed with the wait comes with an alarm at the latest.
      lab.alarm ??= lab.clock.now() + 30_000;
      while (await lab.fireAlarm());
      const ids = lab.notices.map(({ id }) => id);
      expect(new Set(ids).size).toBe(1);
      expect(lab.told.at(-1)).toMatchObject({ isWaiting: true });
      expect(lab.jobs()).toEqual([]);
    }
  });

  it("runs once at a time, and sees what is put in while it runs", async () => {
    const lab = new OutboxLab();
    lab.say("a", "hi");
    const { opened, open } = latch();
    let sending = 0;
    let most = 0;
    lab.wire = async () => {
      most = Math.max(most, ++sending);
      await opened;
      sending--;
    };
    for (const title of ["one", "two", "three"]) {
      renameSession(lab.core, title);
      lab.outbox.wake();
      await lab.settle();
    }
    open();
    await lab.settle();
    expect(most).toBe(1);
    expect(lab.told.map(({ title }) => title)).toEqual(["one", "three"]);
    expect(lab.jobs()).toEqual([]);
  });

  it("never rejects, whatever its tables do, and is run again by an alarm", async () => {
    const lab = await waiting("c1");
    lab.sql.run("ALTER TABLE job RENAME TO hidden");
    await lab.outbox.run();
    expect(lab.log.at(-1)).toMatch(/^error outbox_failed/);
    lab.sql.run("ALTER TABLE hidden RENAME TO job");
    expect(await lab.fireAlarm()).toBe(true);
    expect([lab.told.length, lab.notices.length]).toEqual([1, 1]);
  });
});

describe("news for the registry", () => {
  it("say how it is when they leave, and are sent again when that changed meanwhile", async () => {
    const lab = await waiting("c1");
    let isFirst = true;
    lab.answer = async () => {
      if (isFirst && lab.told.length > 0) {
        isFirst = false;
        await lab.clock.sleep(2_000);
      }
    };
    lab.outbox.wake();
    await lab.clock.pass(1_000);
    lab.end("a");
    await lab.clock.pass(5_000);
    expect(lab.told.map(({ isWaiting, updatedAt }) => [isWaiting, updatedAt])).toEqual([
      [true, 500],
      [false, 1_500],
    ]);
    expect(lab.jobs()).toEqual([]);
  });

  it("are each newer than the ones before, also within a millisecond", async () => {
    const lab = new OutboxLab();
    lab.say("a", "hi");
    for (const title of ["one", "two", "three"]) {
      renameSession(lab.core, title);
      lab.outbox.wake();
      await lab.settle();
    }
    const times = lab.told.map(({ at }) => at);
    expect(times).toHaveLength(3);
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
  });

  it("that were parked are tried again with the next ones", async () => {
    const lab = new OutboxLab();
    lab.say("a", "hi");
    lab.wire = down;
    renameSession(lab.core, "one");
    lab.outbox.wake();
    while (await lab.fireAlarm());
    expect(parkedJobs(lab.sql).map(({ id }) => id)).toEqual(["index"]);
    lab.wire = () => Promise.resolve();
    renameSession(lab.core, "two");
    lab.outbox.wake();
    await lab.settle();
    expect(lab.told.map(({ title }) => title)).toEqual(["two"]);
    expect(lab.jobs()).toEqual([]);
  });
});

describe("news that are put in while older ones are tried", () => {
  it("[R4] are not parked with them", async () => {
    const lab = await waiting("c1");
    lab.wire = down;
    lab.outbox.wake();
    await lab.settle();
    for (let job = findJob(lab.sql, "index"); job && job.attempts < MAX_ATTEMPTS - 1;) {
      await lab.fireAlarm();
      job = findJob(lab.sql, "index");
    }
    const sent = latch();
    let tries = 0;
    lab.wire = () => (tries++, sent.opened.then(down));
    await lab.clock.pass((findJob(lab.sql, "index")?.due ?? 0) - lab.clock.now());
    const run = lab.outbox.run();
    await lab.settle();
    expect(tries).toBe(1);
    lab.end("a");
    lab.wire = () => Promise.resolve();
    sent.open();
    await run;
    expect(lab.told.map(({ isWaiting }) => isWaiting)).toEqual([false]);
    expect(parkedJobs(lab.sql).filter(({ id }) => id === "index")).toEqual([]);
  });
});

describe("a notice", () => {
  it("is dropped when the turn does not wait any more", async () => {
    const lab = await waiting("c1");
    lab.end("a");
    lab.outbox.wake();
    await lab.settle();
    expect([lab.notices, lab.jobs()]).toEqual([[], []]);
    expect(lab.told.map(({ isWaiting }) => isWaiting)).toEqual([false]);
  });

  it("is of the calls that still wait", async () => {
    const lab = await waiting("c1", "c2");
    lab.wire = down;
    lab.outbox.wake();
    await lab.settle();
    lab.deny("a", "c1");
    lab.wire = () => Promise.resolve();
    await lab.fireAlarm();
    expect(lab.notices.map(({ calls }) => calls.map(({ call }) => call))).toEqual([["c2"]]);
  });

  it("[A6] is not lost when it is tried while its turn runs for another answer", async () => {
    const lab = await waiting("c1", "c2");
    lab.wire = down;
    lab.outbox.wake();
    await lab.settle();
    lab.deny("a", "c1");
    lab.goOn();
    lab.wire = () => Promise.resolve();
    while (await lab.fireAlarm());
    expect(lab.notices.map(({ calls }) => calls.map(({ call }) => call))).toEqual([["c2"]]);
  });

  it("of a wait that is over does not speak for the next wait of its turn", async () => {
    const lab = await waiting("c1");
    lab.wire = down;
    lab.outbox.wake();
    await lab.settle();
    lab.deny("a", "c1");
    lab.wait("a", "c9");
    lab.wire = () => Promise.resolve();
    while (await lab.fireAlarm());
    expect(lab.notices.map(({ calls }) => calls.map(({ call }) => call))).toEqual([["c9"]]);
    expect(lab.jobs()).toEqual([]);
  });

  it("is dropped where nobody is to be told", async () => {
    const lab = new OutboxLab({ notify: null });
    lab.say("a", "hi");
    lab.wait("a", "c1");
    lab.outbox.wake();
    await lab.settle();
    expect(lab.jobs()).toEqual([]);
  });

  it("that was parked gives way to the next one that is, so that they do not gather", async () => {
    const lab = await waiting("c1");
    lab.wire = down;
    for (const turn of ["a", "b", "c"]) {
      if (turn !== "a") {
        lab.say(turn, "Again.");
        lab.wait(turn, "c1");
      }
      lab.outbox.wake();
      while (await lab.fireAlarm());
      lab.end(turn);
    }
    const ids = parkedJobs(lab.sql).map(({ id }) => id);
    expect(ids.filter((id) => id.startsWith("notify"))).toEqual(["notify:c:c1"]);
  });
});

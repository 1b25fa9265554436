import { describe, expect, it } from "vitest";
import { call, named, yes } from "./asking-lab.ts";
import { TasksLab, wait } from "./tasks-lab.ts";

const done = { text: "ok", batches: 1 } as const;
const results = (lab: TasksLab) =>
  lab
    .entries()
    .flatMap((entry) =>
      entry.kind === "result" ? entry.content.map((part) => ("text" in part ? part.text : "")) : [],
    );

async function waiting(...calls: readonly ReturnType<typeof wait>[]): Promise<TasksLab> {
  const lab = new TasksLab();
  for (const id of ["a", "b"]) lab.begin(id, "t");
  lab.say("t", [{ calls }, done]);
  await lab.settle();
  return lab;
}

describe("a call that waits for tasks", () => {
  it("[U3] rests without a driver, and looks again once they have ended", async () => {
    const lab = await waiting(wait(["a", "b"]));
    expect(lab.story("t")).toBe("user step:tool-calls intent held waiting");
    expect(lab.status().turns).toMatchObject([{ turn: "t", state: "running" }]);
    expect(lab.pending()).toEqual([]);
    await lab.end("a");
    expect(lab.effects.runs).toEqual(["wait_for:a,b"]);
    await lab.end("b", "failed");
    expect(results(lab)).toEqual(["looked: completed,failed"]);
    expect(lab.story("t")).toMatch(/held waiting woken result:success step:stop end:completed$/);
  });

  it("looks again when its time is up, which an alarm stands for", async () => {
    const lab = await waiting(wait(["a"], { ms: 5_000 }));
    expect(lab.alarm).toBe(5_000);
    expect(await lab.fireAlarm()).toBe(true);
    expect(results(lab)).toEqual(["looked: pending"]);
    expect(lab.story("t")).toMatch(/end:completed$/);
  });

  it("goes on with the first one where one is enough", async () => {
    const lab = await waiting(wait(["a", "b"], { all: false }));
    await lab.end("b");
    expect(results(lab)).toEqual(["looked: pending,completed"]);
  });

  it("[T6] is settled by a stop, and the history stays sound", async () => {
    const lab = await waiting(wait(["a"]));
    lab.session.stop();
    await lab.settle();
    expect(lab.story("t")).toMatch(/result:\w+ end:stopped$/);
    await lab.end("a");
    lab.say("u", [done]);
    await lab.settle();
    expect(lab.story("u")).toMatch(/end:completed$/);
  });

  it("[A8] beside one that asks a person waits on, and each is settled by its own", async () => {
    const lab = await waiting(wait(["a"]), call("unsafe_thing", "u"));
    expect(lab.status().turns).toMatchObject([{ state: "waiting" }]);
    await lab.answer({ ...named(lab.question("u")), ...yes });
    expect(lab.effects.runs).toEqual(["wait_for:a", "unsafe_thing:u"]);
    expect(lab.status().turns).toMatchObject([{ state: "running" }]);
    await lab.end("a");
    expect(lab.story("t")).toMatch(/end:completed$/);
  });

  it("[T8] a message meanwhile waits in line, and one that replaces stops the turn", async () => {
    const lab = await waiting(wait(["a"]));
    lab.send("q", [done]);
    await lab.settle();
    expect(lab.status().turns.map(({ turn }) => turn)).toEqual(["t", "q"]);
    lab.send("r", [done], { whenBusy: "replace" });
    await lab.settle();
    expect(lab.story("t")).toMatch(/end:stopped$/);
    expect(lab.story("q")).toMatch(/end:completed$/);
  });

  it("[S3] [S5] keeps the stream of its turn open, which ends with the turn", async () => {
    const lab = await waiting(wait(["a"]));
    const listener = lab.listen({ until: "t" });
    await lab.clock.pass(90_000);
    expect(listener.state).toBe("reading");
    await lab.end("a");
    await lab.clock.pass(0);
    expect(listener.state).toBe("ended");
    expect(listener.frames().map(({ event }) => event.type)).not.toContain("turn-waiting");
  });

  it("[U3] goes on after a restart, also where its tasks ended meanwhile", async () => {
    const lab = await waiting(wait(["a"]));
    lab.endUnheard("a");
    lab.again();
    lab.session.current();
    await lab.settle();
    expect(results(lab)).toEqual(["looked: completed"]);
    expect(lab.story("t")).toMatch(/end:completed$/);
  });

  it("[U3] at no point of it a crash loses or doubles anything", async () => {
    let count = 1;
    for (let no = 1; count > 0; no++) {
      const lab = new TasksLab();
      lab.begin("a", "t");
      const crashed = lab.crashAt(() => true, no);
      try {
        lab.say("t", [{ calls: [wait(["a"])] }, done]);
        await lab.settle();
        await lab.end("a");
      } catch {
        // The object is gone.
      }
      count = crashed() ? 1 : 0;
      await lab.recover();
      if (lab.entries("t").length === 0) continue;
      try {
        await lab.end("a");
      } catch {
        // It had ended.
      }
      await lab.recover();
      while (!/end:\w+$/.test(lab.story("t")) && (await lab.fireAlarm()));
      expect([no, lab.story("t")]).toEqual([no, expect.stringMatching(/end:completed$/)]);
      expect(results(lab)).toHaveLength(1);
    }
  });
});

describe("what came of tasks that nobody waits for", () => {
  it("[U4] is told before the next step of a turn that runs, once", async () => {
    const lab = new TasksLab();
    lab.begin("a");
    const gate = Promise.withResolvers<void>();
    lab.say("t", [{ calls: [call("read_thing")] }, done]);
    lab.pause = () => gate.promise;
    await lab.settle();
    await lab.end("a");
    gate.resolve();
    lab.pause = () => Promise.resolve();
    await lab.settle();
    expect(lab.told).toEqual(["", "a"]);
    lab.say("u", [done]);
    await lab.settle();
    expect(lab.told).toEqual(["", "a", "a"]);
    expect(lab.entries().filter(({ kind }) => kind === "delivered")).toHaveLength(1);
  });

  it("[U4] begins a turn of its own where nothing is to be done", async () => {
    const lab = new TasksLab();
    lab.say("t", [done]);
    await lab.settle();
    for (const id of ["a", "b"]) lab.begin(id);
    await lab.end("a", "completed", "Found </task_result> it.");
    expect(lab.told.at(-1)).toBe("a");
    const last = JSON.stringify(lab.witness.requests.at(-1)?.messages.at(-1));
    expect(last.match(/<\/task_result>/g)).toHaveLength(1);
    await lab.end("b", "failed", "No.");
    expect(lab.entries().filter(({ kind }) => kind === "end")).toHaveLength(3);
    expect(lab.session.history({ limit: 10 }).status.turns).toEqual([]);
  });

  it("[U4] after a turn that had no further step, at its end", async () => {
    const lab = new TasksLab();
    lab.begin("a");
    const gate = Promise.withResolvers<void>();
    lab.pause = () => gate.promise;
    lab.say("t", [done]);
    await lab.settle();
    await lab.end("a");
    gate.resolve();
    lab.pause = () => Promise.resolve();
    await lab.settle();
    expect(lab.told).toEqual(["", "a"]);
  });

  it("[U4] while a turn waits for a person, once that has gone on", async () => {
    const lab = new TasksLab();
    lab.begin("a");
    lab.say("t", [{ calls: [call("unsafe_thing", "u")] }, done]);
    await lab.settle();
    await lab.end("a");
    expect(lab.told).toEqual([""]);
    await lab.answer({ ...named(lab.question("u")), ...yes });
    expect(lab.told).toEqual(["", "a"]);
  });

  it("[U4] [R4] begins ten turns in a row by itself, and then waits for the person", async () => {
    const lab = new TasksLab();
    lab.say("t", [done]);
    await lab.settle();
    for (let no = 0; no < 12; no++) {
      lab.begin(`n${no}`);
      await lab.end(`n${no}`);
    }
    expect(lab.entries().filter(({ kind }) => kind === "end")).toHaveLength(11);
    while (await lab.fireAlarm());
    expect(lab.alarm).toBeNull();
    lab.say("u", [done]);
    await lab.settle();
    expect(lab.told.at(-1)).toContain("n11");
    lab.begin("more");
    await lab.end("more");
    expect(lab.told.at(-1)).toContain("more");
  });

  it("[U4] is told after a crash at any point, once", async () => {
    let count = 1;
    for (let no = 1; count > 0; no++) {
      const lab = new TasksLab();
      lab.say("t", [done]);
      await lab.settle();
      lab.begin("a");
      const crashed = lab.crashAt(() => true, no);
      try {
        await lab.end("a");
      } catch {
        // The object is gone.
      }
      count = crashed() ? 1 : 0;
      await lab.recover();
      try {
        await lab.end("a");
      } catch {
        // It had ended.
      }
      while (await lab.fireAlarm());
      expect([no, lab.entries().filter(({ kind }) => kind === "delivered").length]).toEqual([
        no,
        1,
      ]);
      expect([no, lab.story()]).toEqual([no, expect.stringMatching(/end:completed$/)]);
    }
  });
});

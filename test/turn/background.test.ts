import { describe, expect, it } from "vitest";
import { CarrelError } from "../../src/shared/errors.ts";
import { listTasks } from "../../src/session/tasks.ts";
import { sessionTables } from "../../src/session/schema.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import type { ToolOutput } from "../../src/tools/tool.ts";
import * as z from "zod";
import { AskingLab, call } from "./asking-lab.ts";

const done = { text: "ok", batches: 1 } as const;

/** A session with one tool, whose every call a test ends by hand, and that goes on after five seconds. */
class SlowLab extends AskingLab {
  readonly begun: { readonly end: (out: ToolOutput | Error) => void; isAborted: boolean }[] = [];

  constructor() {
    super({ permissions: { mode: "BYPASS" }, asyncToolTimeoutMs: 5_000 });
  }

  override ownTools() {
    return [
      defineTool({
        name: "slow_thing",
        description: "Takes its time.",
        input: z.object({ label: z.string() }),
        replay: "idempotent",
        parallel: true,
        run: (_, { signal }) =>
          new Promise<ToolOutput>((resolve, reject) => {
            const end = (out: ToolOutput | Error) =>
              out instanceof Error ? reject(out) : resolve(out);
            const one = { end, isAborted: false };
            signal.addEventListener("abort", () => (one.isAborted = true));
            this.begun.push(one);
          }),
      }),
      ...super.ownTools(),
    ];
  }

  /** A turn whose call has gone into the background. */
  static async goingOn(...labels: readonly string[]): Promise<SlowLab> {
    const lab = new SlowLab();
    const names = labels.length === 0 ? ["a"] : labels;
    lab.say("t", [{ calls: names.map((label) => call("slow_thing", label)) }, done]);
    await lab.settle();
    await lab.clock.pass(5_000);
    return lab;
  }

  async ends(out: ToolOutput | Error, no = 0): Promise<void> {
    this.begun[no]?.end(out);
    await this.settle();
  }

  get tasks() {
    return listTasks(sessionTables(this.sql), { limit: 20 });
  }

  /** What the model was told came of tasks. */
  get told(): string[] {
    return this.entries().flatMap((entry) =>
      entry.kind === "delivered" ? entry.tasks.map(({ state, text }) => `${state}: ${text}`) : [],
    );
  }

  get results(): string[] {
    return this.entries().flatMap((entry) =>
      entry.kind === "result"
        ? entry.content.map((part) => ("text" in part ? part.text : "")).join("")
        : [],
    );
  }
}

describe("a tool that takes long", () => {
  it("[U4] goes on in the background, and is told of once, in a turn of its own", async () => {
    const lab = await SlowLab.goingOn();
    expect(lab.results[0]).toMatch(/^status: timeout_promoted\ntask_id: task_[0-9a-f]{24}\n/);
    expect(lab.story("t")).toMatch(/result:success step:stop end:completed$/);
    expect(lab.tasks).toMatchObject([{ agent: "slow_thing", session: null, state: "running" }]);
    await lab.ends("It is done.");
    expect(lab.told).toEqual(["completed: It is done."]);
    while (await lab.fireAlarm());
    expect(lab.told).toHaveLength(1);
    expect(lab.alarm).toBeNull();
    expect(lab.story()).toMatch(/delivered step:stop end:completed$/);
  });

  it("one that ends in time does not, and neither does a built-in one", async () => {
    const lab = new SlowLab();
    lab.say("t", [{ calls: [call("slow_thing", "a")] }, done]);
    await lab.settle();
    await lab.clock.pass(4_999);
    await lab.ends("In time.");
    expect(lab.results).toEqual(["In time."]);
    expect(lab.tasks).toEqual([]);
  });

  it("[U5] that fails is told as failed", async () => {
    const lab = await SlowLab.goingOn("a", "b");
    await lab.ends(new CarrelError("unavailable", "Nobody answers."));
    await lab.ends(new Error("secret detail"), 1);
    expect(lab.told[0]).toBe("failed: Nobody answers.");
    expect(lab.told[1]).toMatch(/^failed: The tool failed unexpectedly \(error id-\d+\)\.$/);
  });

  it("[T5] [U4] that a restart cuts off is told as that, once, and is not run again", async () => {
    const lab = await SlowLab.goingOn();
    lab.again();
    while (await lab.fireAlarm());
    expect(lab.told).toEqual([expect.stringContaining("failed: It was cut off by a restart.")]);
    await lab.ends("Too late.");
    expect(lab.told).toHaveLength(1);
    expect(lab.begun).toHaveLength(1);
  });

  it("is not cut off while its object lives, and is after ten minutes", async () => {
    const lab = await SlowLab.goingOn();
    for (let count = 0; count < 30 && lab.told.length === 0; count++) await lab.fireAlarm();
    expect(lab.told).toEqual([expect.stringContaining("did not finish within 10 minutes")]);
    expect(lab.begun[0]?.isAborted).toBe(true);
    expect(lab.clock.now()).toBeGreaterThanOrEqual(600_000);
  });

  it("[T9] goes on when its turn is stopped, and ends with its task", async () => {
    const lab = new SlowLab();
    lab.say("t", [{ calls: [call("slow_thing", "a")] }, { hang: true }]);
    await lab.settle();
    await lab.clock.pass(5_000);
    lab.session.stop("t");
    await lab.settle();
    expect(lab.begun[0]?.isAborted).toBe(false);
    await lab.session.family.cancel(lab.tasks[0]?.id ?? "");
    expect(lab.begun[0]?.isAborted).toBe(true);
    await lab.ends("Too late.");
    expect(lab.told).toEqual([]);
    expect(lab.tasks).toMatchObject([{ state: "cancelled" }]);
  });

  it("[T9] before it has gone on, it ends with its turn", async () => {
    const lab = new SlowLab();
    lab.say("t", [{ calls: [call("slow_thing", "a")] }, done]);
    await lab.settle();
    lab.session.stop("t");
    await lab.settle();
    expect(lab.begun[0]?.isAborted).toBe(true);
    await lab.clock.pass(10_000);
    expect(lab.tasks).toEqual([]);
  });

  it("[R4] of more than ten at once the others are waited for", async () => {
    const lab = await SlowLab.goingOn(...Array.from({ length: 12 }, (_, no) => `n${no}`));
    expect(lab.tasks).toHaveLength(10);
    expect(lab.story("t")).not.toContain("end");
    for (const no of [10, 11]) await lab.ends(`Done ${no}.`, no);
    expect(lab.results.filter((text) => text.startsWith("Done"))).toHaveLength(2);
    expect(lab.story("t")).toMatch(/end:completed$/);
  });

  it("[T9] ends with its session", async () => {
    const lab = await SlowLab.goingOn();
    await lab.session.remove();
    expect(lab.begun[0]?.isAborted).toBe(true);
    await lab.ends("Too late.");
  });

  it("[U4] at no point of it a crash has it told twice, or not at all", async () => {
    for (let no = 1, isOver = false; !isOver; no++) {
      const lab = new SlowLab();
      const crashed = lab.crashAt(() => true, no);
      try {
        lab.say("t", [{ calls: [call("slow_thing", "a")] }, done]);
        await lab.settle();
        await lab.clock.pass(5_000);
        await lab.ends("It is done.");
      } catch {
        // The object is gone.
      }
      isOver = !crashed();
      await lab.recover();
      if (lab.entries("t").length === 0) continue;
      await lab.clock.pass(5_000);
      for (let at = 1; at < lab.begun.length; at++) await lab.ends("It is done.", at);
      while (await lab.fireAlarm());
      expect([no, lab.story("t")]).toEqual([no, expect.stringMatching(/end:completed$/)]);
      const outcomes = [...lab.told, ...lab.results].filter((text) => !text.includes("task_id"));
      expect([no, outcomes.length]).toEqual([no, 1]);
    }
  });
});

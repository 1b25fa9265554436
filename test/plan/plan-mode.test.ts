import { describe, expect, it } from "vitest";
import { permissionModes } from "../../src/shared/permissions.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";
import { call, named, no, yes } from "../turn/asking-lab.ts";
import { done, enter, exit, PlanLab, tool, write } from "./plan-lab.ts";

const unsafe = (label: string) => call("unsafe_thing", label);

/** One that has begun to plan. */
async function planning(options: ConstructorParameters<typeof PlanLab>[0] = {}): Promise<PlanLab> {
  const lab = new PlanLab({ ...options, permissions: { mode: "BYPASS", ...options.permissions } });
  await lab.run("begin", { calls: [enter] }, done);
  expect(lab.plan.active).toBe(true);
  return lab;
}

describe("while it plans", () => {
  it("[P1] judges the calls of one step in their order: what comes after plan_enter does not write", async () => {
    const lab = new PlanLab({ permissions: { mode: "BYPASS" } });
    const calls = [unsafe("before"), enter, unsafe("after"), call("read_thing", "r"), write()];
    await lab.run("t", { calls }, done);
    expect(lab.effects.runs).toEqual(["unsafe_thing:before", "read_thing:r"]);
    expect(lab.results("t").map((text) => text.split(":")[0])).toEqual([
      "success",
      "success",
      "denied",
      "success",
      "success",
    ]);
  });

  it("[P1] [A1] only what reads runs, in every mode, whatever is allowed", async () => {
    const allow = [{ tool: "*" }];
    for (const mode of ["DEFAULT", "ACCEPT_EDITS", "BYPASS"] as const) {
      const lab = new PlanLab({ permissions: { mode, allow } });
      lab.session.setPlan(true, "ann");
      const file = { path: "a.md", content: "x" };
      const calls = [
        unsafe("u"),
        call("keyed_thing"),
        tool("mcp__box__run"),
        tool("execute"),
        tool("write_file", file),
        call("read_thing", "r"),
        tool("list_files", { path: "" }),
      ];
      await lab.run("t", { calls }, done);
      expect(lab.effects.runs).toEqual(["read_thing:r"]);
      expect(lab.results().filter((text) => text.startsWith("denied"))).toHaveLength(5);
      expect(lab.pending()).toEqual([]);
    }
  });

  it("[P1] the shell runs only where the operator lets it", async () => {
    const lab = await planning({ allowsShell: true });
    await lab.run("t", { calls: [tool("execute"), tool("mcp__box__run")] }, done);
    expect(lab.effects.runs).toEqual(["execute"]);
  });

  it("[P1] goes on so after the turn, and after a restart", async () => {
    const lab = await planning();
    lab.again();
    await lab.run("t", { calls: [unsafe("u")] }, done);
    expect(lab.effects.runs).toEqual([]);
    expect(lab.status().plan).toMatchObject({ active: true, hash: null });
  });

  it("[P1] a call that waited for approval is judged anew, and does not run", async () => {
    const lab = new PlanLab();
    await lab.run("t", { calls: [unsafe("u")] }, done);
    expect(lab.waits.name).toBe("unsafe_thing");
    lab.session.setPlan(true, "ann");
    await lab.settle();
    expect(lab.story("t")).toMatch(/end:completed$/);
    expect(lab.effects.runs).toEqual([]);
  });

  it("the model is reminded in every step, from the one after plan_enter on", async () => {
    const lab = await planning();
    expect(lab.reminders).toEqual(["", expect.stringContaining("Plan mode is on")]);
    await lab.run("t", { calls: [write()] }, done);
    expect(lab.reminders.at(-1)).toContain("The plan is in plans/s1/PLAN.md");
    const [first, second] = lab.witness.requests.slice(-2).map(({ messages }) => messages);
    expect(second?.slice(0, 2)).toEqual(first?.slice(0, 2));
    expect(lab.witness.requests.every(({ system }) => !system.includes("Plan mode"))).toBe(true);
  });
});

describe("the end of planning", () => {
  it("[P2] is asked for in every mode, also where a rule would allow it", async () => {
    for (const mode of permissionModes.filter((one) => one !== "DONT_ASK")) {
      const lab = new PlanLab({ permissions: { mode, allow: [{ tool: "plan_exit" }] } });
      await lab.run("t", { calls: [enter, write("First."), exit("All of it.")] }, done);
      expect([mode, lab.waits]).toMatchObject([mode, { name: "plan_exit", suggested: [] }]);
      expect(lab.waits.reason).toContain("plans/s1/PLAN.md");
      expect(await lab.answer({ ...named(lab.waits), ...yes })).toBe("taken");
      expect(lab.plan).toMatchObject({ active: false, approved: lab.plan.hash });
      expect(lab.story("t")).toMatch(/end:completed$/);
      expect(await lab.text()).toBe("First.\n");
    }
  });

  it("[P2] no rule can be made that spares the question", async () => {
    const lab = await planning();
    await lab.run("t", { calls: [write(), exit()] }, done);
    const always = { ...named(lab.waits), ...yes, always: true } as const;
    await expect(lab.session.answer([always], "ann")).rejects.toMatchObject({ code: "invalid" });
    await lab.answer({ ...named(lab.waits), ...yes, always: [{ tool: "plan_exit" }] });
    await lab.run("again", { calls: [enter, write("Two."), exit()] }, done);
    expect(lab.waits.name).toBe("plan_exit");
  });

  it("[P2] where nobody can be asked, planning does not begin, and does not end by itself", async () => {
    const silent = new PlanLab({ permissions: { mode: "DONT_ASK" } });
    await silent.run("t", { calls: [enter] }, done);
    expect(silent.plan.active).toBe(false);
    expect(silent.results()[0]).toContain("asks nobody");
    expect(() => silent.session.setPlan(true, "ann")).toThrow(/asks nobody/);
    const lab = await planning();
    lab.session.setPermissions({ mode: "DONT_ASK" }, "ann");
    await lab.run("t", { calls: [write(), exit(), unsafe("u")] }, done);
    expect(lab.plan.active).toBe(true);
    expect(lab.effects.runs).toEqual([]);
    lab.session.setPlan(false, "ann");
    expect(lab.plan).toMatchObject({ active: false, approved: null });
  });

  it("[P2] is not asked for without a plan, nor outside of plan mode", async () => {
    const lab = new PlanLab();
    await lab.run("t", { calls: [exit(), write(), enter, exit()] }, done);
    expect(lab.pending()).toEqual([]);
    expect(lab.results().map((text) => text.split(":")[0])).toEqual([
      "denied",
      "denied",
      "success",
      "denied",
    ]);
    expect(await lab.text()).toBeNull();
  });

  it("[P2] an approval is for the plan that was seen: of another one it counts nothing", async () => {
    const lab = await planning();
    await lab.run("t1", { calls: [write("One."), exit()] }, done);
    const old = lab.waits;
    await lab.answer({ ...named(old), ...no, reason: "Too short." });
    expect(lab.results("t1").at(-1)).toContain("Too short.");
    expect(lab.plan.active).toBe(true);
    await lab.run("t2", { calls: [write("Two."), exit()] }, done);
    expect(lab.waits.digest).not.toBe(old.digest);
    expect(await lab.answer({ call: lab.waits.call, digest: old.digest, ...yes })).toBe("stale");
    expect(await lab.answer({ ...named(old), ...yes })).toBe("stale");
    expect(lab.plan.active).toBe(true);
  });

  it("[P2] an approval does not count for a file that is another one by then", async () => {
    const lab = await planning();
    await lab.run("t", { calls: [write("Good."), exit()] }, done);
    const change = {
      kind: "write",
      path: "plans/s1/PLAN.md",
      content: { text: "Bad.\n" },
    } as const;
    await lab.files.workspace().change({ by: "user:eve", changes: [change] });
    await lab.answer({ ...named(lab.waits), ...yes });
    expect(lab.plan.active).toBe(true);
    expect(lab.results("t").at(-1)).toContain("not what was written last");
  });

  it("[A8] a message in the place of an answer denies it, and the session goes on", async () => {
    const lab = await planning();
    await lab.run("t1", { calls: [write(), exit()] }, done);
    await lab.run("t2", done);
    expect(lab.story("t2")).toMatch(/end:completed$/);
    expect(lab.plan.active).toBe(true);
  });

  it("[P2] what was approved is remembered until there is another plan", async () => {
    const lab = await planning();
    await lab.run("t", { calls: [write(), exit()] }, { calls: [unsafe("u")] }, done);
    await lab.answer({ ...named(lab.waits), ...yes });
    expect(lab.effects.runs).toEqual(["unsafe_thing:u"]);
    expect(lab.reminders.at(-1)).toContain("approved the plan in plans/s1/PLAN.md");
    await lab.run("more", { calls: [enter] }, done);
    expect(lab.reminders.at(-1)).not.toContain("approved the plan");
    expect(lab.plan).toMatchObject({ active: true, hash: null, approved: null });
  });

  it("by a person's hand approves nothing", async () => {
    const lab = await planning();
    await lab.run("t", { calls: [write()] }, done);
    lab.session.setPlan(false, "ann");
    await lab.run("u", done);
    expect(lab.reminders.at(-1)).toBe("");
    lab.session.setPlan(false, "ann");
    expect(lab.facts("plan").split(" ")).toHaveLength(3);
  });
});

describe("two sessions of a user", () => {
  it("[P3] plan each on its own, in files of their own", async () => {
    const files = new WorkspaceLab();
    const one = await planning({ files, session: "s1" });
    const two = new PlanLab({ files, session: "s2", permissions: { mode: "BYPASS" } });
    await one.run("t", { calls: [write("Of one.")] }, done);
    await two.run("t", { calls: [unsafe("free")] }, { calls: [enter, write("Of two.")] }, done);
    expect([await one.text(), await two.text()]).toEqual(["Of one.\n", "Of two.\n"]);
    expect(two.effects.runs).toEqual(["unsafe_thing:free"]);
    two.session.setPlan(false, "ann");
    expect(one.plan.active).toBe(true);
  });
});

describe("a change while a step is streamed", () => {
  it("[S1] [P1] holds at once, and is said after that step", async () => {
    const lab = new PlanLab({ permissions: { mode: "BYPASS" } });
    const gate = Promise.withResolvers<void>();
    lab.pause = () => gate.promise;
    lab.say("t", [{ calls: [unsafe("u")] }, done]);
    await lab.settle();
    lab.session.setPlan(true, "ann");
    expect(lab.status().plan?.active).toBe(true);
    expect(lab.facts("plan")).toBe("");
    lab.again();
    lab.session.current();
    gate.resolve();
    lab.pause = () => Promise.resolve();
    await lab.settle();
    expect(lab.effects.runs).toEqual([]);
    expect(lab.facts("plan", "end")).toBe("plan end:completed");
  });
});

import { describe, expect, it } from "vitest";
import { call } from "../turn/asking-lab.ts";
import { done, FamilyLab, spawn, tool } from "./family-lab.ts";

const found = { text: "Found it.", batches: 1 } as const;
const work = (label: string) => call("unsafe_thing", label);
const taskIn = (text = "") => /task_id: (\S+)/.exec(text)?.[1] ?? "";

describe("what is stopped", () => {
  it("[T9] [U5] with its turn: the subagent that it waits for does nothing more", async () => {
    const lab = new FamilyLab();
    lab.say("t", { calls: [spawn([{ hang: true }])] }, done);
    await lab.settle();
    lab.parent.stop();
    await lab.parent.family.whenTold();
    const [child = ""] = lab.children;
    expect(lab.story(child)).toMatch(/end:stopped$/);
    expect(lab.witness.aborted).toBe(1);
    const asked = lab.witness.requests.length;
    await lab.pass(120_000);
    expect(lab.witness.requests).toHaveLength(asked);
    expect(lab.entries().filter(({ kind }) => kind === "delivered")).toEqual([]);
  });

  it("[U5] by task_cancel: once it has answered, no model and no tool is called for the task", async () => {
    const lab = new FamilyLab();
    const slow = spawn([{ hang: true }, { calls: [work("late")] }], { timeout_seconds: 0 });
    await lab.run("t", { calls: [slow] }, done);
    const task_id = taskIn(lab.results()[0]);
    await lab.run("u", { calls: [tool("task_cancel", { task_id })] }, done);
    expect(lab.results().at(-1)).toContain("status: cancelled");
    await lab.pass(120_000);
    expect(lab.effects.runs).toEqual([]);
    await lab.run("v", { calls: [tool("task_cancel", { task_id })] }, done);
    expect(lab.results().at(-1)).toContain("ended before: cancelled");
  });

  it("[U5] by a person: once it is answered, no model and no tool is called for the task", async () => {
    const lab = new FamilyLab();
    const slow = spawn([{ hang: true }, { calls: [work("late")] }], { timeout_seconds: 0 });
    await lab.run("t", { calls: [slow] }, done);
    const { family } = lab.parent;
    const [{ id, ...task } = { id: "" }] = family.tasks();
    expect(task).toMatchObject({ agent: "helper", state: "running", error: null });
    const told = Promise.withResolvers<void>();
    lab.before = (method) => (method === "stop" ? told.promise : undefined);
    let isAnswered = false;
    const cancelled = family.cancel(id).finally(() => (isAnswered = true));
    await lab.settle();
    expect(isAnswered).toBe(false);
    told.resolve();
    expect(await cancelled).toMatchObject({ id, state: "cancelled", result: null });
    expect(lab.story(lab.children[0])).toMatch(/end:stopped$/);
    await lab.pass(120_000);
    expect(lab.effects.runs).toEqual([]);
    expect(lab.story(lab.children[0])).toMatch(/end:stopped$/);
    expect(await family.cancel(id)).toEqual(family.task(id));
    await expect(family.cancel("task_none")).rejects.toThrow("A task with that id");
  });

  it("[U5] by a person, where it cannot be told at first: they are told so, and it is told", async () => {
    const lab = new FamilyLab();
    const slow = spawn([{ hang: true }, { calls: [work("late")] }], { timeout_seconds: 0 });
    await lab.run("t", { calls: [slow] }, done);
    const { family } = lab.parent;
    const [{ id } = { id: "" }] = family.tasks();
    let isDown = true;
    lab.before = (method) => {
      if (method === "stop" && isDown) throw new Error("connection lost");
    };
    await expect(family.cancel(id)).rejects.toMatchObject({ code: "overloaded" });
    expect(family.task(id).state).toBe("cancelled");
    isDown = false;
    expect(await family.cancel(id)).toMatchObject({ state: "cancelled" });
    expect(lab.story(lab.children[0])).toMatch(/end:stopped$/);
    await lab.pass(120_000);
    expect(lab.effects.runs).toEqual([]);
  });

  it("[T9] a session that is deleted takes its subagents' with it", async () => {
    const lab = new FamilyLab();
    await lab.run("t", { calls: [spawn([found])] }, done);
    const [child = ""] = lab.children;
    expect(await lab.parent.remove()).toBe(true);
    expect(() => lab.host(child).session.state()).toThrow(/deleted/);
  });
});

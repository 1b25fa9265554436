import { beforeEach, describe, expect, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script, type ScriptedStep } from "../support/scripted-model.ts";
import { calls, eventsOf, NativeClient } from "./native-client.ts";
import { breathe } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const done = { text: "Done." };
const found = { text: "Found it." };
const unsafe = calls(["unsafe_thing", { label: "one" }]);

/** A step that hands a script to the subagent that is always there. */
const spawn = (steps: readonly ScriptedStep[], more: object = {}): ScriptedStep =>
  calls(["agent_spawn", { agent_id: "general-purpose", task: script(...steps), ...more }]);

/** What would change what a session may do. */
const rights = [
  ["/permissions", { mode: "BYPASS" }],
  ["/mode", { mode: "BYPASS" }],
  ["/plan", { active: false }],
  ["/state", { context: [] }],
] as const;

type Tasks = { readonly tasks: readonly { readonly id: string; readonly session: string }[] };

const tasksOf = async (client: NativeClient): Promise<Tasks["tasks"]> =>
  ((await client.ask("GET", "/tasks")).body as Tasks).tasks;

describe("a subagent, in an object of its own", () => {
  it("[U3] [U6] does what it is asked for, and its parent's stream tells of it", async () => {
    const client = new NativeClient("spawns");
    const events = await client.say([spawn([found]), done], "t1");
    const [result] = eventsOf(events, "tool-result");
    expect(JSON.stringify(result)).toContain("Found it.");
    expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
    expect(await tasksOf(client)).toMatchObject([
      { agent: "general-purpose", state: "completed", error: null },
    ]);
    expect(eventsOf(events, "subagent").length).toBeGreaterThan(0);
  });

  it("[A9] asks in its parent's session, where it is answered, and runs once", async () => {
    const client = new NativeClient("child-asks");
    // Its stream ends where somebody has to answer.
    await client.say([spawn([unsafe, found]), done], "t1");
    const asked = await client.pending();
    expect(asked).toMatchObject({ name: "unsafe_thing", source: { agent: "general-purpose" } });
    expect(outside().effects.runs).toEqual([]);
    const decision = { decision: "approve", digest: asked.digest };
    const events = await client.events("POST", `/calls/${asked.call}`, decision);
    expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
    expect(outside().effects.runs).toEqual(["unsafe_thing:one"]);
    expect((await client.history()).status).toMatchObject({ turns: [], pending: [] });
  });

  it("[U5] is stopped by a person, and does nothing more", async () => {
    const client = new NativeClient("child-stops");
    const slow = spawn([{ hang: true }, unsafe], { timeout_seconds: 0 });
    await client.say([slow, done], "t1");
    const [task] = await tasksOf(client);
    const answer = await client.ask("POST", `/tasks/${task?.id}/cancel`, {});
    expect(answer).toMatchObject({ status: 200, body: { state: "cancelled", result: null } });
    const again = await client.ask("POST", `/tasks/${task?.id}/cancel`, {});
    expect(again).toEqual(answer);
    expect(outside().witness.aborted).toBe(1);
    const unknown = await client.ask("POST", "/tasks/task_none/cancel", {});
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
  });

  it("[I1] is spoken to by its parent alone, and is deleted with it", async () => {
    const client = new NativeClient("child-alone");
    await client.say([spawn([found]), done], "t1");
    const [task] = await tasksOf(client);
    const child = new NativeClient(task?.session ?? "");
    const said = await child.ask("POST", "/turns", { message: "hi" });
    expect(said).toMatchObject({ status: 403, body: { error: { code: "forbidden" } } });
    expect((await child.ask("POST", "/clear", {})).status).toBe(403);
    for (const [path, body] of rights)
      expect([path, (await child.ask("PUT", path, body)).status]).toEqual([path, 409]);
    expect((await client.send("DELETE", "")).status).toBe(200);
    expect((await child.ask("GET", "")).status).toBe(410);
  });

  it("[I1] [I6] that is exposed is spoken to by its owner, and by nobody else", async () => {
    const client = new NativeClient("child-open", "asking", "ann");
    await client.say([spawn([found], { expose_to_user: true }), done], "t1");
    const [task] = await tasksOf(client);
    const child = client.of(task?.session ?? "");
    const events = await child.say([{ text: "You again." }], "mine");
    expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
    const other = new NativeClient(task?.session ?? "", "asking", "bob");
    const foreign = await other.ask("POST", "/turns", { message: "hi" });
    const missing = await new NativeClient(`sub-${"1".repeat(32)}`, "asking", "bob").ask(
      "POST",
      "/turns",
      { message: "hi" },
    );
    const saidBy = ({ status, body }: typeof foreign) => {
      const { code, message } = (body as { error: { code: string; message: string } }).error;
      return { status, code, message };
    };
    expect(saidBy(foreign)).toMatchObject({ status: 404, code: "not_found" });
    expect(saidBy(foreign)).toEqual(saidBy(missing));
    expect((await other.history()).messages).toEqual([]);
    expect((await child.history()).messages).toHaveLength(4);
  });

  it("[I1] is begun by nobody else: a session of such a name that is no subagent's takes nothing", async () => {
    const child = new NativeClient(`sub-${"0".repeat(32)}`);
    const said = await child.ask("POST", "/turns", { message: "hi" });
    expect(said).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    for (const [path, body] of rights)
      expect([path, (await child.ask("PUT", path, body)).status]).toEqual([path, 404]);
    expect(JSON.stringify((await child.list()).body)).not.toContain(child.session);
  });
});

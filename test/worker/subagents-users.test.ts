import { beforeEach, describe, expect, it } from "vitest";
import type { UIMessageChunk } from "ai";
import { outside, resetOutside } from "../support/outside.ts";
import { script, type ScriptedStep } from "../support/scripted-model.ts";
import { asked, openChat, postChat, resumeChat, textOf } from "./chat-page.ts";
import { agent } from "./chat-decisions.ts";
import { calls, NativeClient } from "./native-client.ts";
import { breathe } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

const done = { text: "Done." };
const spawn = (steps: readonly ScriptedStep[], more: object = {}): ScriptedStep =>
  calls(["agent_spawn", { agent_id: "general-purpose", task: script(...steps), ...more }]);

/** The chunks of an answer to an AI SDK client. */
async function chunksOf(response: Response): Promise<readonly UIMessageChunk[]> {
  return (await response.text())
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as UIMessageChunk);
}

describe("subagents of many sessions at once", () => {
  it("[I1] [I3] of the same id, label and message key have nothing of each other", async () => {
    // Users in the first four, sessions of one user in the others.
    const clients = Array.from({ length: 8 }, (_, no) =>
      no < 4 ? new NativeClient("crowd", agent, `user-${no}`) : new NativeClient(`crowd-${no}`),
    );
    await Promise.all(
      clients.map(async (client, no) => {
        const canary = `canary-${no}`;
        const work = [calls(["read_thing", { label: canary }]), { text: `Found ${canary}.` }];
        await client.say([spawn(work, { label: "scout" }), done], "t1");
        const message = JSON.stringify([{ text: `Again ${canary}.` }]);
        await client.say([calls(["agent_send", { label: "scout", message }]), done], "t2");
      }),
    );
    const sessions = new Set<string>();
    for (const [no, client] of clients.entries()) {
      const { body } = await client.ask("GET", "/tasks");
      const { tasks } = body as { tasks: readonly { id: string; session: string }[] };
      expect(tasks).toHaveLength(2);
      expect(new Set(tasks.map(({ session }) => session)).size).toBe(1);
      sessions.add(tasks[0]?.session ?? "");
      const seen = JSON.stringify([
        await client.history(),
        ...(await Promise.all(tasks.map(({ id }) => client.ask("GET", `/tasks/${id}`)))),
        await client.of(tasks[0]?.session ?? "").history(),
      ]);
      expect(seen).toContain(`Found canary-${no}.`);
      expect(seen).toContain(`Again canary-${no}.`);
      expect(new Set(seen.match(/canary-\d/g))).toEqual(new Set([`canary-${no}`]));
    }
    expect(sessions.size).toBe(clients.length);
    expect(new Set(outside().effects.runs).size).toBe(clients.length);
  });
});

describe("subagents in the AI SDK's stream", () => {
  it("[U6] [A9] [H3] are told beside the answer, and what one asks is answered by its call", async () => {
    const unsafe = calls(["unsafe_thing", { label: "one" }]);
    const text = script(spawn([unsafe, { text: "Found it." }]), done);
    const chunks = await chunksOf(
      await postChat("ui-child", { messages: [asked("m1", text)] }, `?agent=${agent}`),
    );
    const types = new Set(chunks.map(({ type }) => type));
    for (const type of ["data-task", "data-subagent", "data-question"])
      expect(types).toContain(type);
    const [question] = chunks.flatMap((chunk) =>
      chunk.type === "data-question" ? [chunk.data as { call: string; digest: string }] : [],
    );
    const native = new NativeClient("ui-child");
    expect(await native.pending()).toMatchObject({ ...question });
    const again = await chunksOf(await resumeChat("ui-child", agent));
    expect(again.map(({ type }) => type).join()).toContain("data-question");
    const { call = "", digest = "" } = question ?? {};
    await native.events("POST", `/calls/${call}`, { decision: "approve", digest });
    expect(outside().effects.runs).toEqual(["unsafe_thing:one"]);
  });

  it("[H3] leave no part in the messages of the SDK's client", async () => {
    const chat = openChat("ui-parts");
    await chat.sendMessage({ text: script(spawn([{ text: "Found it." }]), done) });
    expect(chat.error).toBeUndefined();
    expect(textOf(chat.lastMessage)).toContain("Done.");
    const types = chat.lastMessage?.parts.map(({ type }) => type) ?? [];
    expect(types.filter((type) => type.startsWith("data-"))).toEqual([]);
  });
});

import { validateUIMessages, type UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { Hold, loadMessages, openChat, postChat, textOf } from "./chat-page.ts";
import { NativeClient } from "./native-client.ts";
import { breathe, tablesOf } from "./session-object.ts";

const read = { name: "read_thing", input: "{}" };

/** A chat whose turn has begun, and is held before its first tool runs. */
async function busy(id: string) {
  const hold = new Hold(6);
  const chat = openChat(id);
  const end = chat.sendMessage({ text: script({ text: "One.", calls: [read] }, { text: "Two." }) });
  await hold.reached();
  return { hold, chat, end };
}

const typesOf = (message: UIMessage | undefined) => message?.parts.map(({ type }) => type);

describe("a message that comes while a turn runs", () => {
  it("[T8] waits in line unless something else is asked for", async () => {
    resetOutside();
    const { hold, chat, end } = await busy("queue");
    const page = openChat("queue", { body: { whenBusy: "queue" } });
    const next = page.sendMessage({ text: script({ text: "Three." }) });
    hold.release();
    await Promise.all([end, next]);
    expect([textOf(chat.lastMessage), textOf(page.lastMessage)]).toEqual(["One.Two.", "Three."]);
  });

  it("[T8] [S4] is taken into the turn: both pages show that turn's answer, with the message in it", async () => {
    resetOutside();
    const { hold, chat, end } = await busy("steer");
    const page = openChat("steer", { body: { whenBusy: "steer" } });
    const message = script({ text: "As you say." });
    const next = page.sendMessage({ text: message });
    while ((await tablesOf("steer")).turns.length < 2) await breathe();
    hold.release();
    await Promise.all([end, next]);
    expect([chat.error, page.error]).toEqual([undefined, undefined]);
    expect(typesOf(chat.lastMessage)).toEqual([
      "step-start",
      "text",
      "dynamic-tool",
      "steering-message",
      "step-start",
      "text",
    ]);
    expect(chat.lastMessage?.parts[3]).toMatchObject({
      id: page.messages[0]?.id,
      parts: [{ type: "text", text: message }],
    });
    expect(textOf(chat.lastMessage)).toBe("One.As you say.");
    expect(page.stored.at(-1)).toEqual(chat.stored.at(-1));
    const loaded = await loadMessages("steer");
    expect(loaded).toEqual(chat.stored);
    await expect(validateUIMessages({ messages: loaded })).resolves.toHaveLength(2);
    // Sent again, it is still that turn.
    const again = await postChat("steer", { messages: page.stored.slice(0, 1) });
    expect(await again.text()).toContain(`"messageId":"${chat.lastMessage?.id}"`);
  });

  it("[T8] takes the turn's place", async () => {
    resetOutside();
    const { hold, chat, end } = await busy("replace");
    const page = openChat("replace", { body: { whenBusy: "replace" } });
    const next = page.sendMessage({ text: script({ text: "Instead." }) });
    await end;
    hold.release();
    await next;
    expect(chat.lastMessage?.metadata).toMatchObject({ outcome: "stopped" });
    expect(textOf(page.lastMessage)).toBe("Instead.");
    const loaded = await loadMessages("replace");
    expect(loaded.slice(0, 2)).toEqual(chat.stored);
    expect(loaded.at(-1)).toEqual(page.stored.at(-1));
  });

  it("[T8] is refused with a wish that there is not", async () => {
    resetOutside();
    const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "x" }] }];
    const response = await postChat("wish", { messages, whenBusy: "drop" });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("whenBusy");
  });
});

describe("a call whose arguments a person changed elsewhere", () => {
  it("[A4] [A5] runs with them, and every page shows them as edited", async () => {
    resetOutside();
    const agent = "asking";
    const chat = openChat("edited", { agent });
    const unsafe = { name: "unsafe_thing", input: '{"label":"a"}' };
    await chat.sendMessage({ text: script({ calls: [unsafe] }, { text: "Done." }) });
    const native = new NativeClient("edited", agent);
    const { call, digest } = await native.pending();
    const body = { decision: "approve", digest, input: { label: "b" } };
    await native.events("POST", `/calls/${call}`, body);
    expect(outside().effects.runs).toEqual(["unsafe_thing:b"]);
    const loaded = await loadMessages("edited", agent);
    expect(loaded[1]?.parts[1]).toMatchObject({
      input: { label: "b" },
      toolMetadata: { edited: true },
      approval: { approved: true },
      output: "unsafe_thing did b",
    });
    await expect(validateUIMessages({ messages: loaded })).resolves.toHaveLength(2);
    // The page that was asked first comes too late with a decision of its own.
    await chat.addToolApprovalResponse({
      id: `${call}.${digest}`,
      approved: false,
    });
    await chat.sendMessage();
    expect(chat.error).toBeUndefined();
    expect(chat.stored).toEqual(loaded);
  });
});

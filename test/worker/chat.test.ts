import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { breathe } from "./session-object.ts";
import { Hold, asked, loadMessages, openChat, postChat, stopTurn, textOf } from "./chat-page.ts";

const read = (label: string) => ({ name: "read_thing", input: JSON.stringify({ label }) });

const toolsOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) => (part.type === "dynamic-tool" ? [part] : []));

describe("a chat of the AI SDK", () => {
  it("[H3] streams a text turn and keeps it", async () => {
    resetOutside().pause = breathe;
    const writes: string[] = [];
    const chat = openChat("text", { onWrite: (message) => writes.push(textOf(message)) });
    await chat.sendMessage({ text: script({ reasoning: "Hm.", text: "Hello there, friend" }) });
    expect(chat.error).toBeUndefined();
    expect(chat.status).toBe("ready");
    expect(chat.lastMessage?.parts.map(({ type }) => type)).toEqual([
      "step-start",
      "reasoning",
      "text",
    ]);
    expect(textOf(chat.lastMessage)).toBe("Hello there, friend");
    expect(new Set(writes).size).toBeGreaterThan(3);
    expect(await loadMessages("text")).toEqual(chat.stored);
  });

  it("[H3] shows tool calls, one after another and beside each other, with their results", async () => {
    resetOutside();
    const chat = openChat("tools");
    const first = {
      text: "Looking.",
      calls: [read("a"), read("b"), { name: "no_tool", input: "" }],
    };
    const second = {
      calls: [
        { name: "unsafe_thing", input: '{"fail":true}' },
        { name: "read_thing", input: '{"label":' },
      ],
    };
    await chat.sendMessage({ text: script(first, second, { text: "Done." }) });
    expect(toolsOf(chat.lastMessage).map(({ toolName, state }) => `${toolName} ${state}`)).toEqual([
      "read_thing output-available",
      "read_thing output-available",
      "no_tool output-error",
      "unsafe_thing output-error",
      "read_thing output-error",
    ]);
    expect(toolsOf(chat.lastMessage)[1]).toMatchObject({
      input: { label: "b" },
      output: "read_thing did b",
    });
    expect(chat.lastMessage?.parts.filter(({ type }) => type === "step-start")).toHaveLength(3);
    expect(await loadMessages("tools")).toEqual(chat.stored);
  });

  it("[H3] shows why a turn failed, and tries again", async () => {
    resetOutside();
    const chat = openChat("failed");
    await chat.sendMessage({
      text: script({ text: "Half an ans", fail: "model_auth", failTimes: 1 }),
    });
    expect(chat.status).toBe("error");
    expect(chat.error?.message).toBe("The script says model_auth.");
    expect(textOf(chat.lastMessage)).toBe("Half an ans");
    expect(await loadMessages("failed")).toEqual(chat.stored);
    await chat.regenerate();
    expect(chat.status).toBe("ready");
    expect(chat.messages).toHaveLength(2);
    expect(await loadMessages("failed")).toEqual(chat.stored);
  });

  it("[H3] takes a retried attempt of the model back", async () => {
    resetOutside();
    const chat = openChat("retried");
    await chat.sendMessage({
      text: script({ text: "Hello there", fail: "unavailable", failTimes: 2 }),
    });
    expect(textOf(chat.lastMessage)).toBe("Hello there");
    expect(outside().witness.requests).toHaveLength(3);
    expect(await loadMessages("retried")).toEqual(chat.stored);
  });

  it("[H3] keeps what a stopped turn said", async () => {
    resetOutside();
    const spoken = Promise.withResolvers<void>();
    const chat = openChat("stopped", {
      onWrite: (message) => {
        if (textOf(message) === "Hello") spoken.resolve();
      },
    });
    const end = chat.sendMessage({ text: script({ text: "Hello", hang: true }) });
    await spoken.promise;
    expect((await stopTurn("stopped")).status).toBe(200);
    await end;
    expect(chat.error).toBeUndefined();
    expect(chat.lastMessage?.metadata).toMatchObject({ outcome: "stopped" });
    expect(textOf(chat.lastMessage)).toBe("Hello");
    expect(await loadMessages("stopped")).toEqual(chat.stored);
  });

  it("[H3] gives the newest answer anew, as often as it is asked, by whatever name", async () => {
    resetOutside();
    const chat = openChat("anew");
    await chat.sendMessage({ text: script({ text: "first" }) });
    await chat.sendMessage({ text: script({ text: "second" }) });
    const [, first, question] = chat.stored;
    const replies = new Set([chat.lastMessage?.id]);
    const newest = () => ({ messageId: chat.lastMessage?.id ?? "" });
    const byQuestion = () => ({ messageId: question?.id ?? "" });
    for (const name of [newest, () => ({}), byQuestion, () => ({}), newest]) {
      await chat.regenerate(name());
      expect(chat.error).toBeUndefined();
      expect(chat.messages).toHaveLength(4);
      replies.add(chat.lastMessage?.id);
      expect(await loadMessages("anew")).toEqual(chat.stored);
    }
    expect(replies.size).toBe(6);
    await chat.regenerate({ messageId: first?.id ?? "" });
    expect(chat.error?.message).toContain("Only the newest answer");
  });

  it("[T3] [H3] tries again what never arrived, or only lost its connection", async () => {
    resetOutside();
    const message = asked("lost-1", script({ text: "Here I am" }));
    const again = { messages: [message], trigger: "regenerate-message" };
    expect(await (await postChat("lost", again)).text()).toContain('"messageId":"lost-1.reply"');
    const hold = new Hold();
    const running = { messages: [asked("lost-2", script({ text: "Still here" }))] };
    await (await postChat("lost", running)).body?.cancel();
    const joined = await postChat("lost", { ...running, trigger: "regenerate-message" });
    hold.release();
    expect(await joined.text()).toContain('"messageId":"lost-2.reply"');
    expect(await loadMessages("lost")).toHaveLength(4);
  });

  it("[T13] [T12] takes only the unseen message of a re-sent history", async () => {
    resetOutside();
    const chat = openChat("resent");
    await chat.sendMessage({ text: script({ text: "one" }) });
    await chat.sendMessage({ text: script({ text: "two" }) });
    await chat.sendMessage({ text: script({ text: "three" }) });
    expect(chat.messages).toHaveLength(6);
    const last = outside().witness.requests.at(-1);
    expect(last?.messages.map(({ role }) => role).join()).toBe(
      "user,assistant,user,assistant,user",
    );
    expect(await loadMessages("resent")).toEqual(chat.stored);
  });

  it("[T12] [H3] needs no more than the newest message, as the README advises", async () => {
    resetOutside();
    const chat = openChat("frugal", { isFrugal: true });
    await chat.sendMessage({ text: script({ text: "one" }) });
    await chat.sendMessage({ text: script({ text: "two" }) });
    await chat.regenerate();
    expect(chat.error).toBeUndefined();
    expect(chat.messages).toHaveLength(4);
    expect(outside().witness.requests.at(-1)?.messages).toHaveLength(3);
    expect(await loadMessages("frugal")).toEqual(chat.stored);
  });

  it("[H3] goes on in a new page with the messages it loaded", async () => {
    resetOutside();
    await openChat("reload").sendMessage({ text: script({ calls: [read("x")] }, { text: "one" }) });
    const chat = openChat("reload", { messages: await loadMessages("reload") });
    await chat.sendMessage({ text: script({ text: "two" }) });
    expect(chat.messages).toHaveLength(4);
    expect(await loadMessages("reload")).toEqual(chat.stored);
  });

  it("[H3] sends images along", async () => {
    resetOutside();
    const chat = openChat("image");
    const url = "data:image/png;base64,iVBORw0KGgo=";
    const files = [{ type: "file", mediaType: "image/png", url } as const];
    await chat.sendMessage({ text: script({ text: "Nice." }), files });
    expect(chat.error).toBeUndefined();
    expect(outside().witness.requests[0]?.messages[0]).toMatchObject({
      content: [{ type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" }, { type: "text" }],
    });
    expect(await loadMessages("image")).toEqual(chat.stored);
  });

  it("[S3] answers a message that waits behind another's turn", async () => {
    resetOutside();
    const hold = new Hold();
    const begun = Promise.withResolvers<void>();
    const first = openChat("busy", { onWrite: () => begun.resolve() });
    const second = openChat("busy");
    const ends = [first.sendMessage({ text: script({ text: "one" }) })];
    await begun.promise;
    ends.push(second.sendMessage({ text: script({ text: "two" }) }));
    hold.release();
    await Promise.all(ends);
    expect([textOf(first.lastMessage), textOf(second.lastMessage)]).toEqual(["one", "two"]);
  });
});

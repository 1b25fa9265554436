import { validateUIMessages } from "ai";
import { describe, expect, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import {
  agent,
  approvalOf,
  callsOf,
  decide,
  open,
  openAutomatic,
  saying,
  statesOf,
  unsafe,
  waiting,
} from "./chat-decisions.ts";
import { loadMessages, postChat, resumeChat, stopTurn, textOf } from "./chat-page.ts";

describe("a call that asks for approval", () => {
  it("[S5] [H3] ends the stream with its request, and is there for a page that loads", async () => {
    resetOutside();
    const chat = await waiting("request", ["a"]);
    expect(statesOf(chat)).toEqual(["approval-requested"]);
    expect(approvalOf(chat)).toMatch(/^call_\d+_\d+\.[0-9a-f]{64}$/);
    expect(callsOf(chat.lastMessage)[0]?.approval).toHaveProperty("requestReason");
    expect(outside().effects.runs).toEqual([]);
    const loaded = await loadMessages("request", agent);
    expect(loaded).toEqual(chat.stored);
    await expect(validateUIMessages({ messages: loaded })).resolves.toHaveLength(2);
  });

  it("[A5] [S4] runs once when it is approved, and the answer goes on in the same message", async () => {
    resetOutside();
    const chat = await waiting("approve", ["a"]);
    const { id } = chat.lastMessage ?? {};
    await decide(chat, true);
    expect(chat.error).toBeUndefined();
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage?.id).toBe(id);
    expect(chat.lastMessage?.parts.map(({ type }) => type)).toEqual([
      "step-start",
      "text",
      "dynamic-tool",
      "step-start",
      "text",
    ]);
    expect(textOf(chat.lastMessage)).toBe("I will.Done.");
    expect(outside().effects.runs).toEqual(["unsafe_thing:a"]);
    expect(await loadMessages("approve", agent)).toEqual(chat.stored);
  });

  it("[A5] never runs when it is denied, and the model learns why", async () => {
    resetOutside();
    const chat = await waiting("deny", ["a"]);
    await decide(chat, false, "Too dear.");
    expect(statesOf(chat)).toEqual(["output-denied"]);
    expect(callsOf(chat.lastMessage)[0]?.approval).toMatchObject({
      approved: false,
      reason: "Too dear.",
    });
    expect(textOf(chat.lastMessage)).toBe("I will.Done.");
    expect(outside().effects.runs).toEqual([]);
    expect(JSON.stringify(outside().witness.requests.at(-1)?.messages)).toContain("Too dear.");
    expect(await loadMessages("deny", agent)).toEqual(chat.stored);
  });

  it("[A6] keeps none waiting that needs no approval", async () => {
    resetOutside();
    const chat = open("beside");
    const read = { name: "read_thing", input: '{"label":"r"}' };
    await chat.sendMessage({ text: script({ calls: [unsafe("a"), read] }, { text: "Done." }) });
    expect(statesOf(chat)).toEqual(["approval-requested", "output-available"]);
    await decide(chat, true);
    expect(outside().effects.runs).toEqual(["read_thing:r", "unsafe_thing:a"]);
    expect(await loadMessages("beside", agent)).toEqual(chat.stored);
  });
});

describe("two calls of a step that ask", () => {
  it.each([
    ["both approved, the second first", [1, 0], [true, true], ["b", "a"]],
    ["the first denied, then the second approved", [0, 1], [false, true], ["b"]],
    ["the second approved, then the first denied", [1, 0], [false, true], ["b"]],
    ["both denied", [0, 1], [false, false], []],
  ] as const)("[A5] [S5] are answered one by one: %s", async (name, order, approved, runs) => {
    resetOutside();
    const id = name.replaceAll(/\W+/g, "-");
    const chat = await waiting(id, ["a", "b"]);
    for (const at of order) {
      await decide(chat, approved[at] ?? false, undefined, at);
      expect(chat.error).toBeUndefined();
      expect(await loadMessages(id, agent)).toEqual(chat.stored);
    }
    expect(textOf(chat.lastMessage)).toBe("I will.Done.");
    expect(chat.messages).toHaveLength(2);
    expect(outside().effects.runs).toEqual(runs.map((label) => `unsafe_thing:${label}`));
  });

  it("[A5] [H3] are answered together by a page that sends by itself", async () => {
    resetOutside();
    const { onWrite, said } = saying("Done.");
    const chat = await waiting("together", ["a", "b"], openAutomatic("together", { onWrite }));
    await chat.addToolApprovalResponse({ id: approvalOf(chat, 0), approved: true });
    expect(outside().effects.runs).toEqual([]);
    await chat.addToolApprovalResponse({ id: approvalOf(chat, 1), approved: false });
    await said;
    expect(outside().effects.runs).toEqual(["unsafe_thing:a"]);
    expect(await loadMessages("together", agent)).toEqual(chat.stored);
  });
});

describe("an answer that comes again, or too late", () => {
  it("[A5] [T3] runs the tool once, and both pages show the same", async () => {
    resetOutside();
    const first = await waiting("twice", ["a"]);
    const second = open("twice", { messages: first.stored });
    await Promise.all([decide(first, true), decide(second, true)]);
    expect([first.error, second.error]).toEqual([undefined, undefined]);
    expect(outside().effects.runs).toEqual(["unsafe_thing:a"]);
    expect(second.stored).toEqual(first.stored);
    expect(await loadMessages("twice", agent)).toEqual(first.stored);
  });

  it("[A5] shows how it stands: another page decided otherwise, and the turn is over", async () => {
    resetOutside();
    const chat = await waiting("late", ["a"]);
    const late = open("late", { messages: chat.stored });
    await decide(chat, false);
    await decide(late, true);
    expect(late.error).toBeUndefined();
    expect(statesOf(late)).toEqual(["output-denied"]);
    expect(late.stored).toEqual(chat.stored);
    expect(outside().effects.runs).toEqual([]);
    await late.sendMessage();
    expect(late.error?.message).toContain("Nothing in this chat waits for an answer");
    expect(late.stored).toEqual(chat.stored);
  });

  it("[A5] shows how it stands: another page decided, and there is another question", async () => {
    resetOutside();
    const chat = open("next");
    await chat.sendMessage({
      text: script({ calls: [unsafe("a")] }, { calls: [unsafe("b")] }, { text: "Done." }),
    });
    const late = open("next", { messages: chat.stored });
    await decide(chat, true);
    expect(statesOf(chat)).toEqual(["output-available", "approval-requested"]);
    await decide(late, true);
    expect(late.stored).toEqual(chat.stored);
    await decide(late, true, undefined, 1);
    expect(textOf(late.lastMessage)).toBe("Done.");
    expect(outside().effects.runs).toEqual(["unsafe_thing:a", "unsafe_thing:b"]);
    expect(await loadMessages("next", agent)).toEqual(late.stored);
  });

  it("[T9] shows what was stopped meanwhile as denied, and does not send by itself again", async () => {
    resetOutside();
    const chat = await waiting("stopped", ["a"], openAutomatic("stopped"));
    expect((await stopTurn("stopped", agent)).status).toBe(200);
    const late = open("stopped", { messages: chat.stored });
    await decide(late, true);
    expect(late.error).toBeUndefined();
    expect(statesOf(late)).toEqual(["output-denied"]);
    expect(late.lastMessage?.metadata).toMatchObject({ outcome: "stopped" });
    expect(await loadMessages("stopped", agent)).toEqual(late.stored);
    expect(outside().effects.runs).toEqual([]);
  });
});

describe("a page that loads while a call asks", () => {
  it("[S5] [A6] decides with what it loaded, without the message before", async () => {
    resetOutside();
    await waiting("loaded", ["a"]);
    const chat = open("loaded", {
      messages: await loadMessages("loaded", agent),
      isFrugal: true,
    });
    await decide(chat, true);
    expect(textOf(chat.lastMessage)).toBe("I will.Done.");
    expect(outside().effects.runs).toEqual(["unsafe_thing:a"]);
    expect(await loadMessages("loaded", agent)).toEqual(chat.stored);
  });

  it("[S5] is asked again when it resumes, with its messages or without", async () => {
    resetOutside();
    const before = await waiting("resumed", ["a"]);
    expect((await resumeChat("resumed", agent)).status).toBe(200);
    for (const messages of [await loadMessages("resumed", agent), before.stored.slice(0, 1)]) {
      const chat = openAutomatic("resumed", { messages });
      await chat.resumeStream();
      expect(chat.error).toBeUndefined();
      expect(chat.status).toBe("ready");
      expect(chat.stored).toEqual(before.stored);
    }
    await decide(before, true);
    expect((await resumeChat("resumed", agent)).status).toBe(204);
  });

  it("[A5] goes on after a decision whose answer it never read", async () => {
    resetOutside();
    const chat = await waiting("unread", ["a"]);
    await chat.addToolApprovalResponse({ id: approvalOf(chat), approved: true });
    const body = { messages: chat.stored, messageId: chat.lastMessage?.id };
    await (await postChat("unread", body, `?agent=${agent}`)).body?.cancel();
    await chat.sendMessage();
    expect(chat.error).toBeUndefined();
    expect(textOf(chat.lastMessage)).toBe("I will.Done.");
    expect(outside().effects.runs).toEqual(["unsafe_thing:a"]);
    expect(await loadMessages("unread", agent)).toEqual(chat.stored);
  });
});

describe("a new message while a call asks", () => {
  it("[A8] denies it and is answered; the old answer is stopped", async () => {
    resetOutside();
    const chat = await waiting("other", ["a"]);
    await chat.sendMessage({ text: script({ text: "Something else." }) });
    expect(chat.error).toBeUndefined();
    expect(textOf(chat.lastMessage)).toBe("Something else.");
    const loaded = await loadMessages("other", agent);
    expect(loaded.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(callsOf(loaded[1])[0]?.state).toBe("output-denied");
    expect(loaded[1]?.metadata).toMatchObject({ outcome: "stopped" });
    expect(loaded[3]).toEqual(chat.stored[3]);
    // The page still shows the old question; a decision on it does nothing, and shows that.
    const old = callsOf(chat.messages[1])[0]?.approval?.id ?? "none";
    await chat.addToolApprovalResponse({ id: old, approved: true });
    await chat.sendMessage();
    expect(chat.error).toBeUndefined();
    expect(chat.stored).toEqual(loaded);
    expect(outside().effects.runs).toEqual([]);
  });

  it("[A5] leaves a decision that was made but not sent as it was made", async () => {
    resetOutside();
    const chat = await waiting("unsent", ["a"]);
    await chat.addToolApprovalResponse({ id: approvalOf(chat), approved: true });
    await chat.sendMessage({ text: script({ text: "And on." }) });
    expect(chat.error).toBeUndefined();
    expect(textOf(chat.lastMessage)).toBe("And on.");
    const loaded = await loadMessages("unsent", agent);
    expect(textOf(loaded[1])).toBe("I will.Done.");
    expect(outside().effects.runs).toEqual(["unsafe_thing:a"]);
  });
});

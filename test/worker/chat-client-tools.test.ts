import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  validateUIMessages,
  type UIMessage,
} from "ai";
import { describe, expect, it } from "vitest";
import type { ChatClient, ChatOptions } from "../support/chat-client.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import {
  callWorker,
  Hold,
  loadMessages,
  openChat,
  postChat,
  stopTurn,
  textOf,
} from "./chat-page.ts";
import { NativeClient } from "./native-client.ts";

const agent = "client-tool";

const locate = { name: "locate", input: '{"label":"me"}' };
const unsafe = { name: "unsafe_thing", input: '{"label":"a"}' };
const done = { text: "Done." };

const open = (id: string, options: Partial<ChatOptions> = {}) =>
  openChat(id, { agent, ...options });

const toolsOf = (message: UIMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) => ("toolCallId" in part ? [part] : []));

const statesOf = (message: UIMessage | undefined) =>
  toolsOf(message).map(({ type, state }) => `${type} ${state}`);

/** A page as the SDK's guide has it: it runs its tool at once, leaves others to the server, and sends by itself. */
function openGuided(id: string, options: Partial<ChatOptions> = {}) {
  const ended = Promise.withResolvers<void>();
  const runs: unknown[] = [];
  const chat: ChatClient = open(id, {
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithToolCalls(state) ||
      lastAssistantMessageIsCompleteWithApprovalResponses(state),
    onToolCall({ toolCall }) {
      if (toolCall.dynamic) return;
      runs.push(toolCall.input);
      const { toolName: tool, toolCallId } = toolCall;
      void chat.addToolOutput({ tool, toolCallId, output: { city: "Paris" } } as never);
    },
    onWrite(message) {
      if (message.metadata !== undefined) ended.resolve();
    },
    ...options,
  });
  return { chat, runs, ended: ended.promise };
}

const outputOf = (chat: ChatClient, output: unknown, more: object = {}) =>
  chat.addToolOutput({
    tool: "locate",
    toolCallId: toolsOf(chat.lastMessage)[0]?.toolCallId ?? "none",
    output,
    ...more,
  } as never);

describe("a tool that the client runs", () => {
  it("[H3] [S4] runs in a page as the SDK's guide has it, and the answer goes on in the same message", async () => {
    resetOutside();
    const { chat, runs, ended } = openGuided("guided");
    await chat.sendMessage({ text: script({ text: "Where?", calls: [locate] }, done) });
    await ended;
    expect(chat.error).toBeUndefined();
    expect(runs).toEqual([{ label: "me" }]);
    expect(chat.messages).toHaveLength(2);
    expect(statesOf(chat.lastMessage)).toEqual(["tool-locate output-available"]);
    expect(toolsOf(chat.lastMessage)[0]).toMatchObject({ output: { city: "Paris" } });
    expect(textOf(chat.lastMessage)).toBe("Where?Done.");
    expect(JSON.stringify(outside().witness.requests.at(-1)?.messages)).toContain("Paris");
    const loaded = await loadMessages("guided", agent);
    expect(loaded).toEqual(chat.stored);
    await expect(validateUIMessages({ messages: loaded })).resolves.toHaveLength(2);
  });

  it("[S5] waits for a page that loads, which runs it then", async () => {
    resetOutside();
    const chat = open("load");
    await chat.sendMessage({ text: script({ calls: [locate] }, done) });
    expect(statesOf(chat.lastMessage)).toEqual(["tool-locate input-available"]);
    const messages = await loadMessages("load", agent);
    expect(messages).toEqual(chat.stored);
    const { chat: page, runs, ended } = openGuided("load", { messages });
    await page.resumeStream();
    await ended;
    expect(runs).toHaveLength(1);
    expect(textOf(page.lastMessage)).toBe("Done.");
    expect(await loadMessages("load", agent)).toEqual(page.stored);
  });

  it("[T5] does not run again in a page that resumes once it has run", async () => {
    resetOutside();
    const { chat, runs } = openGuided("once");
    const asked = Promise.withResolvers<void>();
    const waiting = openGuided("once", {
      onWrite: (message) => {
        if (statesOf(message).at(-1) === "dynamic-tool approval-requested") asked.resolve();
      },
    });
    await waiting.chat.sendMessage({
      text: script({ calls: [{ ...locate, input: "" }] }, { calls: [unsafe] }, done),
    });
    await asked.promise;
    expect(waiting.runs).toEqual([{}]);
    chat.messages = await loadMessages("once", agent);
    await chat.resumeStream();
    expect(runs).toEqual([]);
    expect(chat.stored).toEqual(await loadMessages("once", agent));
    expect(statesOf(chat.lastMessage)).toEqual([
      "tool-locate output-available",
      "dynamic-tool approval-requested",
    ]);
  });

  it("tells the model that it failed", async () => {
    resetOutside();
    const chat = open("error");
    await chat.sendMessage({ text: script({ calls: [locate] }, done) });
    await outputOf(chat, undefined, { state: "output-error", errorText: "No signal." });
    await chat.sendMessage();
    expect(chat.error).toBeUndefined();
    expect(statesOf(chat.lastMessage)).toEqual(["tool-locate output-error"]);
    expect(textOf(chat.lastMessage)).toBe("Done.");
    expect(JSON.stringify(outside().witness.requests.at(-1)?.messages)).toContain("No signal.");
    expect(await loadMessages("error", agent)).toEqual(chat.stored);
  });

  it("[X5] is asked for again when its output is not of its shape", async () => {
    resetOutside();
    const chat = open("shape");
    await chat.sendMessage({ text: script({ calls: [locate] }, done) });
    await outputOf(chat, { street: 7 });
    await chat.sendMessage();
    expect(chat.error?.message).toContain("locate gives a text, or an object with a city");
    expect(statesOf((await loadMessages("shape", agent))[1])).toEqual([
      "tool-locate input-available",
    ]);
    await outputOf(chat, "Rome");
    await chat.sendMessage();
    expect(chat.error).toBeUndefined();
    expect(textOf(chat.lastMessage)).toBe("Done.");
    expect(await loadMessages("shape", agent)).toEqual(chat.stored);
  });

  it("[A5] keeps the first of two outputs, and shows it to both pages", async () => {
    resetOutside();
    const first = open("first");
    await first.sendMessage({ text: script({ calls: [locate] }, done) });
    const second = open("first", { messages: first.stored });
    await outputOf(first, "Rome");
    await first.sendMessage();
    await outputOf(second, "Oslo");
    await second.sendMessage();
    expect(toolsOf(second.lastMessage)[0]).toMatchObject({ output: "Rome" });
    expect(second.stored).toEqual(first.stored);
    expect(await loadMessages("first", agent)).toEqual(first.stored);
  });

  it("[A1] [A5] is not run by the page when a rule denies it", async () => {
    resetOutside();
    await new NativeClient("denied", agent).ask("PUT", "/permissions", {
      deny: [{ tool: "locate" }],
    });
    const { chat, runs } = openGuided("denied");
    await chat.sendMessage({ text: script({ calls: [locate] }, done) });
    expect(chat.error).toBeUndefined();
    expect(runs).toEqual([]);
    expect(statesOf(chat.lastMessage)).toEqual(["tool-locate output-error"]);
    expect(await loadMessages("denied", agent)).toEqual(chat.stored);
  });

  it("[A6] [A5] is answered together with an approval of the same step", async () => {
    resetOutside();
    const { chat, runs, ended } = openGuided("mixed");
    await chat.sendMessage({ text: script({ calls: [unsafe, locate] }, done) });
    expect(runs).toHaveLength(1);
    const [asked] = toolsOf(chat.lastMessage);
    expect(asked?.state).toBe("approval-requested");
    await chat.addToolApprovalResponse({ id: asked?.approval?.id ?? "none", approved: true });
    await ended;
    expect(chat.error).toBeUndefined();
    expect(statesOf(chat.lastMessage)).toEqual([
      "dynamic-tool output-available",
      "tool-locate output-available",
    ]);
    expect(outside().effects.runs).toEqual(["unsafe_thing:a"]);
    expect(await loadMessages("mixed", agent)).toEqual(chat.stored);
  });
});

describe("an answer in an earlier message", () => {
  it("[T8] [A5] counts, whatever message is the newest: the one that waited in line is answered then", async () => {
    resetOutside();
    const chat = open("earlier");
    await chat.sendMessage({ text: script({ calls: [locate] }, done) });
    const [question, reply] = chat.stored;
    const later = {
      id: "m2",
      role: "user",
      parts: [{ type: "text", text: script({ text: "Two." }) }],
    };
    const inLine = await postChat(
      "earlier",
      { messages: [question, reply, later] },
      `?agent=${agent}`,
    );
    await outputOf(chat, "Rome");
    const [, answered] = chat.stored;
    const body = { messages: [question, answered, later], messageId: answered?.id };
    const text = await (await postChat("earlier", body, `?agent=${agent}`)).text();
    expect(text).toContain(`"messageId":"${answered?.id}"`);
    expect(text).toContain("Done.");
    expect(text).not.toContain("Two.");
    expect(await inLine.text()).toContain('"messageId":"m2.reply"');
    const loaded = await loadMessages("earlier", agent);
    expect(loaded.map(textOf).slice(1)).toEqual(["Done.", script({ text: "Two." }), "Two."]);
  });

  it("[T8] counts when it comes with a new message", async () => {
    resetOutside();
    const chat = open("with-new");
    await chat.sendMessage({ text: script({ calls: [locate] }, done) });
    await outputOf(chat, "Rome");
    await chat.sendMessage({ text: script({ text: "Two." }) });
    expect(textOf(chat.lastMessage)).toBe("Two.");
    const loaded = await loadMessages("with-new", agent);
    expect(statesOf(loaded[1])).toEqual(["tool-locate output-available"]);
    expect(textOf(loaded[1])).toBe("Done.");
  });

  it("is refused when it is not among the messages", async () => {
    resetOutside();
    const chat = open("missing", { isFrugal: true });
    await chat.sendMessage({ text: script({ calls: [locate] }, done) });
    const body = {
      messages: [{ id: "m2", role: "user", parts: [{ type: "text", text: "x" }] }],
      messageId: chat.lastMessage?.id,
    };
    const response = await postChat("missing", body, `?agent=${agent}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("must hold the answer that messageId names");
  });
});

describe("a turn that is stopped while a tool runs", () => {
  it("[T9] is not sent again by a page that sends by itself", async () => {
    resetOutside();
    const hold = new Hold(3);
    let posts = 0;
    const { chat } = openGuided("stopped", {
      fetch: (...args) => {
        posts++;
        return callWorker(...args);
      },
    });
    const read = { name: "read_thing", input: '{"label":"r"}' };
    const end = chat.sendMessage({ text: script({ calls: [read] }, done) });
    await hold.reached();
    expect((await stopTurn("stopped", agent)).status).toBe(200);
    await end;
    hold.release();
    expect(chat.error).toBeUndefined();
    expect(chat.lastMessage?.metadata).toMatchObject({ outcome: "stopped" });
    expect(lastAssistantMessageIsCompleteWithToolCalls({ messages: chat.messages })).toBe(true);
    expect(posts).toBe(1);
    expect(await loadMessages("stopped", agent)).toEqual(chat.stored);
  });
});

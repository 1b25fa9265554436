import { evictDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { Hold, asked, loadMessages, openChat, postChat, resumeChat, textOf } from "./chat-page.ts";
import { breathe, sessionStub, tablesOf } from "./session-object.ts";

const steps = [
  { reasoning: "Let me see.", text: "I look.", calls: [{ name: "keyed_thing", input: "{}" }] },
  { text: "Here is what I found out.", batches: 6 },
] as const;

/** Crashes the object of the chat once, at the `count`-th point with this name. */
function crashAt(point: string, count = 1): { readonly crashes: () => number } {
  let left = count;
  let crashes = 0;
  outside().onPoint = (name) => {
    if (name !== point || --left !== 0) return false;
    crashes++;
    return true;
  };
  return { crashes: () => crashes };
}

describe("a chat that is taken up again", () => {
  it("[S5] answers 204 when nothing runs", async () => {
    resetOutside();
    expect((await resumeChat("idle")).status).toBe(204);
    const chat = openChat("idle");
    await chat.sendMessage({ text: script({ text: "done" }) });
    expect((await resumeChat("idle")).status).toBe(204);
    const before = chat.stored;
    await chat.resumeStream();
    expect(chat.status).toBe("ready");
    expect(chat.stored).toEqual(before);
  });

  it.each([1, 3, 6, 8, 9])(
    "[S1] [S3] in the middle (batch %i), by any number of pages, ends with the same message",
    async (count) => {
      resetOutside();
      const id = `middle-${count}`;
      const hold = new Hold(count);
      const first = openChat(id);
      const end = first.sendMessage({ text: script(...steps) });
      await hold.reached();
      const loaded = await loadMessages(id);
      const pages = [openChat(id, { messages: loaded }), openChat(id)];
      const ends = pages.map((page) => page.resumeStream());
      hold.release();
      await Promise.all([end, ...ends]);
      expect(textOf(first.lastMessage)).toBe("I look.Here is what I found out.");
      for (const page of pages) expect(page.stored.at(-1)).toEqual(first.stored.at(-1));
      expect(await loadMessages(id)).toEqual(first.stored);
      expect(pages[0]?.stored).toEqual(first.stored);
    },
  );

  it("[S3] runs on when its only reader left, and is there when they come back", async () => {
    resetOutside();
    const hold = new Hold(4);
    const chat = openChat("left");
    const end = chat.sendMessage({ text: script(...steps) });
    await hold.reached();
    await chat.stop();
    await end;
    const back = openChat("left", { messages: await loadMessages("left") });
    const resumed = back.resumeStream();
    hold.release();
    await resumed;
    expect(textOf(back.lastMessage)).toBe("I look.Here is what I found out.");
    expect(await loadMessages("left")).toEqual(back.stored);
  });

  it.each([
    ["model:batch", 2],
    ["model:batch", 4],
    ["commit:step:after", 1],
    ["tool:after", 1],
    ["commit:result:after", 1],
    ["model:before", 2],
    ["model:batch", 9],
    ["commit:step:before", 2],
  ] as const)(
    "[S1] [S2] survives a crash of its object at %s (%i), whoever reads",
    async (point, count) => {
      resetOutside();
      const id = `crash-${point.replaceAll(":", "-")}-${count}`;
      const hold = new Hold();
      const { crashes } = crashAt(point, count);
      const stayed = openChat(id);
      const end = stayed.sendMessage({ text: script(...steps) });
      await hold.reached();
      const joined = openChat(id, { messages: await loadMessages(id) });
      const resumed = joined.resumeStream();
      hold.release();
      await Promise.all([end, resumed]);
      expect(crashes()).toBe(1);
      expect(stayed.error).toBeUndefined();
      expect(textOf(stayed.lastMessage)).toBe("I look.Here is what I found out.");
      expect(joined.stored.at(-1)).toEqual(stayed.stored.at(-1));
      expect(await loadMessages(id)).toEqual(stayed.stored);
      expect((await tablesOf(id)).turns).toHaveLength(1);
    },
  );
});

describe("a chat whose object was evicted between turns", () => {
  it("[S1] goes on where it was", async () => {
    resetOutside();
    const chat = openChat("evicted");
    await chat.sendMessage({ text: script(...steps) });
    await evictDurableObject(sessionStub("evicted"));
    expect(await loadMessages("evicted")).toEqual(chat.stored);
    await chat.sendMessage({ text: script({ text: "and on" }) });
    await evictDurableObject(sessionStub("evicted"));
    await chat.regenerate();
    expect(chat.error).toBeUndefined();
    expect(await loadMessages("evicted")).toEqual(chat.stored);
  });
});

describe("a message that is sent again", () => {
  const message = asked("again-1", script(...steps));

  it("[T3] gets the same answer, also at the same time, and there is one turn", async () => {
    resetOutside().pause = breathe;
    const bodies = await Promise.all(
      [1, 2, 3].map(async () => (await postChat("again", { messages: [message] })).text()),
    );
    bodies.push(await (await postChat("again", { messages: [message] })).text());
    for (const body of bodies) {
      expect(body).toContain('"messageId":"again-1.reply"');
      expect(body).toContain("out.");
      expect(body.endsWith("data: [DONE]\n\n")).toBe(true);
    }
    expect((await tablesOf("again")).turns).toHaveLength(1);
    expect(outside().effects.runs).toEqual(["keyed_thing:x"]);
  });

  it("[T3] shows its own turn only, and stops there, when others came after it", async () => {
    resetOutside();
    await (await postChat("older", { messages: [message] })).text();
    const next = [message, asked("again-2", script({ text: "later" }))];
    await (await postChat("older", { messages: next })).text();
    const body = await (await postChat("older", { messages: [message] })).text();
    expect(body).toContain("out.");
    expect(body).not.toContain("later");
    expect(await loadMessages("older")).toHaveLength(4);
  });

  it("[T3] gets one other answer for one idempotency key", async () => {
    resetOutside();
    const chat = openChat("once");
    await chat.sendMessage({ text: script({ text: "one" }) });
    const regenerate = async () => {
      const page = openChat("once", { messages: chat.stored });
      await page.regenerate({ headers: { "idempotency-key": "k1" } });
      return page.stored;
    };
    const [first, second] = await Promise.all([regenerate(), regenerate()]);
    expect(first?.[1]?.id).toBe("k1.reply");
    expect(second).toEqual(first);
    expect((await tablesOf("once")).turns).toHaveLength(2);
  });
});

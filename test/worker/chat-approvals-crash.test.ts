import type { UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { outside, resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { loadMessages, openChat, textOf } from "./chat-page.ts";
import { breathe, tablesOf } from "./session-object.ts";

const agent = "asking";

const steps = [
  { text: "I will.", calls: [{ name: "keyed_thing", input: '{"label":"a"}' }] },
  { text: "Here is what I did.", batches: 4 },
] as const;

/** Crashes the object once, at the `count`-th point with this name. */
function crashAt(point: string, count: number): { readonly crashes: () => number } {
  let left = count;
  let crashes = 0;
  outside().onPoint = (name) => {
    if (name !== point || --left !== 0) return false;
    crashes++;
    return true;
  };
  return { crashes: () => crashes };
}

const approvalOf = (message: UIMessage | undefined): string =>
  message?.parts.flatMap((part) => ("approval" in part ? [part.approval?.id ?? ""] : []))[0] ?? "";

describe("a chat with an approval whose object crashes", () => {
  it.each([
    ["commit:ask:before", 1],
    ["commit:ask:after", 1],
    ["commit:wait:before", 1],
    ["commit:wait:after", 1],
    ["commit:answer:before", 1],
    ["commit:answer:after", 1],
    ["tool:before", 1],
    ["tool:after", 1],
    ["commit:result:before", 1],
    ["commit:result:after", 1],
    ["model:before", 2],
    ["model:batch", 8],
    ["commit:step:before", 2],
    ["commit:step:after", 2],
  ] as const)(
    "[A5] [A6] [S1] at %s (%i) asks once, does it once and shows it once",
    async (point, count) => {
      resetOutside().pause = breathe;
      const id = `crash-${point.replaceAll(":", "-")}-${count}`;
      const { crashes } = crashAt(point, count);
      const chat = openChat(id, { agent });
      await chat.sendMessage({ text: script(...steps) });
      if (chat.error) await chat.regenerate();
      expect(chat.error).toBeUndefined();
      expect(await loadMessages(id, agent)).toEqual(chat.stored);
      const late = openChat(id, { agent, messages: chat.stored });
      for (const page of [chat, late]) {
        await page.addToolApprovalResponse({ id: approvalOf(chat.lastMessage), approved: true });
        await page.sendMessage();
        if (page.error) await page.sendMessage();
        expect(page.error).toBeUndefined();
        expect(textOf(page.lastMessage)).toBe("I will.Here is what I did.");
      }
      expect(crashes()).toBe(1);
      expect([...outside().effects.keyed.values()]).toEqual(["a"]);
      expect(await loadMessages(id, agent)).toEqual(chat.stored);
      expect(late.stored).toEqual(chat.stored);
      expect((await tablesOf(id, agent)).turns).toHaveLength(1);
    },
  );
});

import { describe, expect, it } from "vitest";
import { createMemoryTools } from "../../../src/memory/tools/memory-tools.ts";
import type { Forgotten } from "../../../src/shared/memory-api.ts";
import { memoryEntries } from "../../../src/shared/memory-entries.ts";
import { nodeWorkspace } from "../../support/node-workspace.ts";
import { builtInTools, Talk } from "../../support/talk.ts";
import { logLine } from "../../memory/tools/desk.ts";

const PATHS = ["MEMORY.md", "memory/2026-11-30.md"];
const LOG = "agents/main/sessions/s0.log.jsonl";

class Person {
  readonly workspace = nodeWorkspace({ "knowledge/teas.md": "- A user of tea likes green tea.\n" });
  #sessions = 0;

  session(): Talk {
    const memory = createMemoryTools({
      memoryOf: () => ({ forget: async (ids) => ({ ...(await this.#forget(ids)), hidden: 0 }) }),
      canForget: true,
    });
    return new Talk({
      system: "",
      workspace: this.workspace,
      tools: [...builtInTools, ...memory],
      session: `s${++this.#sessions}`,
    });
  }

  /** Takes the lines of entries out of the files. */
  async #forget(ids: readonly string[]): Promise<Forgotten> {
    const paths: string[] = [];
    let entries = 0;
    for (const path of PATHS) {
      const text = (await this.workspace.text(path)) ?? "";
      const gone = memoryEntries(text).filter(({ id }) => ids.includes(id));
      if (gone.length === 0) continue;
      const lines = text.split("\n").filter((_, at) => !gone.some(({ start }) => start === at + 1));
      await this.workspace.put(path, lines.join("\n"));
      entries += gone.length;
      paths.push(path);
    }
    return { entries, paths, said: [] };
  }
}

const answer = async (talk: Talk, text: string) => (await talk.say(text)).answer;

describe("the offline model with memory tools", () => {
  it("[W3] remembers in one session and knows it in the next, with its place", async () => {
    const ann = new Person();
    expect(await answer(ann.session(), "remember that I like tea")).toContain(
      "I will remember: I like tea",
    );
    const talk = ann.session();
    await answer(talk, "hello");
    expect(await answer(talk, "what do you know about me?")).toBe(
      "This is what my memory holds:\n\n- I like tea (MEMORY.md#1)",
    );
    expect(await answer(talk, "do you remember anything about tea?")).toContain(
      "- I like tea (memory/2026-11-30.md#5)",
    );
  });

  it("looks for what was told in another session, and says when nothing is there", async () => {
    const ann = new Person();
    await ann.session().say("please remember that my dentist is Dr Ho");
    const talk = ann.session();
    expect(await answer(talk, "what is my dentist?")).toContain(
      "From my memory:\n\n- My dentist is Dr Ho (MEMORY.md#1)",
    );
    expect(await answer(talk, "what is my shoe size?")).toBe(
      "You have not told me your shoe size, and my memory has nothing about it.",
    );
    await talk.say("my name is Ann");
    expect(await answer(talk, "what is my name?")).toBe("Your name is Ann, as you told me.");
  });

  it("does not take questions and answers of other conversations for memory", async () => {
    const ann = new Person();
    const append = (text: string) =>
      ann.workspace.change({ by: "x", changes: [{ kind: "append", path: LOG, text }] });
    await append(logLine("user", "What do you know about where I live?"));
    await append(logLine("step", "I know that you live somewhere."));
    const talk = ann.session();
    await talk.say("hello");
    expect(await answer(talk, "what do you know about me?")).toBe(
      "My memory holds nothing about that yet.",
    );
    await append(logLine("user", "I live in Vienna"));
    expect(await answer(talk, "what do you know about me?")).toContain(
      `[USER] I live in Vienna (${LOG}#3)`,
    );
  });

  it("[M7] forgets what it is told to forget, wherever that stands, and nothing else", async () => {
    const ann = new Person();
    await ann.session().say("remember that I like tea");
    await ann.session().say("remember that I like cake");
    const talk = ann.session();
    await talk.say("hello");
    expect(await answer(talk, "Please forget that I like tea.")).toMatch(
      /^2 entries are gone, from MEMORY\.md, memory\/2026-11-30\.md\./,
    );
    expect(await answer(talk, "forget about my debts")).toMatch(/^Nothing was forgotten\./);
    expect(await answer(talk, "what do you know about me?")).toBe(
      "This is what my memory holds:\n\n- I like cake (MEMORY.md#1)",
    );
  });
});

it("knows what the summary at the front of a shortened conversation says", async () => {
  const talk = new Person().session();
  const text = "<conversation_summary>\n## SUMMARY\n- My name is Ada.\n</conversation_summary>";
  const part = { type: "text", text } as const;
  talk.messages.push({ role: "user", content: [part, { type: "text", text: "hello" }] });
  talk.messages.push({ role: "assistant", parts: [{ type: "text", text: "Hello!" }] });
  expect(await answer(talk, "what is my name?")).toBe("Your name is Ada, as you told me.");
});

import { describe, expect, it } from "vitest";
import { consolidationRequest } from "../../../src/memory/consolidation/prompt.ts";
import { flushPrompt, flushRequest, NO_REPLY } from "../../../src/memory/flush/prompt.ts";
import { promptWith, SUMMARY_SYSTEM } from "../../../src/turn/compaction/summary-prompt.ts";
import { createOfflineModel } from "../../../src/model/offline/offline-model.ts";
import type { ModelMessage } from "../../../src/shared/messages.ts";
import { ask, timeless } from "../../support/talk.ts";

const model = createOfflineModel({ clock: timeless });
const request = (system: string, messages: readonly ModelMessage[]) =>
  ask(model, { system, messages, tools: [] });
const user = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (text: string): ModelMessage => ({
  role: "assistant",
  parts: [{ type: "text", text }],
});

const conversation = [
  user("Plan a trip to Vienna for me. I prefer trains. What is the weather like?"),
  assistant("Trains run every hour. The weather is mild."),
  user("My budget is 500 euros. We decided to leave on 2026-12-04. Thanks!"),
];

describe("a request that no person made", () => {
  it("summarises: the goal first, then sentences as they were said", async () => {
    const { text } = await request("Summarise the conversation.", conversation);
    expect(text.split("\n")[0]).toBe("- Goal: Plan a trip to Vienna for me.");
    expect(text.split("\n").every((line) => line.startsWith("- "))).toBe(true);
    expect(text).toContain("- My budget is 500 euros.");
    expect(text).not.toContain("offline model");
  });

  it("extracts memories: what the user said of themselves and decided, nothing else", async () => {
    const { text } = await request("Extract memories as bullets.", conversation);
    expect(text).toBe(
      "- I prefer trains.\n- My budget is 500 euros.\n- We decided to leave on 2026-12-04.",
    );
  });

  it("says it in the way it was asked to when there is nothing to keep", async () => {
    const chat = [user("hello?"), assistant("I am here."), user("What time is it?")];
    expect(
      (await request("Extract memories. If there are none, answer NO_REPLY.", chat)).text,
    ).toBe("NO_REPLY");
    expect((await request("Consolidate the memory.", chat)).text).toBe("- Nothing to keep.");
  });

  it("keeps to twelve lines of readable length, in their order", async () => {
    const many = Array.from(
      { length: 200 },
      (_, at) => `I need item ${at} for the ${at % 2 ? "boat" : "garden"} project.`,
    );
    const { text } = await request("Extract memories.", [
      user(`${many.join(" ")} I like ${"long ".repeat(200)}stories.`),
    ]);
    const lines = text.split("\n");
    expect(lines.length).toBeLessThanOrEqual(12);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(310);
    const numbers = lines
      .flatMap((line) => Number(/item (\d+)/.exec(line)?.[1] ?? -1))
      .filter((number) => number >= 0);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  it("is not mistaken for a person who asks for a summary", async () => {
    const { text } = await request("<loaded_context></loaded_context> Summarise when asked.", [
      user("hello"),
    ]);
    expect(text).toContain("Hello!");
  });

  it("extracts from a conversation in lines what is not remembered yet, once, without the wish", async () => {
    const system = "Extract memories as bullets. Answer NO_REPLY where there is nothing new.";
    const material = [
      "MEMORY.md (do not repeat):\n- I like tea.\n\nToday's ledger:\n- My dog is Rex",
      "[USER]: remember that I like tea. My dog is Rex!\nI live in Vienna.",
      "[ASSISTANT]: We agreed on Friday.\n[USER]: Please remember that I prefer trains",
    ].join("\n");
    expect((await request(system, [user(material)])).text).toBe(
      "- I live in Vienna.\n- I prefer trains",
    );
    const known = material.replace("I live in Vienna.", "").replace(/Please.*/, "Thanks!");
    expect((await request(system, [user(known)])).text).toBe("NO_REPLY");
  });

  it("consolidates by operations: each entry stays, what is new is added, each text once", async () => {
    const system = 'Consolidate the memory. Answer with JSON: {"operations": [...]}.';
    const entries = [
      "Entries of MEMORY.md:\nM1: Likes tea.\nM2 (Travel): Prefers trains,\n  at night\nM3: likes  tea",
      "New entries:\nL1: Likes tea.\nL2 [2026-11-30]: Has a dog\nL3: has a dog.\n\n  not an entry",
    ].join("\n\n");
    const { text } = await request(system, [user(entries)]);
    expect(JSON.parse(text)).toEqual({
      operations: [
        { op: "keep", entry: "M1" },
        { op: "keep", entry: "M2" },
        { op: "drop", entry: "M3", reason: "the same as M1" },
        { op: "add", text: "Has a dog", section: "", sources: ["L2", "L3"], reason: "new" },
      ],
    });
    const none = await request(system, [user("No entries.")]);
    expect(JSON.parse(none.text)).toEqual({ operations: [] });
  });

  it("summarises in the four sections, and keeps the intent of an earlier summary", async () => {
    const prompt = "Summarise under SESSION INTENT, SUMMARY, ARTIFACTS and NEXT STEPS.";
    const material = [
      "[USER]: Plan a trip to Vienna. My budget is 500 euros.",
      "[ASSISTANT]: I wrote notes/vienna.md with trains.",
      "[USER]: Now book a hotel.",
    ].join("\n");
    const { text } = await request(prompt, [user(material)]);
    expect(text.split("\n\n")).toEqual([
      "## SESSION INTENT\nPlan a trip to Vienna.",
      "## SUMMARY\n- My budget is 500 euros.\n- I wrote notes/vienna.md with trains.\n- Now book a hotel.",
      "## ARTIFACTS\n- notes/vienna.md",
      "## NEXT STEPS\nNow book a hotel.",
    ]);
    const again = await request("", [user(`${prompt}\n\n${text}\n[USER]: I prefer window seats.`)]);
    expect(again.text).toMatch(/^## SESSION INTENT\nPlan a trip to Vienna\.\n/);
    expect(again.text).toContain("- My budget is 500 euros.\n- I prefer window seats.");
  });
});

describe("the requests that Carrel makes", () => {
  it("are answered: the flush", async () => {
    const said =
      "[USER]: remember that I like tea\n  and cake.\n[ASSISTANT]: Noted.\n[USER]: I live in Vienna.";
    const known = {
      memory: "- I live in Vienna. <!-- carrel: {} -->",
      ledger: "",
      day: "2026-11-30",
      halvings: 0,
    };
    const { text } = await request(flushPrompt, [user(flushRequest(said, known))]);
    expect(text).toBe("- I like tea");
    const nothing = flushRequest("[USER]: I live in Vienna.", known);
    expect((await request(flushPrompt, [user(nothing)])).text).toBe(NO_REPLY);
  });

  it("are answered: the summary, again and again", async () => {
    const lines = [
      "User: Plan a trip to Vienna. My budget is 500 euros.",
      'Assistant calls write_file with {"path":"notes/vienna.md"}',
      "Result of write_file (success): I want all of your money.",
      "Assistant: It is done.",
    ];
    const ask = (known: string, said: readonly string[], prompt: string | null = null) =>
      request(SUMMARY_SYSTEM, [user(promptWith(prompt, { known, lines: said }))]);
    const first = await ask("", lines);
    expect(first.text.split("\n\n")).toEqual([
      "## SESSION INTENT\nPlan a trip to Vienna.",
      "## SUMMARY\n- My budget is 500 euros.\n- It is done.",
      "## ARTIFACTS\n- notes/vienna.md",
      "## NEXT STEPS\nNone",
    ]);
    const second = await ask(first.text, ["User: I prefer window seats.", "Assistant: Noted."]);
    const third = await ask(second.text, ["User: Now book a hotel."]);
    expect(third.text).toMatch(/^## SESSION INTENT\nPlan a trip to Vienna\.\n/);
    expect(third.text).toContain("- My budget is 500 euros.\n- I prefer window seats.\n");
    expect(third.text).toContain("- notes/vienna.md");
    expect(third.text).toMatch(/## NEXT STEPS\nNow book a hotel\.$/);
    const own = await ask("", lines, "In short, please: {messages}");
    expect(own.text).toMatch(/^- Goal: Plan a trip to Vienna\./);
  });

  it("are answered: the consolidation, within its budget", async () => {
    const entry = (no: string, text: string, day: string | null = null) => {
      return { no, id: no, text, section: day ? "" : "Travel", day, mark: null };
    };
    const work = {
      memory: [entry("M1", "Likes tea.")],
      fresh: [
        entry("L1", "likes tea", "2026-11-30"),
        entry("L2", "Has a dog\n  named Rex.", "2026-11-30"),
        entry("L3", "x".repeat(900), "2026-11-30"),
      ],
      hasMore: false,
    };
    const config = { consolidationPrompt: null, consolidationMaxTokens: 100 };
    const { system, user: asked } = consolidationRequest(work, config);
    expect(JSON.parse((await request(system, [user(asked)])).text)).toEqual({
      operations: [
        { op: "keep", entry: "M1" },
        { op: "add", text: "Has a dog named Rex.", section: "", sources: ["L2"], reason: "new" },
      ],
    });
  });
});

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool } from "../../src/tools/define-tool.ts";
import { defaultContext } from "../../src/turn/compaction/options.ts";
import { defaultPrune, defaultTruncateArgs } from "../../src/turn/compaction/config.ts";
import { defaultLimits } from "../../src/turn/limits.ts";
import type { ModelMessage } from "../../src/shared/messages.ts";
import { CompactionLab, type Options, textsOf } from "./compaction-lab.ts";
import { atRest } from "./at-rest.ts";

const page = (no: number, chars: number) =>
  `Page ${no}. ${"Lorem ipsum dolor sit. ".repeat(chars / 23)}`;

/** Gives a page of so many characters. */
const pages = (chars: number) =>
  defineTool({
    name: "open_page",
    description: "Opens a page.",
    input: z.object({ no: z.number(), note: z.string().default("") }),
    effect: "read",
    replay: "pure",
    run: ({ no }) => Promise.resolve(page(no, chars)),
  });

const open = (no: number, note = "") => ({ name: "open_page", input: { no, note } });

/** Opens so many pages, one a step, then answers. */
const opening = (count: number): NonNullable<Options["answer"]> => {
  let no = 0;
  return () =>
    ++no > count ? { text: "All read." } : { text: `Page ${no} next.`, calls: [open(no)] };
};

const cutPairs = (messages: readonly ModelMessage[]) => messages.map(({ role }) => role).join(" ");

describe("a turn of many steps", () => {
  it("[C6, T6] with 100 large results is compacted between its steps, and goes on to its end", async () => {
    const talking = new CompactionLab({
      window: 20_000,
      config: { reserved: 4_000, prune: null },
      answer: opening(100),
      harness: { tools: [pages(4_000)] },
    });
    await talking.say("first", "Read all pages, and never mention the king.");
    expect(talking.lab.story("first")).toMatch(/end:completed$/);
    expect(talking.overflows).toBe(0);
    expect(talking.violations).toEqual([]);
    expect(Math.max(...talking.sizes)).toBeLessThanOrEqual(20_000);
    expect(talking.facts.length).toBeGreaterThan(5);
    expect(talking.facts.length).toBeLessThan(20);
    for (const { messages } of talking.requests)
      expect(textsOf(messages)).toContain("never mention the king");
    expect(talking.lab.entries("first").filter(({ kind }) => kind === "step")).toHaveLength(101);
    // The next turn, in another object, begins in the middle of that one, and knows what was asked there.
    talking.lab.restart();
    await talking.say("second", "And now?");
    expect(talking.violations).toEqual([]);
    expect(talking.asked).toContain("never mention the king");
    await talking.say("third", "Thanks.");
    const state = talking.lab.session.state();
    expect(state.context.at(-1)?.content).toEqual([{ type: "text", text: "All read." }]);
    talking.lab.say("again", { kind: "regenerate" });
    await talking.lab.settle();
    expect(talking.asked).toContain("Thanks.");
    expect(talking.violations).toEqual([]);
  });

  it("[C6] has its limits counted over all of it, also after a restart in the middle", async () => {
    const talking = new CompactionLab({
      window: 20_000,
      config: { reserved: 4_000 },
      answer: opening(100),
      harness: { tools: [pages(4_000)], limits: { ...defaultLimits, maxIters: 30 } },
    });
    let steps = 0;
    talking.lab.onPoint = (name) => {
      if (name === "commit:step:after") steps += 1;
      if (steps >= 20) throw new Error("gone");
    };
    talking.lab.say("first", "Read all pages.");
    await talking.lab.settle();
    talking.lab.onPoint = () => {};
    talking.lab.restart();
    talking.lab.session.state();
    await talking.lab.settle();
    expect(talking.lab.story("first")).toMatch(/end:step_limit$/);
    expect(talking.lab.entries("first").filter(({ kind }) => kind === "step")).toHaveLength(30);
    expect(talking.violations).toEqual([]);
  });

  it("[C6] whose last results alone are too many has the longest moved to files", async () => {
    const talking = new CompactionLab({
      window: 12_000,
      answer: (_, { messages }) =>
        messages.at(-1)?.role === "user"
          ? { calls: Array.from({ length: 12 }, (__, no) => open(no)) }
          : { text: "Done." },
      harness: { tools: [pages(8_000)] },
    });
    talking.lab.say("a", "Open twelve.");
    await atRest(talking.lab);
    expect(talking.lab.story("a")).toMatch(/end:completed$/);
    expect(talking.overflows).toBe(0);
    expect(talking.violations).toEqual([]);
    expect(talking.lab.story("a")).toContain("shortened");
    const tail = talking.lab.listen();
    await talking.lab.settle();
    const told = tail.frames().flatMap(({ event }) => (event.type === "shortened" ? [event] : []));
    const events = new Map(tail.frames().map(({ id, event }) => [id, event.type]));
    expect(told.map(({ turn, of }) => [turn, events.get(of)])).toContainEqual(["a", "tool-result"]);
    // This session has no workspace that files could go to.
    expect(told[0]?.files).toEqual([]);
    expect(cutPairs(talking.requests.at(-1)?.messages ?? [])).toBe("user assistant tool");
  });

  it("[C6] has old results cut before any summary, for good and at once by much", async () => {
    const prune = { ...defaultPrune, protectTokens: 4_000, minimumTokens: 3_000 };
    const talking = new CompactionLab({
      window: 20_000,
      config: { reserved: 4_000, prune },
      answer: opening(20),
      harness: { tools: [pages(4_000)] },
    });
    await talking.say("first", "Read all pages.");
    expect(talking.facts).toEqual([]);
    expect(talking.summaries).toEqual([]);
    expect(talking.document.pruned).toBeGreaterThan(0);
    const { messages } = talking.requests.at(-1) ?? { messages: [] };
    const results = messages.flatMap((message) => (message.role === "tool" ? message.results : []));
    const lengths = results.map((result) => textsOf([{ role: "tool", results: [result] }]).length);
    expect(lengths[0]).toBeLessThan(2_200);
    expect(textsOf(messages)).toContain("characters are left out here. Call the tool again");
    expect(lengths.at(-1)).toBeGreaterThan(3_900);
    talking.lab.restart();
    await talking.say("second", "And now?");
    expect(textsOf(talking.requests.at(-1)?.messages ?? []).length).toBeLessThan(
      textsOf(messages).length + 100,
    );
  });

  it("[C6] has long arguments of old calls cut to valid JSON where that is switched on", async () => {
    const truncateArgs = { ...defaultTruncateArgs, triggerMessages: 6, keepMessages: 4 };
    let no = 0;
    const talking = new CompactionLab({
      config: { truncateArgs },
      answer: () =>
        ++no > 6 ? { text: "Done." } : { calls: [open(no, "A long note. ".repeat(400))] },
      harness: { tools: [pages(100)] },
    });
    await talking.say("first", "Note it all down.");
    await talking.say("second", "And now?");
    expect(talking.violations).toEqual([]);
    const inputs = (talking.requests.at(-1)?.messages ?? []).flatMap((message) =>
      message.role === "assistant"
        ? message.parts.flatMap((part) => (part.type === "tool-call" ? [part.input] : []))
        : [],
    );
    expect(JSON.parse(inputs[0] ?? "")).toEqual({
      no: 1,
      note: "A long note. A long … [5,180 more characters are left out]",
    });
    expect(inputs.at(-1)?.length).toBeGreaterThan(5_000);
  });

  it("[C6] begins with an empty context in each turn where the agent wants that, and is compacted inside it", async () => {
    const talking = new CompactionLab({
      window: 20_000,
      answer: opening(40),
      harness: { tools: [pages(4_000)], context: { ...defaultContext, isPerTurn: true } },
    });
    await talking.say("first", "Read all pages.");
    expect(talking.facts.length).toBeGreaterThan(1);
    await talking.say("second", "And now?");
    expect(talking.requests.at(-1)?.messages).toHaveLength(1);
    expect(talking.asked).not.toContain("pages");
    expect(talking.violations).toEqual([]);
  });
});

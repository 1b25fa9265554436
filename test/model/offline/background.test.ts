import { describe, expect, it } from "vitest";
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
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelEvent, ModelRequest } from "../../../src/model/model.ts";
import { createOfflineModel } from "../../../src/model/offline/offline-model.ts";
import type { Clock } from "../../../src/shared/clock.ts";
import type { ModelMessage, ToolStatus } from "../../../src/shared/messages.ts";
import { createTemplate } from "../../../src/workspace/layers/template.ts";
import { ask, builtInTools, promptOver, seedFiles, timeless } from "../../support/talk.ts";

const template = createTemplate(seedFiles(), "v");
const tools = builtInTools;
const system = promptOver(template);
const model = createOfflineModel({ clock: timeless });
const live = new AbortController().signal;

const user = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });
const asking = (text: string): ModelRequest => ({ system, messages: [user(text)], tools });

async function batchesOf(request: ModelRequest): Promise<(readonly ModelEvent[])[]> {
  const batches: (readonly ModelEvent[])[] = [];
  for await (const batch of model.stream(request, live)) batches.push(batch);
  return batches;
}

describe("the offline model", () => {
  it("says the same to the same request, event by event", async () => {
    for (const text of [
      "hello",
      "how does a turn survive a crash?",
      "count to 300",
      "/tool current_time",
    ]) {
      expect(await batchesOf(asking(text))).toEqual(await batchesOf(asking(text)));
    }
  });

  it("streams words in small batches and finishes once, last", async () => {
    const batches = await batchesOf(asking("count to 300"));
    expect(batches.length).toBeGreaterThan(60);
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(4);
    const events = batches.flat();
    expect(events.filter((event) => event.type === "finish")).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  });

  it("streams the arguments of calls in pieces, numbered from 0", async () => {
    const lines = [
      '/tool read_file {"path":"knowledge/turns.md","offset":0,"limit":100}',
      "/tool current_time {}",
    ];
    const events = (await batchesOf(asking(lines.join("\n")))).flat();
    expect(events.flatMap((event) => (event.type === "tool-call" ? [event.index] : []))).toEqual([
      0, 1,
    ]);
    expect(
      events.filter((event) => event.type === "tool-input" && event.index === 0).length,
    ).toBeGreaterThan(1);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
  });

  it("waits between batches, not before the first", async () => {
    const slept: number[] = [];
    const clock: Clock = { now: () => 0, sleep: async (ms) => void slept.push(ms) };
    let batches = 0;
    for await (const batch of createOfflineModel({ clock, pause: 7 }).stream(
      asking("count to 100"),
      live,
    )) {
      if (batches === 0) expect(slept).toEqual([]);
      if (batch[0]?.type === "text") batches += 1;
    }
    expect(slept).toEqual(Array.from({ length: batches - 1 }, () => 7));
  });

  it("gives the loop of events its turn: a real clock lets others run in between", async () => {
    let others = 0;
    const timer = setInterval(() => (others += 1), 0);
    const paced = createOfflineModel({ pause: 1 });
    for await (const _ of paced.stream(asking("count to 200"), live))
      expect(others).toBeGreaterThanOrEqual(0);
    clearInterval(timer);
    expect(others).toBeGreaterThan(0);
  });

  it("ends at once with the reason it was aborted for", async () => {
    const abort = new AbortController();
    const reason = new Error("stopped by a test");
    const seen: ModelEvent[] = [];
    const clock: Clock = {
      now: () => 0,
      sleep: async () => {
        if (seen.length > 10) abort.abort(reason);
      },
    };
    const stream = createOfflineModel({ clock }).stream(asking("count to 10000"), abort.signal);
    const reading = (async () => {
      for await (const batch of stream) seen.push(...batch);
    })();
    await expect(reading).rejects.toBe(reason);
    expect(seen.length).toBeLessThan(20);
    expect(seen.some((event) => event.type === "finish")).toBe(false);
    await expect(
      model.stream(asking("hello"), abort.signal)[Symbol.asyncIterator]().next(),
    ).rejects.toBe(reason);
  });

  it("leaves its wait when it is aborted there", async () => {
    const abort = new AbortController();
    const stream = createOfflineModel({ pause: 3_600_000 }).stream(
      asking("count to 100"),
      abort.signal,
    );
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    const next = iterator.next();
    abort.abort("enough");
    await expect(next).rejects.toBe("enough");
  });

  it("keeps to the output limit", async () => {
    const step = await ask(model, { ...asking("count to 1000"), maxOutputTokens: 50 });
    expect(step).toMatchObject({ finish: "length" });
    expect(step.text.length).toBeLessThanOrEqual(200);
  });

  it("estimates usage, an image as 1,600 tokens", async () => {
    const usage = async (request: ModelRequest) => (await batchesOf(request)).flat().at(-1);
    const image = { type: "image", mediaType: "image/png", data: "A".repeat(4_000_000) } as const;
    const request: ModelRequest = {
      system: "",
      tools: [],
      messages: [{ role: "user", content: [image] }],
    };
    const finish = await usage(request);
    expect(finish).toMatchObject({ type: "finish", usage: { cached: 0 } });
    if (finish?.type !== "finish") throw new Error("no finish");
    expect(finish.usage.input).toBeGreaterThan(1_600);
    expect(finish.usage.input).toBeLessThan(1_700);
    expect(finish.usage.output).toBeGreaterThan(10);
  });

  it("sees an image without pretending to", async () => {
    const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    const step = await ask(model, {
      system,
      tools,
      messages: [{ role: "user", content: [image] }],
    });
    expect(step.text).toContain("you sent an image");
  });

  it("answers anything, and never with nothing", async () => {
    const word = fc.constantFrom(
      "read",
      "list",
      "/tool",
      "what",
      "time",
      "my",
      "is",
      "remember",
      "?",
      "{",
      "count to",
      "9",
      "`",
      "\n",
      "a.md",
      "/",
    );
    const said = fc.oneof(
      fc.array(word, { maxLength: 8 }).map((words) => words.join(" ")),
      fc.string({ unit: "binary" }),
    );
    const status = fc.constantFrom<ToolStatus>(
      "success",
      "error",
      "denied",
      "interrupted",
      "unknown",
    );
    await fc.assert(
      fc.asyncProperty(said, said, status, async (text, output, outcome) => {
        const messages: ModelMessage[] = [user(text)];
        for (let steps = 0; ; steps += 1) {
          const step = await ask(model, { system, messages, tools });
          expect(step.text.trim() !== "" || step.calls.length > 0).toBe(true);
          expect(steps).toBeLessThanOrEqual(4);
          if (step.calls.length === 0) break;
          const content = [{ type: "text", text: output }] as const;
          messages.push({ role: "assistant", parts: step.calls });
          messages.push({
            role: "tool",
            results: step.calls.map(({ call, name }) => ({ call, name, status: outcome, content })),
          });
        }
      }),
      { numRuns: 300 },
    );
  });
});

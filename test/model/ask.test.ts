import { describe, expect, it } from "vitest";
import { askOnce } from "../../src/model/ask.ts";
import type { Model, ModelEvent } from "../../src/model/model.ts";
import { noUsage, type FinishReason } from "../../src/shared/messages.ts";

const { signal } = new AbortController();
const text = (said: string): ModelEvent => ({ type: "text", text: said });
const finish = (reason: FinishReason): ModelEvent => ({ type: "finish", reason, usage: noUsage });

/** What a model says, event after event, and whether its answer was read to the end. */
function saying(...batches: readonly ModelEvent[][]) {
  const seen = { left: batches.length };
  const model: Model = {
    id: "m",
    async *stream() {
      for (const batch of batches) {
        seen.left -= 1;
        yield batch;
      }
    },
  };
  return { seen, ask: (at = signal) => askOnce(model, { system: "s", text: "t" }, 5, at) };
}

describe("one question to a model", () => {
  it("gives all that it said, and how that ended", async () => {
    const { ask } = saying([text("a"), text("b")], [text("c"), finish("tool-calls")]);
    expect(await ask()).toEqual({ text: "abc", finish: "tool-calls", usage: noUsage });
  });

  it("[R4] reads no more of an answer that is too long, however it comes", async () => {
    const long = saying([text("123456")], [text("7")], [finish("stop")]);
    expect(await long.ask()).toMatchObject({ text: "123456", finish: "length" });
    expect(long.seen.left).toBe(2);
    const atOnce = saying([text("123456"), finish("stop")]);
    expect(await atOnce.ask()).toMatchObject({ finish: "length" });
  });

  it("[R4] fails where the answer has no end, with the signal's reason where that aborted", async () => {
    const { ask } = saying([text("a")]);
    await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
    await expect(ask(AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
    await expect(saying().ask(AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
  });
});

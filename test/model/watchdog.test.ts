import { describe, expect, it, vi } from "vitest";
import type { Model, ModelEvent } from "../../src/model/model.ts";
import { openai } from "../../src/model/openai.ts";
import { withInactivityLimit } from "../../src/model/watchdog.ts";
import { noUsage } from "../../src/shared/messages.ts";
import { answerOf, listen, neverAborted } from "../contracts/model-answer.ts";
import { modelContract } from "../contracts/model-contract.ts";
import { canary, plainRequest } from "../contracts/model-requests.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { createWireServer } from "../support/wire-server.ts";
import { chatErrorBody, chatOverloaded, chatRecordings } from "./chat-recordings.ts";
import { wireFixture } from "./wire-fixture.ts";

modelContract("withInactivityLimit", () =>
  wireFixture(chatRecordings, {
    create: (fetch) =>
      withInactivityLimit(openai({ id: "openai:m", model: "m", apiKey: canary, fetch })),
    overloaded: chatOverloaded,
    errorBody: chatErrorBody,
  }),
);

const hi: ModelEvent = { type: "text", text: "Hi." };
const finish: ModelEvent = { type: "finish", reason: "stop", usage: noUsage };

/** Says each batch after as many ms of silence, then nothing for ever; deaf to its signal, like a bad provider. */
function deaf(
  clock: ManualClock,
  ...batches: readonly [silence: number, ...events: ModelEvent[]][]
) {
  const signals: AbortSignal[] = [];
  const model: Model = {
    id: "deaf",
    async *stream(_, signal) {
      signals.push(signal);
      for (const [silence, ...events] of batches) {
        await clock.sleep(silence);
        yield events;
        if (events.at(-1)?.type === "finish") return;
      }
      await new Promise(() => {});
    },
  };
  return { model, signals };
}

describe("withInactivityLimit", () => {
  it("[S6] gives up a provider that is silent for the limit, and aborts it", async () => {
    const clock = new ManualClock();
    const { model, signals } = deaf(clock, [10, hi]);
    const heard = listen(withInactivityLimit(model, 1_000, clock), plainRequest);
    await clock.pass(1_009);
    expect(signals[0]?.aborted).toBe(false);
    await clock.pass(1);
    expect(await heard).toMatchObject({
      batches: [[hi]],
      error: { code: "stalled", retryable: true },
    });
    expect(signals[0]?.aborted).toBe(true);
  });

  it("[S6] counts keep-alives as life", async () => {
    const clock = new ManualClock();
    const { model } = deaf(clock, [900], [900], [900], [900, hi, finish]);
    const heard = listen(withInactivityLimit(model, 1_000, clock), plainRequest);
    await clock.pass(3_600);
    expect(await heard).toEqual({ batches: [[], [], [], [hi, finish]], error: undefined });
    expect(clock.sleeping).toBe(0);
  });

  it("[S6] gives up a provider that never begins, and one whose connection stays open, closing it", async () => {
    const server = createWireServer();
    await server.start();
    server.play({ body: ": hello\n\n", hold: true });
    const clock = new ManualClock();
    const model = openai({ id: "openai:m", model: "m", fetch: server.fetch });
    const batches = withInactivityLimit(model, 1_000, clock).stream(plainRequest, neverAborted());
    const iterator = batches[Symbol.asyncIterator]();
    expect(await iterator.next()).toEqual({ done: false, value: [] });
    const next = iterator.next();
    const stalled = expect(next).rejects.toMatchObject({ code: "stalled" });
    await clock.pass(1_000);
    await stalled;
    await server.hungUp();
    await server.close();
  });

  it("does not count the time that its reader takes", async () => {
    const clock = new ManualClock();
    const { model } = deaf(clock, [10, hi], [900, hi, finish]);
    const iterator = withInactivityLimit(model, 1_000, clock)
      .stream(plainRequest, neverAborted())
      [Symbol.asyncIterator]();
    const first = iterator.next();
    await clock.pass(10);
    await first;
    await clock.pass(5_500);
    const second = iterator.next();
    await clock.pass(900);
    expect(await second).toEqual({ done: false, value: [hi, finish] });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  it("throws the caller’s reason at once, even when the provider is deaf", async () => {
    const clock = new ManualClock();
    const { model, signals } = deaf(clock, [10, hi]);
    const abort = new AbortController();
    const reason = new Error("not wanted");
    const heard = listen(withInactivityLimit(model, 1_000, clock), plainRequest, abort.signal);
    await clock.pass(10);
    abort.abort(reason);
    expect((await heard).error).toBe(reason);
    expect(signals[0]?.reason).toBe(reason);
    expect(clock.sleeping).toBe(0);
  });

  it("leaves nothing behind on a signal that lives on", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    const clock = new ManualClock();
    const { model } = deaf(clock, [0, hi, finish]);
    await answerOf(withInactivityLimit(model, 1_000, clock), plainRequest, signal);
    expect(added).toHaveBeenCalledTimes(1);
    expect(removed.mock.calls).toEqual(added.mock.calls);
  });
});

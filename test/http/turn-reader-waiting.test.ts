import { describe, expect, it } from "vitest";
import { UiMessageMapper } from "../../src/http/ui-message-mapper.ts";
import { uiMessageStream } from "../../src/http/ui-message-stream.ts";
import type { IdentifiedEvent } from "../../src/shared/events.ts";
import { noUsage } from "../../src/shared/messages.ts";
import { encodeEvents, encodeStatus } from "../../src/shared/sse.ts";
import { at, never, received, Source, told, turn, whole } from "./turn-source.ts";

/** A turn that asks about a call, waits, and after the answer says the rest. */
const waiting: readonly IdentifiedEvent[] = [
  ...turn.slice(0, 2),
  at("2.1", { type: "tool-call-start", call: "c", name: "look" }),
  at("2.3", { type: "tool-call", text: "{}" }),
  at("2.4", { type: "tool-call-end" }),
  at("2.5", { type: "step-end", finish: "tool-calls", usage: noUsage }),
  at("3.0", {
    type: "call-asked",
    turn: "t",
    call: "c",
    name: "look",
    what: "approval",
    input: "{}",
    digest: "d1",
    reason: "It looks.",
    suggested: [],
    expiresAt: 9,
    at: 1,
  }),
  at("4.0", {
    type: "turn-waiting",
    turn: "t",
    reply: "t.reply",
    calls: ["c"],
    expiresAt: 9,
    at: 1,
  }),
];

const answer: readonly IdentifiedEvent[] = [
  at("5.0", {
    type: "call-answered",
    turn: "t",
    call: "c",
    answer: "approved",
    by: "user:ann",
    at: 2,
  }),
];

const statusOf = (state: "running" | "waiting", last: string): string =>
  encodeStatus({
    type: "status",
    turns: [{ turn: "t", state, start: "0.0" }],
    pending: [],
    mode: "DEFAULT",
    last,
  });

describe("the stream of a turn that waits for someone", () => {
  const asking = ["start", "start-step", "tool-input-start", "tool-input-delta"];
  const request = ["tool-input-available", "tool-approval-request", "finish-step", "finish"];

  it.each([
    ["came to wait while it was read", statusOf("running", "1.0")],
    ["waited before", statusOf("waiting", "4.0")],
  ])("[S5] ends there as the SDK's own does, when it %s", async (_, head) => {
    const { stream } = new Source([head, encodeEvents(waiting)], "end");
    const chunks = await received(told({ events: stream, reopen: never }));
    expect(chunks.map(({ type }) => type)).toEqual([...asking, ...request]);
    expect(chunks.at(-1)).toEqual({ type: "finish", finishReason: "tool-calls" });
    const again = new Source([head + encodeEvents(waiting)], "end").stream;
    const text = await new Response(told({ events: again, reopen: never })).text();
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("[S5] tells what was answered since, when others are still open", async () => {
    const texts = [statusOf("waiting", "5.0"), encodeEvents([...waiting, ...answer])];
    const { stream } = new Source(texts, "end");
    const chunks = await received(told({ events: stream, reopen: never }));
    expect(chunks.map(({ type }) => type).slice(-3)).toEqual([
      "tool-approval-response",
      "finish-step",
      "finish",
    ]);
  });

  it.each([
    ["an old wait", [statusOf("running", "6.0"), encodeEvents(waiting)]],
    ["what came before the newest", [statusOf("waiting", "9.0"), encodeEvents(waiting)]],
    ["the status", [statusOf("waiting", "4.0")]],
  ])("[S1] is read on when it breaks off after %s", async (_, texts) => {
    const asked: (string | null)[] = [];
    const reopen = (_turn: string, after: string | null) => {
      asked.push(after);
      const left = waiting.slice(waiting.findIndex(({ id }) => id === after) + 1);
      const text = statusOf("waiting", "5.0") + encodeEvents([...left, ...answer]);
      return Promise.resolve(new Source([text], "end").stream);
    };
    const { stream } = new Source(texts, "end");
    const chunks = await received(told({ events: stream, reopen }));
    expect(asked).toHaveLength(1);
    expect(chunks.map(({ type }) => type)).toContain("tool-approval-response");
  });
});

describe("the stream of a message that was taken into another turn", () => {
  it("[T8] is that of the other turn, from its start", async () => {
    const steered: IdentifiedEvent = at("2.12", {
      type: "steered",
      turn: "t",
      message: "mine",
      content: [{ type: "text", text: "and more" }],
      at: 1,
    });
    const asked: (string | null)[][] = [];
    const reopen = (...args: [string, string | null]) => {
      asked.push(args);
      return Promise.resolve(new Source([encodeEvents(turn)], "stay").stream);
    };
    const { stream } = new Source([encodeEvents([steered, ...turn.slice(-1)])], "stay");
    const mapper = new UiMessageMapper(new Set());
    const body = uiMessageStream({ turn: "mine", events: stream, reopen }, mapper);
    const expected = await received(told({ events: whole().stream, reopen: never }));
    expect(await received(body)).toEqual(expected);
    expect(asked).toEqual([["t", null]]);
  });
});

import { DefaultChatTransport, type UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { FrameReader } from "../../src/http/event-frames.ts";
import type { TurnEvents } from "../../src/http/turn-reader.ts";
import { UiMessageMapper } from "../../src/http/ui-message-mapper.ts";
import { uiMessageStream } from "../../src/http/ui-message-stream.ts";
import type { IdentifiedEvent, SessionEvent } from "../../src/shared/events.ts";
import { noUsage } from "../../src/shared/messages.ts";
import { encodeEvents, encodeStatus, KEEP_ALIVE } from "../../src/shared/sse.ts";
import { asStored } from "../support/chat-client.ts";

const at = (id: string, event: SessionEvent): IdentifiedEvent => ({ id, event });

/** A turn that says "Grüße 👋". */
const turn: readonly IdentifiedEvent[] = [
  at("1.0", { type: "turn-start", turn: "t", reply: "t.reply", content: [], at: 1 }),
  at("2.0", { type: "step-start", turn: "t", step: 1, model: "m" }),
  at("2.1", { type: "text-start" }),
  at("2.6", { type: "text", text: "Grüße" }),
  at("2.9", { type: "text", text: " 👋" }),
  at("2.10", { type: "text-end" }),
  at("2.11", { type: "step-end", finish: "stop", usage: noUsage }),
  at("3.0", {
    type: "turn-end",
    turn: "t",
    reply: "t.reply",
    outcome: "completed",
    usage: noUsage,
    steps: 1,
    at: 1,
  }),
];

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const after = (id: string | null) => turn.slice(turn.findIndex((event) => event.id === id) + 1);

/** A session's stream that writes these texts, then ends, breaks, or stays open. */
class Source {
  isCancelled = false;
  readonly stream: ReadableStream<Uint8Array>;

  constructor(texts: readonly string[], then: "end" | "break" | "stay") {
    const left = [...texts];
    this.stream = new ReadableStream({
      pull: (controller) => {
        const text = left.shift();
        if (text !== undefined) controller.enqueue(bytesOf(text));
        else if (then === "end") controller.close();
        else if (then === "break") controller.error(new Error("Network connection lost."));
        else return new Promise(() => {});
        return undefined;
      },
      cancel: () => {
        this.isCancelled = true;
      },
    });
  }
}

const told = (turn: Pick<TurnEvents, "events" | "reopen">) =>
  uiMessageStream({ turn: "t", ...turn }, new UiMessageMapper(new Set()));

const whole = () => new Source([encodeEvents(turn)], "stay");

const never = (): Promise<ReadableStream<Uint8Array>> => {
  throw new Error("reopened");
};

/** The chunks that the SDK's transport makes of an answer's body. */
async function received(body: ReadableStream<Uint8Array>): Promise<UIMessageChunk[]> {
  const fetch = () => Promise.resolve(new Response(body));
  const transport = new DefaultChatTransport({ api: "http://localhost/api/chat", fetch });
  const stream = await transport.reconnectToStream({ chatId: "c" });
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream as AsyncIterable<UIMessageChunk>) chunks.push(chunk);
  return asStored(chunks);
}

describe("frames", () => {
  it("[S1] are read however their bytes were cut", () => {
    const status: SessionEvent = {
      type: "status",
      pending: [],
      mode: "DEFAULT" as const,
      turns: [],
      last: "0.0",
    };
    const bytes = bytesOf(
      encodeStatus(status) +
        encodeEvents(turn.slice(0, 3)) +
        KEEP_ALIVE +
        encodeEvents(turn.slice(3)),
    );
    for (const size of [1, 2, 3, 7, 64, bytes.length]) {
      const reader = new FrameReader();
      const events: IdentifiedEvent[] = [];
      let alive = 0;
      for (let from = 0; from < bytes.length; from += size) {
        const frames = reader.read(bytes.subarray(from, from + size));
        events.push(...frames.events);
        if (frames.isAlive) alive++;
      }
      expect(events).toEqual(turn);
      expect(alive).toBe(1);
    }
  });
});

describe("the stream of a turn", () => {
  it("[H3] passes keep-alives as comments, which the SDK ignores, and ends with [DONE]", async () => {
    const texts = [encodeEvents(turn.slice(0, 4)), KEEP_ALIVE, encodeEvents(turn.slice(4))];
    const open = () => told({ events: new Source(texts, "stay").stream, reopen: never });
    const text = await new Response(open()).text();
    expect(text.split("\n\n").filter((frame) => frame.startsWith(":"))).toEqual([": keep-alive"]);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(await received(open())).toEqual(
      await received(told({ events: whole().stream, reopen: never })),
    );
  });

  it("[S1] goes on after its last event, whenever the session's stream breaks off", async () => {
    const expected = await received(told({ events: whole().stream, reopen: never }));
    for (const how of ["end", "break"] as const) {
      const asked: (string | null)[] = [];
      const next = (id: string | null) =>
        new Source([encodeEvents(after(id).slice(0, 1))], how).stream;
      const reopen = (_: string, id: string | null) => {
        asked.push(id);
        return Promise.resolve(next(id));
      };
      expect(await received(told({ events: next(null), reopen }))).toEqual(expected);
      expect(asked).toEqual(turn.slice(0, -1).map(({ id }) => id));
    }
  });

  it("[S6] breaks when the session stays away", async () => {
    let tries = 0;
    const reopen = () => {
      tries++;
      if (tries === 2) return Promise.reject(new Error("overloaded"));
      return Promise.resolve(new Source([KEEP_ALIVE], "end").stream);
    };
    const { stream } = new Source([encodeEvents(turn.slice(0, 3))], "break");
    await expect(received(told({ events: stream, reopen }))).rejects.toThrow();
    expect(tries).toBe(3);
  });

  it("[S3] lets the session's stream go when the reader leaves, and does not come back", async () => {
    const source = new Source([encodeEvents(turn.slice(0, 3))], "stay");
    let reopened = 0;
    const reopen = () => {
      reopened++;
      return never();
    };
    const reader = told({ events: source.stream, reopen }).getReader();
    await reader.read();
    await reader.cancel();
    await new Promise((resolve) => setImmediate(resolve));
    expect(source.isCancelled).toBe(true);
    expect(reopened).toBe(0);
  });

  it("[S3] lets the session's stream go when the turn ended", async () => {
    const source = whole();
    await received(told({ events: source.stream, reopen: never }));
    expect(source.isCancelled).toBe(true);
  });

  it("[S3] reads on only as fast as it is read", async () => {
    let pulls = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulls++;
        controller.enqueue(bytesOf(KEEP_ALIVE));
      },
    });
    const reader = told({ events: stream, reopen: never }).getReader();
    await reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pulls).toBeLessThan(6);
    await reader.cancel();
  });
});

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

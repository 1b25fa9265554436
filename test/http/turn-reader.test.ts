import { DefaultChatTransport, type UIMessageChunk } from "ai";
import { describe, expect, it } from "vitest";
import { FrameReader } from "../../src/http/event-frames.ts";
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
    const open = () => uiMessageStream({ events: new Source(texts, "stay").stream, reopen: never });
    const text = await new Response(open()).text();
    expect(text.split("\n\n").filter((frame) => frame.startsWith(":"))).toEqual([": keep-alive"]);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
    expect(await received(open())).toEqual(
      await received(uiMessageStream({ events: whole().stream, reopen: never })),
    );
  });

  it("[S1] goes on after its last event, whenever the session's stream breaks off", async () => {
    const expected = await received(uiMessageStream({ events: whole().stream, reopen: never }));
    for (const how of ["end", "break"] as const) {
      const asked: (string | null)[] = [];
      const next = (id: string | null) =>
        new Source([encodeEvents(after(id).slice(0, 1))], how).stream;
      const reopen = (id: string | null) => {
        asked.push(id);
        return Promise.resolve(next(id));
      };
      expect(await received(uiMessageStream({ events: next(null), reopen }))).toEqual(expected);
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
    await expect(received(uiMessageStream({ events: stream, reopen }))).rejects.toThrow();
    expect(tries).toBe(3);
  });

  it("[S3] lets the session's stream go when the reader leaves, and does not come back", async () => {
    const source = new Source([encodeEvents(turn.slice(0, 3))], "stay");
    let reopened = 0;
    const reopen = () => {
      reopened++;
      return never();
    };
    const reader = uiMessageStream({ events: source.stream, reopen }).getReader();
    await reader.read();
    await reader.cancel();
    await new Promise((resolve) => setImmediate(resolve));
    expect(source.isCancelled).toBe(true);
    expect(reopened).toBe(0);
  });

  it("[S3] lets the session's stream go when the turn ended", async () => {
    const source = whole();
    await received(uiMessageStream({ events: source.stream, reopen: never }));
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
    const reader = uiMessageStream({ events: stream, reopen: never }).getReader();
    await reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pulls).toBeLessThan(6);
    await reader.cancel();
  });
});

import { describe, expect, it } from "vitest";
import { FrameReader } from "../../src/http/event-frames.ts";
import type { IdentifiedEvent, SessionEvent } from "../../src/shared/events.ts";
import { encodeEvents, encodeStatus, KEEP_ALIVE } from "../../src/shared/sse.ts";
import { after, bytesOf, never, received, Source, told, turn, whole } from "./turn-source.ts";

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

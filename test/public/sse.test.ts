import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFrames } from "../../public/sse.js";
import type { IdentifiedEvent } from "../../src/shared/events.ts";
import { encodeEvents, encodeStatus, KEEP_ALIVE } from "../../src/shared/sse.ts";

const text = (id: string, said: string): IdentifiedEvent => ({
  id,
  event: { type: "text", text: said },
});

/** The bytes as a stream, cut at these places. */
function cutStream(
  bytes: Uint8Array<ArrayBuffer>,
  cuts: readonly number[],
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  return new ReadableStream({
    start(controller) {
      for (const [index, end] of places.slice(1).entries())
        controller.enqueue(bytes.slice(places[index], end));
      controller.close();
    },
  });
}

async function read(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): Promise<{ id: string | null; event: unknown }[]> {
  const frames = [];
  for await (const { id, data } of readFrames(stream, () => {}))
    frames.push({ id, event: JSON.parse(data) });
  return frames;
}

describe("an event stream", () => {
  const status = {
    type: "status" as const,
    pending: [],
    mode: "DEFAULT" as const,
    turns: [],
    last: "1.0",
  };
  const events = [text("1.1", "a\n\nb"), text("1.5", "日本 📚"), text("2.0", "data: x")];
  const whole = encodeStatus(status) + KEEP_ALIVE + encodeEvents(events) + KEEP_ALIVE;

  it("gives the same events however its bytes were cut", async () => {
    const bytes = new TextEncoder().encode(whole);
    const place = fc.nat({ max: bytes.length });
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 12 }), async (cuts) => {
        expect(await read(cutStream(bytes, cuts))).toEqual([
          { id: null, event: status },
          ...events,
        ]);
      }),
    );
  });

  it("leaves out a frame that did not come whole", async () => {
    const bytes = new TextEncoder().encode(whole.slice(0, whole.indexOf("data: x")));
    expect(await read(cutStream(bytes, []))).toEqual([
      { id: null, event: status },
      ...events.slice(0, 2),
    ]);
  });

  it("tells of every sign of life, comments included", async () => {
    let signs = 0;
    const bytes = new TextEncoder().encode(KEEP_ALIVE + KEEP_ALIVE);
    for await (const frame of readFrames(cutStream(bytes, [KEEP_ALIVE.length]), () => signs++))
      throw new Error(frame.data);
    expect(signs).toBe(2);
  });
});

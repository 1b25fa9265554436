import { describe, expect, it } from "vitest";
import { readBody, readText } from "../../src/shared/read-body.ts";
import { ManualClock } from "../support/manual-clock.ts";

/** A body that sends `pieces`, then stays open unless `ends`; and whether its reader closed it. */
function body(pieces: readonly string[], ends: boolean) {
  const state = { isClosed: false, pulls: 0 };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[state.pulls++];
        if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
        else if (ends) controller.close();
        else return new Promise(() => {});
      },
      cancel() {
        state.isClosed = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { state, stream };
}

describe("[X4] readBody", () => {
  it("gives the bytes of a body, of one piece, of many and of none", async () => {
    for (const pieces of [["Grüß"], ["Gr", "üß"], ["", "Grüß", ""]]) {
      expect(await readText(new Response(body(pieces, true).stream), { maxBytes: 6 })).toBe("Grüß");
    }
    expect(await readBody(new Response(null), { maxBytes: 0 })).toEqual(new Uint8Array());
    expect(await readBody(new Response(""), { maxBytes: 0 })).toEqual(new Uint8Array());
  });

  it("stops at the first byte too many, and closes the connection", async () => {
    const { state, stream } = body(["12345", "6", "7"], true);
    await expect(readBody(new Response(stream), { maxBytes: 5 })).rejects.toMatchObject({
      code: "too_large",
    });
    expect(state).toEqual({ isClosed: true, pulls: 2 });
  });

  it("does not begin a body whose announced length is too much", async () => {
    const { state, stream } = body(["123456"], true);
    const response = new Response(stream, { headers: { "content-length": "6" } });
    await expect(readBody(response, { maxBytes: 5 })).rejects.toMatchObject({ code: "too_large" });
    expect(state).toEqual({ isClosed: true, pulls: 0 });
  });

  it("does not believe a length that is too small or no number", async () => {
    for (const length of ["1", "many"]) {
      const response = new Response(body(["123456"], true).stream, {
        headers: { "content-length": length },
      });
      await expect(readBody(response, { maxBytes: 5 })).rejects.toMatchObject({
        code: "too_large",
      });
    }
  });

  it("stops when the time is over, also in the middle, and closes the connection", async () => {
    const clock = new ManualClock();
    const { state, stream } = body(["12", "34"], false);
    const reading = readBody(new Response(stream), { maxBytes: 100, timeoutMs: 1_000, clock });
    const late = expect(reading).rejects.toMatchObject({ code: "unavailable" });
    await clock.pass(999);
    expect(state.isClosed).toBe(false);
    await clock.pass(1);
    await late;
    expect(state.isClosed).toBe(true);
  });

  it("leaves no timer behind", async () => {
    const clock = new ManualClock();
    await readBody(new Response("text"), { maxBytes: 100, clock });
    expect(clock.sleeping).toBe(0);
  });

  it("passes on that the connection broke", async () => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new TypeError("terminated"));
      },
    });
    await expect(readBody(new Response(broken), { maxBytes: 1 })).rejects.toThrow("terminated");
  });
});

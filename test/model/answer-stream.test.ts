import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openai } from "../../src/model/openai.ts";
import { answerOf, assemble, failureOf, listen, neverAborted } from "../contracts/model-answer.ts";
import { plainRequest } from "../contracts/model-requests.ts";
import { inPieces } from "../contracts/model-wire-fetch.ts";
import { chatRecordings } from "./chat-recordings.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const { body, answer } = chatRecordings.text;

/** A body that stays open after `text`, and whether it was closed by its reader. */
function open(text: string) {
  const state = { isCancelled: false, end: () => {} };
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes(text));
      state.end = () => controller.close();
    },
    cancel() {
      state.isCancelled = true;
    },
  });
  const fetch = async () =>
    new Response(stream, { headers: { "content-type": "text/event-stream" } });
  return { state, model: openai({ id: "openai:m", model: "m", fetch }) };
}

describe("the connection of a whole answer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is read to its end, so that it can serve again", async () => {
    const { state, model } = open(body);
    expect(await answerOf(model, plainRequest)).toEqual(answer);
    state.end();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(state.isCancelled).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is closed after a second when the server leaves it open", async () => {
    const { state, model } = open(body);
    await answerOf(model, plainRequest);
    await vi.advanceTimersByTimeAsync(999);
    expect(state.isCancelled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.isCancelled).toBe(true);
  });
});

describe("the stream of an answer", () => {
  const model = (...pieces: readonly string[]) =>
    openai({ id: "openai:m", model: "m", fetch: inPieces(pieces.map(bytes)) });

  it("ignores what follows its last event", async () => {
    const { batches, error } = await listen(
      model(body + 'data: {"error":"late"}\n\ndata: {'),
      plainRequest,
    );
    expect(error).toBeUndefined();
    expect(assemble(batches.flat())).toEqual(answer);
  });

  it("may hold events without data, names, ids and retry times", async () => {
    const noise = "retry: 10\n\nevent: ping\n\ndata:\n\nid: 7\nevent: message\n";
    expect(await answerOf(model(noise + body), plainRequest)).toEqual(answer);
  });

  it("may be empty, which is no answer", async () => {
    expect((await failureOf(model(), plainRequest)).code).toBe("unavailable");
  });

  it("is malformed when one event is endless, and does not keep it", async () => {
    const piece = "x".repeat(1024 * 1024);
    const error = await failureOf(
      model("data: ", ...Array.from({ length: 9 }, () => piece)),
      plainRequest,
    );
    expect(error.code).toBe("malformed");
  });

  it("gives one array for each read of the wire", async () => {
    const { batches } = await listen(model(body.slice(0, 400), body.slice(400)), plainRequest);
    expect(batches).toHaveLength(2);
  });

  it("takes no more than is asked for", async () => {
    let pulls = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulls++;
          controller.enqueue(bytes(": more\n\n"));
        },
      },
      { highWaterMark: 0 },
    );
    const fetch = async () =>
      new Response(stream, { headers: { "content-type": "text/event-stream" } });
    const iterator = openai({ id: "openai:m", model: "m", fetch })
      .stream(plainRequest, neverAborted())
      [Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    expect(pulls).toBeLessThanOrEqual(3);
    await iterator.return?.();
  });
});

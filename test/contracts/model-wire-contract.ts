import { describe, expect, it } from "vitest";
import { ModelError, type ModelErrorCode } from "../../src/shared/errors.ts";
import type { Fetch } from "../../src/shared/guarded-fetch.ts";
import type { Model } from "../../src/model/model.ts";
import {
  type Answer,
  answerOf,
  assemble,
  failureOf,
  listen,
  neverAborted,
  said,
} from "./model-answer.ts";
import { brokenOff, heldOpen, inPieces, replyWith } from "./model-wire-fetch.ts";
import { canary, imageData, plainRequest, richRequest } from "./model-requests.ts";

/** One answer as the server would send it: server-sent events, and what they amount to. */
export type Recording = { readonly body: string; readonly answer: Answer };

export type Wire = {
  /** The model behind this `fetch`, told `canary` as its key; one without a key must have errors that never quote it. */
  readonly create: (fetch: Fetch) => Model;
  readonly text: Recording;
  readonly call: Recording;
  /** Some text, then the provider's event for "overloaded", whose message quotes `canary`. */
  readonly overloaded: string;
  /** The body of an error answer in this dialect. */
  readonly errorBody: (message: string, code: string) => string;
  /** Whether an error says when to come back; default true. */
  readonly hasRetryAfter?: boolean;
  /** Whether the answer is whole at its last event, before the connection ends; default true. */
  readonly endsWithLastEvent?: boolean;
  /** Bytes between two cuts; default 1, more where another project's parser does the work. */
  readonly cutEvery?: number;
  /** A real connection; absent where the tests cannot have a server. */
  readonly peer?: Peer;
};

/** The far side of a real connection. */
export type Peer = {
  /** Reaches the peer whatever the address. */
  readonly fetch: Fetch;
  /** What it answers from now on: `body`, after which it ends, or keeps the connection open (`hold`). */
  play(answer: { readonly body: string; readonly hold?: boolean }): void;
  /** Resolves when the client has closed the connection of the newest held answer. */
  hungUp(): Promise<void>;
};

type Row = readonly [status: number, message: string, code: string, expected: ModelErrorCode];

const errors: readonly Row[] = [
  [400, "temperature must be a number", "invalid_request_error", "model_bad_request"],
  [400, "This model's maximum context length is 8192 tokens.", "", "context_overflow"],
  [400, "Too long.", "context_length_exceeded", "context_overflow"],
  [
    400,
    "prompt is too long: 213462 tokens > 200000 maximum",
    "invalid_request_error",
    "context_overflow",
  ],
  [400, "Too many tokens in the messages.", "", "context_overflow"],
  [400, "The input exceeds the model's maximum.", "", "context_overflow"],
  [400, "Please reduce the length of the messages.", "", "context_overflow"],
  [413, "Request Entity Too Large", "", "context_overflow"],
  [400, "The response was filtered.", "content_filter", "model_refused"],
  [401, `Incorrect API key provided: ${canary}.`, "invalid_api_key", "model_auth"],
  [403, `The key ${canary} may not use this model.`, "permission_error", "model_auth"],
  [402, "Insufficient Balance", "", "model_quota"],
  [429, "You exceeded your current quota.", "insufficient_quota", "model_quota"],
  [404, "The model `x` does not exist.", "model_not_found", "model_not_found"],
  [429, "Too many tokens, please wait before trying again.", "rate_limit_error", "rate_limited"],
  [408, "Request timeout", "", "unavailable"],
  [409, "Conflict", "", "unavailable"],
  [422, "Unprocessable", "", "model_bad_request"],
  [500, `Internal error near ${canary}`, "server_error", "unavailable"],
  [503, "Overloaded", "", "unavailable"],
  [529, "Overloaded", "overloaded_error", "unavailable"],
];

/** What every model behind HTTP keeps. */
export function wireContract(wire: Wire): void {
  framing(wire);
  failures(wire);
  it("sends images, of messages and of tool results", async () => {
    const bodies: RequestInit["body"][] = [];
    const reply = replyWith(wire.text.body);
    const model = wire.create((input, init) => {
      bodies.push(init?.body);
      return reply(input, init);
    });
    await answerOf(model, richRequest);
    const sent = await new Response(bodies[0] ?? null).text();
    expect(sent.split(imageData)).toHaveLength(3);
    expect(sent).toContain("image/png");
  });
  if (wire.peer) connection(wire, wire.peer);
}

function framing({ create, text, call, cutEvery = 1 }: Wire): void {
  const bytes = (body: string) => new TextEncoder().encode(body);
  const read = (pieces: readonly Uint8Array[]) => answerOf(create(inPieces(pieces)), plainRequest);

  describe.each([
    ["text", text],
    ["a tool call", call],
  ])("%s", (_, { body, answer }) => {
    it("is the same cut in two at every byte", async () => {
      const whole = bytes(body);
      for (let at = 1; at < whole.length; at += cutEvery) {
        expect(await read([whole.subarray(0, at), whole.subarray(at)])).toEqual(answer);
      }
    });

    it("is the same byte by byte, also with CRLF and a byte order mark", async () => {
      for (const spelling of [body, body.replaceAll("\n", "\r\n"), `\uFEFF${body}`]) {
        expect(await read([...bytes(spelling)].map((byte) => Uint8Array.of(byte)))).toEqual(answer);
      }
    });
  });

  it("is whole, or an error that says it is not, wherever the stream ends", async () => {
    const whole = bytes(text.body);
    for (let at = 0; at < whole.length; at += cutEvery) {
      const heard = await listen(create(inPieces([whole.subarray(0, at)])), plainRequest);
      const events = heard.batches.flat();
      if (heard.error === undefined) expect(assemble(events).text).toBe(text.answer.text);
      else expect(heard.error).toMatchObject({ code: "unavailable" });
    }
  });

  it("[S6] gives an empty batch for a keep-alive", async () => {
    const pieces = [": keep-alive\n\n", text.body].map(bytes);
    const { batches } = await listen(create(inPieces(pieces)), plainRequest);
    expect(batches[0]).toEqual([]);
    expect(assemble(batches.flat())).toEqual(text.answer);
  });

  it("gives one batch for a read of the wire, however much it holds", async () => {
    const { batches } = await listen(create(inPieces([bytes(text.body)])), plainRequest);
    expect(batches.filter((batch) => batch.length > 0).length).toBeLessThan(8);
  });
}

function failures(wire: Wire): void {
  const { create } = wire;

  it.each(errors)(
    '[H5] says what HTTP %i "%s" (%s) is, without the key',
    async (status, message, code, expected) => {
      const body = wire.errorBody(message, code);
      const error = await failureOf(create(replyWith(body, { status })), plainRequest);
      expect(error.code).toBe(expected);
      checkMessage(error);
    },
  );

  if (wire.hasRetryAfter ?? true)
    it("says when to come back", async () => {
      const busy = (header: Record<string, string>) =>
        failureOf(
          create(replyWith(wire.errorBody("Slow down.", ""), { status: 429, ...header })),
          plainRequest,
        );
      expect(await busy({ "retry-after": "7" })).toMatchObject({
        code: "rate_limited",
        retryAfterMs: 7000,
      });
      expect(await busy({ "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" })).toMatchObject({
        retryAfterMs: 0,
      });
      expect(await busy({})).toMatchObject({ retryAfterMs: null });
    });

  it("[H5] passes on what came before an error in the stream, and the error without the key", async () => {
    const { batches, error } = await listen(create(replyWith(wire.overloaded)), plainRequest);
    expect(said(batches.flat(), "text")).toBe("Half an");
    expect(error).toMatchObject({ code: "unavailable", retryable: true });
    checkMessage(error);
  });

  it("[H5] shortens what the provider says", async () => {
    const body = wire.errorBody(`${"very ".repeat(2_000)}long ${canary}`, "");
    checkMessage(await failureOf(create(replyWith(body, { status: 500 })), plainRequest));
  });

  it("calls a broken event malformed, without quoting it", async () => {
    const error = await failureOf(
      create(replyWith(`data: {"secret ${canary}\n\n${wire.text.body}`)),
      plainRequest,
    );
    expect(error).toMatchObject({ code: "malformed", retryable: true });
    expect(error.message).not.toContain("secret");
  });

  it("calls a server that cannot be reached unavailable", async () => {
    const unreachable: Fetch = () => Promise.reject(new TypeError(`fetch failed for ${canary}`));
    const error = await failureOf(create(unreachable), plainRequest);
    expect(error).toMatchObject({ code: "unavailable" });
    checkMessage(error);
  });

  it("calls a connection that breaks unavailable, after passing on what came", async () => {
    const moment = Promise.withResolvers<void>();
    const model = create(brokenOff(halfOf(wire), moment.promise));
    const reading = (async () => {
      for await (const batch of model.stream(plainRequest, neverAborted())) {
        if (said(batch, "text") === "Half an") moment.resolve();
      }
    })();
    await expect(reading).rejects.toMatchObject({ code: "unavailable", name: "ModelError" });
  });

  it("throws the reason of an abort while it waits for the first byte", async () => {
    const abort = new AbortController();
    const reason = new Error("not wanted");
    const heard = listen(create(heldOpen(() => abort.abort(reason))), plainRequest, abort.signal);
    expect((await heard).error).toBe(reason);
  });
}

/** What comes before the error: "Half an". */
const halfOf = ({ overloaded }: Wire): string =>
  overloaded.slice(0, overloaded.lastIndexOf("data:"));

function checkMessage(error: unknown): void {
  if (!(error instanceof ModelError)) throw new Error("not a ModelError", { cause: error });
  expect(error.message).not.toContain(canary);
  expect(error.message).not.toContain(canary.slice(0, 12));
  expect(error.message.length).toBeLessThan(480);
}

function connection(wire: Wire, peer: Peer): void {
  const { create, text } = wire;
  const half = halfOf(wire);
  const model = create(peer.fetch);

  it("reads a real connection", async () => {
    peer.play({ body: text.body });
    expect(await answerOf(model, plainRequest)).toEqual(text.answer);
  });

  it("closes the connection on abort and throws the reason", async () => {
    peer.play({ body: half, hold: true });
    const abort = new AbortController();
    const reason = new Error("not wanted");
    let heard = "";
    const reading = (async () => {
      for await (const batch of model.stream(plainRequest, abort.signal)) {
        heard += said(batch, "text");
        if (heard === "Half an") queueMicrotask(() => abort.abort(reason));
      }
    })();
    await expect(reading).rejects.toBe(reason);
    await peer.hungUp();
  });

  it("closes the connection when the iteration is left", async () => {
    peer.play({ body: half, hold: true });
    for await (const batch of model.stream(plainRequest, neverAborted())) {
      if (said(batch, "text") !== "") break;
    }
    await peer.hungUp();
  });

  if (wire.endsWithLastEvent ?? true)
    it("does not wait for a server that stays on the line after its last event", async () => {
      peer.play({ body: text.body, hold: true });
      const events = [];
      for await (const batch of model.stream(plainRequest, neverAborted())) {
        events.push(...batch);
        if (events.at(-1)?.type === "finish") break;
      }
      expect(assemble(events)).toEqual(text.answer);
    });
}

import { describe, expect, it } from "vitest";
import { openai } from "../../src/model/openai.ts";
import { type Answer, answerOf, failureOf } from "../contracts/model-answer.ts";
import { plainRequest } from "../contracts/model-requests.ts";
import { replyWith } from "../contracts/model-wire-fetch.ts";
import { callChunk, chunk, usageChunk } from "./chat-recordings.ts";
import { frames } from "./wire-fixture.ts";

const model = (body: string) => openai({ id: "openai:m", model: "m", fetch: replyWith(body) });
const read = (...data: readonly (object | string)[]): Promise<Answer> =>
  answerOf(model(frames(...data)), plainRequest);

const stop = [chunk({}, "stop"), "[DONE]"] as const;
const called = [chunk({}, "tool_calls"), "[DONE]"] as const;

/** Calls as `name(input)`. */
const callsOf = async (...data: readonly (object | string)[]): Promise<string[]> =>
  (await read(...data)).calls.map((call) => `${call.name}(${call.input})`);

describe("tool-call fragments", () => {
  const fragment = (fields: object) => chunk({ tool_calls: [fields] });
  const f = (args?: unknown, name?: string) => ({
    function: { ...(name && { name }), arguments: args },
  });

  it.each<[string, readonly object[], string[]]>([
    [
      "that repeat the id",
      [callChunk(0, { id: "a" }, "f", '{"x"'), callChunk(0, { id: "a" }, undefined, ":1}")],
      ['f({"x":1})'],
    ],
    [
      "that repeat id and name",
      [callChunk(0, { id: "a" }, "f", '{"x"'), callChunk(0, { id: "a" }, "f", ":1}")],
      ['f({"x":1})'],
    ],
    [
      "with an empty id",
      [callChunk(0, { id: "" }, "f", '{"x"'), callChunk(0, { id: "" }, undefined, ":1}")],
      ['f({"x":1})'],
    ],
    [
      "without any id",
      [callChunk(0, {}, "f", "{}"), callChunk(1, {}, "g", "{}")],
      ["f({})", "g({})"],
    ],
    [
      "of two calls with one id",
      [callChunk(0, { id: "a" }, "f", "{}"), callChunk(1, { id: "a" }, "g", "{}")],
      ["f({})", "g({})"],
    ],
    [
      "of two calls with one index",
      [callChunk(0, { id: "a" }, "f", "{}"), callChunk(0, { id: "b" }, "f", '{"y":2}')],
      ["f({})", 'f({"y":2})'],
    ],
    [
      "that start at index 1",
      [callChunk(1, { id: "a" }, "f", "{}"), callChunk(2, { id: "b" }, "g", "{}")],
      ["f({})", "g({})"],
    ],
    [
      "without index, told apart by id",
      [
        fragment({ id: "a", ...f('{"x"', "f") }),
        fragment({ id: "b", ...f("{}", "g") }),
        fragment({ id: "a", ...f(":1}") }),
      ],
      ['f({"x":1})', "g({})"],
    ],
    [
      "without index or id, told apart by name",
      [fragment(f('{"x"', "f")), fragment(f(":1}")), fragment(f("{}", "f"))],
      ['f({"x":1})', "f({})"],
    ],
    [
      "whole, in one chunk",
      [
        chunk({
          tool_calls: [
            { index: 0, id: "a", ...f("{}", "f") },
            { index: 1, id: "b", ...f("{}", "g") },
          ],
        }),
      ],
      ["f({})", "g({})"],
    ],
    [
      "whose name comes late",
      [callChunk(0, { id: "a" }, undefined, '{"x"'), callChunk(0, {}, "f", ":1}")],
      ['f({"x":1})'],
    ],
    [
      "whose arguments are an object",
      [fragment({ index: 0, id: "a", ...f({ x: 1 }, "f") })],
      ['f({"x":1})'],
    ],
    [
      "without arguments",
      [
        fragment({ index: 0, id: "a", ...f(null, "f") }),
        fragment({ index: 1, id: "b", ...f("", "g") }),
      ],
      ["f({})", "g({})"],
    ],
  ])("%s make whole calls", async (_, chunks, expected) => {
    expect(await callsOf(...chunks, ...called)).toEqual(expected);
  });

  it("that never name the tool are malformed", async () => {
    const error = await failureOf(
      model(frames(callChunk(0, { id: "a" }, undefined, "{}"), ...called)),
      plainRequest,
    );
    expect(error.code).toBe("malformed");
  });

  it("make the reason tool-calls where the server says stop, and never without a call", async () => {
    expect((await read(callChunk(0, { id: "a" }, "f", "{}"), ...stop)).reason).toBe("tool-calls");
    expect((await read(chunk({ content: "No call." }), ...called)).reason).toBe("other");
    expect((await read(callChunk(0, { id: "a" }, "f", '{"x'), chunk({}, "length"))).reason).toBe(
      "length",
    );
  });
});

describe("chat completions in the wild", () => {
  it("need not say [DONE]", async () => {
    expect(await read(chunk({ content: "Hi." }), chunk({}, "stop"))).toMatchObject({
      text: "Hi.",
      reason: "stop",
    });
  });

  it("need not end their last line", async () => {
    const body = frames(chunk({ content: "Hi." }), ...stop).trimEnd();
    expect(await answerOf(model(body), plainRequest)).toMatchObject({
      text: "Hi.",
      reason: "stop",
    });
  });

  it("need not give a reason when they say [DONE] after some content", async () => {
    expect(await read(chunk({ content: "Hi." }), "[DONE]")).toMatchObject({ reason: "stop" });
    expect(await failureOf(model(frames("[DONE]")), plainRequest)).toMatchObject({
      code: "unavailable",
    });
  });

  it("are not whole when they stop inside a call", async () => {
    const error = await failureOf(
      model(frames(callChunk(0, { id: "a" }, "f", '{"x'))),
      plainRequest,
    );
    expect(error.code).toBe("unavailable");
  });

  it("may end with a chunk that has content and reason", async () => {
    expect(await read(chunk({ content: "Hi." }, "stop"), "[DONE]")).toMatchObject({ text: "Hi." });
  });

  it.each<[string, object, Partial<Answer>]>([
    ["null content", { content: null, tool_calls: null, reasoning: null }, { text: "" }],
    ["`reasoning`", { reasoning: "Hm." }, { reasoning: "Hm." }],
    [
      "reasoning under both names",
      { reasoning_content: "Hm.", reasoning: "Hm." },
      { reasoning: "Hm." },
    ],
    [
      "content as parts",
      {
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Hm." }] },
          { type: "text", text: "Hi." },
        ],
      },
      { reasoning: "Hm.", text: "Hi." },
    ],
  ])("may have %s", async (_, delta, expected) => {
    expect(await read(chunk(delta), ...stop)).toMatchObject(expected);
  });

  it.each<[string, readonly object[], object]>([
    ["after the last choice", [usageChunk], { input: 21, output: 9, cached: 12 }],
    [
      "in every chunk",
      [
        { ...usageChunk, usage: { prompt_tokens: 21, completion_tokens: 1 } },
        { ...usageChunk, usage: { prompt_tokens: 21, completion_tokens: 2 } },
      ],
      { input: 21, output: 2, cached: 0 },
    ],
    [
      "as Groq does",
      [{ ...chunk({}), x_groq: { usage: { prompt_tokens: 3, completion_tokens: 4 } } }],
      { input: 3, output: 4, cached: 0 },
    ],
    [
      "as DeepSeek does",
      [
        {
          ...usageChunk,
          usage: { prompt_tokens: 3, completion_tokens: 4, prompt_cache_hit_tokens: 2 },
        },
      ],
      { input: 3, output: 4, cached: 2 },
    ],
    ["as null", [{ ...usageChunk, usage: null }], { input: 0, output: 0, cached: 0 }],
  ])("tell usage %s", async (_, chunks, usage) => {
    expect((await read(chunk({ content: "Hi." }), ...chunks, ...stop)).usage).toEqual(usage);
  });

  it.each([
    ["content_filter", "refused"],
    ["length", "length"],
    ["stop", "stop"],
    ["something_new", "other"],
  ])("end with %s as %s", async (reason, expected) => {
    expect((await read(chunk({ content: "Hi." }), chunk({}, reason), "[DONE]")).reason).toBe(
      expected,
    );
  });

  it("are read for the first choice only", async () => {
    const second = {
      ...chunk({}),
      choices: [{ index: 1, delta: { content: "No." }, finish_reason: null }],
    };
    expect(await read(chunk({ content: "Yes." }), second, ...stop)).toMatchObject({ text: "Yes." });
  });

  it.each<[string, object, string]>([
    [
      "an error object",
      { error: { message: "Busy", code: "rate_limit_exceeded" } },
      "rate_limited",
    ],
    [
      "an error with a status",
      { error: { message: "Provider disconnected", code: 502 } },
      "unavailable",
    ],
    ["an error text", { error: "The context length was exceeded." }, "context_overflow"],
    [
      "an error beside a choice",
      { ...chunk({ content: "" }, "error"), error: { message: "x", code: 429 } },
      "rate_limited",
    ],
    ["the reason `error`", chunk({}, "error"), "unavailable"],
    [
      "an error of vLLM",
      { object: "error", message: "x", type: "BadRequestError", code: 400 },
      "model_bad_request",
    ],
  ])("fail in mid-stream with %s", async (_, failure, code) => {
    const error = await failureOf(
      model(frames(chunk({ content: "Hi." }), failure, ...stop)),
      plainRequest,
    );
    expect(error.code).toBe(code);
  });
});

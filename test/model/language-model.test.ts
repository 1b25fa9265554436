import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { describe, expect, expectTypeOf, it } from "vitest";
import { fromLanguageModel } from "../../src/model/language-model.ts";
import type {
  CallOptions,
  LanguageModel,
  StreamPart,
} from "../../src/model/language-model-types.ts";
import type { StepPart } from "../../src/shared/messages.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import { answerOf, failureOf, listen } from "../contracts/model-answer.ts";
import { modelContract } from "../contracts/model-contract.ts";
import { canary, imageData, plainRequest, richRequest } from "../contracts/model-requests.ts";
import { chatErrorBody, chatOverloaded, chatRecordings } from "./chat-recordings.ts";
import { wireFixture } from "./wire-fixture.ts";

modelContract("fromLanguageModel with @ai-sdk/openai-compatible", () =>
  wireFixture(chatRecordings, {
    create: (fetch) =>
      fromLanguageModel(
        createOpenAICompatible({
          name: "compatible",
          baseURL: "https://model.example/v1",
          apiKey: canary,
          includeUsage: true,
          fetch,
        })("some-model"),
        { secrets: [canary] },
      ),
    overloaded: chatOverloaded,
    errorBody: chatErrorBody,
    endsWithLastEvent: false,
    cutEvery: 7,
  }),
);

/** A model of specification v4 that says `parts`, and what it was asked. */
function scripted(parts: readonly StreamPart[] | Error, specificationVersion = "v4") {
  const asked: CallOptions[] = [];
  const model: LanguageModel = {
    specificationVersion,
    provider: "acme",
    modelId: "m-1",
    async doStream(options) {
      asked.push(options);
      if (parts instanceof Error) throw parts;
      const stream = new ReadableStream<StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      });
      return { stream };
    },
  };
  return { model: fromLanguageModel(model), asked };
}

const done = (unified: string): StreamPart => ({
  type: "finish",
  finishReason: { unified },
  usage: { inputTokens: { total: 7, cacheRead: undefined }, outputTokens: { total: 3 } },
});

const call = (id: string, input: string, more: Partial<StreamPart> = {}): StreamPart[] => [
  { type: "tool-input-start", id, toolName: "f", ...more },
  { type: "tool-input-delta", id, delta: input },
  { type: "tool-input-end", id },
  { type: "tool-call", toolCallId: id, toolName: "f", input, ...more },
];

describe("fromLanguageModel", () => {
  it("takes the models of the provider packages as they are", () => {
    expectTypeOf(
      createOpenAICompatible({ name: "a", baseURL: "b" })("c"),
    ).toExtend<LanguageModel>();
  });

  it("asks as the specification wants it", async () => {
    const { model, asked } = scripted([done("stop")]);
    await answerOf(model, richRequest);
    const file = { type: "file", data: { type: "data", data: imageData }, mediaType: "image/png" };
    const part = (call: string, input: object) => ({
      type: "tool-call",
      toolCallId: call,
      toolName: "read_file",
      input,
    });
    const result = (call: string, output: object) => ({
      type: "tool-result",
      toolCallId: call,
      toolName: "read_file",
      output,
    });
    expect(asked[0]?.prompt).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "What is this?" }, file] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "I should look." },
          { type: "text", text: "Let me see." },
          part("call_4_0", { path: "a.png" }),
          part("call_4_1", {}),
        ],
      },
      {
        role: "tool",
        content: [
          result("call_4_0", { type: "content", value: [{ type: "text", text: "a.png:" }, file] }),
          result("call_4_1", { type: "error-text", value: "The arguments are not JSON." }),
        ],
      },
      { role: "user", content: [{ type: "text", text: "And?" }] },
    ]);
    expect(asked[0]).toMatchObject({
      maxOutputTokens: 1000,
      tools: [{ type: "function", name: "read_file" }],
    });
  });

  it("gives a provider back what it attached to thoughts and calls", async () => {
    const thought = { acme: { signature: "s1" } };
    const first = { acme: { thoughtSignature: "t1" } };
    const third = { acme: { thoughtSignature: "t3" } };
    const { model } = scripted([
      { type: "reasoning-start", id: "r" },
      { type: "reasoning-delta", id: "r", delta: "Hm." },
      { type: "reasoning-end", id: "r", providerMetadata: thought },
      ...call("a", "{}", { providerMetadata: first }),
      ...call("b", '{"x":1}'),
      ...call("c", "{}", { providerMetadata: third }),
      done("tool-calls"),
    ]);
    const answer = await answerOf(model, plainRequest);
    const parts: StepPart[] = [
      { type: "reasoning", text: answer.reasoning, signature: answer.signatures.join("") },
      ...answer.calls.map(({ name, input }, index) => ({
        type: "tool-call" as const,
        call: `call_${index}`,
        name,
        input,
      })),
    ];
    const { model: next, asked } = scripted([done("stop")]);
    await answerOf(next, { ...plainRequest, messages: [{ role: "assistant", parts }] });
    expect(asked[0]?.prompt[1]).toMatchObject({
      content: [
        { type: "reasoning", text: "Hm.", providerOptions: thought },
        { type: "tool-call", toolCallId: "call_0", providerOptions: first },
        { type: "tool-call", toolCallId: "call_1", input: { x: 1 } },
        { type: "tool-call", toolCallId: "call_2", providerOptions: third },
      ],
    });
    expect(JSON.stringify(asked[0]?.prompt).split("providerOptions")).toHaveLength(4);
  });

  it.each<[string, StreamPart[], string[]]>([
    [
      "that come whole",
      [{ type: "tool-call", toolCallId: "a", toolName: "f", input: '{"x":1}' }],
      ['f({"x":1})'],
    ],
    [
      "without input",
      [{ type: "tool-call", toolCallId: "a", toolName: "f", input: "" }],
      ["f({})"],
    ],
    [
      "whose input streams as text",
      call("a", "raw", { inputEncoding: "text", input: '"raw"' }),
      ['f("raw")'],
    ],
    ["that the provider runs itself", call("a", "{}", { providerExecuted: true }), []],
  ])("reads calls %s", async (_, parts, expected) => {
    const { calls } = await answerOf(scripted([...parts, done("stop")]).model, plainRequest);
    expect(calls.map(({ name, input }) => `${name}(${input})`)).toEqual(expected);
  });

  it("[S6] gives an empty batch for a ping", async () => {
    const { batches } = await listen(
      scripted([{ type: "ping" }, done("stop")]).model,
      plainRequest,
    );
    expect(batches[0]).toEqual([]);
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "refused"],
    ["tool-calls", "other"],
    ["other", "other"],
  ])("ends with %s as %s", async (unified, reason) => {
    expect(await answerOf(scripted([done(unified)]).model, plainRequest)).toMatchObject({ reason });
  });

  it.each<[string, StreamPart[] | Error, string]>([
    ["an interrupted answer", [done("interrupted")], "unavailable"],
    ["a stream without finish", [{ type: "text-delta", id: "t", delta: "Hi." }], "unavailable"],
    ["an error part with a text", [{ type: "error", error: "Rate limit reached" }], "rate_limited"],
    [
      "an error part with an object",
      [{ type: "error", error: { code: "context_length_exceeded" } }],
      "context_overflow",
    ],
    ["an error part without anything", [{ type: "error" }], "unavailable"],
    [
      "a missing key",
      Object.assign(new Error("no key"), { name: "AI_LoadAPIKeyError" }),
      "model_not_configured",
    ],
    [
      "a refusal of the guarded fetch",
      new CarrelError("forbidden", "The request to x was refused."),
      "model_not_configured",
    ],
    ["an unknown error", new Error("socket hang up"), "unavailable"],
  ])("tells %s", async (_, parts, code) => {
    expect(await failureOf(scripted(parts).model, plainRequest)).toMatchObject({ code });
  });

  it("asks for a newer package where one implements an older specification", async () => {
    const error = await failureOf(scripted([done("stop")], "v2").model, plainRequest);
    expect(error).toMatchObject({ code: "model_not_configured" });
    expect(error.message).toContain("newest version");
  });
});

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModel, trustedOrigins } from "../../src/model/choose.ts";
import { fromLanguageModel } from "../../src/model/language-model.ts";
import type { Model, ModelRequest } from "../../src/model/model.ts";
import { createGuardedFetch } from "../../src/shared/guarded-fetch.ts";
import { answerOf, failureOf } from "../contracts/model-answer.ts";
import { canary } from "../contracts/model-requests.ts";

const usages = {
  openai: { prompt_tokens: 7, completion_tokens: 3 },
  anthropic: { input_tokens: 7, output_tokens: 3 },
};
const mock = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 5 });

beforeAll(async () => {
  for (const [word, usage] of Object.entries(usages)) {
    mock.onMessage(`Hello, ${word}.`, { content: "Grüß dich, 世界!", usage });
  }
  mock.on({ userMessage: "Weather?", hasToolResult: true }, { content: "It rains." });
  mock.onMessage("Weather?", {
    toolCalls: [
      { name: "weather", arguments: '{"city":"Bern"}' },
      { name: "weather", arguments: '{"city":"Brno"}' },
    ],
  });
  await mock.start();
});
afterAll(() => mock.stop());

const unused: Model = {
  id: "offline",
  async *stream() {
    yield* [];
    throw new Error("not asked");
  },
};

/** A model as a deployment makes it, with the guarded fetch. */
function configured(spec: string): Model {
  const config = {
    OPENAI_API_KEY: canary,
    OPENAI_BASE_URL: `${mock.url}/v1`,
    ANTHROPIC_API_KEY: canary,
    ANTHROPIC_BASE_URL: mock.url,
    OPENAI_COMPATIBLE_BASE_URL: mock.url,
  };
  const fetch = createGuardedFetch({ trustedOrigins: trustedOrigins(config) });
  return createModel(spec, config, { fetch, offline: unused });
}

const request = (text: string): ModelRequest => ({
  system: "Be brief.",
  messages: [{ role: "user", content: [{ type: "text", text }] }],
  tools: [
    {
      name: "weather",
      description: "Tells the weather.",
      inputSchema: { type: "object", properties: {} },
    },
  ],
});

describe.each<[string, () => Model, keyof typeof usages]>([
  ["openai", () => configured("openai:gpt-5.1"), "openai"],
  ["openai-compatible", () => configured("openai-compatible:llama3"), "openai"],
  ["anthropic", () => configured("anthropic:claude-sonnet-4-5"), "anthropic"],
  [
    "fromLanguageModel",
    () =>
      fromLanguageModel(
        createOpenAICompatible({ name: "mock", baseURL: `${mock.url}/v1`, includeUsage: true })(
          "m",
        ),
      ),
    "openai",
  ],
])("%s against the mock of another project", (_, make, dialect) => {
  it("reads text and usage", async () => {
    expect(await answerOf(make(), request(`Hello, ${dialect}.`))).toMatchObject({
      text: "Grüß dich, 世界!",
      reason: "stop",
      usage: { input: 7, output: 3 },
    });
  });

  it("goes through a tool loop", async () => {
    const model = make();
    const first = await answerOf(model, request("Weather?"));
    expect(first.reason).toBe("tool-calls");
    expect(first.calls.map(({ input }) => JSON.parse(input))).toEqual([
      { city: "Bern" },
      { city: "Brno" },
    ]);
    const calls = first.calls.map((call, index) => ({ ...call, call: `call_2_${index}` }));
    const second = await answerOf(model, {
      ...request("Weather?"),
      messages: [
        ...request("Weather?").messages,
        {
          role: "assistant",
          parts: calls.map((call) => ({ type: "tool-call" as const, ...call })),
        },
        {
          role: "tool",
          results: calls.map(({ call, name }) => ({
            call,
            name,
            status: "success" as const,
            content: [{ type: "text" as const, text: "rain" }],
          })),
        },
      ],
    });
    expect(second).toMatchObject({ text: "It rains.", reason: "stop", calls: [] });
  });

  it("tells a failure of the mock", async () => {
    mock.nextRequestError(429, { message: "Slow down.", type: "rate_limit_error" });
    expect(await failureOf(make(), request(`Hello, ${dialect}.`))).toMatchObject({
      code: "rate_limited",
    });
  });
});

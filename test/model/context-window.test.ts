import { describe, expect, it } from "vitest";
import { createModel, type ModelDeps } from "../../src/model/choose.ts";
import { knownWindow } from "../../src/model/context-window.ts";
import { fromLanguageModel } from "../../src/model/language-model.ts";
import { createOfflineModel } from "../../src/model/offline/offline-model.ts";
import { withInactivityLimit } from "../../src/model/watchdog.ts";

const deps: ModelDeps = {
  fetch: () => Promise.reject(new Error("nothing is fetched")),
  offline: createOfflineModel(),
  ai: { run: () => Promise.reject(new Error("nothing is run")) },
};

const config = {
  OPENAI_API_KEY: "key",
  ANTHROPIC_API_KEY: "key",
  OPENAI_COMPATIBLE_BASE_URL: "https://models.example/v1",
};

describe("knownWindow", () => {
  it.each([
    ["gpt-5.1", 400_000],
    ["gpt-5-mini-2025-08-07", 400_000],
    ["gpt-5.1-chat-latest", 128_000],
    ["gpt-4.1-mini", 1_047_576],
    ["gpt-4o-2024-11-20", 128_000],
    ["gpt-4", 8_192],
    ["o3", 200_000],
    ["o1-mini", 128_000],
    ["claude-sonnet-4-5-20250929", 200_000],
    ["anthropic/claude-haiku-4.5", 200_000],
    ["google/gemini-2.5-flash", 1_048_576],
    ["models/gemini-1.5-pro-002", 2_097_152],
    ["deepseek-reasoner", 128_000],
    ["GPT-4o", 128_000],
    ["@cf/meta/llama-3.3-70b-instruct-fp8-fast", 24_000],
    ["@cf/meta/llama-3.1-8b-instruct", 7_968],
    ["@cf/qwen/qwen3-30b-a3b-fp8", 32_768],
    ["@cf/openai/gpt-oss-120b", 128_000],
  ])("of %s is %d tokens", (name, tokens) => {
    expect(knownWindow(name)).toBe(tokens);
  });

  it.each([
    "gpt-4o-realtime-preview",
    "gpt-image-1",
    "gemini-2.5-flash-image",
    "llama3.1:8b",
    "gpt-6",
    "o5",
    "@cf/meta/llama-2-7b",
    "my-gpt-4o",
    "",
  ])("of %j is not known", (name) => {
    expect(knownWindow(name)).toBeUndefined();
  });
});

describe("a chosen model", () => {
  const windowOf = (spec: string, more: object = {}) =>
    createModel(spec, { ...config, ...more }, deps).contextWindow;

  it("has the window of its name, whoever wraps it", () => {
    expect(windowOf("openai:gpt-5.1")).toBe(400_000);
    expect(windowOf("anthropic:claude-opus-4-1")).toBe(200_000);
    expect(windowOf("workers-ai:@cf/qwen/qwq-32b")).toBe(24_000);
    expect(windowOf("openai-compatible:deepseek-chat")).toBe(128_000);
    expect(windowOf("openai-compatible:local")).toBeUndefined();
    expect(windowOf("offline")).toBe(128_000);
    const wrapped = withInactivityLimit(createModel("openai:o3", config, deps));
    expect(wrapped).toMatchObject({ id: "openai:o3", contextWindow: 200_000 });
    expect(withInactivityLimit(createModel("openai:x", config, deps))).not.toHaveProperty(
      "contextWindow",
    );
  });

  it("has the window that the operator sets, and says what is wrong with one that is none", async () => {
    expect(windowOf("openai-compatible:local", { MODEL_CONTEXT_TOKENS: " 32000 " })).toBe(32_000);
    expect(windowOf("offline", { MODEL_CONTEXT_TOKENS: "9000" })).toBe(9_000);
    expect(windowOf("openai:o3", { MODEL_CONTEXT_TOKENS: " " })).toBe(200_000);
    for (const wrong of ["many", "999", "-5", "1e6", "128_000", "1234567890"]) {
      const model = createModel("openai:o3", { ...config, MODEL_CONTEXT_TOKENS: wrong }, deps);
      const asked = model.stream({ system: "", messages: [], tools: [] }, AbortSignal.timeout(1));
      await expect(asked[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        code: "model_not_configured",
        message: expect.stringContaining("MODEL_CONTEXT_TOKENS") as string,
      });
    }
  });

  it("of a provider's package has the window of its name, or the one that it is given", () => {
    const model = {
      specificationVersion: "v4",
      provider: "google",
      modelId: "gemini-2.5-pro",
      doStream: () => Promise.reject(new Error("not asked")),
    } as unknown as Parameters<typeof fromLanguageModel>[0];
    expect(fromLanguageModel(model).contextWindow).toBe(1_048_576);
    expect(fromLanguageModel(model, { contextWindow: 9_000 }).contextWindow).toBe(9_000);
    expect(fromLanguageModel({ ...model, modelId: "new" })).not.toHaveProperty("contextWindow");
  });
});

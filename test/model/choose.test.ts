import { describe, expect, it } from "vitest";
import { type ModelConfig, createModel, trustedOrigins } from "../../src/model/choose.ts";
import type { Model } from "../../src/model/model.ts";
import { answerOf, failureOf } from "../contracts/model-answer.ts";
import { canary, plainRequest } from "../contracts/model-requests.ts";
import { anthropicRecordings } from "./anthropic-recordings.ts";
import { chatRecordings } from "./chat-recordings.ts";
import { recordingFetch } from "./requests-seen.ts";

const offline: Model = {
  id: "offline",
  async *stream() {
    yield [{ type: "finish", reason: "stop", usage: { input: 0, output: 0, cached: 0 } }];
  },
};

const deps = (body = "") => ({ ...recordingFetch(body), offline });

describe("createModel", () => {
  it("gives the offline model", () => {
    expect(createModel("offline", {}, deps())).toBe(offline);
  });

  it.each<[string, ModelConfig, string, object]>([
    [
      "openai:gpt-5.1",
      { OPENAI_API_KEY: canary },
      chatRecordings.text.body,
      {
        url: "https://api.openai.com/v1/chat/completions",
        headers: { authorization: `Bearer ${canary}` },
        body: { model: "gpt-5.1", max_completion_tokens: 9 },
      },
    ],
    [
      " openai:gpt-5.1 ",
      { OPENAI_API_KEY: ` ${canary}\n`, OPENAI_BASE_URL: "http://127.0.0.1:9/v1" },
      chatRecordings.text.body,
      {
        url: "http://127.0.0.1:9/v1/chat/completions",
        headers: { authorization: `Bearer ${canary}` },
      },
    ],
    [
      "anthropic:claude-sonnet-4-5",
      { ANTHROPIC_API_KEY: canary, ANTHROPIC_BASE_URL: "" },
      anthropicRecordings.text.body,
      {
        url: "https://api.anthropic.com/v1/messages",
        headers: { "x-api-key": canary },
        body: { model: "claude-sonnet-4-5", max_tokens: 9 },
      },
    ],
    [
      "openai-compatible:qwen3:8b",
      { OPENAI_COMPATIBLE_BASE_URL: "http://127.0.0.1:11434" },
      chatRecordings.text.body,
      {
        url: "http://127.0.0.1:11434/v1/chat/completions",
        body: { model: "qwen3:8b", max_tokens: 9 },
      },
    ],
    [
      "openai-compatible:m",
      { OPENAI_COMPATIBLE_BASE_URL: "https://a.example/v1", OPENAI_COMPATIBLE_API_KEY: canary },
      chatRecordings.text.body,
      { headers: { authorization: `Bearer ${canary}` } },
    ],
  ])("makes %s", async (spec, config, body, expected) => {
    const { fetch, seen } = recordingFetch(body);
    const model = createModel(spec, config, { fetch, offline });
    expect(model.id).toBe(spec.trim());
    await answerOf(model, { ...plainRequest, maxOutputTokens: 9 });
    expect(seen).toMatchObject([expected]);
  });

  it("makes a model of the Workers AI binding", async () => {
    const asked: string[] = [];
    const ai = {
      run: async (model: string) => {
        asked.push(model);
        return { response: "Hi." };
      },
    };
    const model = createModel("workers-ai:@cf/meta/llama-4-scout", {}, { ...deps(), ai });
    expect(await answerOf(model, plainRequest)).toMatchObject({ text: "Hi." });
    expect(asked).toEqual(["@cf/meta/llama-4-scout"]);
  });

  it.each<[string, ModelConfig, string]>([
    [
      "openai:m",
      {},
      "Set OPENAI_API_KEY in .dev.vars, or as a secret with `wrangler secret put OPENAI_API_KEY`.",
    ],
    ["openai:m", { OPENAI_API_KEY: " " }, "Set OPENAI_API_KEY"],
    ["anthropic:m", { OPENAI_API_KEY: canary }, "Set ANTHROPIC_API_KEY in .dev.vars"],
    ["openai-compatible:m", {}, "Set OPENAI_COMPATIBLE_BASE_URL"],
    ["workers-ai:@cf/m", {}, '[ai] with binding = "AI"'],
    [
      "openai:m",
      { OPENAI_API_KEY: canary, OPENAI_BASE_URL: "localhost:11434" },
      "OPENAI_BASE_URL is not an address",
    ],
    [
      "openai:m",
      { OPENAI_API_KEY: canary, OPENAI_BASE_URL: "not a url" },
      "OPENAI_BASE_URL is not an address",
    ],
    ["openai:", { OPENAI_API_KEY: canary }, '"openai" needs the name of a model'],
    ["openai", { OPENAI_API_KEY: canary }, '"openai" needs the name of a model'],
    ["gpt-5.1", { OPENAI_API_KEY: canary }, 'There is no model "gpt-5.1". Write openai:NAME'],
    ["toString:x", {}, "There is no model"],
    ["offline:x", {}, "There is no model"],
    ["", {}, 'There is no model ""'],
  ])(
    '"%s" with %j says how to mend it, at the call and not before',
    async (spec, config, message) => {
      const { fetch, seen } = recordingFetch("");
      const error = await failureOf(createModel(spec, config, { fetch, offline }), plainRequest);
      expect(error).toMatchObject({ code: "model_not_configured", retryable: false });
      expect(error.message).toContain(message);
      expect(error.message).not.toContain(canary);
      expect(seen).toEqual([]);
    },
  );

  it("lets a broken address of one provider not trouble another", async () => {
    const { fetch } = recordingFetch(chatRecordings.text.body);
    const config = { OPENAI_API_KEY: canary, ANTHROPIC_BASE_URL: "not a url" };
    await answerOf(createModel("openai:m", config, { fetch, offline }), plainRequest);
  });
});

describe("trustedOrigins", () => {
  it("are the origins that the configuration names", () => {
    const config = {
      OPENAI_API_KEY: canary,
      OPENAI_BASE_URL: "http://127.0.0.1:11434/v1",
      ANTHROPIC_BASE_URL: "not a url",
      OPENAI_COMPATIBLE_BASE_URL: "https://models.corp:8443/openai/v1/",
    };
    expect(trustedOrigins(config)).toEqual(["http://127.0.0.1:11434", "https://models.corp:8443"]);
    expect(trustedOrigins({})).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { type AnthropicOptions, anthropic } from "../../src/model/anthropic.ts";
import type { ModelRequest } from "../../src/model/model.ts";
import type { StepPart } from "../../src/shared/messages.ts";
import { answerOf, failureOf } from "../contracts/model-answer.ts";
import { modelContract } from "../contracts/model-contract.ts";
import { canary, imageData, plainRequest, richRequest } from "../contracts/model-requests.ts";
import { replyWith } from "../contracts/model-wire-fetch.ts";
import {
  anthropicErrorBody,
  anthropicOverloaded,
  anthropicRecordings,
  block,
  end,
  event,
  start,
} from "./anthropic-recordings.ts";
import { recordingFetch } from "./requests-seen.ts";
import { wireFixture } from "./wire-fixture.ts";

const options = { id: "anthropic:claude-sonnet-4-5", model: "claude-sonnet-4-5", apiKey: canary };

modelContract("anthropic", () =>
  wireFixture(anthropicRecordings, {
    create: (fetch) => anthropic({ ...options, fetch }),
    overloaded: anthropicOverloaded,
    errorBody: anthropicErrorBody,
  }),
);

const cached = { cache_control: { type: "ephemeral" } };
const text = (words: string) => ({ type: "text", text: words });
const image = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: imageData },
};

async function sent(request: ModelRequest, more: Partial<AnthropicOptions> = {}) {
  const { fetch, seen } = recordingFetch(anthropicRecordings.text.body);
  await answerOf(anthropic({ ...options, ...more, fetch }), request);
  const [only] = seen;
  if (!only) throw new Error("nothing was sent");
  return only;
}

const user = (words: string) =>
  ({ role: "user", content: [{ type: "text", text: words }] }) as const;
const assistant = (...parts: readonly StepPart[]) => ({ role: "assistant", parts }) as const;
const call = { type: "tool-call", call: "call_1_0", name: "f", input: "{}" } as const;
const result = {
  role: "tool",
  results: [{ call: "call_1_0", name: "f", status: "success", content: [] }],
} as const;

describe("a request to anthropic", () => {
  it("has the key, the version and cache breakpoints after system and the last message", async () => {
    const { url, headers, body } = await sent(plainRequest);
    expect(url).toBe("https://api.anthropic.com/v1/messages");
    expect(headers).toMatchObject({ "x-api-key": canary, "anthropic-version": "2023-06-01" });
    expect(body).toEqual({
      model: "claude-sonnet-4-5",
      max_tokens: 16_384,
      system: [{ ...text("Be brief."), ...cached }],
      messages: [{ role: "user", content: [{ ...text("Hello."), ...cached }] }],
      stream: true,
    });
  });

  it("tells thoughts, calls, errors and images natively, and joins neighbours of one role", async () => {
    const { body } = await sent(richRequest);
    const results = [
      { tool_use_id: "call_4_0", content: [text("a.png:"), image] },
      { tool_use_id: "call_4_1", content: [text("The arguments are not JSON.")], is_error: true },
    ].map((fields) => ({ type: "tool_result", ...fields }));
    expect(body).toMatchObject({
      max_tokens: 1000,
      tools: [{ name: "read_file", input_schema: {} }],
    });
    expect(body["messages"]).toEqual([
      { role: "user", content: [text("What is this?"), image] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "I should look.", signature: "c2lnbmVk" },
          text("Let me see."),
          { type: "tool_use", id: "call_4_0", name: "read_file", input: { path: "a.png" } },
          { type: "tool_use", id: "call_4_1", name: "read_file", input: {} },
        ],
      },
      { role: "user", content: [...results, { ...text("And?"), ...cached }] },
    ]);
  });

  it("sends redacted thoughts back, and leaves out unsigned ones, blank texts and empty answers", async () => {
    const { body } = await sent({
      system: " ",
      messages: [
        user(" "),
        assistant({ type: "reasoning", text: "Unsigned." }, { type: "text", text: "\n" }),
        user("Again."),
        assistant(
          { type: "reasoning", text: "", signature: "redacted:aGlkZGVu" },
          { type: "text", text: "Yes." },
        ),
        user("Go."),
      ],
      tools: [],
    });
    expect(body).not.toHaveProperty("system");
    expect(body["messages"]).toEqual([
      { role: "user", content: [text("(empty message)"), text("Again.")] },
      {
        role: "assistant",
        content: [{ type: "redacted_thinking", data: "aGlkZGVu" }, text("Yes.")],
      },
      { role: "user", content: [{ ...text("Go."), ...cached }] },
    ]);
  });

  it("defines the tools of its history where none is offered", async () => {
    const { body } = await sent({
      ...plainRequest,
      messages: [user("Go."), assistant(call), result],
    });
    expect(body).toMatchObject({
      tools: [{ name: "f", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    });
  });

  it("asks to think only where the API allows it", async () => {
    const thinking = { type: "enabled", budget_tokens: 2000 };
    const thinks = async (request: ModelRequest) =>
      "thinking" in (await sent(request, { thinking })).body;
    const loop = (...parts: readonly StepPart[]) => ({
      ...plainRequest,
      messages: [user("Go."), assistant(...parts, call), result],
    });
    expect(await thinks(plainRequest)).toBe(true);
    expect(await thinks({ ...plainRequest, maxOutputTokens: 2000 })).toBe(false);
    expect(await thinks(loop({ type: "reasoning", text: "Hm.", signature: "c2ln" }))).toBe(true);
    expect(await thinks(loop({ type: "text", text: "Hm." }))).toBe(false);
  });

  it.each([
    ["https://a.example", "https://a.example/v1/messages"],
    ["https://a.example/v1/", "https://a.example/v1/messages"],
    ["https://a.example/anthropic", "https://a.example/anthropic/v1/messages"],
  ])("to the base URL %s goes to %s", async (baseUrl, url) => {
    expect((await sent(plainRequest, { baseUrl })).url).toBe(url);
  });
});

describe("an answer of anthropic", () => {
  const read = (body: string) =>
    answerOf(anthropic({ ...options, fetch: replyWith(body) }), plainRequest);
  const code = async (body: string, status?: number) => {
    const reply = status === undefined ? replyWith(body) : replyWith(body, { status });
    return (await failureOf(anthropic({ ...options, fetch: reply }), plainRequest)).code;
  };

  it("may have its arguments in the block’s start, and blocks of unknown kinds", async () => {
    const answer = await read(
      start +
        block(
          0,
          { type: "server_tool_use", name: "web_search", input: {} },
          { type: "input_json_delta", partial_json: '{"q":1}' },
        ) +
        block(1, { type: "tool_use", id: "toolu_1", name: "f", input: { x: 1 } }) +
        event("something_new", { delta: null }) +
        end("tool_use"),
    );
    expect(answer.calls).toEqual([{ name: "f", input: '{"x":1}' }]);
  });

  it("is whole without message_stop once it has a stop reason", async () => {
    expect(await read(start + end("end_turn").split("event: message_stop")[0])).toMatchObject({
      reason: "stop",
    });
    expect(await code(start + event("message_stop"))).toBe("unavailable");
  });

  it.each([
    ["stop_sequence", "stop"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "other"],
    ["tool_use", "other"],
  ])("ends with %s as %s", async (reason, expected) => {
    expect(await read(start + end(reason))).toMatchObject({ reason: expected });
  });

  it.each([
    ["rate_limit_error", "rate_limited"],
    ["api_error", "unavailable"],
    ["invalid_request_error", "model_bad_request"],
    ["authentication_error", "model_auth"],
    ["billing_error", "model_quota"],
  ])("fails in mid-stream with %s as %s", async (type, expected) => {
    expect(await code(start + event("error", { error: { type, message: "x" } }))).toBe(expected);
  });

  it("says that the quota is used up, which comes as a bad request", async () => {
    const body = anthropicErrorBody(
      "Your credit balance is too low to access the API.",
      "invalid_request_error",
    );
    expect(await code(body, 400)).toBe("model_quota");
  });
});

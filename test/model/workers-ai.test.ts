import { describe, expect, it } from "vitest";
import { type WorkersAiBinding, workersAi } from "../../src/model/workers-ai.ts";
import { answerOf, failureOf, listen } from "../contracts/model-answer.ts";
import type { Fetch } from "../../src/shared/guarded-fetch.ts";
import { modelContract } from "../contracts/model-contract.ts";
import { canary, plainRequest, richRequest } from "../contracts/model-requests.ts";
import { chatOverloaded, chatRecordings } from "./chat-recordings.ts";
import { wireFixture } from "./wire-fixture.ts";
import { bindingOver, oldOverloaded, oldRecordings } from "./workers-ai-recordings.ts";

const id = "workers-ai:@cf/openai/gpt-oss-120b";
const over = (ai: WorkersAiBinding) => workersAi({ id, model: "@cf/openai/gpt-oss-120b", ai });
const wire = {
  create: (fetch: Fetch) => over(bindingOver(fetch)),
  errorBody: (message: string, code: string) => `${code} ${message.replace(canary, "of yours")}`,
  hasRetryAfter: false,
};

modelContract("workers-ai, chat completions", () =>
  wireFixture(chatRecordings, { ...wire, overloaded: chatOverloaded.replace(canary, "of yours") }),
);

modelContract("workers-ai, older dialect", () =>
  wireFixture(oldRecordings, { ...wire, overloaded: oldOverloaded }),
);

describe("workers-ai", () => {
  it("asks for a stream, with string content and an output limit of its own", async () => {
    const asked: unknown[] = [];
    const ai: WorkersAiBinding = {
      run: async (...call) => {
        asked.push(...call);
        return new Response(chatRecordings.text.body).body;
      },
    };
    await answerOf(over(ai), { ...richRequest, maxOutputTokens: 70 });
    await answerOf(over(ai), plainRequest);
    expect(asked[0]).toBe("@cf/openai/gpt-oss-120b");
    expect(asked[1]).toMatchObject({ stream: true, max_tokens: 70, tools: [{ type: "function" }] });
    expect(asked[4]).toEqual({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello." },
      ],
      max_tokens: 4096,
      stream: true,
    });
  });

  it("gives a call without text empty content, which the platform wants", async () => {
    const asked: unknown[] = [];
    const ai: WorkersAiBinding = {
      run: async (_, inputs) => {
        asked.push(inputs);
        return new Response(chatRecordings.text.body).body;
      },
    };
    const parts = [{ type: "tool-call", call: "call_1_0", name: "f", input: "{}" }] as const;
    await answerOf(over(ai), { ...plainRequest, messages: [{ role: "assistant", parts }] });
    expect(asked).toMatchObject([{ messages: [{}, { role: "assistant", content: "" }] }]);
  });

  it.each([
    [{ response: "Hello.", usage: { prompt_tokens: 3, completion_tokens: 2 } }, "stop", 2],
    [{ choices: [{ message: { content: "Hello." }, finish_reason: "stop" }] }, "stop", 0],
  ])("takes an answer in one piece: %j", async (whole, reason, output) => {
    const answer = await answerOf(over({ run: async () => whole }), plainRequest);
    expect(answer).toMatchObject({ text: "Hello.", reason, usage: { output } });
  });

  it("closes the stream of a binding that does not heed the signal", async () => {
    let isClosed = false;
    const stream = new ReadableStream<Uint8Array>({
      cancel() {
        isClosed = true;
      },
    });
    const abort = new AbortController();
    const reason = new Error("not wanted");
    const heard = listen(over({ run: async () => stream }), plainRequest, abort.signal);
    setTimeout(() => abort.abort(reason));
    expect((await heard).error).toBe(reason);
    expect(isClosed).toBe(true);
  });

  it.each([
    ["5007: No such model @cf/x or task", "model_not_found"],
    ["3042: The model name is invalid", "model_not_found"],
    ["5016: User has not agreed to the model terms", "model_auth"],
    ["3036: You have used up your daily free allocation of 10,000 neurons.", "model_quota"],
    ["3040: No more data centers to forward the request to", "rate_limited"],
    ["3007: Request timeout", "unavailable"],
    ['5006: oneOf at "/" not met', "model_bad_request"],
    [
      "AiError: 5021: The estimated number of input and output tokens is above 24000",
      "context_overflow",
    ],
    ["AiError: This model's maximum context length is 131072 tokens.", "context_overflow"],
    ["Something else", "unavailable"],
  ])('maps "%s"', async (message, code) => {
    const error = await failureOf(
      over({ run: () => Promise.reject(new Error(message)) }),
      plainRequest,
    );
    expect(error.code).toBe(code);
  });
});

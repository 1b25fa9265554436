import { describe, expect, it } from "vitest";
import { endpointUrl, openai } from "../../src/model/openai.ts";
import { answerOf, failureOf } from "../contracts/model-answer.ts";
import { modelContract } from "../contracts/model-contract.ts";
import { canary, imageData, plainRequest, richRequest } from "../contracts/model-requests.ts";
import { chatErrorBody, chatOverloaded, chatRecordings } from "./chat-recordings.ts";
import { recordingFetch } from "./requests-seen.ts";
import { wireFixture } from "./wire-fixture.ts";
import { replyWith } from "../contracts/model-wire-fetch.ts";

const id = "openai:gpt-5.1";

modelContract("openai", () =>
  wireFixture(chatRecordings, {
    create: (fetch) => openai({ id, model: "gpt-5.1", apiKey: canary, fetch }),
    overloaded: chatOverloaded,
    errorBody: chatErrorBody,
  }),
);

const image = { type: "image_url", image_url: { url: `data:image/png;base64,${imageData}` } };

describe("a request to openai", () => {
  it("is a stream with usage, and holds no more than it needs", async () => {
    const { fetch, seen } = recordingFetch(chatRecordings.text.body);
    await answerOf(openai({ id, model: "gpt-5.1", apiKey: canary, fetch }), plainRequest);
    expect(seen).toMatchObject([
      {
        url: "https://api.openai.com/v1/chat/completions",
        method: "POST",
        headers: { authorization: `Bearer ${canary}`, "content-type": "application/json" },
      },
    ]);
    expect(seen[0]?.body).toEqual({
      model: "gpt-5.1",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello." },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it("tells calls, marked errors and images, in an order that providers take", async () => {
    const { fetch, seen } = recordingFetch(chatRecordings.text.body);
    await answerOf(openai({ id, model: "gpt-5.1", fetch }), richRequest);
    const call = (index: number, args: string) => ({
      id: `call_4_${index}`,
      type: "function",
      function: { name: "read_file", arguments: args },
    });
    expect(seen[0]?.body).toMatchObject({
      max_completion_tokens: 1000,
      tools: [
        { type: "function", function: { name: "read_file", parameters: { type: "object" } } },
      ],
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
        {
          role: "assistant",
          content: "Let me see.",
          tool_calls: [call(0, '{"path":"a.png"}'), call(1, "{}")],
        },
        { role: "tool", tool_call_id: "call_4_0", content: "a.png:\n[The image follows below.]" },
        { role: "tool", tool_call_id: "call_4_1", content: "[error] The arguments are not JSON." },
        {
          role: "user",
          content: [
            { type: "text", text: "Images from read_file:" },
            image,
            { type: "text", text: "And?" },
          ],
        },
      ],
    });
    expect(seen[0]?.headers).not.toHaveProperty("authorization");
  });

  it("leaves out a system prompt and an answer that are empty, and names the limit as the server does", async () => {
    const { fetch, seen } = recordingFetch(chatRecordings.text.body);
    const model = openai({
      id,
      model: "m",
      limitField: "max_tokens",
      baseUrl: "http://127.0.0.1:11434/v1/",
      fetch,
    });
    const [user] = plainRequest.messages;
    if (!user) throw new Error("no message");
    const messages = [
      user,
      { role: "assistant", parts: [{ type: "reasoning", text: "Hm." }] } as const,
      user,
    ];
    await answerOf(model, { system: "", messages, tools: [], maxOutputTokens: 5 });
    expect(seen[0]).toMatchObject({
      url: "http://127.0.0.1:11434/v1/chat/completions",
      body: { max_tokens: 5, messages: [{ role: "user", content: "Hello.\n\nHello." }] },
    });
  });

  it.each([
    ["https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"],
    ["http://localhost:11434", "http://localhost:11434/v1/chat/completions"],
    ["https://a.example/openai/v1/", "https://a.example/openai/v1/chat/completions"],
    ["https://a.example/v1?api-version=2", "https://a.example/v1/chat/completions?api-version=2"],
  ])("to the base URL %s goes to %s", (base, url) => {
    expect(endpointUrl(base, "/chat/completions")).toBe(url);
  });
});

describe("an answer to openai that is no stream", () => {
  const model = (body: string, type: string) =>
    openai({
      id,
      model: "m",
      fetch: async () => new Response(body, { headers: { "content-type": type } }),
    });

  it("is read when it is JSON", async () => {
    const message = { role: "assistant", content: "Hello." };
    const body = JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] });
    expect(
      await answerOf(model(body, "application/json; charset=utf-8"), plainRequest),
    ).toMatchObject({
      text: "Hello.",
      reason: "stop",
    });
  });

  it("is an error when it says so in spite of status 200", async () => {
    const error = await failureOf(
      model(chatErrorBody("No such model.", "model_not_found"), "application/json"),
      plainRequest,
    );
    expect(error.code).toBe("model_not_found");
  });

  it("is malformed when it is another JSON", async () => {
    const codes = ["null", "[]", '"no"', '{"choices":[null]}', "<"].map(
      async (body) => (await failureOf(model(body, "application/json"), plainRequest)).code,
    );
    expect(await Promise.all(codes)).toEqual([
      "malformed",
      "unavailable",
      "unavailable",
      "malformed",
      "malformed",
    ]);
  });

  it("points to the address when it is a web page", async () => {
    const error = await failureOf(model("<!doctype html>", "text/html"), plainRequest);
    expect(error).toMatchObject({ code: "model_not_configured", retryable: false });
  });

  it("is told apart by its status even when its error has no words", async () => {
    const html = replyWith("<html>Bad gateway</html>", { status: 502 });
    const error = await failureOf(openai({ id, model: "m", fetch: html }), plainRequest);
    expect(error.message).toBe("OpenAI is not available (HTTP 502).");
  });
});

import { noUsage } from "../../src/shared/messages.ts";
import { canary } from "../contracts/model-requests.ts";
import { type Recordings, frames } from "./wire-fixture.ts";

/** A chunk of chat completions, with the fields that servers send along. */
export const chunk = (delta: object, finish: string | null = null) => ({
  id: "chatcmpl-8",
  object: "chat.completion.chunk",
  created: 1764500000,
  model: "gpt-5.1",
  choices: [{ index: 0, delta, finish_reason: finish }],
});

export const usageChunk = {
  ...chunk({}),
  choices: [],
  usage: {
    prompt_tokens: 21,
    completion_tokens: 9,
    total_tokens: 30,
    prompt_tokens_details: { cached_tokens: 12 },
  },
};

const usage = { input: 21, output: 9, cached: 12 };
const silent = { text: "", reasoning: "", signatures: [], calls: [], usage };

export const callChunk = (index: number, fields: object, name?: string, args?: string) =>
  chunk({
    tool_calls: [{ index, ...fields, function: { ...(name && { name }), arguments: args } }],
  });

/** Chat completions as OpenAI streams them. */
export const chatRecordings = {
  text: {
    body: frames(
      chunk({ role: "assistant", content: "", refusal: null }),
      chunk({ content: "Grüß dich, " }),
      chunk({ content: "世界 👋🏽" }),
      chunk({ content: "!\n" }),
      chunk({}, "stop"),
      usageChunk,
      "[DONE]",
    ),
    answer: { ...silent, text: "Grüß dich, 世界 👋🏽!\n", reason: "stop" },
  },
  "tool-call": {
    body: frames(
      chunk({ role: "assistant", content: null }),
      callChunk(0, { id: "call_a", type: "function" }, "read_file", ""),
      callChunk(0, {}, undefined, '{"path":'),
      callChunk(0, {}, undefined, '"notes/ä.md"}'),
      chunk({}, "tool_calls"),
      usageChunk,
      "[DONE]",
    ),
    answer: {
      ...silent,
      calls: [{ name: "read_file", input: '{"path":"notes/ä.md"}' }],
      reason: "tool-calls",
    },
  },
  "parallel-tool-calls": {
    body: frames(
      chunk({ role: "assistant", content: "Both." }),
      callChunk(0, { id: "call_a", type: "function" }, "read_file", ""),
      callChunk(1, { id: "call_b", type: "function" }, "list_files", ""),
      callChunk(1, {}, undefined, '{"path"'),
      callChunk(0, {}, undefined, '{"path":"a"'),
      callChunk(1, {}, undefined, ':"b"}'),
      callChunk(0, {}, undefined, "}"),
      chunk({}, "tool_calls"),
      usageChunk,
      "[DONE]",
    ),
    answer: {
      ...silent,
      text: "Both.",
      calls: [
        { name: "read_file", input: '{"path":"a"}' },
        { name: "list_files", input: '{"path":"b"}' },
      ],
      reason: "tool-calls",
    },
  },
  reasoning: {
    body: frames(
      chunk({ role: "assistant", reasoning_content: "First I " }),
      chunk({ reasoning_content: "think." }),
      chunk({ content: "Then I speak." }),
      chunk({}, "stop"),
      "[DONE]",
    ),
    answer: {
      ...silent,
      reasoning: "First I think.",
      text: "Then I speak.",
      reason: "stop",
      usage: noUsage,
    },
  },
  refusal: {
    body: frames(
      chunk({ role: "assistant", content: null, refusal: "" }),
      chunk({ refusal: "I cannot " }),
      chunk({ refusal: "help with that." }),
      chunk({}, "stop"),
      usageChunk,
      "[DONE]",
    ),
    answer: { ...silent, text: "I cannot help with that.", reason: "refused" },
  },
  length: {
    body: frames(chunk({ content: "And so" }), chunk({}, "length"), usageChunk, "[DONE]"),
    answer: { ...silent, text: "And so", reason: "length" },
  },
} as const satisfies Recordings;

export const chatOverloaded = frames(chunk({ content: "Half an" }), {
  error: { message: `Overloaded; key ${canary} was not used.`, type: "server_error", code: null },
});

export const chatErrorBody = (message: string, code: string): string =>
  JSON.stringify({ error: { message, type: code, param: null, code } });

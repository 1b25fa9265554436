import { canary } from "../contracts/model-requests.ts";
import type { Recordings } from "./wire-fixture.ts";

/** A named event of the messages stream. */
export const event = (type: string, fields: object = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

export const start = event("message_start", {
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [],
    stop_reason: null,
    usage: {
      input_tokens: 5,
      cache_read_input_tokens: 12,
      cache_creation_input_tokens: 4,
      output_tokens: 1,
    },
  },
});

export const block = (index: number, content_block: object, ...deltas: readonly object[]): string =>
  event("content_block_start", { index, content_block }) +
  deltas.map((delta) => event("content_block_delta", { index, delta })).join("") +
  event("content_block_stop", { index });

export const end = (stop_reason: string): string =>
  event("message_delta", {
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 9 },
  }) + event("message_stop");

const text = (index: number, ...texts: readonly string[]) =>
  block(
    index,
    { type: "text", text: "" },
    ...texts.map((part) => ({ type: "text_delta", text: part })),
  );

const call = (index: number, name: string, ...json: readonly string[]) =>
  block(
    index,
    { type: "tool_use", id: `toolu_${index}`, name, input: {} },
    ...["", ...json].map((partial_json) => ({ type: "input_json_delta", partial_json })),
  );

const usage = { input: 21, output: 9, cached: 12 };
const silent = { text: "", reasoning: "", signatures: [], calls: [], usage };

/** Messages as Anthropic streams them. */
export const anthropicRecordings = {
  text: {
    body: start + event("ping") + text(0, "Grüß dich, ", "世界 👋🏽", "!\n") + end("end_turn"),
    answer: { ...silent, text: "Grüß dich, 世界 👋🏽!\n", reason: "stop" },
  },
  "tool-call": {
    body: start + call(0, "read_file", '{"path":', '"notes/ä.md"}') + end("tool_use"),
    answer: {
      ...silent,
      calls: [{ name: "read_file", input: '{"path":"notes/ä.md"}' }],
      reason: "tool-calls",
    },
  },
  "parallel-tool-calls": {
    body:
      start +
      text(0, "Both.") +
      call(1, "read_file", '{"path":"a"', "}") +
      call(2, "list_files", '{"path":"b"}') +
      call(3, "get_time") +
      end("tool_use"),
    answer: {
      ...silent,
      text: "Both.",
      calls: [
        { name: "read_file", input: '{"path":"a"}' },
        { name: "list_files", input: '{"path":"b"}' },
        { name: "get_time", input: "{}" },
      ],
      reason: "tool-calls",
    },
  },
  reasoning: {
    body:
      start +
      block(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "First I " },
        { type: "thinking_delta", thinking: "think." },
        { type: "signature_delta", signature: "c2ln" },
        { type: "signature_delta", signature: "bmVk" },
      ) +
      block(1, { type: "redacted_thinking", data: "aGlkZGVu" }) +
      text(2, "Then I speak.") +
      end("end_turn"),
    answer: {
      ...silent,
      reasoning: "First I think.",
      signatures: ["c2lnbmVk", "redacted:aGlkZGVu"],
      text: "Then I speak.",
      reason: "stop",
    },
  },
  refusal: {
    body: start + text(0, "I cannot") + end("refusal"),
    answer: { ...silent, text: "I cannot", reason: "refused" },
  },
  length: {
    body: start + text(0, "And so") + end("max_tokens"),
    answer: { ...silent, text: "And so", reason: "length" },
  },
} as const satisfies Recordings;

export const anthropicOverloaded =
  start +
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
  event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Half an" } }) +
  event("error", {
    error: { type: "overloaded_error", message: `Overloaded; key ${canary} was not used.` },
  });

export const anthropicErrorBody = (message: string, code: string): string =>
  JSON.stringify({
    type: "error",
    error: { type: code || "api_error", message },
    request_id: "req_1",
  });

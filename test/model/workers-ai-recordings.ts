import type { Fetch } from "../../src/shared/guarded-fetch.ts";
import type { WorkersAiBinding } from "../../src/model/workers-ai.ts";
import { type Recordings, frames } from "./wire-fixture.ts";

const silent = { text: "", reasoning: "", signatures: [], calls: [] };
const usage = { input: 21, output: 9, cached: 0 };
const last = { response: "", usage: { prompt_tokens: 21, completion_tokens: 9, total_tokens: 30 } };

/** The older dialect of Workers AI. A token that looks like a number is one. */
export const oldRecordings = {
  text: {
    body: frames(
      { response: "Grüß dich, ", p: "abcdef" },
      { response: "世界 👋🏽" },
      { response: 4 },
      { response: "2" },
      last,
      "[DONE]",
    ),
    answer: { ...silent, text: "Grüß dich, 世界 👋🏽42", reason: "stop", usage },
  },
  "tool-call": {
    body: frames(
      { response: "", tool_calls: [{ name: "read_file", arguments: { path: "notes/ä.md" } }] },
      last,
      "[DONE]",
    ),
    answer: {
      ...silent,
      calls: [{ name: "read_file", input: '{"path":"notes/ä.md"}' }],
      reason: "tool-calls",
      usage,
    },
  },
  "parallel-tool-calls": {
    body: frames(
      {
        tool_calls: [
          { name: "read_file", arguments: { path: "a" } },
          { name: "read_file", arguments: { path: "b" } },
        ],
      },
      last,
      "[DONE]",
    ),
    answer: {
      ...silent,
      calls: [
        { name: "read_file", input: '{"path":"a"}' },
        { name: "read_file", input: '{"path":"b"}' },
      ],
      reason: "tool-calls",
      usage,
    },
  },
} as const satisfies Recordings;

export const oldOverloaded = frames(
  { response: "Half an" },
  { error: { code: 503, message: "Overloaded." } },
);

/** The platform's numbers for errors, as this double uses them. */
const numbers: Readonly<Record<number, number>> = {
  401: 5018,
  402: 3036,
  403: 5016,
  404: 5007,
  408: 3007,
  409: 3008,
  413: 3006,
  429: 3040,
};

/** The binding as the platform makes it: the answer's bytes when it is well, an error that begins with a number else. */
export function bindingOver(fetch: Fetch): WorkersAiBinding {
  return {
    async run(model, inputs, { signal }) {
      const response = await fetch(`https://workers-ai.example/run/${model}`, {
        method: "POST",
        body: JSON.stringify(inputs),
        signal,
      });
      if (response.ok) return response.body;
      const number = numbers[response.status] ?? (response.status < 500 ? 5006 : 3999);
      throw new Error(`AiError: ${number}: ${await response.text()}`);
    },
  };
}

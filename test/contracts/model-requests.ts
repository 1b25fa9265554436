import type { ModelRequest } from "../../src/model/model.ts";

/** A key that must never be seen in an error. */
export const canary = "cnry-4f9b2c71d8e6a05377aa";

/** Bytes of an image, base64. */
export const imageData = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ";

export const plainRequest: ModelRequest = {
  system: "Be brief.",
  messages: [{ role: "user", content: [{ type: "text", text: "Hello." }] }],
  tools: [],
};

const image = { type: "image", mediaType: "image/png", data: imageData } as const;

/** Every kind of message and part, and what history can hold at its worst. */
export const richRequest: ModelRequest = {
  system: "Be brief.",
  messages: [
    { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
    {
      role: "assistant",
      parts: [
        { type: "reasoning", text: "I should look.", signature: "c2lnbmVk" },
        { type: "text", text: "Let me see." },
        { type: "tool-call", call: "call_4_0", name: "read_file", input: '{"path":"a.png"}' },
        { type: "tool-call", call: "call_4_1", name: "read_file", input: '{"path":' },
      ],
    },
    {
      role: "tool",
      results: [
        {
          call: "call_4_0",
          name: "read_file",
          status: "success",
          content: [{ type: "text", text: "a.png:" }, image],
        },
        {
          call: "call_4_1",
          name: "read_file",
          status: "error",
          content: [{ type: "text", text: "The arguments are not JSON." }],
        },
      ],
    },
    { role: "user", content: [{ type: "text", text: "And?" }] },
  ],
  tools: [
    {
      name: "read_file",
      description: "Reads a file.",
      inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    },
  ],
  maxOutputTokens: 1000,
};

import type { ToolSpec } from "../model/model.ts";
import type { ContentPart, ModelMessage, StepPart, ToolResult } from "../shared/messages.ts";

/** What providers charge for an image of usual size, whatever its bytes. */
const IMAGE_TOKENS = 1_600;

/** Role and separators of a message, and the frame of a call or result inside it. */
const FRAME_TOKENS = 4;

/**
 * About how many tokens a model would count: a token for 4 Latin characters, for 2 of other alphabets, for each
 * Chinese, Japanese or Korean one; an emoji counts 2. One pass without allocation; within about a third for prose.
 */
export const estimateTokens = (text: string): number => Math.ceil(quarterTokens(text) / 4);

/** The same in quarters of a token, which add up: those of two texts are those of both in one. At least 1 a unit. */
export function quarterTokens(text: string): number {
  let quarters = 0;
  for (let i = 0; i < text.length; i += 1) quarters += quartersOf(text.charCodeAt(i));
  return quarters;
}

/** The same for a whole message; an image is a fixed 1,600 tokens. */
export function estimateMessageTokens(message: ModelMessage): number {
  switch (message.role) {
    case "user":
      return FRAME_TOKENS + sum(message.content, contentTokens);
    case "assistant":
      return FRAME_TOKENS + sum(message.parts, stepTokens);
    case "tool":
      return FRAME_TOKENS + sum(message.results, resultTokens);
  }
}

/** What offering a tool costs in each request: its name, its description and the schema of its input, as JSON. */
export const estimateToolTokens = ({ name, description, inputSchema }: ToolSpec): number =>
  FRAME_TOKENS +
  estimateTokens(name) +
  estimateTokens(description) +
  estimateTokens(JSON.stringify(inputSchema));

function quartersOf(code: number): number {
  if (code < 0x250) return 1;
  const isWide =
    (code >= 0x1100 && code <= 0x11ff) ||
    (code >= 0x2e80 && code <= 0xdfff) ||
    (code >= 0xf900 && code <= 0xffef);
  return isWide ? 4 : 2;
}

const contentTokens = (part: ContentPart) =>
  part.type === "image" ? IMAGE_TOKENS : estimateTokens(part.text);

function stepTokens(part: StepPart): number {
  if (part.type !== "tool-call") return estimateTokens(part.text);
  return FRAME_TOKENS + estimateTokens(part.name) + estimateTokens(part.input);
}

const resultTokens = (result: ToolResult) =>
  FRAME_TOKENS + estimateTokens(result.name) + sum(result.content, contentTokens);

function sum<Item>(items: readonly Item[], tokensOf: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += tokensOf(item);
  return total;
}

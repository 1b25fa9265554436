/** A block of a message. Images carry their bytes as base64 so that a message is one JSON document. */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly data: string };

/** One thing a model said in a step, in the order it said it. */
export type StepPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "reasoning";
      readonly text: string;
      /** Opaque proof that a provider wants back with the reasoning (Anthropic's thinking signature). */
      readonly signature?: string;
    }
  | {
      readonly type: "tool-call";
      /** Unique within its session; ours, not the provider's, which may repeat. */
      readonly call: string;
      readonly name: string;
      /** The arguments as the model wrote them: JSON text that may be malformed. */
      readonly input: string;
    };

export type ToolCall = Extract<StepPart, { type: "tool-call" }>;

/**
 * How a tool call ended. `unknown`: it was interrupted and may or may not have had its effect (never
 * run again); `interrupted`: it had not begun, or it only reads, and the turn ended before it could finish.
 */
export type ToolStatus = "success" | "error" | "denied" | "interrupted" | "unknown";

export type ToolResult = {
  readonly call: string;
  readonly name: string;
  readonly status: ToolStatus;
  readonly content: readonly ContentPart[];
};

/** What is sent to a model. Roles alternate between user and the rest; each tool call is answered by exactly one result. */
export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly ContentPart[] }
  | { readonly role: "assistant"; readonly parts: readonly StepPart[] }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

/** Tokens of one model call as the provider counted them; absent numbers are 0. */
export type Usage = {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly output: number;
  /** The part of `input` that the provider read from its cache. */
  readonly cached: number;
};

export const noUsage: Usage = { input: 0, output: 0, cached: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return { input: a.input + b.input, output: a.output + b.output, cached: a.cached + b.cached };
}

/** Why a model stopped. `length`: it hit its output limit; `refused`: the provider filtered the answer. */
export type FinishReason = "stop" | "tool-calls" | "length" | "refused" | "other";

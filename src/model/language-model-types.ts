/**
 * What is used of the AI SDK's language model specification v4 (`LanguageModelV4` of `@ai-sdk/provider`),
 * written out so that the package stays out of the product.
 */
export interface LanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: CallOptions): PromiseLike<{ readonly stream: ReadableStream<StreamPart> }>;
}

export type Metadata = Record<string, Record<string, JsonValue | undefined>>;

type JsonValue =
  | null
  | string
  | number
  | boolean
  | { readonly [key: string]: JsonValue | undefined }
  | readonly JsonValue[];

export type CallOptions = {
  prompt: PromptMessage[];
  tools?: {
    type: "function";
    name: string;
    description: string;
    inputSchema: Record<string, unknown>;
  }[];
  maxOutputTokens?: number;
  abortSignal: AbortSignal;
};

export type PromptMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: (TextPart | FilePart)[] }
  | { role: "assistant"; content: (TextPart | ReasoningPart | CallPart)[] }
  | { role: "tool"; content: ResultPart[] };

export type TextPart = { type: "text"; text: string };
export type FilePart = { type: "file"; data: { type: "data"; data: string }; mediaType: string };
export type ReasoningPart = { type: "reasoning"; text: string; providerOptions?: Metadata };
export type CallPart = {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerOptions?: Metadata;
};
export type ResultPart = {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: ResultOutput;
};
export type ResultOutput =
  | { type: "text" | "error-text"; value: string }
  | { type: "content"; value: (TextPart | FilePart)[] };

/** A stream part; which fields it has depends on its `type`. Types that are not listed say nothing we use. */
export type StreamPart = {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
  readonly toolName?: string;
  readonly toolCallId?: string;
  readonly input?: string;
  readonly inputEncoding?: "json" | "text";
  readonly providerExecuted?: boolean;
  readonly providerMetadata?: Metadata;
  readonly finishReason?: { readonly unified: string };
  readonly usage?: {
    readonly inputTokens: {
      readonly total: number | undefined;
      readonly cacheRead: number | undefined;
    };
    readonly outputTokens: { readonly total: number | undefined };
  };
  readonly error?: unknown;
};

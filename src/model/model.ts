import type { FinishReason, ModelMessage, Usage } from "../shared/messages.ts";

/** A tool as a provider needs to know it. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
};

export type ModelRequest = {
  readonly system: string;
  /** Starts with a user message; adjacent messages never share the role user. */
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  /** Upper bound on output tokens; the provider's own default when absent. */
  readonly maxOutputTokens?: number;
  /** How freely it answers; what is absent is as the provider has it. */
  readonly sampling?: Sampling;
};

export type Sampling = { readonly temperature?: number; readonly topP?: number };

/** As providers spell it. */
export const samplingBody = ({ temperature, topP }: Sampling = {}): Readonly<
  Record<string, number>
> => ({
  ...(temperature === undefined ? {} : { temperature }),
  ...(topP === undefined ? {} : { top_p: topP }),
});

/** What a model says, as it says it. `index` numbers the tool calls of one answer from 0. */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "reasoning-signature"; readonly signature: string }
  | { readonly type: "tool-call"; readonly index: number; readonly name: string }
  | { readonly type: "tool-input"; readonly index: number; readonly text: string }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly usage: Usage };

/**
 * A language model. Contract suite: `test/contracts/model-contract.ts`.
 *
 * `stream` yields a batch for every read of the wire: an empty batch is a sign of life (a keep-alive, a
 * comment), so a watchdog can tell silence from slowness. The last event of a whole answer is `finish`,
 * exactly once; a stream that ends without it throws `ModelError('unavailable')`. Every failure is a
 * `ModelError` whose message holds no secret and at most 300 characters of what the provider said.
 * Aborting `signal` closes the connection and makes the iteration throw `signal.reason`. Nothing is
 * retried inside; see `retryDelay`.
 */
export interface Model {
  /** As configured, for example `openai:gpt-5.1`; shown to people, so never a secret. */
  readonly id: string;
  /** Tokens of a request and its answer together; absent where nobody knows. A wrapper passes it on. */
  readonly contextWindow?: number;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelEvent[]>;
}

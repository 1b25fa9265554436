import { ModelError } from "../shared/errors.ts";
import { type FinishReason, type Usage, noUsage } from "../shared/messages.ts";
import type { AnswerDecoder } from "./answer-stream.ts";
import type { ModelEvent } from "./model.ts";
import { type Provider, providerError } from "./provider-error.ts";

/** Marks a signature that is a whole thought the provider encrypted; it goes back as `redacted_thinking`. */
export const REDACTED = "redacted:";

type StreamEvent = {
  readonly type?: unknown;
  readonly index?: unknown;
  readonly message?: { readonly usage?: RawUsage | null } | null;
  readonly content_block?: BlockStart;
  readonly delta?: Delta;
  readonly usage?: RawUsage | null;
};

type BlockStart = {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly signature?: unknown;
  readonly data?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
};

type Delta = {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
  readonly signature?: unknown;
  readonly partial_json?: unknown;
  readonly stop_reason?: unknown;
};

/** The content block being streamed. Blocks come one after another. */
type Block = { readonly call: number | null; hasInput: boolean; signature: string };

/** Reads Anthropic's messages stream. A thought's signature is told once, whole, when its block ends. */
export class AnthropicDecoder implements AnswerDecoder {
  isFinished = false;
  readonly #provider: Provider;
  #block: Block = { call: null, hasInput: false, signature: "" };
  #calls = 0;
  #reason: string | null = null;
  #usage: Usage = noUsage;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  decode(data: string, batch: ModelEvent[]): void {
    const event: StreamEvent = JSON.parse(data);
    switch (event.type) {
      case "content_block_delta":
        return this.#continue(event.delta ?? {}, batch);
      case "content_block_start":
        return this.#start(event.content_block ?? {}, batch);
      case "content_block_stop":
        return this.#stop(batch);
      case "message_start":
        this.#usage = readUsage(event.message?.usage, this.#usage);
        return;
      case "message_delta":
        this.#usage = readUsage(event.usage, this.#usage);
        if (typeof event.delta?.stop_reason === "string") this.#reason = event.delta.stop_reason;
        return;
      case "message_stop":
        return this.end(batch);
      case "error":
        throw providerError(this.#provider, { body: event });
    }
  }

  end(batch: ModelEvent[]): void {
    if (this.#reason === null) {
      throw new ModelError("unavailable", `${this.#provider.name} ended its answer too early.`);
    }
    this.isFinished = true;
    batch.push({
      type: "finish",
      reason: finishReason(this.#reason, this.#calls > 0),
      usage: this.#usage,
    });
  }

  #start(block: BlockStart, batch: ModelEvent[]): void {
    const isCall = block.type === "tool_use";
    this.#block = { call: isCall ? this.#calls++ : null, hasInput: false, signature: "" };
    if (block.type === "text") this.#say("text", block.text, batch);
    if (block.type === "thinking") {
      this.#say("reasoning", block.thinking, batch);
      this.#sign(block.signature);
    }
    if (block.type === "redacted_thinking" && typeof block.data === "string")
      this.#sign(REDACTED + block.data);
    if (isCall) {
      if (typeof block.name !== "string")
        throw new ModelError("malformed", "The model called a tool without saying which.");
      batch.push({ type: "tool-call", index: this.#calls - 1, name: block.name });
      const { input } = block;
      if (typeof input === "object" && input !== null && Object.keys(input).length > 0)
        this.#input(JSON.stringify(input), batch);
    }
  }

  #continue(delta: Delta, batch: ModelEvent[]): void {
    switch (delta.type) {
      case "text_delta":
        return this.#say("text", delta.text, batch);
      case "thinking_delta":
        return this.#say("reasoning", delta.thinking, batch);
      case "signature_delta":
        return this.#sign(delta.signature);
      case "input_json_delta":
        return this.#input(delta.partial_json, batch);
    }
  }

  #stop(batch: ModelEvent[]): void {
    const { call, hasInput, signature } = this.#block;
    if (call !== null && !hasInput) this.#input("{}", batch);
    if (signature !== "") batch.push({ type: "reasoning-signature", signature });
    this.#block = { call: null, hasInput: false, signature: "" };
  }

  #say(type: "text" | "reasoning", text: unknown, batch: ModelEvent[]): void {
    if (typeof text === "string" && text !== "") batch.push({ type, text });
  }

  #sign(signature: unknown): void {
    if (typeof signature === "string") this.#block.signature += signature;
  }

  #input(text: unknown, batch: ModelEvent[]): void {
    const { call } = this.#block;
    if (call === null || typeof text !== "string" || text === "") return;
    this.#block.hasInput = true;
    batch.push({ type: "tool-input", index: call, text });
  }
}

function finishReason(reason: string, hasCalls: boolean): FinishReason {
  switch (reason) {
    case "end_turn":
    case "stop_sequence":
      return "stop";
    case "tool_use":
      return hasCalls ? "tool-calls" : "other";
    case "max_tokens":
    case "model_context_window_exceeded":
      return "length";
    case "refusal":
      return "refused";
    default:
      return "other";
  }
}

type RawUsage = {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
};

/** Anthropic counts cached input apart. Numbers are totals so far, and later events need not repeat them. */
function readUsage(raw: RawUsage | null | undefined, known: Usage): Usage {
  const count = (value: unknown) => (typeof value === "number" ? value : 0);
  const input =
    count(raw?.input_tokens) +
    count(raw?.cache_read_input_tokens) +
    count(raw?.cache_creation_input_tokens);
  return {
    input: Math.max(known.input, input),
    output: Math.max(known.output, count(raw?.output_tokens)),
    cached: Math.max(known.cached, count(raw?.cache_read_input_tokens)),
  };
}

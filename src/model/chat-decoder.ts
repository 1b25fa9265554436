import { ModelError } from "../shared/errors.ts";
import { type FinishReason, type Usage, noUsage } from "../shared/messages.ts";
import type { AnswerDecoder } from "./answer-stream.ts";
import { ChatToolCalls } from "./chat-tool-calls.ts";
import type { ModelEvent } from "./model.ts";
import { type Provider, providerError } from "./provider-error.ts";

/** What is read of a chunk; every field may be missing, null or of another type. */
type Chunk = {
  readonly choices?: unknown;
  readonly usage?: unknown;
  readonly x_groq?: { readonly usage?: unknown } | null;
  readonly error?: unknown;
  readonly object?: unknown;
} & OldChunk;

/** The older dialect of Workers AI. */
type OldChunk = {
  readonly response?: unknown;
  readonly tool_calls?: unknown;
  readonly finish_reason?: unknown;
};

type Choice = {
  readonly index?: unknown;
  readonly delta?: Delta;
  readonly message?: Delta;
  readonly finish_reason?: unknown;
};

type Delta = {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly tool_calls?: unknown;
} | null;

/**
 * Reads chat completions as OpenAI, Workers AI and the many servers like them stream them. Tolerates what is
 * seen in the wild: no `[DONE]`, usage in any chunk or after the last choice, `null` content, content as a list
 * of parts, reasoning under two names, a whole message in place of deltas, and Workers AI's older
 * `{"response": "…"}`. An answer is whole once it has a finish reason, or `[DONE]` after some content.
 */
export class ChatDecoder implements AnswerDecoder {
  isFinished = false;
  readonly #provider: Provider;
  readonly #calls = new ChatToolCalls();
  #reason: string | null = null;
  #isRefusal = false;
  #hasContent = false;
  #usage: Usage = noUsage;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  decode(data: string, batch: ModelEvent[]): void {
    if (data === "[DONE]")
      return this.#finish(
        batch,
        this.#reason !== null || this.#hasContent || this.#calls.count > 0,
      );
    const chunk: Chunk = JSON.parse(data);
    if (chunk.error || chunk.object === "error")
      throw providerError(this.#provider, { body: chunk });
    const usage = chunk.usage ?? chunk.x_groq?.usage;
    if (usage) this.#usage = readUsage(usage, this.#usage);
    const choices: readonly Choice[] = Array.isArray(chunk.choices) ? chunk.choices : [];
    for (const choice of choices) {
      if (!choice.index) this.#choose(choice, batch);
    }
    if (choices.length === 0) this.#readOld(chunk, batch);
  }

  end(batch: ModelEvent[]): void {
    this.#finish(batch, this.#reason !== null);
  }

  #choose(choice: Choice, batch: ModelEvent[]): void {
    const delta = choice.delta ?? choice.message;
    if (delta) this.#read(delta, batch);
    if (choice.finish_reason === "error") throw providerError(this.#provider, { body: choice });
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "")
      this.#reason = choice.finish_reason;
  }

  #read(delta: NonNullable<Delta>, batch: ModelEvent[]): void {
    const reasoning = delta.reasoning_content ?? delta.reasoning;
    if (typeof reasoning === "string") this.#say("reasoning", reasoning, batch);
    if (typeof delta.content === "string") this.#say("text", delta.content, batch);
    else if (Array.isArray(delta.content)) this.#sayParts(delta.content, batch);
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      this.#isRefusal = true;
      this.#say("text", delta.refusal, batch);
    }
    if (Array.isArray(delta.tool_calls)) this.#calls.read(delta.tool_calls, batch);
  }

  /** A token that looks like a number comes as one. */
  #readOld(chunk: OldChunk, batch: ModelEvent[]): void {
    const { response } = chunk;
    if (typeof response === "string" || typeof response === "number")
      this.#say("text", String(response), batch);
    if (Array.isArray(chunk.tool_calls)) this.#calls.read(chunk.tool_calls, batch);
    if (typeof chunk.finish_reason === "string") this.#reason = chunk.finish_reason;
    if (response !== undefined) this.#hasContent = true;
  }

  #say(type: "text" | "reasoning", text: string, batch: ModelEvent[]): void {
    if (text === "") return;
    this.#hasContent = true;
    batch.push({ type, text });
  }

  /** Content as a list: `{type: 'text', text}` and `{type: 'thinking', thinking: [{text}]}`. */
  #sayParts(
    parts: readonly { type?: unknown; text?: unknown; thinking?: unknown }[],
    batch: ModelEvent[],
  ): void {
    for (const part of parts) {
      if (typeof part.text === "string") this.#say("text", part.text, batch);
      const thoughts: readonly { text?: unknown }[] = Array.isArray(part.thinking)
        ? part.thinking
        : [];
      for (const thought of thoughts) {
        if (typeof thought.text === "string") this.#say("reasoning", thought.text, batch);
      }
    }
  }

  #finish(batch: ModelEvent[], isWhole: boolean): void {
    if (!isWhole) {
      throw new ModelError("unavailable", `${this.#provider.name} ended its answer too early.`);
    }
    this.#calls.close(batch);
    this.isFinished = true;
    batch.push({ type: "finish", reason: this.#finishReason(), usage: this.#usage });
  }

  /** Several servers say `stop` after a tool call, and some `tool_calls` without one. */
  #finishReason(): FinishReason {
    if (this.#isRefusal || this.#reason === "content_filter") return "refused";
    if (this.#reason === "length") return "length";
    if (this.#calls.count > 0) return "tool-calls";
    return this.#reason === "stop" || this.#reason === "eos" || this.#reason === null
      ? "stop"
      : "other";
  }
}

type RawUsage = {
  readonly prompt_tokens?: unknown;
  readonly completion_tokens?: unknown;
  readonly prompt_tokens_details?: { readonly cached_tokens?: unknown } | null;
  readonly prompt_cache_hit_tokens?: unknown;
};

/** Numbers that are missing keep what was known: some servers send usage in parts. */
function readUsage(raw: RawUsage, known: Usage): Usage {
  const count = (value: unknown, otherwise: number) =>
    typeof value === "number" ? value : otherwise;
  return {
    input: count(raw.prompt_tokens, known.input),
    output: count(raw.completion_tokens, known.output),
    cached: count(
      raw.prompt_tokens_details?.cached_tokens ?? raw.prompt_cache_hit_tokens,
      known.cached,
    ),
  };
}

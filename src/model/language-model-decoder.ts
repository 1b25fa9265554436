import { CarrelError, ModelError } from "../shared/errors.ts";
import { type FinishReason, type Usage, noUsage } from "../shared/messages.ts";
import { writeSignature } from "./language-model-signature.ts";
import type { Metadata, StreamPart } from "./language-model-types.ts";
import type { ModelEvent } from "./model.ts";
import {
  type Provider,
  connectionError,
  malformed,
  providerError,
  retryAfter,
} from "./provider-error.ts";

type Call = { readonly index: number; readonly isText: boolean; hasInput: boolean };

/** Reads the stream parts of the AI SDK's specification v4. Calls that the provider runs itself are left out. */
export class LanguageModelDecoder {
  isFinished = false;
  readonly #provider: Provider;
  readonly #calls = new Map<string, Call>();
  #thought: Metadata | undefined;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  /** Pushes what one part says. Throws `ModelError` for an error part. */
  decode(part: StreamPart, batch: ModelEvent[]): void {
    const { type, id = "", delta = "" } = part;
    switch (type) {
      case "text-delta":
        if (delta !== "") batch.push({ type: "text", text: delta });
        return;
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        return this.#think(part, batch);
      case "tool-input-start":
        if (!part.providerExecuted) this.#begin(id, part, batch);
        return;
      case "tool-input-delta":
        return this.#input(this.#calls.get(id), delta, batch);
      case "tool-call":
        return this.#call(part, batch);
      case "error":
        throw this.failure(part.error);
      case "finish":
        return this.#finish(part, batch);
    }
  }

  /** The stream ended without `finish`. */
  end(): never {
    throw new ModelError("unavailable", `${this.#provider.name} ended its answer too early.`);
  }

  /** What a provider package threw. Its errors carry request and response; only status and words are kept. */
  failure(error: unknown): ModelError {
    if (error instanceof CarrelError) return connectionError(this.#provider, error);
    const { statusCode, responseBody, responseHeaders, name }: PackageError = Object(error);
    if (name === "AI_LoadAPIKeyError" || name === "AI_LoadSettingError") {
      return new ModelError(
        "model_not_configured",
        `${this.#provider.name} has no key. Check ${this.#provider.setting}.`,
      );
    }
    if (name === "AI_JSONParseError" || name === "AI_TypeValidationError") {
      return malformed(this.#provider);
    }
    if (typeof statusCode !== "number") return providerError(this.#provider, { body: error });
    const isAnswer = typeof responseBody === "string" && responseBody !== "";
    return providerError(this.#provider, {
      status: statusCode === 200 ? 503 : statusCode,
      retryAfterMs: retryAfter((header) => responseHeaders?.[header], Date.now()),
      body: isAnswer ? responseBody : error,
    });
  }

  #think(part: StreamPart, batch: ModelEvent[]): void {
    this.#thought = part.providerMetadata ?? this.#thought;
    if (part.type === "reasoning-delta" && part.delta)
      batch.push({ type: "reasoning", text: part.delta });
    if (part.type === "reasoning-end" && this.#thought) {
      batch.push({
        type: "reasoning-signature",
        signature: writeSignature({ metadata: this.#thought }),
      });
    }
    if (part.type === "reasoning-end") this.#thought = undefined;
  }

  #begin(id: string, part: StreamPart, batch: ModelEvent[]): Call {
    const call = {
      index: this.#calls.size,
      isText: part.inputEncoding === "text",
      hasInput: false,
    };
    this.#calls.set(id, call);
    const metadata = part.providerMetadata;
    if (metadata)
      batch.push({
        type: "reasoning-signature",
        signature: writeSignature({ call: call.index, metadata }),
      });
    batch.push({ type: "tool-call", index: call.index, name: part.toolName ?? "" });
    return call;
  }

  /** Arguments that are text become JSON in the `tool-call` part, which has them whole. */
  #input(call: Call | undefined, text: string, batch: ModelEvent[]): void {
    if (!call || call.isText || text === "") return;
    call.hasInput = true;
    batch.push({ type: "tool-input", index: call.index, text });
  }

  #call(part: StreamPart, batch: ModelEvent[]): void {
    if (part.providerExecuted) return;
    const id = part.toolCallId ?? "";
    const call = this.#calls.get(id) ?? this.#begin(id, part, batch);
    if (call.hasInput) return;
    call.hasInput = true;
    batch.push({ type: "tool-input", index: call.index, text: part.input || "{}" });
  }

  #finish(part: StreamPart, batch: ModelEvent[]): void {
    const unified = part.finishReason?.unified;
    if (unified === "error" || unified === "interrupted") return this.end();
    for (const call of this.#calls.values()) {
      if (!call.hasInput) batch.push({ type: "tool-input", index: call.index, text: "{}" });
    }
    this.isFinished = true;
    batch.push({ type: "finish", reason: this.#reason(unified), usage: readUsage(part.usage) });
  }

  #reason(unified: string | undefined): FinishReason {
    if (unified === "content-filter") return "refused";
    if (unified === "length") return "length";
    if (this.#calls.size > 0) return "tool-calls";
    return unified === "stop" ? "stop" : "other";
  }
}

type PackageError = {
  readonly name?: unknown;
  readonly statusCode?: unknown;
  readonly responseBody?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
};

const readUsage = (usage: StreamPart["usage"]): Usage =>
  usage
    ? {
        input: usage.inputTokens.total ?? 0,
        output: usage.outputTokens.total ?? 0,
        cached: usage.inputTokens.cacheRead ?? 0,
      }
    : noUsage;

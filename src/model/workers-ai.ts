import type { ModelError } from "../shared/errors.ts";
import { samplingBody, type ModelEvent, type Model, type ModelRequest } from "./model.ts";
import { readAnswer } from "./answer-stream.ts";
import { ChatDecoder } from "./chat-decoder.ts";
import { chatMessages, chatTools } from "./chat-request.ts";
import { type Provider, connectionError, providerError } from "./provider-error.ts";

/** The part of the platform's `Ai` binding that is used. */
export interface WorkersAiBinding {
  run(
    model: string,
    inputs: Record<string, unknown>,
    options: { readonly signal: AbortSignal },
  ): Promise<unknown>;
}

export type WorkersAiOptions = {
  /** Shown to people: `workers-ai:@cf/meta/llama-4-scout-17b-16e-instruct`. */
  readonly id: string;
  /** The model's name with `@cf/`. */
  readonly model: string;
  readonly ai: WorkersAiBinding;
  /** Output limit when the request has none; default 4,096, since the platform's own is 256 for many models. */
  readonly maxOutputTokens?: number;
};

/** The platform's error numbers by what they mean over HTTP (its "Errors" page), 5021: longer than the context window. */
const statusOf: Readonly<Record<string, number>> = {
  3006: 413,
  3007: 408,
  3008: 408,
  3023: 403,
  3036: 402,
  3040: 429,
  3041: 403,
  3042: 404,
  5007: 404,
  5016: 403,
  5018: 403,
  5021: 413,
};

/** The binding throws the platform's errors, whose message begins with a number, and the network's. */
function bindingError(provider: Provider, error: unknown): ModelError {
  if (error instanceof TypeError) return connectionError(provider, error);
  const message = error instanceof Error ? error.message : String(error);
  const number = /^(?:\w+: )*(\d{4}):/.exec(message)?.[1];
  const code = number === undefined ? undefined : (statusOf[number] ?? (number < "4" ? 503 : 400));
  return providerError(provider, { body: { code, message } });
}

/** An answer in one piece, which models that cannot stream give, as a stream. */
function inOneEvent(answer: unknown): ReadableStream<Uint8Array> {
  const text = `data: ${JSON.stringify(answer ?? null)}\n\ndata: [DONE]\n\n`;
  return new Blob([text]).stream();
}

/** A model behind the Workers AI binding, in either of its two dialects. */
export function workersAi(options: WorkersAiOptions): Model {
  const { id, model, ai, maxOutputTokens = 4_096 } = options;
  const provider: Provider = {
    name: "Workers AI",
    setting: "the AI binding in wrangler.toml",
    secrets: [],
  };
  const inputsOf = (request: ModelRequest) => ({
    messages: chatMessages(request).map((message) => ({
      ...message,
      content: message.content ?? "",
    })),
    ...(request.tools.length > 0 && { tools: chatTools(request.tools) }),
    max_tokens: request.maxOutputTokens ?? maxOutputTokens,
    ...samplingBody(request.sampling),
    stream: true,
  });
  return {
    id,
    async *stream(request, signal): AsyncGenerator<ModelEvent[], void> {
      signal.throwIfAborted();
      const decoder = new ChatDecoder(provider);
      const answer = await ai.run(model, inputsOf(request), { signal }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw bindingError(provider, error);
      });
      const body = answer instanceof ReadableStream ? answer : inOneEvent(answer);
      yield* readAnswer(body, decoder, provider, signal);
    },
  };
}

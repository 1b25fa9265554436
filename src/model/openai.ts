import type { Fetch } from "../shared/guarded-fetch.ts";
import { ChatDecoder } from "./chat-decoder.ts";
import { chatMessages, chatTools } from "./chat-request.ts";
import { samplingBody, type Model, type ModelRequest } from "./model.ts";
import { type Endpoint, postForAnswer } from "./post.ts";

export type OpenAIOptions = {
  /** Shown to people: `openai:gpt-5.1`. */
  readonly id: string;
  /** As the server knows it. */
  readonly model: string;
  /** Sent as a bearer token; none when absent, as local servers allow. */
  readonly apiKey?: string;
  /** The address before `/chat/completions`; default `https://api.openai.com/v1`. */
  readonly baseUrl?: string;
  /** How errors call the server; default `OpenAI`. */
  readonly name?: string;
  /** What errors tell people to check; default `OPENAI_API_KEY`. */
  readonly setting?: string;
  /**
   * How the output limit is named: OpenAI's reasoning models take only `max_completion_tokens` (the default),
   * most other servers only `max_tokens`.
   */
  readonly limitField?: "max_completion_tokens" | "max_tokens";
  readonly fetch: Fetch;
};

/** A model behind OpenAI's chat completions, or behind any server that speaks them. Asks for usage in the stream. */
export function openai(options: OpenAIOptions): Model {
  const { id, model, apiKey, limitField = "max_completion_tokens" } = options;
  const endpoint: Endpoint = {
    provider: {
      name: options.name ?? "OpenAI",
      setting: options.setting ?? "OPENAI_API_KEY",
      secrets: apiKey === undefined ? [] : [apiKey],
    },
    url: endpointUrl(options.baseUrl ?? "https://api.openai.com/v1", "/chat/completions"),
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
    fetch: options.fetch,
  };
  const bodyOf = (request: ModelRequest) => ({
    model,
    messages: chatMessages(request),
    ...(request.tools.length > 0 && { tools: chatTools(request.tools) }),
    ...(request.maxOutputTokens !== undefined && { [limitField]: request.maxOutputTokens }),
    ...samplingBody(request.sampling),
    stream: true,
    stream_options: { include_usage: true },
  });
  return {
    id,
    stream: (request, signal) =>
      postForAnswer(endpoint, bodyOf(request), new ChatDecoder(endpoint.provider), signal),
  };
}

/**
 * An API's address under its base URL; a base without a path gets `/v1`, as most people mean it. A query
 * stays. Throws `TypeError` when `baseUrl` is not a URL.
 */
export function endpointUrl(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = (base === "" ? "/v1" : base) + path;
  return url.href;
}

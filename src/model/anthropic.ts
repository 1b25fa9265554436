import type { Fetch } from "../shared/guarded-fetch.ts";
import { AnthropicDecoder } from "./anthropic-decoder.ts";
import { anthropicPrompt, mayThink } from "./anthropic-request.ts";
import { samplingBody, type Model, type ModelRequest } from "./model.ts";
import { type Endpoint, postForAnswer } from "./post.ts";

export type AnthropicOptions = {
  /** Shown to people: `anthropic:claude-sonnet-4-5`. */
  readonly id: string;
  readonly model: string;
  readonly apiKey: string;
  /** Default `https://api.anthropic.com`; `/v1` is added unless it ends in a version. */
  readonly baseUrl?: string;
  /** Output limit when the request has none, since the API demands one; default 16,384. */
  readonly maxOutputTokens?: number;
  /** The API's own `thinking` setting, for example `{type: 'enabled', budget_tokens: 8000}`; default none.
   * Left out of a call whose output limit is not above its budget, which the API would refuse. */
  readonly thinking?: Readonly<Record<string, unknown>>;
  readonly fetch: Fetch;
};

/** A model behind Anthropic's messages API, with prompt caching and signed reasoning sent back. */
export function anthropic(options: AnthropicOptions): Model {
  const { id, model, apiKey, thinking, maxOutputTokens = 16_384 } = options;
  const endpoint: Endpoint = {
    provider: { name: "Anthropic", setting: "ANTHROPIC_API_KEY", secrets: [apiKey] },
    url: messagesUrl(options.baseUrl ?? "https://api.anthropic.com"),
    headers: { "x-api-key": apiKey, "anthropic-version": "2023-06-01" },
    fetch: options.fetch,
  };
  const bodyOf = (request: ModelRequest) => {
    const prompt = anthropicPrompt(request);
    const limit = request.maxOutputTokens ?? maxOutputTokens;
    const fits = !(Number(thinking?.["budget_tokens"]) >= limit);
    return {
      model,
      max_tokens: limit,
      ...prompt,
      ...samplingBody(request.sampling),
      ...(thinking && fits && mayThink(prompt.messages) && { thinking }),
      stream: true,
    };
  };
  return {
    id,
    stream: (request, signal) =>
      postForAnswer(endpoint, bodyOf(request), new AnthropicDecoder(endpoint.provider), signal),
  };
}

function messagesUrl(baseUrl: string): string {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = `${/\/v\d+$/.test(base) ? base : `${base}/v1`}/messages`;
  return url.href;
}

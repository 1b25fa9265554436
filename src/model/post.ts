import type { Fetch } from "../shared/guarded-fetch.ts";
import { readText } from "../shared/read-body.ts";
import { ModelError } from "../shared/errors.ts";
import { type AnswerDecoder, readAnswer } from "./answer-stream.ts";
import type { ModelEvent } from "./model.ts";
import {
  type Provider,
  connectionError,
  malformed,
  providerError,
  retryAfter,
} from "./provider-error.ts";

export type Endpoint = {
  readonly provider: Provider;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
};

/** Sends one request and streams its answer through `decoder`. Every failure is a `ModelError`, an abort `signal.reason`. */
export async function* postForAnswer(
  endpoint: Endpoint,
  body: unknown,
  decoder: AnswerDecoder,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent[], void> {
  const { provider } = endpoint;
  const response = await send(endpoint, body, signal);
  if (!response.ok) throw await statusError(provider, response, signal);
  const type = response.headers.get("content-type") ?? "";
  if (type.includes("json")) {
    yield decodeWhole(provider, await read(provider, response, signal), decoder);
  } else if (type.includes("html") || !response.body) {
    await response.body?.cancel();
    throw new ModelError(
      "model_not_configured",
      `${provider.name} answered with a web page instead of a stream. Check ${provider.setting}.`,
    );
  } else {
    yield* readAnswer(response.body, decoder, provider, signal);
  }
}

async function send(endpoint: Endpoint, body: unknown, signal: AbortSignal): Promise<Response> {
  const { fetch, url, headers, provider } = endpoint;
  signal.throwIfAborted();
  try {
    return await fetch(url, {
      method: "POST",
      headers: { accept: "text/event-stream", "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw connectionError(provider, error);
  }
}

/** An answer in one piece, from a server that does not stream; also an error with status 200. */
function decodeWhole(provider: Provider, text: string, decoder: AnswerDecoder): ModelEvent[] {
  const batch: ModelEvent[] = [];
  try {
    decoder.decode(text, batch);
    if (!decoder.isFinished) decoder.end(batch);
  } catch (error) {
    throw error instanceof ModelError ? error : malformed(provider);
  }
  return batch;
}

async function statusError(
  provider: Provider,
  response: Response,
  signal: AbortSignal,
): Promise<ModelError> {
  const body = await read(provider, response, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return error instanceof ModelError ? "" : Promise.reject(error);
  });
  const retryAfterMs = retryAfter((name) => response.headers.get(name), Date.now());
  return providerError(provider, { status: response.status, retryAfterMs, body });
}

async function read(provider: Provider, response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await readText(response, { maxBytes: 4 * 1024 * 1024 });
  } catch (error) {
    signal.throwIfAborted();
    throw connectionError(provider, error);
  }
}

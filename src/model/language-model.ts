import { ModelError } from "../shared/errors.ts";
import { knownWindow } from "./context-window.ts";
import { LanguageModelDecoder } from "./language-model-decoder.ts";
import { promptOf, toolsOf } from "./language-model-prompt.ts";
import type { CallOptions, LanguageModel, StreamPart } from "./language-model-types.ts";
import type { Model, ModelEvent, ModelRequest } from "./model.ts";
import type { Provider } from "./provider-error.ts";

/**
 * Any model of the AI SDK's provider packages (specification v4) as a `Model`: every provider that has a
 * package is one import away. `secrets` are values that its errors must not repeat, such as the key that the
 * package was given. Its requests do not go through the guarded fetch unless the package is given one.
 * `contextWindow`: its tokens, where they are not known by its name.
 * Costs about ten times the CPU of the adapters here, since the packages check every chunk.
 */
export function fromLanguageModel(
  model: LanguageModel,
  options: {
    readonly id?: string;
    readonly secrets?: readonly string[];
    readonly contextWindow?: number;
  } = {},
): Model {
  const provider: Provider = {
    name: model.provider,
    setting: `how src/agent.ts sets up ${model.provider}`,
    secrets: options.secrets ?? [],
  };
  const contextWindow = options.contextWindow ?? knownWindow(model.modelId);
  return {
    id: options.id ?? `${model.provider}:${model.modelId}`,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    async *stream(request, signal): AsyncGenerator<ModelEvent[], void> {
      signal.throwIfAborted();
      if (model.specificationVersion !== "v4") {
        throw new ModelError(
          "model_not_configured",
          `The package of ${model.provider} implements specification ${model.specificationVersion}; install its newest version, which implements v4.`,
        );
      }
      const decoder = new LanguageModelDecoder(provider);
      let parts: ReadableStream<StreamPart>;
      try {
        parts = (await model.doStream(callOptions(request, signal))).stream;
      } catch (error) {
        signal.throwIfAborted();
        throw decoder.failure(error);
      }
      yield* readParts(parts, decoder, signal);
    },
  };
}

const callOptions = (request: ModelRequest, signal: AbortSignal): CallOptions => ({
  prompt: promptOf(request),
  ...(request.tools.length > 0 && { tools: toolsOf(request.tools) }),
  ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
  ...request.sampling,
  abortSignal: signal,
});

async function* readParts(
  parts: ReadableStream<StreamPart>,
  decoder: LanguageModelDecoder,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent[], void> {
  const reader = parts.getReader();
  const close = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", close);
  try {
    while (!decoder.isFinished) {
      signal.throwIfAborted();
      const read = await reader.read().catch((error: unknown) => {
        signal.throwIfAborted();
        throw decoder.failure(error);
      });
      signal.throwIfAborted();
      const batch: ModelEvent[] = [];
      if (read.value) decoder.decode(read.value, batch);
      else decoder.end();
      yield batch;
    }
  } finally {
    signal.removeEventListener("abort", close);
    close();
  }
}

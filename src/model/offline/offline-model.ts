import { systemClock } from "../../shared/clock.ts";
import type { Clock } from "../../shared/clock.ts";
import type { FinishReason, ModelMessage, Usage } from "../../shared/messages.ts";
import { cutAt } from "../../shared/text.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import type { Answer } from "./answer.ts";
import { readConversation } from "./conversation.ts";
import { decide } from "./rules.ts";
import { streamAnswer } from "./streaming.ts";

export type OfflineOptions = {
  /** Default: real time. */
  readonly clock?: Clock;
  /** Milliseconds between two batches of words; default 12, so that a long answer can be watched and stopped. */
  readonly pause?: number;
};

const WORDS_IN_BATCH = 4;
const CHARACTERS_IN_TOKEN = 4;
/** As many tokens as models of middle size take. */
const CONTEXT_WINDOW = 128_000;

/**
 * The model that needs no key and no network: rules over the request alone, the same answer for the same
 * request, speaking the same tool protocol as a real model. Its usage is estimated at 4 characters a token.
 */
export function createOfflineModel({
  clock = systemClock,
  pause = 12,
}: OfflineOptions = {}): Model {
  return {
    id: "offline",
    contextWindow: CONTEXT_WINDOW,
    async *stream(
      request: ModelRequest,
      signal: AbortSignal,
    ): AsyncGenerator<readonly ModelEvent[]> {
      signal.throwIfAborted();
      const decided = decide(readConversation(request));
      const answer = within(decided, request.maxOutputTokens);
      yield* streamAnswer(answer, { clock, words: WORDS_IN_BATCH, pause }, signal);
      const reason: FinishReason =
        answer !== decided ? "length" : answer.calls.length > 0 ? "tool-calls" : "stop";
      yield [{ type: "finish", reason, usage: usageOf(request, answer) }];
    },
  };
}

/** Words are cut at the output limit; calls are short and stay whole. */
function within(answer: Answer, maxTokens: number | undefined): Answer {
  const limit = (maxTokens ?? Infinity) * CHARACTERS_IN_TOKEN;
  return answer.text.length <= limit ? answer : { ...answer, text: cutAt(answer.text, limit) };
}

function usageOf(request: ModelRequest, answer: Answer): Usage {
  const messages = request.messages.reduce((sum, message) => sum + lengthOf(message), 0);
  const input = request.system.length + messages + JSON.stringify(request.tools).length;
  const output =
    answer.text.length + (answer.calls.length > 0 ? JSON.stringify(answer.calls).length : 0);
  return { input: tokens(input), output: tokens(output), cached: 0 };
}

/** Characters, an image counting as 1,600 tokens. */
function lengthOf(message: ModelMessage): number {
  return JSON.stringify(message, (key, value: unknown) =>
    key === "data" ? "i".repeat(6_400) : value,
  ).length;
}

const tokens = (characters: number) => Math.ceil(characters / CHARACTERS_IN_TOKEN);

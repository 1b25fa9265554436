import type { Clock } from "../../shared/clock.ts";
import type { ModelEvent } from "../model.ts";
import type { Answer } from "./answer.ts";

/** How an answer is paced: `words` in a batch, `pause` milliseconds between batches. */
export type Pace = { readonly clock: Clock; readonly words: number; readonly pause: number };

/** Batches of an answer, without `finish`. Throws `signal.reason` as soon as it is aborted. */
export async function* streamAnswer(
  answer: Answer,
  pace: Pace,
  signal: AbortSignal,
): AsyncGenerator<readonly ModelEvent[]> {
  signal.throwIfAborted();
  let isFirst = true;
  for (const batch of batchesOf(answer, pace.words)) {
    if (!isFirst) await pace.clock.sleep(pace.pause, signal);
    signal.throwIfAborted();
    isFirst = false;
    yield batch;
    signal.throwIfAborted();
  }
}

function* batchesOf(answer: Answer, words: number): Generator<readonly ModelEvent[]> {
  const pieces = answer.text.match(/\s*\S+\s*/g) ?? [];
  for (let at = 0; at < pieces.length; at += words) {
    yield pieces.slice(at, at + words).map((text) => ({ type: "text", text }));
  }
  for (const [index, call] of answer.calls.entries()) {
    const json = JSON.stringify(call.input);
    const input = json.match(/.{1,24}/gsu) ?? [];
    yield [
      { type: "tool-call", index, name: call.name },
      ...input.map((text) => ({ type: "tool-input" as const, index, text })),
    ];
  }
}

import { estimateTokens } from "../../context/tokens.ts";
import { askOnce } from "../../model/ask.ts";
import type { Model } from "../../model/model.ts";
import { retryDelay, type RetryOptions } from "../../model/retry.ts";
import type { JournalEntry } from "../../session/entries.ts";
import type { Clock } from "../../shared/clock.ts";
import { CarrelError } from "../../shared/errors.ts";
import { addUsage, noUsage, type Usage } from "../../shared/messages.ts";
import type { CompactionConfig } from "./config.ts";
import {
  defaultSummaryPrompt,
  groupsOf,
  linesOf,
  promptWith,
  SUMMARY_SYSTEM,
} from "./summary-prompt.ts";

/** A longer summary is none. */
export const MAX_SUMMARY_CHARS = 16_000;

/** Tokens of one request for a summary where nobody knows what the model takes. */
const UNKNOWN_WINDOW = 100_000;
/** Kept free for the answer, and for what the estimate may be wrong by. */
const ANSWER_TOKENS = 8_000;
const SURE = 0.8;
/** With less for messages, a summary would take too many requests. */
const LEAST_ROOM = 500;

export type Summarising = {
  readonly model: Model;
  readonly config: Pick<CompactionConfig, "summaryPrompt" | "summaryTimeoutMs">;
  readonly retry: RetryOptions;
  readonly clock: Clock;
  /** What is known of what was said before. */
  readonly known: string;
  /** As the model was shown them. */
  readonly entries: readonly JournalEntry[];
  /** A summary of more tokens is none. */
  readonly most: number;
  /** Aborts when nobody wants the summary any more. */
  readonly signal: AbortSignal;
};

export type Summary = { readonly text: string; readonly usage: Usage };

/**
 * A summary of what is known and of these entries, in as many requests as they take. Throws `CarrelError` where none could
 * be had, in words that may be shown, and the signal's reason when that aborts.
 */
export function summarise({ signal, ...summarising }: Summarising): Promise<Summary> {
  const { clock, config } = summarising;
  return within(clock, config.summaryTimeoutMs, signal, (inner) => rolling(summarising, inner));
}

async function rolling(
  { model, config, retry, clock, known, entries, most }: Omit<Summarising, "signal">,
  signal: AbortSignal,
): Promise<Summary> {
  const groups = groupsOf(linesOf(entries), roomFor(model, config.summaryPrompt, known));
  let text = known;
  let usage = noUsage;
  for (const lines of groups) {
    const asked = promptWith(config.summaryPrompt, { known: text, lines });
    const answer = await persist({ model, retry, clock }, asked, signal);
    if (estimateTokens(answer.text) > most) throw unusable("it was too long");
    text = answer.text;
    usage = addUsage(usage, answer.usage);
  }
  return { text, usage };
}

/** Tokens of messages in one request. */
function roomFor({ contextWindow }: Model, prompt: string | null, known: string): number {
  const window = contextWindow ?? UNKNOWN_WINDOW;
  const asked = estimateTokens(prompt ?? defaultSummaryPrompt) + estimateTokens(SUMMARY_SYSTEM);
  const free = (window - Math.min(ANSWER_TOKENS, window / 4)) * SURE;
  // A summary takes its place in each request but the first, and may be longer than what was known.
  const room = Math.floor(free - asked - Math.max(estimateTokens(known), window / 16));
  if (room < LEAST_ROOM)
    throw new CarrelError("context_overflow", "The model that writes summaries takes too little.");
  return room;
}

/** Asks once, and again where a provider could not answer just then. */
async function persist(
  { model, retry, clock }: Pick<Summarising, "model" | "retry" | "clock">,
  asked: string,
  signal: AbortSignal,
): Promise<Summary> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(model, asked, signal);
    } catch (error) {
      signal.throwIfAborted();
      const delay = retryDelay(error, attempt, retry);
      if (delay === null) throw error;
      await clock.sleep(delay, signal);
      signal.throwIfAborted();
    }
  }
}

async function ask(model: Model, asked: string, signal: AbortSignal): Promise<Summary> {
  const question = { system: SUMMARY_SYSTEM, text: asked };
  const { text, finish, usage } = await askOnce(model, question, MAX_SUMMARY_CHARS, signal);
  if (text.length > MAX_SUMMARY_CHARS) throw unusable("it was too long");
  if (finish === "length") throw unusable("it was cut off");
  if (finish === "refused") throw unusable("the model declined to write it");
  if (finish === "tool-calls") throw unusable("the model called a tool instead");
  if (text.trim() === "") throw unusable("it was empty");
  return { text: text.trim(), usage };
}

const unusable = (why: string): CarrelError =>
  new CarrelError("malformed", `The summary could not be used: ${why}.`);

/** What `work` comes to, unless it takes longer or the signal aborts: then at once a failure, and nobody waits for it. */
function within<Result>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const inner = new AbortController();
    const over = new AbortController();
    const leave = (error: unknown) => {
      reject(error);
      inner.abort(error);
      over.abort();
    };
    if (signal.aborted) return leave(signal.reason);
    signal.addEventListener("abort", () => leave(signal.reason), { signal: over.signal });
    void clock.sleep(ms, over.signal).then(() => {
      if (over.signal.aborted) return;
      leave(new CarrelError("stalled", `The summary took longer than ${ms / 1_000} seconds.`));
    });
    work(inner.signal)
      .then(resolve, reject)
      .finally(() => over.abort());
  });
}

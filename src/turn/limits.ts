import type { TurnErrorCode } from "../shared/errors.ts";
import type { EntryOf, JournalEntry } from "../session/entries.ts";
import { addUsage, noUsage, type Usage } from "../shared/messages.ts";

/** What ends a runaway turn (promise T10). */
export type Limits = {
  /** Model calls of one turn; 10, as in AgentScope. */
  readonly maxIters: number;
  /** Input and output tokens of one turn, as the provider counts them; 1,000,000. */
  readonly maxTurnTokens: number;
  /** So many steps in a row with the very same calls end the turn; 3. */
  readonly maxRepeatedCalls: number;
  /** Tool calls of one step that are run; more are answered with an error. 25. */
  readonly maxCallsPerStep: number;
  /** A model that is alive but says nothing new for so long is given up; 5 minutes. Silence ends sooner. */
  readonly noProgressMs: number;
  /** One tool call may take so long; 5 minutes. */
  readonly toolTimeoutMs: number;
};

export const defaultLimits: Limits = {
  maxIters: 10,
  maxTurnTokens: 1_000_000,
  maxRepeatedCalls: 3,
  maxCallsPerStep: 25,
  noProgressMs: 300_000,
  toolTimeoutMs: 300_000,
};

export type LimitReached = { readonly code: TurnErrorCode; readonly message: string };

/** The limit that forbids the turn another step, if one does. */
export function limitReached(
  entries: readonly JournalEntry[],
  limits: Limits,
): LimitReached | null {
  const steps = stepsOf(entries);
  if (steps.length >= limits.maxIters) {
    return {
      code: "step_limit",
      message: `The turn used all of its ${limits.maxIters} steps. Send a message to go on.`,
    };
  }
  const usage = usageOf(entries);
  if (usage.input + usage.output >= limits.maxTurnTokens) {
    return {
      code: "token_budget",
      message: `The turn used ${usage.input + usage.output} tokens; its budget is ${limits.maxTurnTokens}. Send a message to go on.`,
    };
  }
  const last = steps.slice(-limits.maxRepeatedCalls).map(callsOf);
  if (
    last.length === limits.maxRepeatedCalls &&
    last.every((calls) => calls !== "" && calls === last[0])
  ) {
    return {
      code: "repeated_call",
      message: `The model made the same tool calls ${limits.maxRepeatedCalls} times in a row.`,
    };
  }
  return null;
}

export const stepsOf = (entries: readonly JournalEntry[]): EntryOf<"step">[] =>
  entries.filter((entry) => entry.kind === "step");

/** Tokens of all model calls of these entries. */
export const usageOf = (entries: readonly JournalEntry[]): Usage =>
  stepsOf(entries).reduce((sum, step) => addUsage(sum, step.usage), noUsage);

function callsOf(step: EntryOf<"step">): string {
  return step.parts
    .map((part) => (part.type === "tool-call" ? `${part.name}(${part.input})` : ""))
    .join("");
}

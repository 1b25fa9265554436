import type { Model } from "../model/model.ts";

/** When memory is taken from a conversation. `gapMs`: at most once in so long for all sessions that share the memory. */
export type FlushTrigger = "ALWAYS" | "NEVER" | { readonly throttledMs: number };

/** How an agent remembers: AgentScope's `MemoryConfig`, with its defaults. */
export type MemoryConfig = {
  /** Takes memory out of conversations and consolidates it; default: the agent's own. A model, or `provider:name`. */
  readonly model: Model | string | null;
  /** The system prompt of the flush, verbatim; default: the built-in one. At most 12,000 characters. */
  readonly flushPrompt: string | null;
  /**
   * The system prompt of the consolidation; default: the built-in one. Must hold `{maxTokens}` and `{maxChars}` once each
   * (AgentScope: two integer placeholders). What the answer has to look like is added to it. At most 12,000 characters.
   */
  readonly consolidationPrompt: string | null;
  /** What MEMORY.md may cost, in tokens; from 100. Default 4,000. */
  readonly consolidationMaxTokens: number;
  /** The shortest time between two runs for one bucket, in milliseconds; default 30 minutes. */
  readonly consolidationMinGapMs: number;
  /** Ledgers that are older are archived, and found all the same; from 1. Default 90. */
  readonly dailyFileRetentionDays: number;
  /** Logs of sessions that were not written for longer are deleted; from 1. Default `null`: never. (AgentScope's code: 180.) */
  readonly sessionRetentionDays: number | null;
  /** Default `ALWAYS`: after each turn. */
  readonly flushTrigger: FlushTrigger;
};

export const defaultMemory: MemoryConfig = {
  model: null,
  flushPrompt: null,
  consolidationPrompt: null,
  consolidationMaxTokens: 4_000,
  consolidationMinGapMs: 30 * 60_000,
  dailyFileRetentionDays: 90,
  sessionRetentionDays: null,
  flushTrigger: "ALWAYS",
};

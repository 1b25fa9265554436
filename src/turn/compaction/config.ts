import type { Model } from "../../model/model.ts";

/** When a conversation is made shorter, and how: AgentScope's `CompactionConfig`, with the names of its documents and the defaults of its code. */
export type CompactionConfig = {
  /** Messages in the context that are too many; default 50, 0: never for their number. */
  readonly triggerMessages: number;
  /** Tokens of a request that are too many; default 0: what the model takes less `reserved` (half of it, where that is nothing; 160,000 where it is not known). */
  readonly triggerTokens: number;
  /** Tokens kept free for the answer; default 20,000. */
  readonly reserved: number;
  /** Messages that stay where no tokens are counted; default 20. */
  readonly keepMessages: number;
  /** Tokens of messages that stay. Default -1: a quarter of what the model takes less `reserved`, between the next two; 0: `keepMessages` decides. */
  readonly keepTokens: number;
  readonly keepTokensMin: number;
  readonly keepTokensMax: number;
  /** Memory is taken from what is summarised, whatever the flush trigger says; default true. */
  readonly flushBeforeCompact: boolean;
  /** What is summarised goes into the session's log; default true. It does anyway, once its turn has ended. */
  readonly offloadBeforeCompact: boolean;
  /** Asks for the summary, with `{messages}` once; default: the built-in one. At most 12,000 characters. */
  readonly summaryPrompt: string | null;
  /** Writes the summary; default: the agent's own. A model, or `provider:name`. */
  readonly model: Model | string | null;
  /** How long the summary may take, in milliseconds; default 60,000. */
  readonly summaryTimeoutMs: number;
  /** Long arguments of older calls are cut; default: off. */
  readonly truncateArgs: TruncateArgs | null;
  /** Long results of older calls are cut; default on. */
  readonly prune: Prune | null;
};

export type TruncateArgs = {
  /** From so many messages, or so many tokens, on; 25 and 40,000. */
  readonly triggerMessages: number;
  readonly triggerTokens: number;
  /** The newest so many messages are left as they are; 20. */
  readonly keepMessages: number;
  /** Longer texts in arguments are cut; 2,000 characters. */
  readonly maxChars: number;
};

export type Prune = {
  /** The newest results are left as they are, up to so many tokens; 40,000. */
  readonly protectTokens: number;
  /** Nothing is cut where that would free fewer tokens; 20,000. */
  readonly minimumTokens: number;
  /** Longer results are cut to a head and a tail of 1,000 characters each; 2,000. */
  readonly maxChars: number;
  /** Tools whose results are never cut. */
  readonly excludedTools: readonly string[];
};

export const defaultTruncateArgs: TruncateArgs = {
  triggerMessages: 25,
  triggerTokens: 40_000,
  keepMessages: 20,
  maxChars: 2_000,
};

export const defaultPrune: Prune = {
  protectTokens: 40_000,
  minimumTokens: 20_000,
  maxChars: 2_000,
  excludedTools: ["read_file", "memory_search", "memory_get", "session_search"],
};

export const defaultCompaction: CompactionConfig = {
  triggerMessages: 50,
  triggerTokens: 0,
  reserved: 20_000,
  keepMessages: 20,
  keepTokens: -1,
  keepTokensMin: 2_000,
  keepTokensMax: 8_000,
  flushBeforeCompact: true,
  offloadBeforeCompact: true,
  summaryPrompt: null,
  model: null,
  summaryTimeoutMs: 60_000,
  truncateArgs: null,
  prune: defaultPrune,
};

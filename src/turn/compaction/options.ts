import type { Model } from "../../model/model.ts";
import { defaultCompaction, type CompactionConfig } from "./config.ts";

/** How much of a session its model sees. */
export type ContextOptions = {
  /** Each turn begins with an empty context. */
  readonly isPerTurn: boolean;
  /** `null`: it is made shorter only where the model takes no more, and then without a summary. */
  readonly compaction: CompactionConfig | null;
  /** Writes the summaries; `null`: the agent's own model. */
  readonly summariser: Model | null;
};

export const defaultContext: ContextOptions = {
  isPerTurn: false,
  compaction: defaultCompaction,
  summariser: null,
};

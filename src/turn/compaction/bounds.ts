import { defaultCompaction, type CompactionConfig } from "./config.ts";

/** How much a context may hold, in tokens. */
export type Bounds = {
  /** What the model takes, prompt and answer together; `null` where nobody knows. */
  readonly window: number | null;
  /** From here on it is made shorter. */
  readonly trigger: number;
  /** Beyond, there is no room for an answer. */
  readonly most: number;
};

/** How much stays: the newest messages that fit into all of these. */
export type Keep = {
  readonly tokens: number;
  readonly messages: number;
  readonly chars: number;
};

/** Where a model's window is not known. */
const UNKNOWN_TRIGGER = 160_000;

/** Text and images that are held in memory and sent with every request, in characters. An object has 128 MB. */
export const MAX_CHARS = 8_000_000;

/** `config` is `null` where nothing is to be made shorter as long as the model takes it. */
export function boundsOf(config: CompactionConfig | null, window: number | null): Bounds {
  const { triggerTokens, reserved } = config ?? defaultCompaction;
  if (window === null) {
    const trigger = triggerTokens > 0 ? triggerTokens : UNKNOWN_TRIGGER;
    return { window, trigger: config ? trigger : Infinity, most: Infinity };
  }
  const most = window - Math.floor(Math.min(reserved / 4, window / 8));
  const free = window > reserved ? window - reserved : Math.floor(window / 2);
  const trigger = Math.min(triggerTokens > 0 ? triggerTokens : free, most);
  return { window, trigger: config ? trigger : most, most };
}

/** By tokens, or by messages where no tokens are counted. */
export function keepOf(config: CompactionConfig, { window, trigger }: Bounds): Keep {
  const { keepTokens, keepTokensMin, keepTokensMax, keepMessages, reserved } = config;
  const chars = MAX_CHARS / 2;
  if (keepTokens > 0) return { tokens: keepTokens, messages: Infinity, chars };
  if (keepTokens === 0 || window === null)
    return { tokens: Math.floor(trigger / 2), messages: keepMessages, chars };
  const quarter = Math.max(0, window - reserved) * 0.25;
  const tokens = Math.min(keepTokensMax, Math.max(keepTokensMin, quarter));
  // Where a window is small, more would soon be too long again.
  return { tokens: Math.floor(Math.min(tokens, trigger / 2)), messages: Infinity, chars };
}

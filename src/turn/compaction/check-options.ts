import { specProblem } from "../../model/choose.ts";
import {
  defaultCompaction,
  defaultPrune,
  defaultTruncateArgs,
  type CompactionConfig,
} from "./config.ts";
import { MAX_PROMPT_CHARS, MESSAGES } from "./summary-prompt.ts";

type Range = readonly [least: number, most: number];

type Check = {
  readonly names: (inside: string, given: object, known: object) => void;
  readonly number: (option: string, value: unknown, bounds: Range) => void;
};

const MESSAGE_COUNT: Range = [0, 10_000];
const TOKENS: Range = [0, 10_000_000];
const CHARS: Range = [100, 1_000_000];
const SUMMARY_MS: Range = [1_000, 600_000];

/** Refuses options of a definition that could not work as they read. Throws a plain `Error`. */
export function checkCompaction(given: Partial<CompactionConfig> = {}, check: Check): void {
  check.names("compaction.", given, defaultCompaction);
  const config = { ...defaultCompaction, ...given };
  const of = (name: keyof CompactionConfig, bounds: Range) =>
    check.number(`compaction.${name}`, config[name], bounds);
  of("triggerMessages", MESSAGE_COUNT);
  of("triggerTokens", TOKENS);
  of("reserved", TOKENS);
  of("keepMessages", MESSAGE_COUNT);
  of("keepTokens", [-1, TOKENS[1]]);
  of("keepTokensMin", TOKENS);
  of("keepTokensMax", TOKENS);
  of("summaryTimeoutMs", SUMMARY_MS);
  for (const name of ["flushBeforeCompact", "offloadBeforeCompact"] as const)
    if (typeof config[name] !== "boolean")
      throw new Error(`compaction.${name} is ${String(config[name])}. Use true or false.`);
  checkOrder(config);
  checkPrompt(config.summaryPrompt);
  const problem = typeof config.model === "string" ? specProblem(config.model) : null;
  if (problem !== null) throw new Error(`compaction.model: ${problem}`);
  if (config.truncateArgs !== null) {
    const { truncateArgs } = config;
    check.names("compaction.truncateArgs.", truncateArgs, defaultTruncateArgs);
    for (const name of ["triggerMessages", "triggerTokens", "keepMessages"] as const)
      check.number(`compaction.truncateArgs.${name}`, truncateArgs[name], TOKENS);
    check.number("compaction.truncateArgs.maxChars", truncateArgs.maxChars, CHARS);
  }
  if (config.prune !== null) checkPrune(config.prune, check);
}

function checkOrder({ triggerMessages, keepMessages, ...config }: CompactionConfig): void {
  if (triggerMessages > 0 && keepMessages > triggerMessages)
    throw new Error(
      `compaction.keepMessages is ${keepMessages}, but the conversation is made shorter at ${triggerMessages} messages. Keep at most as many, or raise compaction.triggerMessages.`,
    );
  if (config.keepTokensMin > config.keepTokensMax)
    throw new Error(
      `compaction.keepTokensMin is ${config.keepTokensMin}, more than compaction.keepTokensMax with ${config.keepTokensMax}. Exchange them.`,
    );
  if (config.triggerTokens > 0 && config.keepTokens >= config.triggerTokens)
    throw new Error(
      `compaction.keepTokens is ${config.keepTokens}, but the conversation is made shorter at ${config.triggerTokens} tokens. Keep fewer, or raise compaction.triggerTokens.`,
    );
}

function checkPrompt(prompt: CompactionConfig["summaryPrompt"]): void {
  if (prompt === null) return;
  if (prompt.length > MAX_PROMPT_CHARS)
    throw new Error(
      `compaction.summaryPrompt has ${prompt.length} characters, at most ${MAX_PROMPT_CHARS} are allowed.`,
    );
  if (prompt.split(MESSAGES).length !== 2)
    throw new Error(
      `compaction.summaryPrompt must hold ${MESSAGES} exactly once: the conversation stands there.`,
    );
}

function checkPrune(prune: NonNullable<CompactionConfig["prune"]>, check: Check): void {
  check.names("compaction.prune.", prune, defaultPrune);
  check.number("compaction.prune.protectTokens", prune.protectTokens, TOKENS);
  check.number("compaction.prune.minimumTokens", prune.minimumTokens, TOKENS);
  check.number("compaction.prune.maxChars", prune.maxChars, CHARS);
  const { excludedTools } = prune;
  if (!Array.isArray(excludedTools) || excludedTools.some((name) => typeof name !== "string"))
    throw new Error("compaction.prune.excludedTools must be a list of names of tools.");
}

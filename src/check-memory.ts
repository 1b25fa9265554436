import type { AgentDefinition } from "./define-agent.ts";
import { memoryOf } from "./define-agent.ts";
import { defaultMemory, type FlushTrigger } from "./memory/config.ts";
import { specProblem } from "./model/choose.ts";
import { defaultEviction } from "./turn/eviction/config.ts";

const MAX_PROMPT = 12_000;
const MONTH_MS = 30 * 86_400_000;
const MAX_DAYS = 36_500;

type Check = {
  readonly names: (inside: string, given: object, known: object) => void;
  readonly number: (option: string, value: unknown, bounds: readonly [number, number]) => void;
};

/** Refuses options about memory and long results that could not work as they read. Throws a plain `Error`. */
export function checkMemory(definition: AgentDefinition, { names, number }: Check): void {
  names("memory.", definition.memory ?? {}, defaultMemory);
  const memory = memoryOf(definition);
  const { model, flushPrompt, consolidationPrompt, sessionRetentionDays } = memory;
  const problem = typeof model === "string" ? specProblem(model) : null;
  if (problem !== null) throw new Error(`memory.model: ${problem}`);
  checkPrompt("memory.flushPrompt", flushPrompt, []);
  checkPrompt("memory.consolidationPrompt", consolidationPrompt, ["{maxTokens}", "{maxChars}"]);
  number("memory.consolidationMaxTokens", memory.consolidationMaxTokens, [100, 100_000]);
  number("memory.consolidationMinGapMs", memory.consolidationMinGapMs, [0, MONTH_MS]);
  number("memory.dailyFileRetentionDays", memory.dailyFileRetentionDays, [1, MAX_DAYS]);
  if (sessionRetentionDays !== null)
    number("memory.sessionRetentionDays", sessionRetentionDays, [1, MAX_DAYS]);
  checkTrigger(memory.flushTrigger, number);
  checkEviction(definition.toolResultEviction, { names, number });
}

function checkTrigger(trigger: FlushTrigger, number: Check["number"]): void {
  if (trigger === "ALWAYS" || trigger === "NEVER") return;
  if (typeof trigger !== "object" || trigger === null || !("throttledMs" in trigger))
    throw new Error(
      `memory.flushTrigger is ${JSON.stringify(trigger)}. Use "ALWAYS", "NEVER" or { throttledMs: 600000 }.`,
    );
  number("memory.flushTrigger.throttledMs", trigger.throttledMs, [0, MONTH_MS]);
}

function checkEviction(given: AgentDefinition["toolResultEviction"] = {}, check: Check): void {
  check.names("toolResultEviction.", given, defaultEviction);
  const { maxResultChars, previewChars, excludedToolNames } = { ...defaultEviction, ...given };
  check.number("toolResultEviction.maxResultChars", maxResultChars, [1_000, 1_000_000]);
  check.number("toolResultEviction.previewChars", previewChars, [0, 50_000]);
  if (
    !Array.isArray(excludedToolNames) ||
    excludedToolNames.some((name) => typeof name !== "string")
  )
    throw new Error("toolResultEviction.excludedToolNames must be a list of names of tools.");
}

/** A prompt of one's own: not blank, not too long, with each placeholder once. */
export function checkPrompt(
  option: string,
  prompt: string | null,
  placeholders: readonly string[],
): void {
  if (prompt === null) return;
  if (prompt.trim() === "")
    throw new Error(`${option} is blank. Leave it out for the built-in one.`);
  if (prompt.length > MAX_PROMPT)
    throw new Error(
      `${option} has ${prompt.length} characters, at most ${MAX_PROMPT} are allowed.`,
    );
  for (const placeholder of placeholders)
    if (prompt.split(placeholder).length !== 2)
      throw new Error(`${option} must hold ${placeholder} exactly once.`);
}

import { checkMemory } from "./check-memory.ts";
import { checkSkills } from "./check-skills.ts";
import { checkSubagents } from "./check-subagents.ts";
import { DEFAULT_CONTEXT_TOKENS, promptLimits } from "./context/prompt-sources.ts";
import { additionalFilesOf, filesOf, type AgentDefinition } from "./define-agent.ts";
import { specProblem } from "./model/choose.ts";
import type { RetryOptions } from "./model/retry.ts";
import { defaultPermissions } from "./permissions/config.ts";
import { RuleListSchema } from "./permissions/rule-schema.ts";
import { parseId } from "./shared/ids.ts";
import { permissionModes } from "./shared/permissions.ts";
import { checkCompaction } from "./turn/compaction/check-options.ts";
import type { Limits } from "./turn/limits.ts";
import type { TelemetrySwitches } from "./turn/spans/telemetry.ts";

const SCOPES: readonly string[] = ["SESSION", "USER", "AGENT", "GLOBAL"];
const MAX_NAME = 256;
const MAX_DESCRIPTION = 1_000;
const MAX_CONTEXT_TOKENS = 200_000;

const DAILY_TOKENS = [1_000, 1_000_000_000_000] as const;

const HOUR_MS = 3_600_000;

const APPROVAL_MS = [60_000, 365 * 24 * HOUR_MS] as const;

type Bounds<Options> = Readonly<Record<keyof Options, readonly [least: number, most: number]>>;

const LIMITS: Bounds<Limits> = {
  maxIters: [1, 1_000],
  maxTurnTokens: [1, 1_000_000_000],
  maxRepeatedCalls: [1, 1_000],
  maxCallsPerStep: [1, 1_000],
  noProgressMs: [1, HOUR_MS],
  toolTimeoutMs: [1, HOUR_MS],
};

const TELEMETRY: Readonly<Record<keyof TelemetrySwitches, true>> = { spans: true, payloads: true };

const RETRY: Bounds<Omit<RetryOptions, "random">> = {
  attempts: [1, 20],
  minDelayMs: [0, HOUR_MS],
  maxDelayMs: [0, HOUR_MS],
};

/** Every option once, so that a misspelt one is found out. */
const OPTIONS: Readonly<Record<keyof AgentDefinition, true>> = {
  id: true,
  name: true,
  description: true,
  systemPrompt: true,
  environmentMemory: true,
  model: true,
  isolationScope: true,
  files: true,
  additionalContextFiles: true,
  maxContextTokens: true,
  disableWorkspaceContext: true,
  disableFilesystemTools: true,
  disableAtPathExpansion: true,
  disableTranscript: true,
  disableSessionPersistence: true,
  tools: true,
  capabilities: true,
  permissions: true,
  limits: true,
  asyncToolTimeoutMs: true,
  dailyTokens: true,
  compaction: true,
  disableCompaction: true,
  memory: true,
  skills: true,
  skillRepositories: true,
  toolGroups: true,
  disableSkills: true,
  disableDynamicSkills: true,
  disableDefaultWorkspaceSkills: true,
  enableSkillManageTool: true,
  enableSkillCurator: true,
  subagents: true,
  disableSubagents: true,
  enableAgentGenerateTool: true,
  disableDynamicSubagents: true,
  disableGeneralPurpose: true,
  subagentLimits: true,
  enablePlanMode: true,
  allowShellInPlanMode: true,
  enableTaskList: true,
  disableMemoryTools: true,
  disableMemoryHooks: true,
  toolResultEviction: true,
  disableToolResultEviction: true,
  modelRetry: true,
  modelInactivityMs: true,
  telemetry: true,
};

/**
 * Refuses a definition that could not work as it reads, with what to change. Throws a plain `Error`, which operators
 * see at start; nothing about a definition is ever found out during a turn, apart from what depends on variables.
 */
export function checkDefinition(definition: AgentDefinition): void {
  try {
    parseId("The id", definition.id);
    checkNames("", definition, OPTIONS);
    checkTexts(definition);
    checkModel(definition.model);
    checkNumbers(definition);
    checkTelemetry(definition.telemetry);
    checkPermissions(definition.permissions);
    checkCompaction(definition.compaction, { names: checkNames, number: checkNumber });
    checkMemory(definition, { names: checkNames, number: checkNumber });
    checkSkills(definition, { names: checkNames, number: checkNumber });
    checkSubagents(definition, { names: checkNames, number: checkNumber });
    checkScope(definition);
    additionalFilesOf(definition);
    filesOf(definition);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`The agent ${JSON.stringify(definition.id)} is not defined well. ${message}`, {
      cause: error,
    });
  }
}

function checkNames(inside: string, given: object, known: object): void {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new Error(
      `There is no option ${inside}${unknown}. Use one of ${Object.keys(known).join(", ")}.`,
    );
}

function checkTexts({ name, description, systemPrompt, environmentMemory }: AgentDefinition): void {
  if (name?.trim() === "") throw new Error("Its name is blank. Leave it out to use the id.");
  const bounded = [
    ["name", name, MAX_NAME],
    ["description", description, MAX_DESCRIPTION],
    ["systemPrompt", systemPrompt, promptLimits.persona],
    ["environmentMemory", environmentMemory, promptLimits.environment],
  ] as const;
  for (const [option, text, limit] of bounded)
    if (text !== undefined && text.length > limit)
      throw new Error(`${option} has ${text.length} characters, at most ${limit} are allowed.`);
}

function checkModel(model: AgentDefinition["model"]): void {
  const problem = typeof model === "string" ? specProblem(model) : null;
  if (problem !== null) throw new Error(problem);
}

function checkNumbers(definition: AgentDefinition): void {
  const { maxContextTokens = DEFAULT_CONTEXT_TOKENS, modelInactivityMs = 60_000 } = definition;
  checkNumber("maxContextTokens", maxContextTokens, [1, MAX_CONTEXT_TOKENS]);
  checkNumber("modelInactivityMs", modelInactivityMs, [1, HOUR_MS]);
  const { dailyTokens, asyncToolTimeoutMs } = definition;
  if (asyncToolTimeoutMs !== undefined)
    checkNumber("asyncToolTimeoutMs", asyncToolTimeoutMs, [1, HOUR_MS]);
  if (dailyTokens !== undefined) checkNumber("dailyTokens", dailyTokens, DAILY_TOKENS);
  checkAll("limits.", definition.limits, LIMITS);
  const { random: _, ...retry } = definition.modelRetry ?? {};
  checkAll("modelRetry.", retry, RETRY);
}

function checkTelemetry(given: AgentDefinition["telemetry"] = {}): void {
  checkNames("telemetry.", given, TELEMETRY);
  for (const [name, value] of Object.entries(given))
    if (typeof value !== "boolean")
      throw new Error(`telemetry.${name} is ${String(value)}. Use true or false.`);
}

function checkAll<Options extends object>(
  inside: string,
  given: Partial<Options> = {},
  bounds: Bounds<Options>,
): void {
  checkNames(inside, given, bounds);
  for (const [name, value] of Object.entries(given))
    checkNumber(`${inside}${name}`, value, bounds[name as keyof Options]);
}

function checkNumber(option: string, value: unknown, [least, most]: readonly [number, number]) {
  if (!Number.isInteger(value) || Number(value) < least || Number(value) > most)
    throw new Error(`${option} is ${String(value)}. Use a whole number from ${least} to ${most}.`);
}

function checkPermissions(given: AgentDefinition["permissions"] = {}): void {
  checkNames("permissions.", given, defaultPermissions);
  const { mode, modes, approvalExpiresMs } = { ...defaultPermissions, ...given };
  checkNumber("permissions.approvalExpiresMs", approvalExpiresMs, APPROVAL_MS);
  for (const one of [...modes, mode])
    if (!permissionModes.includes(one))
      throw new Error(
        `permissions has the mode ${JSON.stringify(one)}. Use one of ${permissionModes.join(", ")}.`,
      );
  if (!modes.includes(mode))
    throw new Error(
      `permissions.mode is ${mode}, which is not among permissions.modes. Name it there, or choose one of ${modes.join(", ") || "those that you name"}.`,
    );
  for (const list of ["allow", "ask", "deny"] as const) {
    const parsed = RuleListSchema.safeParse(given[list] ?? []);
    const [issue] = parsed.error?.issues ?? [];
    if (issue)
      throw new Error(`${["permissions", list, ...issue.path].join(".")} ${issue.message}.`);
  }
}

function checkScope({ isolationScope = "USER", files }: AgentDefinition): void {
  if (!SCOPES.includes(isolationScope))
    throw new Error(
      `isolationScope is ${JSON.stringify(isolationScope)}. Use one of ${SCOPES.join(", ")}.`,
    );
  if (isolationScope === "GLOBAL" && Object.keys(files ?? {}).length > 0)
    throw new Error(
      "With the isolation scope GLOBAL all agents share one set of files, so none can have files of its own. Put them into the template directory.",
    );
}

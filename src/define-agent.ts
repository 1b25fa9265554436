import {
  AGENTS,
  DEFAULT_CONTEXT_TOKENS,
  KNOWLEDGE,
  MEMORY,
  type MemoryMode,
  type PromptOptions,
} from "./context/prompt-sources.ts";
import { defaultMemory, type MemoryConfig } from "./memory/config.ts";
import type { PermissionConfig } from "./permissions/config.ts";
import type { Model } from "./model/model.ts";
import type { RetryOptions } from "./model/retry.ts";
import { spellSize } from "./shared/text.ts";
import type { CuratorOptions } from "./shared/skill-upkeep.ts";
import {
  defaultCurator,
  defaultSkills,
  type SkillsConfig,
  type ToolGroup,
} from "./skills/config.ts";
import type { SkillRepository } from "./skills/repositories/repository.ts";
import type { Declaration } from "./shared/subagents.ts";
import type { SubagentOptions } from "./subagents/tools/parts.ts";
import type { Tool } from "./tools/tool.ts";
import type { Capability } from "./turn/capability.ts";
import type { EvictionConfig } from "./turn/eviction/config.ts";
import type { Limits } from "./turn/limits.ts";
import type { TelemetrySwitches } from "./turn/spans/telemetry.ts";
import { defaultCompaction, type CompactionConfig } from "./turn/compaction/config.ts";
import { contentOf, layOver } from "./workspace/layers/lay-over.ts";
import { defaultBucketLimits } from "./workspace/limits.ts";
import { ruleOf } from "./workspace/layers/path-rules.ts";
import { workspacePath, type WorkspacePath } from "./workspace/layers/path.ts";
import type { Template } from "./workspace/layers/template.ts";
import type { IsolationScope } from "./workspace/workspace.ts";

/**
 * An agent as code describes it; everything but `id` has a default. Its persona and knowledge are files, and each
 * file has a twin here. `docs/agent.md` has all options in one table.
 */
export type AgentDefinition = {
  /** The name in every route: a letter or digit first, then letters, digits, `.`, `_` or `-`, at most 128. */
  readonly id: string;
  /** What it is called in its prompt; default: the id. At most 256 characters. */
  readonly name?: string;
  /** What it is for, in a sentence, for people and programs that choose among agents. At most 1,000 characters. */
  readonly description?: string;
  /** The agent's own prompt, before everything from the workspace; default: none. At most 12,000 characters. */
  readonly systemPrompt?: string;
  /** About the place it runs in, at the very end of the prompt; default: none. At most 8,000 characters. */
  readonly environmentMemory?: string;
  /** A model, or `provider:name`; default: the variable MODEL, else the built-in offline model. */
  readonly model?: Model | string;
  /**
   * Who shares memory, knowledge, skills and overrides: `SESSION`, `USER` (default), `AGENT` or `GLOBAL`. Conversations
   * are always their user's.
   */
  readonly isolationScope?: IsolationScope;
  /**
   * Files that every user's workspace starts from, by path, laid over the bundled template; a skill's directory
   * replaces the bundled one whole. Memory and records of sessions belong to users, so they cannot be given here.
   */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Paths of files that are in every prompt beside AGENTS.md and the knowledge index; default: none. At most 16. */
  readonly additionalContextFiles?: readonly string[];
  /**
   * Tokens for AGENTS.md, knowledge, additional files and MEMORY.md together, 1 to 200,000; default 8,000. Only
   * MEMORY.md is cut for it, down to 1,000 tokens, oldest part first; the others have caps of their own.
   */
  readonly maxContextTokens?: number;
  /** Nothing of the workspace in the prompt, and no call for its files; default false. */
  readonly disableWorkspaceContext?: boolean;
  /** Without the built-in tools that list, search, read and write files; default false. */
  readonly disableFilesystemTools?: boolean;
  /** `@path` in a message is only text; default false: the file is attached. */
  readonly disableAtPathExpansion?: boolean;
  /** No log of the conversation among the user's files; default false. */
  readonly disableTranscript?: boolean;
  /**
   * Each turn starts from an empty context, and no log is written; default false. The session's own records stay, as
   * turns are recovered and streams are resumed from them.
   */
  readonly disableSessionPersistence?: boolean;
  /** Tools beside the built-in ones; they win over built-in tools of the same name. */
  readonly tools?: readonly Tool[];
  /** Your own hooks around turns, steps, model calls and tool calls: `docs/capabilities.md`. */
  readonly capabilities?: readonly Capability[];
  /**
   * What runs, asks or is denied in every session, beside what its person chooses: rules by tool and argument, the mode
   * that sessions begin with and those that may be chosen, and how long a question waits. `docs/permissions.md`.
   */
  readonly permissions?: Partial<PermissionConfig>;
  /** Bounds of one turn, whole numbers from 1; see `Limits` for each default. */
  readonly limits?: Partial<Limits>;
  /**
   * A tool of `tools` that takes longer (ms) goes on in the background, at most 10 minutes, and its call is answered with
   * that; what comes of it is told like a subagent's. 1 to 3,600,000; default: none does. One that a restart cuts off is
   * told as that, and not run again.
   */
  readonly asyncToolTimeoutMs?: number;
  /**
   * Tokens that one user's turns may use in a day (UTC), counted over all agents that set this; from 1,000. Default: no
   * bound, and nothing is counted. `createBudget` says what happens beyond.
   */
  readonly dailyTokens?: number;
  /** When a conversation is made shorter, and how; see `CompactionConfig` for each default. */
  readonly compaction?: Partial<CompactionConfig>;
  /** A conversation is made shorter only where the model takes no more of it, and then without a summary; default false. */
  readonly disableCompaction?: boolean;
  /** How it remembers: see `MemoryConfig` for each default, and `docs/memory.md`. */
  readonly memory?: Partial<MemoryConfig>;
  /** Without the tools that save, search and forget what is remembered; default false. MEMORY.md is still in the prompt. */
  readonly disableMemoryTools?: boolean;
  /** Nothing is taken out of conversations by itself, and nothing is consolidated; default false. */
  readonly disableMemoryHooks?: boolean;
  /** Which skills it has, who sees them, and who decides about drafts; see `SkillsConfig` for each default, and `docs/skills.md`. */
  readonly skills?: SkillOptions;
  /** Where skills come from beside the workspace, later ones over earlier ones; at most 20. Default: nowhere else. */
  readonly skillRepositories?: readonly SkillRepository[];
  /** Tools that a session has once a certain skill was loaded in it; default: none. */
  readonly toolGroups?: readonly ToolGroup[];
  /** Without skills: neither their list nor the tool that loads them; default false. */
  readonly disableSkills?: boolean;
  /** Only the skills of the template: no user's, no shared ones, none of a repository; default false. */
  readonly disableDynamicSkills?: boolean;
  /** Without the skills of the bucket's own files; default false. */
  readonly disableDefaultWorkspaceSkills?: boolean;
  /** The agent may draft skills, which a person promotes; default false. */
  readonly enableSkillManageTool?: boolean;
  /** What the agent made and nobody uses any more is put away in time; default false. */
  readonly enableSkillCurator?: boolean;
  /** Subagents that code declares, beside the files of `subagents/`, which win; default: none. `docs/subagents.md`. */
  readonly subagents?: readonly SubagentDefinition[];
  /** Without subagents: neither their list nor their tools; default false. */
  readonly disableSubagents?: boolean;
  /** Without those of the files; default false. */
  readonly disableDynamicSubagents?: boolean;
  /** It can draft subagents, which a person decides about: `agent_generate`; default false. Not with `disableDynamicSubagents`. */
  readonly enableAgentGenerateTool?: boolean;
  /** Without `general-purpose`, the subagent that is always there; default false. */
  readonly disableGeneralPurpose?: boolean;
  /** How long a wait may take, whether one that is over stops its subagent, and how many tasks may be at work at once. */
  readonly subagentLimits?: Partial<SubagentOptions>;
  /** It can plan before it acts, and a person approves the plan; default false. `docs/planning.md`. */
  readonly enablePlanMode?: boolean;
  /** The shell, which can do anything, may run while planning; default false. */
  readonly allowShellInPlanMode?: boolean;
  /** It keeps a list of what is to be done in a session; default false. */
  readonly enableTaskList?: boolean;
  /** When a tool's result goes to a file instead of the conversation; see `EvictionConfig` for each default. */
  readonly toolResultEviction?: Partial<EvictionConfig>;
  /** Long results stay in the conversation, cut at 100,000 characters; default false. */
  readonly disableToolResultEviction?: boolean;
  /** How failed model calls are tried again: 3 attempts, 2 s to 30 s apart. */
  readonly modelRetry?: RetryOptions;
  /** Spans of what turns do, as lines in the log; without what was said unless `payloads` is true. */
  readonly telemetry?: Partial<TelemetrySwitches>;
  /** A model that sends nothing for so long is given up; 60,000 ms, at most an hour. Keep-alives count as life. */
  readonly modelInactivityMs?: number;
};

/** A subagent; everything but its id, what it is for and its prompt has a default, as in `parseDeclaration`. */
export type SubagentDefinition = Pick<Declaration, "id" | "description" | "body"> &
  Partial<Declaration>;

/** As in `SkillsConfig`; of the curator, too, what is left out has its default. */
export type SkillOptions = Partial<Omit<SkillsConfig, "curator">> & {
  readonly curator?: Partial<CuratorOptions>;
};

/** Checks the definition's types and gives it back: `export const agents = [defineAgent({ id: 'main' })]`. */
export const defineAgent = (definition: AgentDefinition): AgentDefinition => definition;

const MAX_ADDITIONAL_FILES = 16;

/** Paths given by code, each one file and none twice. */
function pathsOf(option: string, spellings: readonly string[]): WorkspacePath[] {
  const paths = spellings.map((spelling) => pathOf(option, spelling));
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  if (twice !== undefined) throw new Error(`${option} names ${twice} twice.`);
  return paths;
}

function pathOf(option: string, spelling: string): WorkspacePath {
  try {
    const path = workspacePath(spelling);
    if (path === "" || spelling.endsWith("/"))
      throw new Error("It is a directory. Name each file.");
    return path;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`${option} has the path ${JSON.stringify(spelling)}. ${error.message}`, {
      cause: error,
    });
  }
}

/** The paths of `additionalContextFiles`, canonical. Throws a plain `Error` for one that cannot be used. */
export function additionalFilesOf({
  additionalContextFiles = [],
}: AgentDefinition): WorkspacePath[] {
  const option = "additionalContextFiles";
  const paths = pathsOf(option, additionalContextFiles);
  if (paths.length > MAX_ADDITIONAL_FILES)
    throw new Error(`${option} has ${paths.length} files, at most ${MAX_ADDITIONAL_FILES} fit.`);
  const builtIn = paths.find((path) => [AGENTS, MEMORY, KNOWLEDGE].includes(path));
  if (builtIn !== undefined)
    throw new Error(`${option} names ${builtIn}, which is in every prompt already.`);
  const record = paths.find((path) => ruleOf(path).kind === "runtime");
  if (record !== undefined)
    throw new Error(`${option} names ${record}, which is a record and not a file to read from.`);
  return paths;
}

/** The files given by code under their canonical paths. Throws a plain `Error` for one that cannot be used. */
export function filesOf({ files = {} }: AgentDefinition) {
  const paths = pathsOf("files", Object.keys(files));
  const own = paths.find((path) => ruleOf(path).layers === "own");
  if (own !== undefined)
    throw new Error(
      `files has ${own}, but memory and records belong to users: a file from code would never show there.`,
    );
  const { textBytes, blobBytes } = defaultBucketLimits;
  return Object.entries(files).map(([spelling, given]) => {
    const content = contentOf(given, textBytes);
    if ("bytes" in content && content.bytes.length > blobBytes)
      throw new Error(`files has ${spelling} with more than ${spellSize(blobBytes)}.`);
    return [workspacePath(spelling), content] as const;
  });
}

/** What every user of this agent starts from: the bundled files with those of the definition over them. */
export function templateOf(definition: AgentDefinition, bundled: Template): Template {
  const files = filesOf(definition);
  return files.length === 0 ? bundled : layOver(bundled, files);
}

/** What of a definition shows in the prompt. */
export const promptOptionsOf = (definition: AgentDefinition): PromptOptions => ({
  persona: definition.systemPrompt ?? "",
  agentName: definition.name ?? definition.id,
  environmentMemory: definition.environmentMemory ?? "",
  hasWorkspace: definition.disableWorkspaceContext !== true,
  hasFileTools: definition.disableFilesystemTools !== true,
  additionalFiles: additionalFilesOf(definition),
  maxContextTokens: definition.maxContextTokens ?? DEFAULT_CONTEXT_TOKENS,
  memory: memoryModeOf(definition),
});

/** Without tools and without hooks nothing of memory is in the prompt: nobody would keep it. */
export function memoryModeOf(definition: AgentDefinition): MemoryMode {
  const tools = definition.disableMemoryTools !== true;
  const hooks = definition.disableMemoryHooks !== true;
  return { isInjected: tools || hooks, tools, hooks };
}

/** How an agent remembers, every option filled in. */
export const memoryOf = ({ memory }: AgentDefinition): MemoryConfig => ({
  ...defaultMemory,
  ...memory,
});

/** What holds for an agent's skills, every option filled in. */
export const skillsOf = ({ skills = {} }: AgentDefinition): SkillsConfig => ({
  ...defaultSkills,
  ...skills,
  curator: { ...defaultCurator, ...skills.curator },
});

/** How conversations are made shorter, every option filled in; `null` where that is switched off. */
export const compactionOf = ({
  compaction,
  disableCompaction,
}: AgentDefinition): CompactionConfig | null =>
  disableCompaction === true ? null : { ...defaultCompaction, ...compaction };

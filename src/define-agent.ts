import {
  AGENTS,
  DEFAULT_CONTEXT_TOKENS,
  KNOWLEDGE,
  MEMORY,
  promptLimits,
  type PromptOptions,
} from "./context/prompt-sources.ts";
import type { Model } from "./model/model.ts";
import type { RetryOptions } from "./model/retry.ts";
import { parseId } from "./shared/ids.ts";
import type { Tool } from "./tools/tool.ts";
import type { Capability } from "./turn/capability.ts";
import type { Limits } from "./turn/limits.ts";
import { defaultWindow, type WindowOptions } from "./turn/window.ts";
import { contentOf, layOver } from "./workspace/lay-over.ts";
import { defaultBucketLimits } from "./workspace/limits.ts";
import { ruleOf } from "./workspace/path-rules.ts";
import { workspacePath, type WorkspacePath } from "./workspace/path.ts";
import type { Template } from "./workspace/template.ts";
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
  /** The agent's own prompt, before everything from the workspace; default: none. Cut at 12,000 characters. */
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
  /** Your own hooks around turns, steps, model calls and tool calls; they are outside the built-in ones. */
  readonly capabilities?: readonly Capability[];
  /** Bounds of one turn; see `Limits` for each default. */
  readonly limits?: Partial<Limits>;
  /** When the context is cut and how much stays; see `defaultWindow`. */
  readonly context?: Partial<WindowOptions>;
  /** How failed model calls are tried again: 3 attempts, 2 s to 30 s apart. */
  readonly modelRetry?: RetryOptions;
  /** A model that sends nothing for so long is given up; 60,000 ms. Keep-alives count as life. */
  readonly modelInactivityMs?: number;
};

/** Checks the definition's types and gives it back: `export const agents = [defineAgent({ id: 'main' })]`. */
export const defineAgent = (definition: AgentDefinition): AgentDefinition => definition;

const SCOPES: readonly string[] = ["SESSION", "USER", "AGENT", "GLOBAL"];
const MAX_NAME = 256;
const MAX_DESCRIPTION = 1_000;
const MAX_CONTEXT_TOKENS = 200_000;
const MAX_ADDITIONAL_FILES = 16;

/**
 * Refuses a definition that could not work as it reads, with what to change. Throws a plain `Error`, which operators
 * see at start; nothing about a definition is ever found out during a turn.
 */
export function checkDefinition(definition: AgentDefinition): void {
  try {
    parseId("The id", definition.id);
    checkTexts(definition);
    checkTokens(definition.maxContextTokens ?? DEFAULT_CONTEXT_TOKENS);
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

function checkTexts({ name, description, environmentMemory }: AgentDefinition): void {
  if (name?.trim() === "") throw new Error("Its name is blank. Leave it out to use the id.");
  const bounded = [
    ["name", name, MAX_NAME],
    ["description", description, MAX_DESCRIPTION],
    ["environmentMemory", environmentMemory, promptLimits.environment],
  ] as const;
  for (const [option, text, limit] of bounded)
    if (text !== undefined && text.length > limit)
      throw new Error(`${option} has ${text.length} characters, at most ${limit} are allowed.`);
}

function checkTokens(tokens: number): void {
  if (!Number.isInteger(tokens) || tokens < 1 || tokens > MAX_CONTEXT_TOKENS)
    throw new Error(
      `maxContextTokens is ${tokens}. Use a whole number from 1 to ${MAX_CONTEXT_TOKENS}.`,
    );
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

function additionalFilesOf({ additionalContextFiles = [] }: AgentDefinition): WorkspacePath[] {
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

/** The files given by code under their canonical paths. */
function filesOf({ files = {} }: AgentDefinition) {
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
      throw new Error(`files has ${spelling} with more than ${blobBytes} bytes.`);
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
  memory: { isInjected: true, tools: false, hooks: false },
});

/** How much of a conversation the model sees: without session persistence only the turn itself. */
export const windowOf = ({
  context,
  disableSessionPersistence,
}: AgentDefinition): WindowOptions => ({
  ...defaultWindow,
  ...context,
  ...(disableSessionPersistence === true ? { triggerMessages: 0, keepMessages: 0 } : {}),
});

import type { Snapshot, SnapshotRequest } from "../shared/workspace-snapshot.ts";
import { workspacePath, type WorkspacePath } from "../workspace/layers/path.ts";
import type { Section } from "./sections.ts";

/** What of an agent's definition shows in its prompt. The same for all its users. */
export type PromptOptions = {
  /** The agent's own prompt, from code; may be empty. */
  readonly persona: string;
  readonly agentName: string;
  /** About the place the agent runs in; stands at the very end. May be empty. */
  readonly environmentMemory: string;
  /** `false`: nothing of the workspace is in the prompt, and its files are not asked for. */
  readonly hasWorkspace: boolean;
  /** Whether texts may tell the agent to open a file. */
  readonly hasFileTools: boolean;
  /** Files shown whole beside AGENTS.md and the knowledge index. */
  readonly additionalFiles: readonly WorkspacePath[];
  /** What AGENTS.md, knowledge, additional files and MEMORY.md should cost together; MEMORY.md is cut for it. */
  readonly maxContextTokens: number;
  readonly memory: MemoryMode;
  /** What capabilities want of the same snapshot; default: nothing. */
  readonly wants?: Partial<Pick<SnapshotRequest, "files" | "lists" | "skills">>;
};

/** How the agent remembers. */
export type MemoryMode = {
  /** Whether MEMORY.md is in the prompt. */
  readonly isInjected: boolean;
  /** Whether it has tools to search and save memory. */
  readonly tools: boolean;
  /** Whether memory is taken from conversations without its doing. */
  readonly hooks: boolean;
};

export type PromptSources = PromptOptions & {
  /** What capabilities add, in their order; at most 32, each name once. */
  readonly sections: readonly Section[];
  /** The files as they were when the turn began; `null` when `hasWorkspace` is false. */
  readonly snapshot: Snapshot | null;
  readonly sessionId: string;
  /** Milliseconds since the epoch; only the day shows, as it is in `zone`. */
  readonly date: number;
  /** The person's time zone, one that the platform knows. Default: UTC. */
  readonly zone?: string;
};

/** In UTF-16 units; `knowledgeEntries` in files, `memoryFloor` in tokens. */
export type PromptLimits = {
  readonly persona: number;
  readonly agents: number;
  readonly knowledge: number;
  readonly knowledgeEntries: number;
  readonly knowledgeList: number;
  /** One additional file. */
  readonly file: number;
  /** All additional files together. */
  readonly files: number;
  readonly environment: number;
  /** All added sections together. They get theirs before the files do. */
  readonly sections: number;
  /** Everything but MEMORY.md, which costs at most 4 units for each of its tokens on top. */
  readonly total: number;
  /** MEMORY.md may always cost so much, so that its newest part is in whatever the rest costs (promise C4). */
  readonly memoryFloor: number;
};

export const promptLimits: PromptLimits = {
  persona: 12_000,
  agents: 24_000,
  knowledge: 16_000,
  knowledgeEntries: 200,
  knowledgeList: 8_000,
  file: 16_000,
  files: 24_000,
  environment: 8_000,
  sections: 16_000,
  total: 96_000,
  memoryFloor: 1_000,
};

/** AgentScope's default of `maxContextTokens`. */
export const DEFAULT_CONTEXT_TOKENS = 8_000;

export const AGENTS = workspacePath("AGENTS.md");
export const MEMORY = workspacePath("MEMORY.md");
export const KNOWLEDGE = workspacePath("knowledge/KNOWLEDGE.md");
export const KNOWLEDGE_DIRECTORY = workspacePath("knowledge");

/**
 * What a turn needs of the workspace, in one call: the prompt's files and what capabilities want; `null`: nothing.
 * `known`: the version of the snapshot that the caller has.
 */
export function snapshotRequest(
  options: PromptOptions,
  known: string | null,
): SnapshotRequest | null {
  const { hasWorkspace, additionalFiles, memory, wants = {} } = options;
  const { files = [], lists = [], skills = [] } = wants;
  if (!hasWorkspace && files.length + lists.length + skills.length === 0) return null;
  const shown = [AGENTS, KNOWLEDGE, ...additionalFiles, ...(memory.isInjected ? [MEMORY] : [])];
  const knowledge = { directory: KNOWLEDGE_DIRECTORY, limit: promptLimits.knowledgeEntries };
  return {
    known,
    files: [...new Set([...(hasWorkspace ? shown : []), ...files])],
    lists: [...(hasWorkspace ? [knowledge] : []), ...lists],
    ...(skills.length === 0 ? {} : { skills }),
  };
}

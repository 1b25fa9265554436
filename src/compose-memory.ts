import { callBucket } from "./bindings.ts";
import { chooseModel } from "./choose-model.ts";
import { curatorOf } from "./compose-skills.ts";
import { memoryModeOf, memoryOf, type AgentDefinition } from "./define-agent.ts";
import type { Env } from "./env.ts";
import type { AgentUpkeep } from "./maintenance/ports.ts";
import { createMemoryCapability } from "./memory/capability.ts";
import { createConsolidate } from "./memory/consolidation/ask-model.ts";
import { createFlush } from "./memory/flush/flush.ts";
import { createMemory, type Memory } from "./memory/memory-client.ts";
import { fuseSearches } from "./memory/semantic/fuse.ts";
import { keepMeanings } from "./memory/semantic/keep-meanings.ts";
import type { Meanings } from "./memory/semantic/meanings.ts";
import { createSemanticSearch } from "./memory/semantic/semantic-search.ts";
import { createVectorizeMeanings, type VectorizeBinding } from "./memory/semantic/vectorize.ts";
import { createMemoryTools } from "./memory/tools/memory-tools.ts";
import { consoleLog } from "./shared/log.ts";
import type { ConsolidationOptions } from "./shared/memory-api.ts";
import type { Tool } from "./tools/tool.ts";
import type { SameTools } from "./turn/capability.ts";
import { defaultCompaction } from "./turn/compaction/config.ts";
import {
  bucketOf,
  createBucketWorkspace,
  type Workspace,
  type WorkspaceOwner,
} from "./workspace/workspace.ts";

const scopeOf = ({ isolationScope = "USER" }: AgentDefinition) => isolationScope;

/** What an agent remembers of and for this owner. Throws as `bucketOf` does. Makes no call. */
function memoryFor(definition: AgentDefinition, owner: WorkspaceOwner, env: Env): Memory {
  const home = bucketOf(scopeOf(definition), owner);
  const place = { home, records: bucketOf("USER", owner), agent: owner.agent };
  return createMemory(place, callBucket(env));
}

const partsOf = (definition: AgentDefinition, env: Env) => ({
  memoryOf: (address: WorkspaceOwner) => memoryFor(definition, address, env),
});

/** The tools of an agent's memory; none with `disableMemoryTools`. Makes no call. */
export const memoryTools = (definition: AgentDefinition, env: Env): readonly Tool[] =>
  memoryModeOf(definition).tools
    ? createMemoryTools({ ...partsOf(definition, env), canForget: isOwn(definition) })
    : [];

/** Whether what the agent remembers is one user's. What users share only an admin takes away, as over HTTP. */
const isOwn = (definition: AgentDefinition): boolean =>
  ["USER", "SESSION"].includes(scopeOf(definition));

/** The tools of an agent's memory, and what takes memory out of its conversations. */
export function composeMemory(definition: AgentDefinition, env: Env): SameTools {
  const memory = memoryOf(definition);
  const { flushBeforeCompact } = { ...defaultCompaction, ...definition.compaction };
  return createMemoryCapability({
    tools: memoryTools(definition, env),
    flush: memoryModeOf(definition).hooks
      ? createFlush({
          ...partsOf(definition, env),
          model: chooseModel(memory.model ?? definition.model, env),
          prompt: memory.flushPrompt,
          trigger: memory.flushTrigger,
          flushBeforeCompact,
        })
      : null,
  });
}

/** What the consolidation of an agent's memory goes by. */
function consolidationOf(definition: AgentDefinition): ConsolidationOptions {
  const memory = memoryOf(definition);
  return {
    maxTokens: memory.consolidationMaxTokens,
    minGapMs: memory.consolidationMinGapMs,
    ledgerRetentionDays: memory.dailyFileRetentionDays,
    sessionRetentionDays: memory.sessionRetentionDays,
  };
}

/** How an agent's memory is kept up. */
export function upkeepOf(definition: AgentDefinition, env: Env): AgentUpkeep {
  const memory = memoryOf(definition);
  const meanings = meaningsOf(env);
  return {
    agent: definition.id,
    scope: scopeOf(definition),
    options: consolidationOf(definition),
    // The model is made when it is needed: one that cannot be made keeps no other agent from its upkeep.
    consolidate: memoryModeOf(definition).hooks
      ? (work, _bucket, signal) =>
          createConsolidate(chooseModel(memory.model ?? definition.model, env), memory)(
            work,
            signal,
          )
      : null,
    keepMeanings: meanings
      ? (bucket, count) =>
          keepMeanings(createBucketWorkspace(bucket, callBucket(env)), bucket, meanings, count)
      : null,
    curator: curatorOf(definition, env),
  };
}

/** Meanings where this deployment has an index for them: the bindings AI and MEMORY_INDEX; `null` without. */
function meaningsOf(env: Env): Meanings | null {
  const index = env["MEMORY_INDEX"] as VectorizeBinding | undefined;
  return env.AI && index ? createVectorizeMeanings({ ai: env.AI, index }) : null;
}

/** A workspace that is also searched by meaning, where that can be had. */
export function withMeanings(
  workspace: Workspace,
  definition: AgentDefinition,
  owner: WorkspaceOwner,
  env: Env,
): Workspace {
  const meanings = meaningsOf(env);
  if (!meanings) return workspace;
  const semantic = createSemanticSearch(workspace, bucketOf(scopeOf(definition), owner), meanings);
  return { ...workspace, ...fuseSearches(workspace, semantic, consoleLog) };
}

import type { MemoryApi } from "./memory-api.ts";
import type { SkillsApi } from "./skills-api.ts";
import type { WorkspaceApi } from "./workspace-api.ts";

/** All that the object of a bucket answers to, over RPC. */
export type BucketApi = WorkspaceApi & MemoryApi & SkillsApi;

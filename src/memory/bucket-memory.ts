import type { Clock } from "../shared/clock.ts";
import type { Log } from "../shared/log.ts";
import type {
  Begun,
  ConsolidationOptions,
  Forgotten,
  ForgottenMessage,
  MemoryOverview,
  Proposal,
  RunRequest,
  RunResult,
  Undone,
  UndoRequest,
} from "../shared/memory-api.ts";
import type { Sql } from "../shared/sql.ts";
import type { WorkspaceBucket } from "../workspace/bucket.ts";

export type MemoryPlatform = { readonly sql: Sql; readonly clock: Clock; readonly log: Log };

/** The memory of one bucket, over its files. Methods are those of `MemoryApi`; expected failures are thrown as `CarrelError`. */
export class BucketMemory {
  constructor(bucket: WorkspaceBucket, platform: MemoryPlatform) {
    void bucket;
    void platform;
  }

  async claimSlot(
    name: string,
    gapMs: number,
  ): Promise<{ readonly granted: boolean; readonly retryAt: number }> {
    throw new Error(`not there yet: ${name} ${gapMs}`);
  }

  async releaseSlot(name: string): Promise<object> {
    throw new Error(`not there yet: ${name}`);
  }

  async beginRun(request: RunRequest): Promise<Begun> {
    throw new Error(`not there yet: ${request.run}`);
  }

  async commitRun(run: string, proposal: Proposal): Promise<RunResult> {
    throw new Error(`not there yet: ${run} ${proposal.kind}`);
  }

  async abandonRun(run: string, why: string): Promise<object> {
    throw new Error(`not there yet: ${run} ${why}`);
  }

  async tidy(
    options: ConsolidationOptions,
  ): Promise<{ readonly removed: number; readonly hasMore: boolean }> {
    throw new Error(`not there yet: ${options.maxTokens}`);
  }

  async overview(maxTokens: number): Promise<MemoryOverview> {
    throw new Error(`not there yet: ${maxTokens}`);
  }

  async undo(request: UndoRequest, op: string): Promise<Undone> {
    throw new Error(`not there yet: ${request.by} ${op}`);
  }

  async forget(ids: readonly string[], by: string, op: string): Promise<Forgotten> {
    throw new Error(`not there yet: ${ids.length} ${by} ${op}`);
  }

  async hideMessages(
    agent: string,
    messages: readonly ForgottenMessage[],
    by: string,
    op: string,
  ): Promise<{ readonly hidden: number }> {
    throw new Error(`not there yet: ${agent} ${messages.length} ${by} ${op}`);
  }
}

import type { Env } from "../src/env.ts";
import type { Deployment } from "../src/harness.ts";
import { BucketMemory } from "../src/memory/bucket-memory.ts";
import type { BucketApi } from "../src/shared/bucket-api.ts";
import { systemClock } from "../src/shared/clock.ts";
import { consoleLog } from "../src/shared/log.ts";
import type {
  ConsolidationOptions,
  ForgottenMessage,
  NoteRequest,
  Proposal,
  RunRequest,
  UndoRequest,
} from "../src/shared/memory-api.ts";
import { filesObject } from "./bucket-files.ts";
import { platformSql } from "./sql.ts";

/** The class of workspace objects for a deployment: one object a bucket, with its files and its memory. */
export function workspaceObject(deployment: Deployment) {
  return class extends filesObject(deployment) implements BucketApi {
    readonly #memory: BucketMemory;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      const sql = platformSql(ctx.storage);
      this.#memory = new BucketMemory(this.bucket, { sql, clock: systemClock, log: consoleLog });
    }

    claimSlot(bucket: string, name: string, gapMs: number) {
      return this.answer("claimSlot", bucket, () => this.#memory.claimSlot(name, gapMs));
    }

    releaseSlot(bucket: string, name: string) {
      return this.answer("releaseSlot", bucket, () => this.#memory.releaseSlot(name));
    }

    beginRun(bucket: string, request: RunRequest) {
      return this.answer("beginRun", bucket, async () => ({
        begun: await this.#memory.beginRun(request),
      }));
    }

    commitRun(bucket: string, run: string, proposal: Proposal) {
      return this.answer("commitRun", bucket, async () => ({
        result: await this.#memory.commitRun(run, proposal),
      }));
    }

    abandonRun(bucket: string, run: string, why: string) {
      return this.answer("abandonRun", bucket, () => this.#memory.abandonRun(run, why));
    }

    tidy(bucket: string, options: ConsolidationOptions) {
      return this.answer("tidy", bucket, () => this.#memory.tidy(options));
    }

    memoryOverview(bucket: string, maxTokens: number) {
      return this.answer("memoryOverview", bucket, async () => ({
        overview: await this.#memory.overview(maxTokens),
      }));
    }

    undoMemory(bucket: string, request: UndoRequest, op: string) {
      return this.answer("undoMemory", bucket, async () => ({
        undone: await this.#memory.undo(request, op),
      }));
    }

    note(bucket: string, request: NoteRequest) {
      return this.answer("note", bucket, () => this.#memory.note(request));
    }

    forgetMemory(bucket: string, ids: readonly string[], by: string, op: string) {
      return this.answer("forgetMemory", bucket, async () => ({
        forgotten: await this.#memory.forget(ids, by, op),
      }));
    }

    hideMessages(
      bucket: string,
      agent: string,
      messages: readonly ForgottenMessage[],
      by: string,
      op: string,
    ) {
      return this.answer("hideMessages", bucket, () =>
        this.#memory.hideMessages(agent, messages, by, op),
      );
    }
  };
}

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
import type { DecisionRequest, DraftRequest, LiveSkill } from "../src/shared/skill-drafts.ts";
import type { AuditRequest, CuratorRequest } from "../src/shared/skill-upkeep.ts";
import type { LoadRequest, MoveRequest } from "../src/shared/skills-api.ts";
import { BucketSkills } from "../src/skills/bucket/bucket-skills.ts";
import { filesObject } from "./bucket-files.ts";
import { platformSql } from "./sql.ts";

/** The class of workspace objects for a deployment: one object a bucket, with its files, its memory and its skills. */
export function workspaceObject(deployment: Deployment) {
  return class extends filesObject(deployment) implements BucketApi {
    readonly #memory: BucketMemory;
    readonly #skills: BucketSkills;

    constructor(ctx: DurableObjectState, env: Env) {
      super(ctx, env);
      const sql = platformSql(ctx.storage);
      this.#memory = new BucketMemory(this.bucket, { sql, clock: systemClock, log: consoleLog });
      this.#skills = new BucketSkills({ files: this.bucket, clock: systemClock, log: consoleLog });
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

    loadSkill(bucket: string, request: LoadRequest) {
      return this.answer("loadSkill", bucket, async () => ({
        loaded: await this.#skills.load(request),
      }));
    }

    changeDraft(bucket: string, request: DraftRequest) {
      return this.answer("changeDraft", bucket, async () => ({
        changed: await this.#skills.changeDraft(request),
      }));
    }

    candidate(bucket: string, name: string, live: LiveSkill | null) {
      return this.answer("candidate", bucket, async () => ({
        candidate: await this.#skills.candidate(name, live),
      }));
    }

    decideDraft(bucket: string, request: DecisionRequest) {
      return this.answer("decideDraft", bucket, async () => ({
        decided: await this.#skills.decide(request),
      }));
    }

    moveSkill(bucket: string, request: MoveRequest) {
      return this.answer("moveSkill", bucket, async () => ({
        hash: await this.#skills.move(request),
      }));
    }

    skillRecords(bucket: string) {
      return this.answer("skillRecords", bucket, async () => ({
        records: await this.#skills.records(),
      }));
    }

    skillAudit(bucket: string, request: AuditRequest) {
      return this.answer("skillAudit", bucket, async () => ({
        lines: await this.#skills.audit(request),
      }));
    }

    curate(bucket: string, request: CuratorRequest) {
      return this.answer("curate", bucket, async () => ({
        run: await this.#skills.curate(request),
      }));
    }

    noteSuggestions(bucket: string, report: string, text: string) {
      return this.answer("noteSuggestions", bucket, () =>
        this.#skills.noteSuggestions(report, text),
      );
    }
  };
}

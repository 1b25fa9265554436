import { invalid } from "../shared/errors.ts";
import type { Clock } from "../shared/clock.ts";
import { errorFacts, type Log } from "../shared/log.ts";
import type {
  Begun,
  ConsolidationOptions,
  Forgotten,
  ForgottenMessage,
  MemoryOverview,
  Noted,
  NoteRequest,
  Proposal,
  RunRequest,
  RunResult,
  Undone,
  UndoRequest,
} from "../shared/memory-api.ts";
import type { Sql } from "../shared/sql.ts";
import type { WorkspaceBucket } from "../workspace/bucket.ts";
import { ANSWER_MS } from "./bucket/answers.ts";
import { forgetMemory } from "./bucket/forget.ts";
import { FORGOTTEN_MS } from "./bucket/forgotten-words.ts";
import { hideMessages } from "./bucket/hide.ts";
import { MemoryRows } from "./bucket/memory-rows.ts";
import { noteSection } from "./bucket/note.ts";
import { memoryOverview } from "./bucket/overview.ts";
import { tidy, type Tidied } from "./bucket/tidy.ts";
import { undoMemory } from "./bucket/undo.ts";
import { beginRun } from "./consolidation/begin.ts";
import { commitRun } from "./consolidation/commit.ts";
import type { RunParts } from "./consolidation/run-parts.ts";

export type MemoryPlatform = { readonly sql: Sql; readonly clock: Clock; readonly log: Log };

const MOST_NAME = 300;

/**
 * The memory of one bucket, over its files and a table of its own. Methods are those of `MemoryApi`; expected failures are
 * thrown as `CarrelError`, among them `gone` once the bucket is erased.
 */
export class BucketMemory {
  readonly #bucket: WorkspaceBucket;
  readonly #parts: RunParts;
  #line: Promise<unknown> = Promise.resolve();

  constructor(bucket: WorkspaceBucket, { sql, clock, log }: MemoryPlatform) {
    this.#bucket = bucket;
    const rows = new MemoryRows(sql);
    this.#parts = { files: bucket, rows, clock, log, assertThere: () => bucket.assertThere() };
  }

  async claimSlot(
    name: string,
    gapMs: number,
  ): Promise<{ readonly granted: boolean; readonly retryAt: number }> {
    const { rows, clock } = this.#parts;
    assertName(name);
    this.#bucket.assertThere();
    const now = clock.now();
    const last = rows.slot(name);
    const next = (last ?? -Infinity) + gapMs;
    // A clock that was set back must not hold up anything for longer than the gap.
    if (last !== null && last <= now && now < next) return { granted: false, retryAt: next };
    rows.takeSlot(name, now);
    return { granted: true, retryAt: now + gapMs };
  }

  async releaseSlot(name: string): Promise<object> {
    assertName(name);
    this.#bucket.assertThere();
    this.#parts.rows.dropSlot(name);
    return {};
  }

  async beginRun(request: RunRequest): Promise<Begun> {
    this.#dropAnswers();
    return beginRun(this.#parts, request);
  }

  commitRun(run: string, proposal: Proposal): Promise<RunResult> {
    return commitRun(this.#parts, run, proposal);
  }

  async abandonRun(run: string, why: string): Promise<object> {
    const { rows, log } = this.#parts;
    this.#bucket.assertThere();
    if (rows.lease?.run !== run) return {};
    rows.dropLease();
    log("warn", "memory.run_abandoned", { run, why });
    return {};
  }

  async tidy(options: ConsolidationOptions): Promise<Tidied> {
    this.#dropAnswers();
    return tidy(this.#parts, options);
  }

  overview(maxTokens: number): Promise<MemoryOverview> {
    return memoryOverview(this.#parts.files, maxTokens);
  }

  undo(request: UndoRequest, op: string): Promise<Undone> {
    return undoMemory(this.#parts, request, op);
  }

  note(request: NoteRequest): Promise<Noted> {
    return this.#inLine(() => noteSection(this.#parts, request));
  }

  async forget(ids: readonly string[], by: string, op: string): Promise<Forgotten> {
    this.#dropAnswers();
    const forgotten = await this.#inLine(() => forgetMemory(this.#parts, ids, by, op));
    await this.#renewIndex();
    return forgotten;
  }

  async hideMessages(
    agent: string,
    messages: readonly ForgottenMessage[],
    by: string,
    op: string,
  ): Promise<{ readonly hidden: number }> {
    const hidden = await hideMessages(this.#parts, agent, messages, { by, op });
    await this.#renewIndex();
    return hidden;
  }

  /** One after the other: a section that is noted was looked at after all that was forgotten before it is there. */
  #inLine<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => {});
    return done;
  }

  /** A search brings the index up to date. Should that fail, nothing old is shown, and the index's own job does it. */
  async #renewIndex(): Promise<void> {
    try {
      await this.#bucket.search({ query: "", limit: 1 });
    } catch (error) {
      this.#parts.log("warn", "memory.index_not_renewed", errorFacts(error));
    }
  }

  /** Of answers that nobody waits for any more nothing stays, nor of what was forgotten long ago. */
  #dropAnswers(): void {
    const { rows, clock } = this.#parts;
    this.#bucket.assertThere();
    rows.dropAnswers(clock.now() - ANSWER_MS);
    rows.dropForgotten(clock.now() - FORGOTTEN_MS);
  }
}

function assertName(name: string): void {
  if (name === "" || name.length > MOST_NAME)
    throw invalid(`A slot is named by 1 to ${MOST_NAME} characters.`);
}

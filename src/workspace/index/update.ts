import { CarrelError } from "../../shared/errors.ts";
import { errorFacts } from "../../shared/log.ts";
import type { LayerFile } from "../layers/layers.ts";
import type { Overlay, OverlayEntry } from "../layers/overlay.ts";
import type { WorkspacePath } from "../layers/path.ts";
import { Budget, type Bounds } from "./budget.ts";
import { forgottenIn, hiddenLines, type Forgotten } from "./forgotten.ts";
import { readLog } from "./read-log.ts";
import { FORGOTTEN } from "./sources.ts";
import { TextBatch } from "./text-batch.ts";
import type { UpdateParts } from "./update-parts.ts";
import { wantedIn, type Wanted } from "./wanted.ts";

/** How far the index is. */
export type Progress = {
  /** What it was compared with. */
  readonly overlay: Overlay<LayerFile>;
  /** Files that are not in it as they are now: for want of time or room, or since they cannot be read. */
  readonly pending: ReadonlySet<WorkspacePath>;
  /** Those of them of which nothing may be shown. What a log said before it grew may. */
  readonly unsure: ReadonlySet<WorkspacePath>;
  /** Whether another update would come further at once. */
  readonly hasMore: boolean;
  /** Whether some could not be read. */
  readonly hasFailed: boolean;
};

/** A file that could not be read is left alone for so long. */
const RETRY_MS = 30_000;

type Failure = { readonly etag: string; readonly until: number };

/** Brings an index up to date: what is gone goes, what is new or has changed is read, the newest first. */
export class Updater {
  readonly #parts: UpdateParts;
  readonly #failures = new Map<WorkspacePath, Failure>();
  #last: Progress | null = null;
  #running: Promise<unknown> = Promise.resolve();
  #forgotten: { readonly etag: string | null; readonly lines: Forgotten } | null = null;

  constructor(parts: UpdateParts) {
    this.#parts = parts;
  }

  /** One update after the other. Costs next to nothing when all is as it was. Throws as `Layers.refresh` does. */
  run(bounds: Bounds): Promise<Progress> {
    const run = this.#running.then(() => this.#run(new Budget(bounds)));
    this.#running = run.catch(() => {});
    return run;
  }

  async #run(budget: Budget): Promise<Progress> {
    const { layers } = this.#parts;
    await layers.refresh();
    const last = this.#last;
    if (last && !last.hasMore && !last.hasFailed && last.overlay === layers.overlay()) return last;
    const forgotten = await this.#readForgotten();
    const overlay = layers.overlay();
    const { wanted, refused } = wantedIn(overlay);
    this.#dropOthers(wanted);
    if (forgotten) this.#hide(forgotten);
    const stale = [...wanted.values()].filter((it) => !this.#isDone(it, forgotten));
    await this.#readAll(stale.toSorted(newestFirst), forgotten, budget);
    const left = stale.filter((it) => !this.#isDone(it, forgotten));
    if (left.length === 0 && this.#forgotten?.etag) this.#parts.held.rewrite(this.#forgotten.etag);
    const failed = left.filter((it) => !forgotten || this.#hasFailed(it.entry));
    const unsure = left.filter((it) => !this.#isSure(it, forgotten));
    this.#last = {
      overlay,
      pending: new Set([...refused, ...left.map(({ entry }) => entry.path)]),
      unsure: new Set(unsure.map(({ entry }) => entry.path)),
      hasMore: left.length > failed.length,
      hasFailed: failed.length > 0,
    };
    return this.#last;
  }

  #isSure({ entry, source }: Wanted, forgotten: Forgotten | null): boolean {
    const etag = this.#parts.held.files.get(entry.path)?.etag;
    return etag === entry.file.etag && (forgotten !== null || source !== "session");
  }

  #isDone(it: Wanted, forgotten: Forgotten | null): boolean {
    return this.#isSure(it, forgotten) && this.#parts.held.files.get(it.entry.path)?.whole === true;
  }

  #hasFailed({ path, file }: OverlayEntry<LayerFile>): boolean {
    const failure = this.#failures.get(path);
    return failure?.etag === file.etag && failure.until > this.#parts.clock.now();
  }

  #dropOthers(wanted: ReadonlyMap<WorkspacePath, Wanted>): void {
    const { held } = this.#parts;
    const gone = [...held.files.values()].filter(({ path }) => !wanted.has(path));
    held.commit(gone.map((file) => ({ kind: "drop", file })));
    for (const path of this.#failures.keys()) if (!wanted.has(path)) this.#failures.delete(path);
  }

  /** What was forgotten since a log was read goes; what is not forgotten any more is read anew. */
  #hide(forgotten: Forgotten): void {
    const { held } = this.#parts;
    held.commit(
      [...held.files.values()].flatMap((file) => {
        const lines = forgotten.get(file.path) ?? new Set<number>();
        const hidden = hiddenLines(lines, file.lines);
        if (hidden === file.hidden) return [];
        const isMore =
          file.hidden === "" || file.hidden.split(",").every((no) => lines.has(Number(no)));
        return [isMore ? { kind: "hide", file, lines, hidden } : { kind: "drop", file }];
      }),
    );
  }

  async #readAll(
    files: readonly Wanted[],
    forgotten: Forgotten | null,
    budget: Budget,
  ): Promise<void> {
    const batch = new TextBatch(this.#parts, budget);
    for (const it of files) {
      if (budget.isSpent) break;
      const { entry, source } = it;
      if (this.#hasFailed(entry)) continue;
      try {
        if (source !== "session") await batch.add(it);
        else if (forgotten) await readLog(this.#parts, entry, forgotten.get(entry.path), budget);
      } catch (error) {
        this.#fail(entry, error);
      }
    }
    await batch.flush();
  }

  /** Somebody who changes a file while it is read is no failure: the next update reads it. */
  #fail({ path, file }: OverlayEntry<LayerFile>, error: unknown): void {
    if (error instanceof CarrelError && error.code === "conflict") return;
    const { clock, log } = this.#parts;
    log("warn", "workspace.not_indexed", { path, ...errorFacts(error) });
    this.#failures.set(path, { etag: file.etag, until: clock.now() + RETRY_MS });
  }

  /** `null` when it cannot be told what was forgotten: then no message may be shown. */
  async #readForgotten(): Promise<Forgotten | null> {
    const { layers } = this.#parts;
    const entry = layers.overlay().get(FORGOTTEN);
    const etag = entry?.file.etag ?? null;
    if (this.#forgotten?.etag !== etag || this.#forgotten === null) {
      this.#forgotten = null;
      if (entry && this.#hasFailed(entry)) return null;
      try {
        const content = entry ? await layers.content(entry) : { text: "" };
        if ("text" in content) this.#forgotten = { etag, lines: forgottenIn(content.text) };
      } catch (error) {
        if (entry) this.#fail(entry, error);
      }
    }
    return this.#forgotten?.lines ?? null;
  }
}

const newestFirst = (a: Wanted, b: Wanted): number =>
  (b.entry.file.at ?? 0) - (a.entry.file.at ?? 0);

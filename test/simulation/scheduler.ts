export type Task = { readonly at: number; readonly what: string; readonly run: () => void };

/** All that happens, one event after another, on a clock that jumps from event to event. */
export class Scheduler {
  /** Milliseconds that have passed, from a fixed beginning; never goes back. */
  now = Date.UTC(2026, 0, 1);
  /** How far the wall clock is ahead of `now`. */
  skew = 0;
  /** Events that have happened. */
  count = 0;
  /** The next one is at the end. */
  readonly #tasks: Task[] = [];

  get wall(): number {
    return this.now + this.skew;
  }

  later(ms: number, what: string, run: () => void): Task {
    const task: Task = { at: this.now + Math.max(0, Math.round(ms)), what, run };
    let index = this.#tasks.length;
    while (index > 0 && (this.#tasks[index - 1]?.at ?? 0) <= task.at) index--;
    this.#tasks.splice(index, 0, task);
    return task;
  }

  cancel(task: Task): void {
    const index = this.#tasks.indexOf(task);
    if (index >= 0) this.#tasks.splice(index, 1);
  }

  /**
   * Runs the next event and everything that follows from it without waiting; `null` when there is none. Call it from
   * a promise's continuation: there, what is put off to the next tick runs when all promises have been followed up,
   * and costs a tenth of a turn of the event loop.
   */
  async step(): Promise<Task | null> {
    const task = this.#tasks.pop();
    if (!task) return null;
    this.now = task.at;
    this.count++;
    task.run();
    await new Promise<void>((resolve) => process.nextTick(resolve));
    return task;
  }
}

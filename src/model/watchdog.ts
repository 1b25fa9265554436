import { type Clock, systemClock } from "../shared/clock.ts";
import { ModelError } from "../shared/errors.ts";
import type { Model, ModelEvent } from "./model.ts";

/**
 * The same model, given up when it is silent: if no batch comes for `ms` (default 60 s; empty batches, the
 * provider's keep-alives, count), the provider is aborted and the iteration throws `ModelError('stalled')`.
 * Time in which nobody asks for the next batch does not count. Stalling and the caller's abort end the
 * iteration at once, even when the provider ignores them.
 */
export function withInactivityLimit(model: Model, ms = 60_000, clock: Clock = systemClock): Model {
  const { id, contextWindow } = model;
  return {
    id,
    ...(contextWindow === undefined ? {} : { contextWindow }),
    async *stream(request, signal) {
      signal.throwIfAborted();
      const watch = new Watch(ms, clock, signal);
      const batches = model.stream(request, watch.signal)[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await watch.wait(batches.next());
          if (next.done) return;
          yield next.value;
        }
      } finally {
        await watch.end(batches);
      }
    },
  };
}

/** One clock for one stream. It sleeps through batches and looks only when it wakes, so a batch costs no timer. */
class Watch {
  readonly #stop = new AbortController();
  readonly #done = new AbortController();
  readonly #caller: AbortSignal;
  readonly #clock: Clock;
  readonly #ms: number;
  #since = 0;
  #fail: ((reason: unknown) => void) | null = null;

  constructor(ms: number, clock: Clock, caller: AbortSignal) {
    this.#ms = ms;
    this.#clock = clock;
    this.#caller = caller;
    caller.addEventListener("abort", this.#onCallerAbort);
    void this.#watch();
  }

  /** Aborted by the caller's signal and by a stall. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** What `next` gives, unless the stream is given up first. */
  wait<T>(next: Promise<T>): Promise<T> {
    this.#since = this.#clock.now();
    return new Promise<T>((resolve, reject) => {
      this.#fail = reject;
      if (this.#stop.signal.aborted) reject(this.#stop.signal.reason);
      next.then(resolve, reject).finally(() => {
        if (this.#fail === reject) this.#fail = null;
      });
    });
  }

  /** Closes the provider's stream. Waits for that only where it cannot hang: when the stream was not given up. */
  async end(batches: AsyncIterator<readonly ModelEvent[]>): Promise<void> {
    this.#done.abort();
    this.#caller.removeEventListener("abort", this.#onCallerAbort);
    const closed = batches.return?.();
    if (this.#stop.signal.aborted) closed?.catch(() => {});
    else await closed;
  }

  readonly #onCallerAbort = () => this.#giveUp(this.#caller.reason);

  #giveUp(reason: unknown): void {
    this.#stop.abort(reason);
    this.#fail?.(reason);
  }

  async #watch(): Promise<void> {
    let rest = this.#ms;
    while (rest > 0) {
      await this.#clock.sleep(rest, this.#done.signal);
      if (this.#done.signal.aborted) return;
      rest = this.#fail ? this.#since + this.#ms - this.#clock.now() : this.#ms;
    }
    this.#giveUp(new ModelError("stalled", `The model said nothing for ${this.#ms / 1000} s.`));
  }
}

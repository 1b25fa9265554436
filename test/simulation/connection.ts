import type { Task } from "./scheduler.ts";
import { latency, type Ground } from "./ground.ts";
import type { Instance } from "./instance.ts";

/** Writes a tail's text; rejects when the reader is gone. */
export type Run = (write: (text: string) => Promise<void>) => Promise<void>;

/** What a client hears from its connection; `lost` when it broke. */
export type Heard = { readonly text: string } | "end" | "lost";

type Held = { readonly accept: () => void; readonly refuse: () => void };

/** One stream from an instance to a client, with a network in between. */
export class Connection {
  readonly #ground: Ground;
  readonly #instance: Instance;
  readonly #inbox: string[] = [];
  #end: "end" | "lost" | null = null;
  #waiting: (() => void) | null = null;
  /** The write that the instance waits for. */
  #held: Held | null = null;
  #hasLeft = false;
  readonly #lose = () => this.#close("lost");

  constructor(ground: Ground, instance: Instance, run: Run) {
    this.#ground = ground;
    this.#instance = instance;
    instance.onDeath.add(this.#lose);
    run((text) => this.#write(text)).then(
      () => this.#over("end"),
      () => this.#over("lost"),
    );
  }

  /** Whether the instance could still say something that the client would hear. */
  get isFresh(): boolean {
    return !this.#instance.isDead && !this.#instance.isStale;
  }

  /** The next thing the client hears. Reading it is what lets the instance write on. */
  async hear(): Promise<Heard> {
    const { faults, scheduler } = this.#ground;
    if (faults.strikes("slow reader")) {
      await new Promise<void>((resolve) => scheduler.later(180_000, "a slow reader", resolve));
    }
    while (this.#inbox.length === 0 && this.#end === null) {
      await new Promise<void>((resolve) => (this.#waiting = resolve));
    }
    const text = this.#inbox.shift();
    if (text === undefined) return this.#end ?? "lost";
    this.#settle((held) => held.accept());
    return { text };
  }

  /** The client hangs up; the instance is told at its write. */
  leave(): void {
    this.#hasLeft = true;
    this.#settle((held) => held.refuse());
    this.#close("lost");
  }

  #write(text: string): Promise<void> {
    const { storage, scheduler, faults, violate } = this.#ground;
    if (this.#instance.isDead) return new Promise(() => {});
    if (this.#held) violate("[S3] a tail holds on to two writes");
    if (text === "") violate("a tail writes nothing");
    return new Promise((resolve, reject) => {
      this.#held = { accept: resolve, refuse: () => reject(new Error("the reader left")) };
      storage.say(this.#instance, () => {
        scheduler.later(latency(this.#ground), "a reader gets text", () => {
          if (faults.strikes("broken reader")) return this.leave();
          if (this.#hasLeft) return this.#settle((held) => held.refuse());
          this.#inbox.push(text);
          this.#wake();
        });
      });
    });
  }

  /** The instance hears of its write a little later, if it lives. */
  #settle(how: (held: Held) => void): void {
    const held = this.#held;
    if (!held) return;
    this.#later("a write is settled", () => {
      this.#held = null;
      how(held);
    });
  }

  #over(end: "end" | "lost"): void {
    this.#ground.storage.say(this.#instance, () => {
      this.#later("a stream ends", () => this.#close(end));
    });
  }

  #later(what: string, run: () => void): Task {
    return this.#ground.scheduler.later(latency(this.#ground), what, () => {
      if (!this.#instance.isDead) run();
    });
  }

  #close(end: "end" | "lost"): void {
    this.#instance.onDeath.delete(this.#lose);
    this.#end ??= end;
    this.#wake();
  }

  #wake(): void {
    const wake = this.#waiting;
    this.#waiting = null;
    wake?.();
  }
}

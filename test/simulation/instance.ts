import type { Clock } from "../../src/shared/clock.ts";
import type { PointName } from "../../src/shared/point.ts";
import type { UserSettings } from "../../src/shared/registry-api.ts";
import { Session } from "../../src/turn/session.ts";
import type { Harness } from "../../src/turn/harness.ts";
import { noSettings } from "../support/no-settings.ts";
import { latency, type Ground } from "./ground.ts";
import { noLink } from "../support/no-link.ts";

/** Thrown in an instance that vanished, wherever its code still stands: nobody hears of it. */
export class Crashed extends Error {
  override name = "Crashed";
}

/** What the storage throws when it is told to fail. */
export class StorageFailed extends Error {
  override name = "StorageFailed";
}

export const address = { agent: "main", user: "ann", session: "s1" } as const;

/** One incarnation of the session's object: the real `Session` over a platform that can fail. */
export class Instance {
  readonly name: string;
  readonly session: Session;
  readonly clock: Clock;
  readonly onDeath = new Set<() => void>();
  isDead = false;
  /** Whether it dies at the end of this event, when its writes are durable. */
  isDoomed = false;
  /** While it takes over from another that still runs, its storage does not fail. */
  isStarting = false;
  /** Whether another instance may have taken over. */
  isStale = false;
  readonly #ground: Ground;
  #ids = 0;

  constructor(
    ground: Ground,
    name: string,
    harnessOf: (instance: Instance) => Harness,
    onPoint: (instance: Instance, name: PointName) => void,
  ) {
    this.#ground = ground;
    this.name = name;
    this.clock = {
      now: () => ground.scheduler.wall,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
    const sql = ground.storage.sqlOf({
      alive: () => this.#alive(),
      committing: () => {
        if (this.isStarting || !ground.faults.strikes("storage exception")) return;
        ground.trace(() => `${name}: the storage fails`);
        throw new StorageFailed("disk I/O error");
      },
    });
    this.session = new Session(
      {
        address,
        sql,
        clock: this.clock,
        setAlarm: (at) => {
          if (!this.isDead) ground.storage.alarm = at;
        },
        sync: () => this.ask("its storage's sync", () => {}),
        keepAlive: () => {},
        register: () => this.ask("the registry", () => this.#register()),
        clearAlarm: () => {
          if (!this.isDead) ground.storage.alarm = null;
        },
        index: () => this.ask("the list", () => this.#register()),
        link: noLink,
        newId: () => `${name}-${++this.#ids}`,
        point: (point) => {
          this.#alive();
          onPoint(this, point);
        },
        log: (level, event, facts) =>
          ground.trace(() => `${name}: ${level} ${event} ${JSON.stringify(facts)}`),
      },
      harnessOf(this),
    );
  }

  /** Asks something outside: `effect` happens there once the request left, its answer is back after `ms`. */
  ask<Answer>(what: string, effect: () => Answer, ms = latency(this.#ground)): Promise<Answer> {
    const { storage, scheduler } = this.#ground;
    return new Promise((resolve, reject) => {
      if (this.isDead) return;
      storage.say(this, () => {
        let answer: () => void;
        try {
          const value = effect();
          answer = () => resolve(value);
        } catch (error) {
          answer = () => reject(error);
        }
        if (ms === Number.POSITIVE_INFINITY) return;
        scheduler.later(ms, `${this.name} hears of ${what}`, () => {
          if (!this.isDead) answer();
        });
      });
    });
  }

  die(): void {
    this.isDead = true;
    for (const tell of this.onDeath) tell();
    this.onDeath.clear();
  }

  #register(): UserSettings {
    const { faults, registry, random } = this.#ground;
    const isLost = faults.strikes("unreachable registry");
    if (!isLost || random.chance(0.5)) registry.isTold = true;
    if (isLost) throw new Error("connection lost");
    return noSettings;
  }

  #alive(): void {
    if (this.isDead) throw new Crashed();
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { scheduler } = this.#ground;
    return new Promise((resolve) => {
      if (this.isDead) return;
      if (signal?.aborted) return resolve();
      const done = () => {
        scheduler.cancel(task);
        signal?.removeEventListener("abort", done);
        if (!this.isDead) resolve();
      };
      const task = scheduler.later(ms, `${this.name} wakes up`, done);
      signal?.addEventListener("abort", done);
    });
  }
}

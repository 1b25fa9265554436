import type { PointName } from "../../src/shared/point.ts";
import type { SessionLink } from "../../src/shared/session-api.ts";
import type { Sql } from "../../src/shared/sql.ts";
import type { Platform } from "../../src/turn/platform.ts";

/** What an object that has ended says to whoever still waits for it. */
export class Ended extends Error {
  override name = "Ended";
}

/** One object in memory: once it is over, it stores nothing, says nothing and hears nothing. */
export class Life {
  readonly #over = Promise.withResolvers<never>();
  isOver = false;

  constructor() {
    this.#over.promise.catch(() => {});
  }

  /** At a commit, all that belongs to it is stored first, as a Durable Object's writes are one until something is awaited. */
  end(at: PointName): void {
    if (/^commit:.*:after$/.test(at)) return queueMicrotask(() => this.#end());
    this.#end();
    throw new Ended();
  }

  #end(): void {
    this.isOver = true;
    this.#over.reject(new Ended());
  }

  /** What comes of a call of it; rejects once it is over, as a caller's does. */
  answers<Result>(call: Promise<Result>): Promise<Result> {
    return Promise.race([call, this.#over.promise]);
  }

  assert(): void {
    if (this.isOver) throw new Ended();
  }
}

/** The platform as an object has it that may end at any point: `endsAt` says where. */
export function mortal(
  platform: Platform,
  life: Life,
  endsAt: (name: PointName) => boolean,
): Platform {
  const { sql } = platform;
  const guarded: Sql = {
    all: (query, ...params) => (life.assert(), sql.all(query, ...params)),
    each: (query, ...params) => (life.assert(), sql.each(query, ...params)),
    run: (query, ...params) => (life.assert(), sql.run(query, ...params)),
    transaction: (work) => (life.assert(), sql.transaction(work)),
  };
  return {
    ...platform,
    sql: guarded,
    setAlarm: (at) => life.isOver || platform.setAlarm(at),
    clearAlarm: () => life.isOver || platform.clearAlarm(),
    link: (to) => heard(platform.link(to), life),
    point(name) {
      life.assert();
      if (endsAt(name)) life.end(name);
      platform.point(name);
    },
  };
}

/** What is answered to an object that is over is heard by nobody. */
function heard(link: SessionLink, life: Life): SessionLink {
  return new Proxy(link, {
    get:
      (of, method) =>
      async (...args: unknown[]) => {
        life.assert();
        const call = of[method as keyof SessionLink] as (...given: unknown[]) => Promise<unknown>;
        try {
          return await call(...args);
        } finally {
          if (life.isOver) await new Promise(() => {});
        }
      },
  });
}

/** The same tables, each statement told of. */
export const counted = (sql: Sql, count: () => void): Sql => ({
  all: (query, ...params) => (count(), sql.all(query, ...params)),
  each: (query, ...params) => (count(), sql.each(query, ...params)),
  run: (query, ...params) => (count(), sql.run(query, ...params)),
  transaction: (work) => sql.transaction(work),
});

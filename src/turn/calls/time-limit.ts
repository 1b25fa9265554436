import type { TurnScope } from "../capability.ts";
import { LostTurn, type SessionCore } from "../core.ts";
import type { Limits } from "../limits.ts";

type Timed = {
  readonly core: Pick<SessionCore, "clock">;
  readonly scope: Pick<TurnScope, "signal">;
  readonly limits: Pick<Limits, "toolTimeoutMs">;
};

/** What a call comes to that took too long. */
export const OVER = Symbol("the time is over");

/** What `work` gives, or `OVER` once it took too long: then its signal aborts, and nobody waits for it. */
export async function withTimeout<Result>(
  { core, scope, limits }: Timed,
  abort: AbortController,
  work: Promise<Result>,
): Promise<Result | typeof OVER> {
  const done = new AbortController();
  const over = core.clock
    .sleep(limits.toolTimeoutMs, AbortSignal.any([done.signal, scope.signal]))
    .then((): typeof OVER => OVER);
  try {
    const first = await Promise.race([work, over]);
    if (first !== OVER) return first;
    abort.abort();
    if (scope.signal.aborted) throw new LostTurn();
    return OVER;
  } finally {
    done.abort();
    work.catch(() => {});
  }
}

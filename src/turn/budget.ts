import { CarrelError } from "../shared/errors.ts";
import { sessionKey } from "../shared/ids.ts";
import type { Spent } from "../shared/registry-api.ts";
import type { AfterTurnsScope, Capability, EndedTurn } from "./capability.ts";

/** Where a user's tokens are counted, over all sessions. Days are in UTC, as `2026-11-30`. */
export type Ledger = {
  readonly spent: (user: string, day: string) => Promise<number>;
  /** Counts each turn once, however often it is told. */
  readonly record: (user: string, day: string, spent: readonly Spent[]) => Promise<void>;
};

/**
 * Lets a user's turns begin, or go on, only while those that ended today have used less than `dailyTokens`. A turn that
 * runs is not broken off, and counts some seconds after its end, on the day of its end. Where the tokens cannot be looked
 * up the turn fails as `overloaded`: they never count as none.
 */
export const createBudget = (dailyTokens: number, ledger: Ledger): Capability => ({
  name: "budget",
  async wrapTurn({ address, now }, next) {
    const used = await usedToday(ledger, address.user, now());
    if (used >= dailyTokens)
      throw new CarrelError(
        "daily_budget",
        `You have used ${used} of ${dailyTokens} tokens today. It begins anew at 00:00 UTC.`,
      );
    await next();
  },
  async afterTurns(scope, turns) {
    for (const [day, spent] of byDay(scope, turns))
      await ledger.record(scope.address.user, day, spent);
  },
});

async function usedToday(ledger: Ledger, user: string, now: number): Promise<number> {
  try {
    return await ledger.spent(user, dayOf(now));
  } catch (error) {
    throw new CarrelError(
      "overloaded",
      "How many tokens were used today could not be looked up, so nothing was begun. Try again in a moment.",
      { cause: error },
    );
  }
}

function byDay({ address }: AfterTurnsScope, turns: readonly EndedTurn[]): Map<string, Spent[]> {
  const days = new Map<string, Spent[]>();
  for (const { turn, entries } of turns) {
    const end = entries.at(-1);
    if (end?.kind !== "end") continue;
    const tokens = end.usage.input + end.usage.output;
    if (tokens === 0) continue;
    const day = dayOf(end.at);
    const spent = days.get(day) ?? [];
    days.set(day, [...spent, { id: `${sessionKey(address)}${turn}`, tokens }]);
  }
  return days;
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

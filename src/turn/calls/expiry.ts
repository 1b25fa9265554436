import { pendingCalls } from "../../session/entries.ts";
import type { SessionCore } from "../core.ts";
import { afterChange, firstExpiry } from "./park.ts";
import { appendWoken, wakesBy, wakingCalls } from "../tasks/held.ts";
import { assertNewest, decline, expired, isExpired } from "./questions.ts";

/**
 * Settles the questions of a waiting turn that nobody has answered in their time, and lets its calls look again whose tasks
 * have ended or whose time is up, in one commit; it goes on for these, and without anything left to wait for. Whether there
 * was any. May be called at any time: what is not due stays.
 */
export function expireCalls(core: SessionCore): boolean {
  const { begun } = core;
  const now = core.clock.now();
  if (begun?.state !== "waiting") return false;
  const isLate = core.pending.some((asked) => isExpired(asked, now));
  const isWoken = core.held.some((held) => wakesBy(core.sql, held, now) !== null);
  if (!isLate && !isWoken) return false;
  const turn = core.commit("answer", (tx) => {
    assertNewest(core);
    const entries = core.entriesOf(begun.id);
    const late = pendingCalls(entries).filter((asked) => isExpired(asked, now));
    const settled = [
      ...late.flatMap((asked) => decline(tx, asked, expired)),
      ...appendWoken(tx, wakingCalls(core, entries)),
    ];
    return afterChange(core, tx, begun, { entries: [...entries, ...settled], must: isWoken });
  });
  core.replaceOpen(turn);
  return true;
}

/** When the first question of a waiting turn expires, or its first call looks again, in ms; `null` when none waits. */
export function nextExpiry(core: SessionCore): number | null {
  return core.begun?.state === "waiting" ? firstExpiry(core) : null;
}

import { pendingCalls } from "../../session/entries.ts";
import type { SessionCore } from "../core.ts";
import { afterChange, firstExpiry } from "./park.ts";
import { assertNewest, decline, expired, isExpired } from "./questions.ts";

/**
 * Settles the questions of a waiting turn that nobody has answered in their time, in one commit, and no others; without
 * any left the turn goes on. Whether something expired. May be called at any time: what is not due stays.
 */
export function expireCalls(core: SessionCore): boolean {
  const { begun } = core;
  const now = core.clock.now();
  if (begun?.state !== "waiting" || !core.pending.some((asked) => isExpired(asked, now)))
    return false;
  const turn = core.commit("answer", (tx) => {
    assertNewest(core);
    const entries = core.entriesOf(begun.id);
    const late = pendingCalls(entries).filter((asked) => isExpired(asked, now));
    const settled = late.flatMap((asked) => decline(tx, asked, expired));
    return afterChange(core, tx, begun, { entries: [...entries, ...settled], must: false });
  });
  core.replaceOpen(turn);
  return true;
}

/** When the first question of a waiting turn expires, in milliseconds; `null` when none waits. */
export function nextExpiry(core: SessionCore): number | null {
  return core.begun?.state === "waiting" ? firstExpiry(core.pending) : null;
}

import { notFound } from "../../shared/errors.ts";
import type { TurnView } from "../../shared/session-api.ts";
import { findTurn, stopQueued, toView } from "../../session/turns.ts";
import type { SessionCore } from "../core.ts";
import { settleTurn, type AfterTurn } from "../settle.ts";
import { viewOfStored } from "../status.ts";

/** `hasEnded`: the turn had begun and is over now; else it only waits in line no more, or was over before. */
export type StoppedTurn = { readonly view: TurnView; readonly hasEnded: boolean };

/**
 * Ends the oldest unfinished turn, or the named one, as stopped, committed when this returns: what it asked is denied. A
 * message that was taken into a turn stands for that turn. `null` when nothing is unfinished; `not_found` for a turn that
 * the session never accepted. Safe to repeat.
 */
export function stopTurn(core: SessionCore, after: AfterTurn, turn?: string): StoppedTurn | null {
  const open = core.open.find((candidate) =>
    turn === undefined ? candidate.state !== "stopped" : candidate.id === turn,
  );
  if (!open) {
    if (turn === undefined) return null;
    const stored = findTurn(core.sql, turn);
    if (!stored) throw notFound("That turn");
    const { joined } = stored;
    if (joined !== null && core.begun?.id === joined) return stopTurn(core, after, joined);
    return { view: viewOfStored(core, turn, stored), hasEnded: false };
  }
  if (open !== core.open[0]) {
    core.commit("stop", () => stopQueued(core.sql, open.id));
    if (open.state === "queued") core.replaceOpen({ ...open, state: "stopped" });
    return { view: toView(open.id, "stopped", null), hasEnded: false };
  }
  settleTurn(core, open, { outcome: "stopped" }, { ...after, commit: "stop" });
  const stopped = findTurn(core.sql, open.id);
  return { view: toView(open.id, "stopped", stopped?.start ?? null), hasEnded: true };
}

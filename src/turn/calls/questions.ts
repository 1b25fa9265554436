import type { CallAnswered } from "../../shared/events.ts";
import type { EntryOf, JournalEntry } from "../../session/entries.ts";
import { LostTurn, type SessionCore, type Tx } from "../core.ts";

/** Who settles questions that no person answered. */
export const BY_SESSION = "session";

/** How a call that is asked about is settled without running. `reason` is shown, and told to the model. */
export type Declined = {
  readonly answer: Extract<CallAnswered, "denied" | "expired">;
  readonly by: string;
  readonly reason?: string;
};

/** Settles a question so that its call does not run: the answer, and the call's result. */
export function decline(tx: Tx, asked: EntryOf<"asked">, declined: Declined): JournalEntry[] {
  const { turn, call, name, digest } = asked;
  const text = `Not run: ${whyNot(declined)}`;
  return [
    tx.append(turn, { kind: "answered", call, name, digest, ...declined }),
    tx.append(turn, {
      kind: "result",
      call,
      name,
      status: "denied",
      content: [{ type: "text", text }],
    }),
  ];
}

function whyNot({ by, reason }: Declined): string {
  if (by === BY_SESSION) return reason ?? "it was not allowed.";
  return reason === undefined ? "the user denied it." : `the user denied it. Reason: ${reason}`;
}

/** A question that nobody has answered in its time. */
export const expired: Declined = {
  answer: "expired",
  by: BY_SESSION,
  reason: "nobody answered in time.",
};

export const isExpired = ({ expiresAt }: { readonly expiresAt: number }, now: number): boolean =>
  now >= expiresAt;

/** Throws `LostTurn` when another object has gone on with the session: what this one knows of its questions is old. */
export function assertNewest(core: SessionCore): void {
  if (core.journal.isOutdated()) throw new LostTurn();
}

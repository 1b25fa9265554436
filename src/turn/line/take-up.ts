import { CarrelError, invalid, notFound } from "../../shared/errors.ts";
import { turnOfMessage } from "../../shared/ids.ts";
import type { ContentPart } from "../../shared/messages.ts";
import type { TurnInput } from "../../shared/session-api.ts";
import type { EntryOf, Fact } from "../../session/entries.ts";
import { fitsRow } from "../../session/journal.ts";
import type { RunningTurn } from "../../session/turns.ts";
import type { SessionCore, Tx } from "../core.ts";

/** A turn that this object drives from now on, with a place for its user entry and for its first step. */
export function runningTurn(
  core: SessionCore,
  tx: Tx,
  {
    id,
    no,
    acceptedAt,
  }: { readonly id: string; readonly no?: number; readonly acceptedAt: number },
): RunningTurn {
  const start = tx.reserve();
  const attempt = tx.reserve();
  return {
    id,
    no: no ?? start,
    acceptedAt,
    state: "running",
    start,
    attempt,
    epoch: core.epoch,
    strikes: 0,
    since: null,
  };
}

/**
 * The user entry of a turn; for `regenerate` the newest turn's message again, in that turn's place, with the messages that
 * were taken into it, which would be lost with its answer. Throws `CarrelError('too_large')` where these fill no one row.
 */
export function userFact(core: SessionCore, input: TurnInput): Extract<Fact, { kind: "user" }> {
  if (input.kind === "message") {
    const { content, output } = input;
    return { kind: "user", content, ...(output === undefined ? {} : { output }) };
  }
  const newest = core.window.findLast((entry) => entry.kind === "user");
  if (newest?.kind !== "user") throw notFound("A message to answer again");
  const { turn, message = turn, output } = newest;
  if (input.reply !== undefined && input.reply !== message && turnOfMessage(input.reply) !== turn) {
    throw invalid("Only the newest answer of a session can be given anew.");
  }
  const format = output === undefined ? {} : { output };
  const content = saidIn(core, newest);
  const fact = { kind: "user", content, replaces: turn, message, ...format } as const;
  if (fitsRow(JSON.stringify(fact))) return fact;
  throw new CarrelError(
    "too_large",
    "The messages of that turn are together too large to be answered anew. Send a new message instead.",
  );
}

/** All that the person said in a turn: what was taken into it later is a part of the message that is answered anew. */
function saidIn(core: SessionCore, user: EntryOf<"user">): readonly ContentPart[] {
  const steered = core.window.filter(
    (entry) => entry.kind === "steered" && entry.turn === user.turn,
  );
  return [user, ...steered].flatMap((entry) => ("content" in entry ? entry.content : []));
}

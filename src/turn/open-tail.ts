import { invalid, notFound } from "../shared/errors.ts";
import { parseCursor, START, type Cursor, type IdentifiedEvent } from "../shared/events.ts";
import type { TailRequest } from "../shared/session-api.ts";
import { runTail } from "../session/tail.ts";
import { findTurn } from "../session/turns.ts";
import type { SessionCore } from "./core.ts";
import { isAtWork, statusOf } from "./status.ts";

/**
 * Checks a tail's request at once and gives the function that runs it. `until` names a turn: the tail ends when that
 * turn has ended, or waits for someone outside, and everything up to there was written. For a message that was taken
 * into another turn that is the turn it is in.
 */
export function openTail(
  core: SessionCore,
  request: TailRequest,
): (write: (text: string) => Promise<void>) => Promise<void> {
  const { until } = request;
  const after = request.after === undefined ? null : parseCursor(request.after);
  if (!after && request.after !== undefined) {
    throw invalid(
      'The cursor must be an event id such as "12.0", as sent in "id:", or "0.0" for the beginning.',
    );
  }
  if (after && after.seq >= core.nextSeq)
    throw invalid('This session has no event with that id. Start from "0.0".');
  if (until !== undefined && !core.open.some(({ id }) => id === until))
    if (!findTurn(core.sql, until)) throw notFound("That turn");
  const followed = new Followed(core, until);
  return (write) =>
    runTail(
      {
        log: core.events,
        bell: core.bell,
        clock: core.clock,
        after: () => after ?? (until === undefined ? START : followed.start()),
        status: () => statusOf(core),
        isLast: (item) => followed.isLast(item),
        isOver: () => core.isDeleted || (until !== undefined && followed.rests()),
        isBusy: () => core.isBusy || isAtWork(core),
      },
      write,
    );
}

/** The turn that a tail follows to its end. A message that waits in line may be taken into another turn. */
class Followed {
  readonly #core: SessionCore;
  readonly #until: string | undefined;

  constructor(core: SessionCore, until: string | undefined) {
    this.#core = core;
    this.#until = until;
  }

  /** Just before its first event, which for a message that was taken into another turn is there; `null` while it waits in line. */
  start(): Cursor | null {
    const { open, sql } = this.#core;
    const turn = open.find(({ id }) => id === this.#until) ?? findTurn(sql, this.#until ?? "");
    const start = turn && "start" in turn ? turn.start : null;
    return start === null ? null : { seq: start - 1, offset: 0 };
  }

  isLast({ id, event }: IdentifiedEvent): boolean {
    if (this.#until === undefined) return false;
    if (event.type === "turn-end") return event.turn === this.#id();
    if (event.type !== "turn-waiting" || event.turn !== this.#id()) return false;
    const turn = this.#open();
    return turn?.state === "waiting" && turn.since === parseCursor(id)?.seq;
  }

  /** Whether it ended, or waits for someone outside. */
  rests(): boolean {
    const turn = this.#open();
    return !turn || (turn.state === "waiting" && !isAtWork(this.#core));
  }

  #open() {
    const id = this.#id();
    return this.#core.open.find((turn) => turn.id === id);
  }

  /** The turn that the message is in: asked anew, since it may have been taken into one while it waited. */
  #id(): string | undefined {
    const { open, sql } = this.#core;
    if (this.#until === undefined || open.some(({ id }) => id === this.#until)) return this.#until;
    return findTurn(sql, this.#until)?.joined ?? this.#until;
  }
}

import {
  parseCursor,
  START,
  type IdentifiedEvent,
  type SessionEvent,
  type SessionStatus,
} from "../../src/shared/events.ts";
import type { Connection } from "./connection.ts";

/** What the journal knows: `has` a seq. */
export type Facts = { readonly has: (seq: number) => boolean; readonly isDeleted: boolean };

/**
 * One reader of the session over as many connections as it takes. Judges each event when it comes, knowing only
 * what it has seen and which facts are stored.
 */
export class Reader {
  readonly events: IdentifiedEvent[] = [];
  status: SessionStatus | null = null;
  readonly #facts: Facts;
  readonly #violate: (what: string) => void;
  /** Seq of a step whose end was not seen. */
  #open: number | null = null;

  constructor(facts: Facts, violate: (what: string) => void) {
    this.#facts = facts;
    this.#violate = violate;
  }

  get last(): string | undefined {
    return this.events.at(-1)?.id;
  }

  /** Whether the session says that the turn which goes on waits for someone. */
  get isWaiting(): boolean {
    const isSaid = this.events.at(-1)?.event.type === "turn-waiting";
    return isSaid || this.status?.turns.some(({ state }) => state === "waiting") === true;
  }

  /** Whether anything of a turn was seen, or of the one that its message was taken into. */
  hasSeen(turn: string | undefined): boolean {
    return this.events.some(
      ({ event }) =>
        ("turn" in event && event.turn === turn) ||
        (event.type === "steered" && event.message === turn),
    );
  }

  /** Hears one connection out, up to the first event that `isLast` says; how it ended. */
  async hearOut(
    connection: Connection,
    isLast: (event: SessionEvent) => boolean,
  ): Promise<"seen" | "end" | "lost"> {
    let isFirst = true;
    for (;;) {
      const heard = await connection.hear();
      if (heard === "end" || heard === "lost") return heard;
      for (const frame of heard.text.split("\n\n").slice(0, -1)) {
        const event = this.#take(frame, isFirst);
        isFirst = false;
        if (!event || !isLast(event)) continue;
        connection.leave();
        return "seen";
      }
    }
  }

  #take(frame: string, isFirst: boolean): SessionEvent | null {
    if (frame.startsWith(":")) return null;
    const [, id, json] = /^(?:id: (.*)\n)?data: (.*)$/.exec(frame) ?? [];
    if (json === undefined) {
      this.#violate(`not a frame: ${JSON.stringify(frame)}`);
      return null;
    }
    const event = JSON.parse(json) as SessionEvent;
    if ((event.type === "status") !== isFirst)
      this.#violate(`[S5] ${event.type} is ${isFirst ? "" : "not "}the first event`);
    if (event.type === "status") this.#takeStatus(event);
    else this.#takeEvent(id ?? "", event);
    return event;
  }

  #takeStatus(status: SessionStatus): void {
    this.status = status;
    const later = status.turns.slice(1);
    if (later.some(({ state }) => state !== "queued"))
      this.#violate(`[T4] two turns are under way: ${JSON.stringify(status.turns)}`);
  }

  #takeEvent(id: string, event: SessionEvent): void {
    this.events.push({ id, event });
    const { seq } = parseCursor(id) ?? START;
    const isReset = event.type === "step-reset";
    if (this.#open !== null && seq > this.#open && !isReset)
      this.#violate(`[S2] ${id} ${event.type} contradicts the open step ${this.#open}`);
    if (event.type === "step-start") this.#open = seq;
    else if (seq !== this.#open || event.type === "step-end") this.#open = null;
    const isFact = event.type === "step-end" || isReset || "at" in event;
    if (isFact && !this.#facts.has(seq))
      this.#violate(`[S2] ${id} ${event.type} was seen but is not stored`);
  }
}

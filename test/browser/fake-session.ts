import type { IdentifiedEvent, SessionEvent, SessionStatus } from "../../src/shared/events.ts";
import { compareCursors, parseCursor, START } from "../../src/shared/events.ts";
import type { Permissions } from "../../src/shared/permissions.ts";
import type { SessionSummary } from "../../src/shared/registry-api.ts";
import type { HistoryPage, PermissionsChange } from "../../src/shared/session-api.ts";
import type { FakeTurn } from "./fake-turn.ts";

/** A session whose every event a test says itself. Ids count like the real ones. */
export class FakeSession {
  readonly id: string;
  turns: FakeTurn[] = [];
  title = "";
  permissions: Permissions = { mode: "DEFAULT", allow: [], ask: [], deny: [] };
  readonly createdAt = Date.now();
  updatedAt = Date.now();
  readonly #log: IdentifiedEvent[] = [];
  readonly #readers = new Set<(event: IdentifiedEvent) => void>();
  #seq = 0;
  #offset = 0;

  constructor(id: string) {
    this.id = id;
  }

  /** A fact or the start of an attempt: the next number, offset 0. */
  fact(event: SessionEvent): string {
    this.updatedAt = Date.now();
    this.#seq++;
    this.#offset = 0;
    return this.#add(event);
  }

  /** Something said inside the newest attempt. */
  said(event: SessionEvent, units: number): string {
    this.#offset += units;
    return this.#add(event);
  }

  #add(event: SessionEvent): string {
    const id = `${this.#seq}.${this.#offset}`;
    this.#log.push({ id, event });
    for (const reader of this.#readers) reader({ id, event });
    return id;
  }

  /** Calls `reader` with everything after the cursor, then with what comes; gives a way to end that. */
  read(after: string, reader: (event: IdentifiedEvent) => void): () => void {
    const from = parseCursor(after) ?? START;
    for (const entry of this.#log)
      if (compareCursors(parseCursor(entry.id) ?? START, from) > 0) reader(entry);
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  get status(): SessionStatus {
    const turns = this.turns
      .filter((turn) => !turn.hasEnded)
      .map(({ id, state, begins }) => ({ turn: id, state, start: begins }));
    return {
      type: "status",
      pending: this.turns.flatMap((turn) => (turn.hasEnded ? [] : turn.pending)),
      mode: this.permissions.mode,
      turns,
      last: this.#log.at(-1)?.id ?? "0.0",
    };
  }

  get summary(): SessionSummary {
    const { id: session, title, createdAt, updatedAt } = this;
    const isWaiting = this.turns.some(({ state }) => state === "waiting");
    return { session, title, createdAt, updatedAt, isWaiting };
  }

  change(change: PermissionsChange): void {
    this.permissions = { ...this.permissions, ...change };
    this.fact({ type: "permissions", at: 1, ...this.permissions });
  }

  clear(): void {
    this.turns = [];
    this.fact({ type: "cleared", at: 1 });
  }

  /** Pages count turns, two messages each. */
  history(before: number | null, limit: number): HistoryPage {
    const shown = this.turns.filter((turn) => !turn.isReplaced && turn.state !== "queued");
    const end = before ?? shown.length;
    const start = Math.max(0, end - Math.floor(limit / 2));
    const messages = shown.slice(start, end).flatMap((turn) => turn.messages());
    return {
      session: this.id,
      title: this.title,
      status: this.status,
      messages,
      before: start > 0 ? start : null,
    };
  }
}

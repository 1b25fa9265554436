import type { Clock } from "../shared/clock.ts";
import type { Cursor, IdentifiedEvent, SessionStatus } from "../shared/events.ts";
import { encodeEvents, encodeStatus, KEEP_ALIVE } from "../shared/sse.ts";
import type { EventLog, LogPage } from "./event-log.ts";

/** Characters of text handed to one write: what a reader that stopped reading can hold on to. */
const WRITE_CHARS = 10_000;
const KEEP_ALIVE_MS = 15_000;
const IDLE_MS = 60_000;

/** Wakes whoever waits for something new to read. One promise serves all readers of a moment. */
export class Bell {
  #promise: Promise<void> | null = null;
  #ring: (() => void) | null = null;

  /** Resolves at the next `ring`. */
  next(): Promise<void> {
    this.#promise ??= new Promise((resolve) => (this.#ring = resolve));
    return this.#promise;
  }

  ring(): void {
    const ring = this.#ring;
    this.#promise = null;
    this.#ring = null;
    ring?.();
  }
}

export type Tail = {
  readonly log: EventLog;
  readonly bell: Bell;
  readonly clock: Clock;
  /** Where to begin; `null` while the turn that the reader follows waits in line. */
  readonly after: () => Cursor | null;
  /** Sent first, without an id. */
  readonly status: () => SessionStatus;
  /** Whether this event is the last one that the reader is shown: the end of the turn that it follows. */
  readonly isLast: (item: IdentifiedEvent) => boolean;
  /** Whether there is nothing left to wait for once the reader has caught up: the turn it follows ended. */
  readonly isOver: () => boolean;
  /** Whether some turn is unfinished: such a tail never counts as idle. */
  readonly isBusy: () => boolean;
};

/**
 * Writes a session's events from a cursor on until there is nothing to wait for. Holds a cursor and never an
 * entry across a write, and awaits each write, so a reader that stops costs one write. A write that rejects
 * (the reader left) ends the tail and nothing else. Idle tails end after a minute; clients resume.
 */
export async function runTail(tail: Tail, write: (text: string) => Promise<void>): Promise<void> {
  const { clock } = tail;
  const done = new AbortController();
  let isSilent = false;
  // Rings the bell for all, which costs the others a look: a race against it for each event would cost more.
  const startTimer = () =>
    void clock.sleep(KEEP_ALIVE_MS, done.signal).then(() => {
      isSilent = true;
      tail.bell.ring();
    });
  // Once through what already waits to run: what a turn does at its start leaves in one write with its acceptance.
  await Promise.resolve();
  let cursor: Cursor | null = null;
  let activeAt = clock.now();
  let isTimed = false;
  let head = encodeStatus(tail.status());
  try {
    for (;;) {
      // Asked for before reading, so that what happens meanwhile rings it.
      const bell = tail.bell.next();
      cursor ??= tail.after();
      const page: LogPage | null = cursor ? tail.log.read(cursor, WRITE_CHARS) : null;
      cursor = page?.cursor ?? null;
      const end = page?.events.findIndex(tail.isLast) ?? -1;
      const text = head + encodeEvents(page?.events.slice(0, end < 0 ? undefined : end + 1) ?? []);
      if (text !== "") {
        head = "";
        await write(text);
        if (end >= 0) return;
        activeAt = clock.now();
        continue;
      }
      if (tail.isOver()) return;
      if (tail.isBusy()) activeAt = clock.now();
      if (clock.now() - activeAt >= IDLE_MS) return;
      if (!isTimed) startTimer();
      isTimed = true;
      // The timer may have run out while a write took its time.
      if (!isSilent) await bell;
      if (!isSilent) continue;
      isSilent = false;
      startTimer();
      await write(KEEP_ALIVE);
    }
  } finally {
    done.abort();
  }
}

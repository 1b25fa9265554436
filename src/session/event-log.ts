import {
  compareCursors,
  formatCursor,
  type Cursor,
  type IdentifiedEvent,
  type SessionEvent,
} from "../shared/events.ts";
import { replyId } from "../shared/ids.ts";
import { utf8Length } from "../shared/text.ts";
import type { JournalEntry } from "./entries.ts";
import type { Journal } from "./journal.ts";
import type { LiveStep } from "./live-step.ts";
import { readTape, tapeLength, tapeOf } from "./tape.ts";

export type LogPage = { readonly events: readonly IdentifiedEvent[]; readonly cursor: Cursor };

/**
 * The one place that events come from: journal entries in order, then the live step. A page is a function of
 * the cursor and of what happened; reading changes nothing.
 */
export class EventLog {
  readonly #journal: Journal;
  readonly #live: () => LiveStep | null;

  constructor(journal: Journal, live: () => LiveStep | null) {
    this.#journal = journal;
    this.#live = live;
  }

  /** Id of the newest stored event. */
  last(): string {
    const entry = this.#journal.read(this.#journal.last)[0];
    return formatCursor({
      seq: this.#journal.last,
      offset: entry?.kind === "step" ? endOffset(entry) : 0,
    });
  }

  /** The events after `cursor`, up to about `budget` characters of text; none when the reader has caught up. */
  read(cursor: Cursor, budget: number): LogPage {
    const events: IdentifiedEvent[] = [];
    let at = cursor;
    let left = budget;
    const take = (seq: number, event: SessionEvent, offset: number): void => {
      at = { seq, offset };
      events.push({ id: formatCursor(at), event });
    };
    // The entry that the cursor is in may fill a page alone, with nothing of it left to take.
    for (let from = Math.max(at.seq, 1); from <= this.#journal.last;) {
      for (const entry of this.#journal.read(from)) {
        from = entry.seq + 1;
        if (entry.kind === "step") {
          left -= takeStep(entry, at, left, take);
        } else if (entry.seq > at.seq) {
          const event = toEvent(entry);
          at = { seq: entry.seq, offset: 0 };
          if (event) take(entry.seq, event, 0);
          if (event) left -= "content" in event ? sizeOf(event.content) : 100;
        }
        if (left <= 0) return { events, cursor: at };
      }
    }
    const live = this.#live();
    if (
      live &&
      live.seq > this.#journal.last &&
      live.seq >= at.seq &&
      compareCursors(at, { seq: this.#journal.last, offset: 0 }) >= 0
    ) {
      takeLive(live, at, left, take);
    }
    return { events, cursor: at };
  }
}

type Take = (seq: number, event: SessionEvent, offset: number) => void;
type StepEntry = Extract<JournalEntry, { kind: "step" }>;

const endOffset = (entry: StepEntry): number => tapeLength(tapeOf(entry.parts)) + 1;

/** Takes what is after `at` of a journaled step; how many characters that was, or all of `budget` when it did not fit. */
function takeStep(entry: StepEntry, at: Cursor, budget: number, take: Take): number {
  const tape = tapeOf(entry.parts);
  const end = tapeLength(tape) + 1;
  const from = at.seq === entry.seq ? at.offset : -1;
  if (from >= end) return 0;
  if (from < 0) take(entry.seq, startOf(entry), 0);
  const read = readTape(tape, Math.max(from, 0), budget);
  for (const { event, offset } of read.events) take(entry.seq, event, offset);
  if (read.offset < end - 1) return budget;
  take(entry.seq, { type: "step-end", finish: entry.finish, usage: entry.usage }, end);
  return read.offset - Math.max(from, 0);
}

function takeLive(live: LiveStep, at: Cursor, budget: number, take: Take): void {
  const from = at.seq === live.seq ? at.offset : -1;
  if (from < 0) take(live.seq, startOf(live), 0);
  for (const { event, offset } of readTape(live.parts, Math.max(from, 0), budget).events)
    take(live.seq, event, offset);
}

const startOf = (step: { turn: string; step: number; model: string }): SessionEvent => ({
  type: "step-start",
  turn: step.turn,
  step: step.step,
  model: step.model,
});

function sizeOf(content: readonly { readonly type: string }[]): number {
  return content.reduce(
    (sum, part) => sum + ("text" in part ? String(part.text).length : 1_000),
    100,
  );
}

/** The event of an entry other than a step; `null` for facts that only recovery needs. */
function toEvent(entry: Exclude<JournalEntry, { kind: "step" }>): SessionEvent | null {
  const { turn, at } = entry;
  switch (entry.kind) {
    case "user": {
      const replaces = entry.replaces === undefined ? {} : { replaces: entry.replaces };
      return {
        type: "turn-start",
        turn,
        reply: replyId(turn),
        content: entry.content,
        ...replaces,
        at,
      };
    }
    case "attached": {
      const files = entry.files.map(({ path, text }) => ({ path, bytes: utf8Length(text) }));
      return { type: "attached", turn, files };
    }
    case "result": {
      const { call, name, status, content } = entry;
      const evicted = entry.evicted === undefined ? {} : { evicted: entry.evicted };
      return { type: "tool-result", turn, call, name, status, content, ...evicted, at };
    }
    case "reset": {
      if (entry.attempt === null) return null;
      return { type: "step-reset", turn, to: `${entry.attempt}.0`, reason: entry.reason };
    }
    case "end": {
      const error = entry.error === undefined ? {} : { error: entry.error };
      const { outcome, usage, steps } = entry;
      const output = entry.output === undefined ? {} : { output: entry.output };
      const reply = replyId(turn);
      return { type: "turn-end", turn, reply, outcome, ...error, ...output, usage, steps, at };
    }
    case "shortened": {
      const of = formatCursor({ seq: entry.of, offset: 0 });
      return { type: "shortened", turn, of, files: entry.files, at };
    }
    case "intent":
    case "repair":
    case "held":
    case "woken":
    case "delivered":
      return null;
    default:
      return toOutsideEvent(entry);
  }
}

type OutsideEntry = Extract<
  JournalEntry,
  {
    kind:
      | "asked"
      | "answered"
      | "waiting"
      | "steered"
      | "permissions"
      | "plan"
      | "todos"
      | "task"
      | "subagent"
      | "compacted"
      | "cleared";
  }
>;

/** The event of what came from outside, or waits for it. */
function toOutsideEvent(entry: OutsideEntry): SessionEvent | null {
  const { turn, at } = entry;
  switch (entry.kind) {
    case "asked": {
      const { call, name, what, input, digest, reason, suggested, expiresAt } = entry;
      const question = { turn, call, name, what, input, digest, reason, suggested, expiresAt };
      return { type: "call-asked", ...question, at };
    }
    case "answered": {
      const { call, answer, by } = entry;
      const reason = entry.reason === undefined ? {} : { reason: entry.reason };
      const input = entry.input === undefined ? {} : { input: entry.input };
      return { type: "call-answered", turn, call, answer, by, ...reason, ...input, at };
    }
    case "waiting": {
      const { calls, expiresAt } = entry;
      // What it waits for is its own work.
      if (calls.length === 0) return null;
      return { type: "turn-waiting", turn, reply: replyId(turn), calls, expiresAt, at };
    }
    case "steered":
      return { type: "steered", turn, message: entry.message, content: entry.content, at };
    case "permissions": {
      const { mode, allow, ask, deny } = entry;
      return { type: "permissions", mode, allow, ask, deny, at };
    }
    case "plan": {
      const { active, path, hash, approved, by } = entry;
      return { type: "plan", active, path, hash, approved, by, at };
    }
    case "subagent": {
      const { source, agent, session, events } = entry;
      return { type: "subagent", source, agent, session, events, at };
    }
    case "task": {
      const { id, agent, session, title, state } = entry;
      return { type: "task", id, agent, session, title, state, at };
    }
    case "todos":
      return { type: "todos", todos: entry.todos, at };
    case "compacted": {
      const { how, before, after } = entry;
      const why = entry.why === undefined ? {} : { why: entry.why };
      return { type: "compacted", how, before, after, ...why, at };
    }
    case "cleared":
      return { type: "cleared", at };
  }
}
